/** What one actor in memory needs of the node it is on, and tells it. */
import type { Complaints } from '../../kernel/complaints.ts';
import type { Scheduler } from '../../kernel/time.ts';
import type { Doc, Row } from '../../store/store.ts';
import type { Admission } from './admission.ts';
import type { Clocks } from '../time/clocks.ts';
import type { Committer } from './committer.ts';
import type { TimerHost } from './due-timers.ts';
import type { TurnHost } from './execution.ts';
import type { DocumentHost } from './committed-document.ts';
import type { RuntimeMeters } from '../model/meters.ts';
import type { DeliveryHost } from '../delivery/outbox.ts';

/** What a commit came with, beside the document. */
export interface CommittedWith {
  /** The rows it has added; none where some of them may have been there before. */
  readonly rows: readonly Row[];
  /** Whether there may be anything new to see for whoever watches. */
  readonly shows: boolean;
}

/** What an actor in memory needs of the node it is on. */
export interface ActivationHost<InMemory> extends TurnHost, DocumentHost, DeliveryHost, TimerHost {
  readonly scheduler: Scheduler;
  readonly clocks: Pick<Clocks, 'fresh' | 'now' | 'walking'>;
  readonly admission: Admission;
  readonly committer: Pick<Committer, 'submit' | 'putRows' | 'goNow'>;
  readonly complaints: Complaints;
  readonly meters: Pick<RuntimeMeters, 'turn' | 'timer' | 'parked'>;
  /** The actor in memory, brought there if need be; undefined where it is served elsewhere. */
  activation(kind: string, id: string): InMemory | undefined;
  /** Drops it from memory. */
  forget(activation: InMemory): void;
  /** Called after each commit, once nothing of it may be held back any more. */
  committedNow(activation: InMemory, doc: Doc, committed: CommittedWith): void;
}
