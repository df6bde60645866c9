/** The parts one node is made from; src/main.ts supplies them. */
import type { Bus } from '../../bus/bus.ts';
import type { Scheduler } from '../../kernel/time.ts';
import type { Doc, Store } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { Eras } from '../model/era.ts';
import type { Failpoint } from '../model/failpoint.ts';
import type { EffectRunners } from '../delivery/effects.ts';
import type { Dispatch, Publish } from '../delivery/journal-pump.ts';
import type { RuntimeMeters } from '../model/meters.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { PurgeRule } from './purger.ts';
import type { StoreBreaker } from '../activation/store-breaker.ts';
import type { EnvelopeText } from '../turn/working-doc.ts';

export interface NodeOptions {
  readonly actors: readonly AnyActor[];
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly ownership: Ownership;
  readonly bus: Bus;
  readonly effects: EffectRunners;
  /** Which commands an event of the log causes (one delivery per subscribed endpoint). */
  readonly dispatch: Dispatch;
  /** Publishes events for other systems; null when there are none. */
  readonly publish: Publish;
  /** Called with each document this node has committed or found, before an answer of that commit can be seen. */
  readonly committed?: (doc: Doc) => void;
  /** What is removed when; by default nothing. */
  readonly retention?: readonly PurgeRule[];
  /** What actors in memory may take, estimated. */
  readonly actorBytesMax: number;
  readonly envelopeText: EnvelopeText;
  /** The restores of this service; by default none. */
  readonly eras?: Eras;
  readonly log: RuntimeLog;
  /** Detects that the store does not answer. */
  readonly breaker: StoreBreaker;
  /** Receives the metrics of this node. */
  readonly meters: RuntimeMeters;
  /** Lines changed by the deliberately broken builds of the simulation. */
  readonly faults?: BrokenBuild;
  /** Called at named points: fault tests stop the process there, benchmarks measure time there. */
  readonly failpoint?: (name: Failpoint, kind: string, id: string) => void;
}
