/** What one node is made from; src/main.ts hands it in. */
import type { Bus } from '../bus/bus.ts';
import type { Scheduler } from '../kernel/time.ts';
import type { Store } from '../store/store.ts';
import type { AnyActor } from './actor.ts';
import type { BrokenBuild } from './broken-builds.ts';
import type { Failpoint } from './failpoint.ts';
import type { EffectRunners } from './effects.ts';
import type { Dispatch, Publish } from './journal-pump.ts';
import type { RuntimeMeters } from './meters.ts';
import type { Ownership } from './ownership.ts';
import type { RuntimeLog } from './runtime-log.ts';
import type { StoreBreaker } from './store-breaker.ts';
import type { EnvelopeText } from './working-doc.ts';

export interface NodeOptions {
  readonly actors: readonly AnyActor[];
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly ownership: Ownership;
  readonly bus: Bus;
  readonly effects: EffectRunners;
  /** Which commands an event of the log causes (one delivery per endpoint that hears it). */
  readonly dispatch: Dispatch;
  /** Takes events for other systems; null when there are none. */
  readonly publish: Publish;
  readonly envelopeText: EnvelopeText;
  readonly log: RuntimeLog;
  /** Notices that the store has fallen silent. */
  readonly breaker: StoreBreaker;
  /** Told what happens here. */
  readonly meters: RuntimeMeters;
  /** Lines flipped by the deliberately broken builds of the simulation. */
  readonly faults?: BrokenBuild;
  /** Called at named instants: the fault tests stop the process there, a bench looks at its watch. */
  readonly failpoint?: (name: Failpoint, kind: string, id: string) => void;
}
