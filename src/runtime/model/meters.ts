/** What a node reports about itself for metrics. The runtime calls, telemetry counts.
 *  1. A call never waits and never throws.
 *  2. Labels are kinds of actors and outcomes, never an id: each label value is a permanent series. */
import type { Written } from '../../store/store.ts';
import type { DurationMs } from '../../kernel/time.ts';
import type { AskResult } from './envelope.ts';

/** The worst outcome of a batch: `unknown`, then `error`, `stale`, `applied`. */
export type CommitOutcome = Written['is'];
export type AskOutcome = AskResult['is'];
/** Whether the actor lives on this node. */
export type AskWay = 'local' | 'remote';
/** Who has answered the read of an actor that lives on another node. */
export type ReadFrom = 'owner' | 'store';

export interface RuntimeMeters {
  /** One turn of an actor of this kind, with this many commands (0: it only cleared its outbox). */
  turn(kind: string, commands: number): void;
  /** One batch that returned from the store. */
  commit(writes: number, tookMs: DurationMs, outcome: CommitOutcome): void;
  /** The outcome of an ask as its caller saw it. */
  ask(outcome: AskOutcome, way: AskWay): void;
  /** One object was read whose actor lives on another node. */
  read(from: ReadFrom): void;
  /** A timer fired this long after its instant, on its own clock. */
  timer(lateMs: DurationMs): void;
  /** A dead letter was stored. */
  parked(kind: string): void;
  /** So many records of this kind were removed, because they had been kept long enough. */
  purged(kind: string, count: number): void;
  /** Registers the gauges; called once, before the node starts. Each is read when metrics are collected. */
  watch(gauges: RuntimeGauges): void;
}

/** What can be read at any moment without waiting. */
export interface RuntimeGauges {
  /** Actors in memory. */
  activations(): number;
  mailboxes(): MailboxDepth;
  /** Partitions this node owns and serves now. */
  partitionsOwned(): number;
  /** For how long the oldest event, tell or effect in memory has been waiting to be sent; 0 when none
   *  waits. */
  outboxOldestMs(): DurationMs;
  eventLogLag(): EventLogLag;
  effects(): readonly EffectsOfKind[];
}

export interface MailboxDepth {
  /** Commands waiting, over all actors. */
  readonly commands: number;
  /** Of the actor with the most waiting commands. */
  readonly deepest: number;
}

/** Events of the logs on this node that have a position and are not yet ... */
export interface EventLogLag {
  /** ... dispatched to webhook endpoints. */
  readonly toDispatch: number;
  /** ... published to the bus; 0 when there is no bus. */
  readonly toPublish: number;
}

export interface EffectsOfKind {
  readonly kind: string;
  readonly running: number;
  readonly waiting: number;
}
