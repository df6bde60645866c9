/** What a node tells of itself to whoever measures it. The runtime calls, telemetry counts.
 *  1. Telling costs no wait and never throws.
 *  2. What is told names kinds of actors and outcomes, never an id: each is one series for good. */
import type { Written } from '../../store/store.ts';
import type { DurationMs } from '../../kernel/time.ts';
import type { AskResult } from './envelope.ts';

/** The worst of a batch: `unknown`, then `error`, `stale`, `applied`. */
export type CommitOutcome = Written['is'];
export type AskOutcome = AskResult['is'];
/** Whether the actor lives on this node. */
export type AskWay = 'local' | 'remote';

export interface RuntimeMeters {
  /** One turn of an actor of this kind, over so many commands (0: it only cleared its outbox). */
  turn(kind: string, commands: number): void;
  /** One batch that came back from the store. */
  commit(writes: number, tookMs: DurationMs, outcome: CommitOutcome): void;
  /** An ask as its asker saw it end. */
  ask(outcome: AskOutcome, way: AskWay): void;
  /** A timer fired so long after its instant, on its own clock. */
  timer(lateMs: DurationMs): void;
  /** Something went to `dead`. */
  parked(kind: string): void;
  /** Where to read what has a state; called once, before the node starts. Each is read when somebody looks. */
  watch(gauges: RuntimeGauges): void;
}

/** What can be read at any moment, without a wait. */
export interface RuntimeGauges {
  /** Actors in memory. */
  activations(): number;
  mailboxes(): MailboxDepth;
  /** Partitions this node owns and serves now. */
  partitionsOwned(): number;
  /** How long the oldest event, tell or effect in memory has been waiting to leave; 0 when none waits. */
  outboxOldestMs(): DurationMs;
  eventLogLag(): EventLogLag;
  effects(): readonly EffectsOfKind[];
}

export interface MailboxDepth {
  /** Commands waiting, over all actors. */
  readonly commands: number;
  /** Of the actor with the most. */
  readonly deepest: number;
}

/** Events of the logs on this node that have a place and are not yet ... */
export interface EventLogLag {
  /** ... dispatched to webhook endpoints. */
  readonly toDispatch: number;
  /** ... published to the bus; 0 where there is none. */
  readonly toPublish: number;
}

export interface EffectsOfKind {
  readonly kind: string;
  readonly running: number;
  readonly waiting: number;
}
