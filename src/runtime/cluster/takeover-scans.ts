/** Scans the pending work of partitions just taken, before they are served.
 *  1. Partitions taken together share one scan, however many they are: a scan queries every collection, and
 *     that is the main cost of a takeover. Their number is bounded by the cluster's partition count. */
import { pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { PartitionLease } from './partition-lease.ts';

const retryDelayMs = 200;
/** How long a scan waits for more partitions that are being taken. */
const batchWaitMsMax: DurationMs = 250;
const batchWaitPollMs: DurationMs = 5;

export interface TakeoverScansParts {
  /** Scans the pending work of these leases; rejects when the store does not answer. */
  readonly scan: (leases: readonly PartitionLease[]) => Promise<void>;
  /** Whether more partitions are being taken. */
  readonly more: () => boolean;
  /** Called after each scan, when its partitions are served. */
  readonly served: () => void;
  readonly scheduler: Pick<Scheduler, 'after'>;
  readonly log: RuntimeLog;
}

interface Waiting {
  readonly lease: PartitionLease;
  readonly done: () => void;
}

export class TakeoverScans {
  private readonly parts: TakeoverScansParts;
  private waiting: Waiting[] = [];
  private scanning = false;

  constructor(parts: TakeoverScansParts) {
    this.parts = parts;
  }

  /** Resolves once a scan that started after this call has covered it, or the lease has ended. */
  async scanned(lease: PartitionLease): Promise<void> {
    const done = new Promise<void>((resolve) => this.waiting.push({ lease, done: resolve }));
    if (!this.scanning) void this.scanAll();
    await lease.whileMine(done);
  }

  private async scanAll(): Promise<void> {
    const { scan, served, scheduler, log } = this.parts;
    this.scanning = true;
    while (this.waiting.length > 0) {
      await this.company();
      const batch = this.waiting.splice(0).filter(({ lease }) => !lease.over);
      try {
        await scan(batch.map(({ lease }) => lease));
        for (const { done } of batch) done();
        served();
      } catch (thrown) {
        log.warn({ err: thrown }, 'a takeover could not read the store: retrying');
        this.waiting.unshift(...batch);
        await pause(scheduler, retryDelayMs);
      }
    }
    this.scanning = false;
  }

  private async company(): Promise<void> {
    const { more, scheduler } = this.parts;
    for (let left = batchWaitMsMax; left > 0 && more(); left -= batchWaitPollMs)
      await pause(scheduler, batchWaitPollMs);
  }
}
