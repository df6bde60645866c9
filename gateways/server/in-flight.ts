/** The requests that a listener has accepted and not yet answered: how many, how long, and which one has to
 *  make room for another.
 *  Boundary: which requests wait; what ends them is answered by the listener (`giveUp`).
 *  1. At most `requestsMax` requests wait at once, and unfinished bodies hold at most `bodyBytesHeldMax`
 *     bytes.
 *  2. The first `sweep` after a request has waited for `answerMs` gives it up.
 *  3. A request is released before its answer is written. */
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpResponse } from 'uWebSockets.js';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import { receiveBody, type BodyBudget, type Received } from './bodies.ts';
import type { Exchange } from './exchange.ts';

/** How long a door may take before its request is answered 503. */
export const answerMsMax: DurationMs = seconds(28);
/** A body may take this long before it may be dropped to make room for another request. */
const bodyMsMin: DurationMs = seconds(2);
/** Requests in progress at once. One more makes the slowest unfinished body be dropped; where no body is
 *  slow, the new request is answered 503. */
export const requestsMax = 10_000;
/** Bytes of unfinished bodies in memory at once; the same rule applies. */
const bodyBytesHeldMax = 128 * 1024 * 1024;
/** While the service stops: how often it is checked whether every request has been answered. */
const lookAgainMs: DurationMs = 10;

/** Smaller limits for tests. */
export interface InFlightLimits {
  readonly answerMsMax?: DurationMs;
  readonly bodyMsMin?: DurationMs;
  readonly requestsMax?: number;
  readonly bodyBytesHeldMax?: number;
}

export class RequestsInFlight {
  readonly answerMs: DurationMs;
  /** 1 while a door that may answer at once is being called. */
  answeredNow: 0 | 1 = 0;
  private readonly bodyMsMin: DurationMs;
  private readonly requestsMax: number;
  /** Oldest first. */
  private readonly waiting = new Set<Exchange>();
  /** Those whose bodies are still arriving, oldest first. */
  private readonly arriving = new Set<Exchange>();
  private readonly bodies: BodyBudget;
  /** Answers a request, or closes its connection, whose time is over; no longer held here by then. */
  private readonly giveUp: (exchange: Exchange) => void;

  constructor(limits: InFlightLimits, giveUp: (exchange: Exchange) => void) {
    this.answerMs = limits.answerMsMax ?? answerMsMax;
    this.bodyMsMin = limits.bodyMsMin ?? bodyMsMin;
    this.requestsMax = limits.requestsMax ?? requestsMax;
    this.giveUp = giveUp;
    this.bodies = {
      heldBytes: 0,
      heldBytesMax: limits.bodyBytesHeldMax ?? bodyBytesHeldMax,
      makeRoom: (res) => this.makeRoom(res),
    };
  }

  /** Requests being answered right now. */
  get count(): number {
    return this.waiting.size + this.answeredNow;
  }

  /** Whether this request may be accepted; a slow body is dropped for it if necessary. */
  hasRoom(own: HttpResponse): boolean {
    return this.waiting.size < this.requestsMax || this.makeRoom(own);
  }

  /** Holds the request while its body arrives; `done` is called once, unless it ends before. */
  receive(exchange: Exchange, bytesMax: number, done: (body: Received) => void): void {
    this.waiting.add(exchange);
    this.arriving.add(exchange);
    exchange.forgetBody = receiveBody(exchange.res, bytesMax, this.bodies, (body) => {
      this.arriving.delete(exchange);
      done(body);
    });
  }

  /** Holds the request while its door takes its time. */
  wait(exchange: Exchange): void {
    this.waiting.add(exchange);
  }

  /** The request is answered, refused or gone. */
  release(exchange: Exchange): void {
    this.waiting.delete(exchange);
    this.arriving.delete(exchange);
  }

  /** Gives up requests that are past their deadline. */
  readonly sweep = (): void => {
    const until = performance.now() - this.answerMs;
    for (const exchange of this.waiting) {
      if (exchange.startedAt > until) return;
      this.end(exchange);
    }
  };

  /** Resolves at `until` on the monotonic clock, or earlier: when no request is in progress, but not before
   *  `earliest`. */
  async drained(until: DurationMs, earliest: DurationMs): Promise<void> {
    const busy = (): boolean => this.waiting.size > 0 || performance.now() < earliest;
    while (busy() && performance.now() < until) await pause(lookAgainMs);
  }

  /** Gives up every request that is left. */
  endAll(): void {
    for (const exchange of this.waiting) this.end(exchange);
  }

  /** Drops the unfinished body that has been arriving the longest, if it is old enough and not this
   *  request's own: a client that sends a byte now and then must not block others. False when there is
   *  none. */
  private makeRoom(own: HttpResponse): boolean {
    const [slowest] = this.arriving;
    if (slowest === undefined || slowest.res === own) return false;
    if (performance.now() - slowest.startedAt < this.bodyMsMin) return false;
    this.end(slowest);
    return true;
  }

  private end(exchange: Exchange): void {
    this.release(exchange);
    this.giveUp(exchange);
  }
}
