/** What partitions just taken have to go on with is looked for before they are served.
 *  1. However many are taken together, they share one scan: it asks each collection, and that is what a takeover costs.
 *     They are no more than the cluster has partitions. */
import { pause, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { PartitionLease } from './partition-lease.ts';

const retryDelayMs = 200;
/** How long those that are taken wait for others on their way. */
const companyMsMax: DurationMs = 250;
const companyPollMs: DurationMs = 5;

export interface TakeoverScansParts {
  /** Looks for what these have to go on with; rejects when the store is away. */
  readonly scan: (leases: readonly PartitionLease[]) => Promise<void>;
  /** Whether more are on their way. */
  readonly more: () => boolean;
  /** Told after each scan, when what it was for is served. */
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

  /** Resolves once a scan that began after this call has seen it, or the lease is over. */
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
        log.warn({ err: thrown }, 'a takeover waits for the store');
        this.waiting.unshift(...batch);
        await pause(scheduler, retryDelayMs);
      }
    }
    this.scanning = false;
  }

  private async company(): Promise<void> {
    const { more, scheduler } = this.parts;
    for (let left = companyMsMax; left > 0 && more(); left -= companyPollMs)
      await pause(scheduler, companyPollMs);
  }
}
