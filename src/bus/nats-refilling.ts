/** Sees to it that EVENTS holds what the journals do, after it was lost and made anew.
 *  Boundary: when to fill it, and by whom; how is the node's.
 *  1. That it is not filled yet is said by the stream itself, from the call on that makes it: whoever made it may die.
 *  2. One node fills it at a time, as a rule: who finds it unfilled waits first for whoever was there before him.
 *     Several at once do no harm.
 *  3. One timer: however a look came about, and whatever it came to, there is one next. */
import { minutes, realScheduler, seconds, type Cancel, type DurationMs } from '../kernel/time.ts';
import type { Streams } from './nats-streams.ts';
import type { Wire } from './nats-wire.ts';

/** How often it is looked at, and how long whoever was there first has for filling it. */
const lookEveryMs: DurationMs = minutes(1);
/** After a look that came to nothing. */
const againMs: DurationMs = seconds(5);

/** Told which stream: the same text until it is lost again. */
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
  private looking = false;
  private next: Cancel | null = null;
  /** Something happened while it was looked at. */
  private again = false;
  /** The one another node made that was found unfilled, and since when. */
  private found: { readonly made: string; readonly since: DurationMs } | null = null;

  constructor(wire: RefillingWire, streams: EventsStream, everyMs: DurationMs = lookEveryMs) {
    this.wire = wire;
    this.streams = streams;
    this.everyMs = everyMs;
    streams.onEventsMade(() => void this.look());
    // a NATS that came back with nothing is noticed before the next event
    wire.onBack(() => void this.look());
  }

  /** Fills it by `refill` whenever that is this node's to do. */
  by(refill: Refill): Cancel {
    const own: Refill = (made) => refill(made);
    this.refills.add(own);
    void this.look();
    return () => void this.refills.delete(own);
  }

  private lookLater(ms: DurationMs): void {
    this.next?.();
    this.next = realScheduler.after(ms, () => void this.look());
  }

  /** Never rejects. */
  private async look(): Promise<void> {
    this.again = this.looking;
    if (this.looking || this.refills.size === 0 || this.wire.closed) return;
    this.looking = true;
    let nextMs = this.everyMs;
    try {
      if (this.wire.connected) await this.fill();
    } catch (thrown) {
      if (this.wire.connected) this.wire.complaints.warn('EVENTS cannot be looked at', { err: thrown });
      nextMs = Math.min(nextMs, againMs);
    }
    this.looking = false;
    if (this.again) await this.look();
    else this.lookLater(nextMs);
  }

  private async fill(): Promise<void> {
    const { made, ours, filled } = await this.streams.events();
    if (filled || !(ours || this.isLeft(made))) return;
    const told = await Promise.all([...this.refills].map((refill) => refill(made)));
    if (told.every(Boolean)) await this.streams.eventsFilled(made);
  }

  /** Whether somebody had his time to fill it. */
  private isLeft(made: string): boolean {
    const now = realScheduler.steady();
    if (this.found?.made !== made) this.found = { made, since: now };
    return now - this.found.since >= this.everyMs;
  }
}
