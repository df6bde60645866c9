/** The bus port: how nodes reach each other's actors. It carries questions, notices and hints; the store has the truth.
 *  1. `nobody` is proof that this copy reached no node; `silent` proves nothing.
 *  2. A copy reaches at most one node, and is never executed after its deadline (the target checks it).
 *  3. A notice or a hint may be lost; who watches reads again by himself.
 *  4. What goes in and what comes out share no object. */
import type { AskResult, Envelope } from '../runtime/model/envelope.ts';
import type { Cancel, DurationMs } from '../kernel/time.ts';
import type { Scope } from '../runtime/model/address.ts';

/** What became of one copy of a command. */
export type CopyAnswer =
  | { readonly is: 'answered'; readonly result: AskResult }
  /** Nobody serves this partition: the copy was delivered to no node. */
  | { readonly is: 'nobody' }
  /** No word for as long as it was waited for, or the connection broke: it may be executed at this very moment. */
  | { readonly is: 'silent' };

/** What serves a partition: its answer leaves as soon as it is there; null = nothing at all is answered. */
export type Answering = (envelope: Envelope) => Promise<AskResult | null>;

/** One event of the journal on its way to other systems (stream EVENTS). */
export interface PublishedEvent {
  /** `<actor>:<eseq>`: the same for every copy of this event. */
  readonly key: string;
  readonly scope: string;
  /** `payment.succeeded`. */
  readonly event: string;
  /** The event's JSON, byte for byte as in webhooks. */
  readonly envelope: string;
}

export interface Bus {
  /** Whether the wire to the other nodes stands right now. */
  readonly connected: boolean;
  /** Sends one copy to the node that serves `partition`. Resolves at the latest at the envelope's deadline, and after
   *  `waitMs` if that is told; never rejects. A copy the wire can never carry (too large) is answered `internal`. */
  ask(partition: number, envelope: Envelope, waitMs?: DurationMs): Promise<CopyAnswer>;
  /** From the moment this resolves, copies for the partition reach `answer`. The stop it gives resolves when none
   *  can arrive any more (unsubscribed and flushed); answers still under way may leave. */
  serve(partition: number, answer: Answering): Promise<() => Promise<void>>;
  /** Tells whoever watches this id or its scope, on any other node, that its actor has committed
   *  (`live.<scope>.<id>`). */
  notice(id: string, scope: Scope): void;
  /** Hears notices of other nodes about this id. */
  watch(id: string, onNotice: (id: string) => void): Cancel;
  /** Hears notices of other nodes about everything of this scope. */
  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel;
  /** A few words to all other nodes, at most 16 KiB of them: `topic` is a word of ours. */
  broadcast(topic: string, text: string): void;
  /** Hears hints of other nodes, never its own. */
  onBroadcast(topic: string, hear: (text: string) => void): Cancel;
  /** The durable road (stream MAILBOX): for hints only, a copy that lands hours later must be harmless. Resolves true
   *  once the stream has it, false when it has not; never rejects. */
  post(envelope: Envelope): Promise<boolean>;
  /** Takes from the durable road, together with all nodes: each copy until `deliver` resolves true. */
  forward(deliver: (envelope: Envelope) => Promise<boolean>): Cancel;
  /** Events for other systems, in this order; resolves once the stream has them all, rejects otherwise (then the same
   *  again: a repeated key is stored once within the stream's window). */
  publish(events: readonly PublishedEvent[]): Promise<void>;
  /** `refill` is called, again and again, while the stream of events was made anew and nobody has said since that every
   *  log publishes again from its beginning: true says so, for all nodes. Told which stream it is: the same text until
   *  it is lost again. Several may be called at once. */
  onEventsLost(refill: (made: string) => Promise<boolean>): Cancel;
  /** Called when the wire was lost and stands again: notices may have been missed. */
  onReconnect(again: () => void): Cancel;
  /** Says what it still has to say, then ends. */
  close(): Promise<void>;
}
