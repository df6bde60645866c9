/** Group commit: a batch is sent when the previous one has returned.
 *  1. Writes that arrive while a batch is at the store form the next batch, which is sent before the callers of this
 *     one go on. A store that takes several batches at once gets another one, too, when the last one has been on its
 *     way for a moment. An actor has one write at the store, so its batch does not matter. Writes in doubt are repeated
 *     beside the batches, each by itself.
 *  2. `unknown` never reaches a caller: the identical write is repeated until the outcome is definite.
 *  3. A deferrable write (no caller waits for it) is not sent alone at once while batches have company: its sync
 *     would delay the next write that a caller waits for. Sent together with that write, it costs nothing. Where
 *     writes come one after the other there is no such write, and what follows from it would only be late.
 *  4. Where batches have company, a batch of few writes waits for others for some rounds of the event loop: a batch
 *     costs more than the writes in it, and those whose turn ends in this round come within microseconds.
 *  5. A write of which it is known that another one follows is sent together with that one. */
import { Backoff } from '../../kernel/backoff.ts';
import type { DurationMs, Instant, Scheduler } from '../../kernel/time.ts';
import type { Row, Store, Write, Written } from '../../store/store.ts';
import type { CommitOutcome, RuntimeMeters } from '../model/meters.ts';

const batchWritesMax = 256;
const batchBytesMax = 2 * 1024 * 1024;
/** How long a deferrable write waits for another write where batches have company. */
export const batchWaitMsMax: DurationMs = 5;
/** Where batches have company, fewer writes than this wait for others, for at most so many rounds of the event loop. */
export const smallBatchWrites = 4;
export const batchRoundsMax = 4;
/** Batches at a store that takes several at once. */
export const batchesAtOnceMax = 4;
/** A batch is sent beside another one when that has been on its way for so long. */
export const besideAfterMs: DurationMs = 1;
/** Writes of callers per batch, on average over the last ones, from which batches have company. */
export const companyMin = 1.5;
/** The weight of the last batch in that average. */
const lastBatchWeight = 1 / 8;
const resendDelayMsMin = 20;
const resendDelayMsMax = 1000;

type Definite = Exclude<Written, { is: 'unknown' }> | { readonly is: 'applied' | 'stale' };

/** For which other write it may wait, at most `batchWaitMsMax`: `company` where batches have some, `next` for one that
 *  is known to follow. null: a caller waits for it, and it is sent at once. */
export type WaitsFor = 'company' | 'next' | null;

interface Waiting {
  readonly write: Write;
  readonly resolve: (written: Definite) => void;
  /** When it is sent even if alone, in steady time; null: at once. */
  readonly sendBy: Instant | null;
}

interface Sent {
  readonly batch: readonly Waiting[];
  readonly results: readonly Written[];
}

export class Committer {
  private readonly store: Store;
  private readonly scheduler: Scheduler;
  private readonly meters: RuntimeMeters;
  private readonly atOnce: number;
  private queue: Waiting[] = [];
  private busy = false;
  /** Batches at the store, and when the last one was sent, in steady time. */
  private atStore = 0;
  private sentAt: Instant = 0;
  /** A look at whether one more batch may be sent is due. */
  private looks = false;
  /** Writes of callers per batch, a moving average. */
  private perBatch = 1;
  /** Ends the wait for other writes. */
  private sendNow: (() => void) | null = null;
  /** A caller waits for a deferred write in the queue. */
  private isWanted = false;

  /** `atOnce`: how many batches the store takes at once. */
  constructor(store: Store, scheduler: Scheduler, meters: RuntimeMeters, atOnce = 1) {
    this.atOnce = atOnce;
    this.meters = meters;
    this.store = store;
    this.scheduler = scheduler;
  }

  /** Whether writes of several callers share a batch these days: another one is likely to come soon. */
  get hasCompany(): boolean {
    return this.perBatch >= companyMin;
  }

  /** Resolves once the outcome is definite, however long that takes; callers keep their own deadlines. */
  submit(write: Write, waitsFor: WaitsFor = null): Promise<Definite> {
    return new Promise((resolve) => {
      const waitMs = waitsFor === 'next' || this.hasCompany ? batchWaitMsMax : 0;
      const sendBy = waitsFor === null ? null : this.scheduler.steady() + waitMs;
      this.queue.push({ write, resolve, sendBy });
      if (waitsFor === null) this.sendNow?.();
      this.begin();
    });
  }

  private begin(): void {
    if (this.atStore > 0) this.lookBeside();
    else if (!this.busy) {
      this.busy = true;
      // one microtask later, so that actors activated by the same cause share the first batch
      queueMicrotask(() => void this.drain());
    }
  }

  /** Sends one more batch, once the last one is old enough; deferrable writes go with the next. */
  private lookBeside(): void {
    if (this.looks || this.atStore >= this.atOnce) return;
    if (this.queue.every(({ sendBy }) => sendBy !== null)) return;
    this.looks = true;
    const look = (): void => {
      this.looks = false;
      const isYoung = this.scheduler.steady() < this.sentAt + besideAfterMs;
      if (this.atStore > 0 && isYoung) this.lookBeside();
      else if (this.atStore > 0 && this.atStore < this.atOnce && this.queue.length > 0)
        void this.sendBeside();
      else if (this.queue.length > 0) this.begin();
    };
    const waitMs = this.sentAt + besideAfterMs - this.scheduler.steady();
    if (waitMs > 0) this.scheduler.after(waitMs, look);
    else queueMicrotask(look);
  }

  private async sendBeside(): Promise<void> {
    this.answer(await this.send());
    if (this.queue.length > 0) this.begin();
  }

  /** A caller now waits for a deferred write, so it is sent. */
  goNow(): void {
    this.isWanted = this.queue.some(({ sendBy }) => sendBy !== null);
    this.sendNow?.();
  }

  /** Writes rows until acknowledged; they may be written twice, never out of order. */
  async putRows(rows: readonly Row[]): Promise<void> {
    const backoff = this.backoff();
    while ((await this.put(rows)) === 'unknown') await backoff.wait();
  }

  /** When the store refuses them for now (disk full), it is retried like a store that did not answer. */
  private async put(rows: readonly Row[]): Promise<'applied' | 'unknown'> {
    return this.store.putRows(rows).catch(() => 'unknown');
  }

  private async drain(): Promise<void> {
    let sent: Promise<Sent> | null = null;
    while (sent !== null || (this.queue.length > 0 && this.atStore === 0)) {
      if (sent === null) await this.gather();
      if (sent === null) await this.waitForBatch();
      const returned = await (sent ?? this.send());
      // the store works on the next batch while the callers of this one go on
      const follows = this.atStore === 0 && !this.isShort && this.queue.some(({ sendBy }) => sendBy === null);
      sent = follows ? this.send() : null;
      this.answer(returned);
    }
    this.busy = false;
    // batches that were sent beside are still at the store
    if (this.queue.length > 0) this.begin();
  }

  private answer({ batch, results }: Sent): void {
    for (const [at, waiting] of batch.entries()) {
      const written: Written = results[at] ?? { is: 'unknown' };
      if (written.is === 'unknown') void this.resend(waiting);
      else waiting.resolve(written as Definite);
    }
  }

  private async send(): Promise<Sent> {
    const batch = this.take();
    this.isWanted = false;
    this.count(batch);
    const sentAt = this.scheduler.steady();
    this.sentAt = sentAt;
    this.atStore++;
    if (this.queue.length > 0) this.lookBeside();
    const results = await this.store.commit(batch.map(({ write }) => write));
    this.atStore--;
    this.meters.commit(batch.length, this.scheduler.steady() - sentAt, worstOf(results));
    return { batch, results };
  }

  /** Whether it pays to wait for other writes. */
  private get isShort(): boolean {
    return this.hasCompany && this.queue.length < smallBatchWrites && this.scheduler.nextRound !== undefined;
  }

  private async gather(): Promise<void> {
    for (let round = 0; round < batchRoundsMax && this.isShort && !this.isWanted; round++)
      await new Promise<void>((resolve) => this.scheduler.nextRound?.(resolve));
  }

  /** Waits while only deferrable writes are pending. */
  private async waitForBatch(): Promise<void> {
    const first = this.queue[0]?.sendBy ?? null;
    if (first === null || this.isWanted || this.queue.some(({ sendBy }) => sendBy === null)) return;
    const waitMs = first - this.scheduler.steady();
    if (waitMs <= 0) return;
    await new Promise<void>((resolve) => {
      const cancel = this.scheduler.after(waitMs, resolve);
      this.sendNow = () => {
        cancel();
        resolve();
      };
    });
    this.sendNow = null;
  }

  /** Batches that nobody waits for say nothing about callers. */
  private count(batch: readonly Waiting[]): void {
    const ofCallers = batch.reduce((sum, { sendBy }) => sum + (sendBy === null ? 1 : 0), 0);
    if (ofCallers > 0) this.perBatch += (ofCallers - this.perBatch) * lastBatchWeight;
  }

  private take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { write } of this.queue) {
      bytes += roughBytes(write);
      if (count >= batchWritesMax || (count > 0 && bytes > batchBytesMax)) break;
      count++;
    }
    return this.queue.splice(0, count);
  }

  /** Runs beside the batches, so that one write in doubt does not delay the others. */
  private async resend({ write, resolve }: Waiting): Promise<void> {
    for (const backoff = this.backoff(); ;) {
      await backoff.wait();
      const written: Written = (await this.store.commit([write]))[0] ?? { is: 'unknown' };
      // when the store refuses writes now, that proves nothing about an earlier copy it may have applied
      if (written.is === 'unknown' || (written.is === 'error' && written.of === 'store')) continue;
      resolve(written as Definite);
      return;
    }
  }

  private backoff(): Backoff {
    return new Backoff(this.scheduler, resendDelayMsMin, resendDelayMsMax);
  }
}

const fromBad: readonly CommitOutcome[] = ['unknown', 'error', 'stale'];

const worstOf = (results: readonly Written[]): CommitOutcome =>
  fromBad.find((outcome) => results.some(({ is }) => is === outcome)) ?? 'applied';

/** An estimate, good enough for a bound: the large texts of a document are its events, its rows and its
 *  body. */
function roughBytes({ doc, rows }: Write): number {
  let bytes = 1024;
  for (const row of doc.out) bytes += row.type === 'event' ? row.envelope.length : 512;
  for (const row of rows)
    bytes += typeof row.body['envelope'] === 'string' ? row.body['envelope'].length : 1024;
  const stored = doc.body?.['body'];
  return bytes + (typeof stored === 'string' ? stored.length : 1024);
}
