/** The bus port: how nodes reach each other. It carries asks, notices, broadcasts, hints (in the mailbox) and
 *  events for other systems; the store holds the authoritative state.
 *  1. `nobody` is proof that this copy reached no node; `silent` proves nothing.
 *  2. A copy may also reach a former owner of its partition: each node that receives it decides whether it is
 *     the owner. No execution starts after the deadline; the target checks this.
 *  3. A notice or a broadcast may be lost; whoever relies on one also reads again at intervals.
 *  4. Input and output share no objects. */
import type { AskResult, Envelope, Shown } from '../runtime/model/envelope.ts';
import type { Cancel, DurationMs } from '../kernel/time.ts';
import type { Scope } from '../runtime/model/address.ts';

/** The result of one copy of a command. */
export type CopyAnswer =
  | { readonly is: 'answered'; readonly result: AskResult }
  /** No node serves this partition: the copy was delivered to none. */
  | { readonly is: 'nobody' }
  /** No answer within the time limit, or the connection broke: it may be executed at this very moment. */
  | { readonly is: 'silent' };

/** The handler of a partition: its answer is sent as soon as it is available; null = no answer at all. */
export type Answering = (envelope: Envelope) => Promise<AskResult | null>;

/** One event of the journal, published for other systems (stream EVENTS). */
export interface PublishedEvent {
  /** `<actor>:<eseq>`: the same for every copy of this event. */
  readonly key: string;
  /** Its position in the log of its scope. */
  readonly pos: number;
  readonly scope: string;
  /** `payment.succeeded`. */
  readonly event: string;
  /** The event's JSON, byte for byte as in webhooks. */
  readonly envelope: string;
}

/** What a notice carries beside the id: what was committed. */
export type Carried = Shown & { readonly kind: string };

/** Receives the id of an actor that has committed; null: the notice carries nothing that can be read. */
export type OnNotice = (id: string, carried: Carried | null) => void;

export interface Bus {
  /** Whether the connection to the other nodes is up right now. */
  readonly connected: boolean;
  /** Sends one copy to the node that serves `partition`. Resolves at the latest at the envelope's deadline,
   *  or after `waitMs` if given; never rejects. A copy that can never be sent (too large) is answered
   *  `internal`. */
  ask(partition: number, envelope: Envelope, waitMs?: DurationMs): Promise<CopyAnswer>;
  /** Once this resolves, copies for the partition reach `answer`. The returned stop function resolves when
   *  none can arrive any more (unsubscribed and flushed); answers in progress may still be sent. */
  serve(partition: number, answer: Answering): Promise<() => Promise<void>>;
  /** Notifies all watchers of this id or its scope on other nodes that its actor has committed
   *  (`live.<scope>.<id>`). More than 8 KiB is not carried along. */
  notice(id: string, scope: Scope, carried?: Carried): void;
  /** Receives notices of other nodes about this id. */
  watch(id: string, onNotice: OnNotice): Cancel;
  /** Receives notices of other nodes about everything in this scope. */
  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel;
  /** A short message to all other nodes, at most 16 KiB; `topic` is one of our fixed names, or one of them with an
   *  incarnation. */
  broadcast(topic: string, text: string): void;
  /** Receives broadcasts of other nodes, never its own. */
  onBroadcast(topic: string, listener: (text: string) => void): Cancel;
  /** The durable mailbox (stream MAILBOX): for hints only, because a copy that arrives hours later must be
   *  harmless. Resolves true once the stream has it, false when it has not; never rejects. */
  post(envelope: Envelope): Promise<boolean>;
  /** Consumes the mailbox, together with all nodes: each copy until `deliver` resolves true. */
  forward(deliver: (envelope: Envelope) => Promise<boolean>): Cancel;
  /** Publishes events for other systems, in this order; resolves once the stream has them all, otherwise
   *  rejects (then send the same again: a repeated key is stored once within the stream's window). An event
   *  too large for the bus is logged and left out. */
  publish(events: readonly PublishedEvent[]): Promise<void>;
  /** Calls `refill` repeatedly while the stream of events was created again and no node has confirmed since
   *  that every log publishes again from its beginning. Returning true confirms it for all nodes. The
   *  argument identifies the stream: the same text until it is lost again. Several calls may run at once. */
  onEventsLost(refill: (made: string) => Promise<boolean>): Cancel;
  /** Called when the connection was lost and is up again: notices may have been missed. */
  onReconnect(again: () => void): Cancel;
  /** Goes to another server than the present one, with all subscriptions; false: it knows no other one. */
  reconnect(): boolean;
  /** Partitions whose copies reached nobody for at least this long, with nothing else in between. */
  unreached(forMs: DurationMs): readonly number[];
  /** Subscribes every partition that is served here anew: a server may have lost track of them. */
  subscribeAgain(): void;
  /** Sends what is pending, then closes. */
  close(): Promise<void>;
}
