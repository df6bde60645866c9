/** The interface between one actor in memory and its node. */
import type { Complaints } from '../../kernel/complaints.ts';
import type { Scheduler } from '../../kernel/time.ts';
import type { Doc, Row } from '../../store/store.ts';
import type { Admission } from './admission.ts';
import type { Clocks } from '../time/clocks.ts';
import type { Committer } from './committer.ts';
import type { TimerHost } from './due-timers.ts';
import type { TurnHost } from './execution.ts';
import type { DocumentHost } from './committed-document.ts';
import type { WorkWatch } from '../time/work-watch.ts';
import type { RuntimeMeters } from '../model/meters.ts';
import type { JournalPositions, Placed } from '../delivery/journal-positions.ts';
import type { DeliveryHost } from '../delivery/outbox.ts';

/** What is reported with a commit, beside the document. */
export interface CommittedWith {
  /** The journal rows this commit has added; empty if some of them may have been stored before. */
  readonly rows: readonly Row[];
  /** The events that are part of this commit. */
  readonly placed: Placed | null;
  /** Whether watchers may see something new. */
  readonly shows: boolean;
}

/** What an actor in memory needs from its node. */
export interface ActivationHost<InMemory> extends TurnHost, DocumentHost, DeliveryHost, TimerHost {
  readonly scheduler: Scheduler;
  readonly clocks: Pick<Clocks, 'fresh' | 'now' | 'walking'>;
  readonly admission: Admission;
  /** Node processes whose requests may still be in progress. */
  readonly incarnationsAlive: readonly string[];
  readonly committer: Pick<Committer, 'submit' | 'putRows' | 'goNow' | 'hasCompany'>;
  readonly positions: Pick<JournalPositions, 'hasRoom' | 'placed' | 'logged'>;
  readonly complaints: Complaints;
  readonly meters: Pick<RuntimeMeters, 'turn' | 'timer' | 'parked'>;
  /** Returns the actor in memory and loads it if necessary; undefined if another node serves it. */
  activation(kind: string, id: string): InMemory | undefined;
  /** Whether other nodes may move clocks and do part of what a walk causes. */
  readonly sharesClocks: boolean;
  readonly work: Pick<WorkWatch, 'begins' | 'ended'>;
  /** Drops it from memory. */
  forget(activation: InMemory): void;
  /** Called after each commit, once everything of it may leave the node. */
  committedNow(activation: InMemory, doc: Doc, committed: CommittedWith): void;
}
