/** How a listener stops: it gives notice, closes the port, lets the requests in flight finish, and ends the
 *  rest.
 *  1. Each stage begins once and is never left again: `closesConnections`, then `opensNoStream`, then
 *     `refusesRequests`.
 *  2. Every wait is bounded by the time given to `run`, but for closing the port and the last bytes, which
 *     have bounds of their own. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DurationMs } from '../../src/kernel/time.ts';
import type { RequestsInFlight } from './in-flight.ts';
import type { Port } from './port.ts';
import type { UnreadAnswers } from './unread.ts';

/** After shutdown starts, the port stays open for this long, so that load balancers that poll /health
 *  notice in time. */
const noticeMs: DurationMs = 1000;
/** Requests on connections accepted just before the port closed are still served for this long. */
const stillComingMs: DurationMs = 300;
/** After the last answer: time for bytes still on their way to slow readers. */
const lastBytesMs: DurationMs = 50;

interface Drained {
  readonly port: Port;
  readonly inFlight: RequestsInFlight;
  readonly unread: UnreadAnswers;
}

/** Smaller for tests that do not look at how a listener stops; each has the default of its constant. */
export interface DrainLimits {
  readonly noticeMs?: DurationMs;
  readonly stillComingMs?: DurationMs;
}

export class Drain {
  /** Requests are still answered, and their connections are closed after the answer. */
  closesConnections = false;
  /** The port is closed, and no new stream is opened. */
  opensNoStream = false;
  /** New requests are told to retry later. */
  refusesRequests = false;
  private readonly ends: (() => Promise<void>)[] = [];
  private readonly limits: DrainLimits;

  constructor(limits: DrainLimits) {
    this.limits = limits;
  }

  /** Adds work for when the port has closed; its failure or slowness delays nothing. */
  whenClosed(end: () => Promise<void>): void {
    this.ends.push(end);
  }

  /** Resolves when every request in flight is answered or given up, and every answer has been read, within the
   *  time. `first` never rejects. */
  async run({ port, inFlight, unread }: Drained, withinMs: DurationMs, first?: Promise<void>): Promise<void> {
    const until = performance.now() + withinMs;
    const notice = this.limits.noticeMs ?? noticeMs;
    const stillComing = this.limits.stillComingMs ?? stillComingMs;
    this.closesConnections = true;
    unread.stops();
    if (port.isOpen) {
      await Promise.race([Promise.all([first, pause(notice)]), pause(withinMs / 2)]);
      await port.close();
    }
    this.opensNoStream = true;
    const left = until - performance.now();
    await Promise.race([Promise.allSettled(this.ends.map((end) => end())), pause(left)]);
    await inFlight.drained(until, performance.now() + stillComing);
    this.refusesRequests = true;
    inFlight.endAll();
    await unread.read(until);
    await pause(lastBytesMs);
  }
}
