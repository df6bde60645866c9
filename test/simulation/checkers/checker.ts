/** What a checker may watch. Checkers stand outside the runtime: they see what landed in the store, what was
 *  answered, what the outside was sent - never the runtime's memory. Each returns what is wrong, or null. */
import type { Json } from '../../../src/runtime/model/actor.ts';
import type { Address } from '../../../src/runtime/model/address.ts';
import type { AskResult, Identity } from '../../../src/runtime/model/envelope.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import type { Disk, Landed } from '../../support/simulated/store-sim-disk.ts';
import type { Ledger } from '../ledger.ts';
import type { SimStreams } from '../streams-sim.ts';

/** One copy of a command and the answer its sender got. Ticks order all observations of a run. */
export interface Answered {
  readonly to: Address;
  readonly command: string;
  readonly data: Json;
  readonly identity: Identity | null;
  readonly askedAt: number;
  readonly answeredAt: number;
  /** After it nothing may execute this copy: on the process's wall clock; Infinity when that was ever wrong. */
  readonly deadline: Instant;
  readonly result: AskResult;
}

/** A committed state shown to a reader. */
export interface Shown {
  readonly kind: string;
  readonly id: string;
  readonly v: number;
  readonly state: Json;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** Up to which position of a journal a reader was told to read. */
export interface Told {
  readonly scope: string;
  readonly upTo: number;
}

/** An actor in a list, as a door showed it. */
export type Listing = Pick<Shown, 'kind' | 'id' | 'v'>;

/** A runner was called for an effect. */
export interface Began {
  /** `<actor>:<q>`. */
  readonly key: string;
  readonly kind: string;
}

/** A webhook reached an endpoint's server. */
export interface Posted {
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  /** It had waited its 60 s for the one before. */
  readonly overtakes: boolean;
  readonly body: string;
}

/** An answer to a keyed POST, as its client received it. */
export interface Replied {
  readonly key: string;
  readonly body: string;
  readonly objectId: string;
}

/** What is wrong, or null. */
type Wrong = string | null;

export interface Checker {
  /** The law, as a sentence. */
  readonly rule: string;
  landed?(landed: Landed): Wrong;
  answered?(answered: Answered): Wrong;
  shown?(shown: Shown): Wrong;
  listed?(listing: Listing): Wrong;
  told?(told: Told): Wrong;
  began?(began: Began): Wrong;
  posted?(posted: Posted): Wrong;
  replied?(replied: Replied): Wrong;
  /** Everything is healed and has settled. */
  ended?(): Wrong;
}

/** What is true of the world, whatever the runtime believes. */
export interface Facts {
  readonly disk: Disk;
  readonly ledger: Ledger;
  /** Webhook endpoints whose creation was answered. */
  readonly endpoints: ReadonlySet<string>;
  /** Events published for other systems, and hints in flight; null where there are no streams. */
  readonly streams: Pick<SimStreams, 'events' | 'mail'> | null;
  /** How many observations of a run there were so far (Answered, Shown). */
  readonly ticks: () => number;
  /** Real time, whatever a process's wall clock shows. */
  readonly now: () => Instant;
}

export type MakeChecker = (facts: Facts) => Checker;
