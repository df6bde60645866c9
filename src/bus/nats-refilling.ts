/** Makes sure that EVENTS holds what the journals hold, after it was lost and created again.
 *  Boundary: when to refill it, and which node does it; the node itself does the refilling.
 *  1. The stream itself carries the mark that it is not refilled, from the call that creates it: the node
 *     that created it may die.
 *  2. Normally one node refills it at a time: a node that finds it unfilled first waits for the node that
 *     created it. Several at once do no harm.
 *  3. One timer: after every check, whatever its cause and result, exactly one next check is scheduled, until
 *     the bus closes. */
import { minutes, realScheduler, seconds, type Cancel, type DurationMs } from '../kernel/time.ts';
import type { Streams } from './nats-streams.ts';
import type { Wire } from './nats-wire.ts';

/** The interval of checks, and how long the creator of the stream has for refilling it. */
const checkEveryMs: DurationMs = minutes(1);
/** After a check that failed. */
const againMs: DurationMs = seconds(5);

/** Receives the identity of the stream: the same text until it is lost again. */
type Refill = (made: string) => Promise<boolean>;

interface RefillingWire extends Pick<Wire, 'connected' | 'closed' | 'onBack'> {
  readonly complaints: Pick<Wire['complaints'], 'warn'>;
}
type EventsStream = Pick<Streams, 'events' | 'eventsFilled' | 'onEventsMade'>;

export class Refilling {
  private readonly wire: RefillingWire;
  private readonly streams: EventsStream;
  private readonly everyMs: DurationMs;
  private readonly refills = new Set<Refill>();
  private checking = false;
  private next: Cancel | null = null;
  /** Something happened during the check. */
  private again = false;
  /** The unfilled stream created by another node, and since when it has been seen. */
  private found: { readonly made: string; readonly since: DurationMs } | null = null;

  constructor(wire: RefillingWire, streams: EventsStream, everyMs: DurationMs = checkEveryMs) {
    this.wire = wire;
    this.streams = streams;
    this.everyMs = everyMs;
    streams.onEventsMade(() => void this.check());
    // a NATS that came back empty is noticed before the next event
    wire.onBack(() => void this.check());
  }

  /** Calls `refill` whenever this node should refill it. */
  by(refill: Refill): Cancel {
    const own: Refill = (made) => refill(made);
    this.refills.add(own);
    void this.check();
    return () => void this.refills.delete(own);
  }

  private checkLater(ms: DurationMs): void {
    this.next?.();
    this.next = realScheduler.after(ms, () => void this.check());
  }

  /** Never rejects. */
  private async check(): Promise<void> {
    this.again = this.checking;
    if (this.checking || this.refills.size === 0 || this.wire.closed) return;
    this.checking = true;
    let nextMs = this.everyMs;
    try {
      if (this.wire.connected) await this.fill();
    } catch (thrown) {
      if (this.wire.connected)
        this.wire.complaints.warn('the state of EVENTS cannot be read: retried in a minute', { err: thrown });
      nextMs = Math.min(nextMs, againMs);
    }
    this.checking = false;
    if (this.again) await this.check();
    else this.checkLater(nextMs);
  }

  private async fill(): Promise<void> {
    const { made, ours, filled } = await this.streams.events();
    if (filled || !(ours || this.isLeft(made))) return;
    const results = await Promise.all([...this.refills].map((refill) => refill(made)));
    if (results.every(Boolean)) await this.streams.eventsFilled(made);
  }

  /** Whether the creator of the stream has had its time to refill it. */
  private isLeft(made: string): boolean {
    const now = realScheduler.steady();
    if (this.found?.made !== made) this.found = { made, since: now };
    return now - this.found.since >= this.everyMs;
  }
}
