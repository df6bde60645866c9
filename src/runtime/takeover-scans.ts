/** What partitions just taken have to go on with is looked for before they are served (engine 3.5). Several taken
 *  together share one scan. */
import type { DurationMs } from '../kernel/time.ts';
import type { RuntimeLog } from './runtime-log.ts';
import type { Tenure } from './tenure.ts';

const retryDelayMs = 200;

export interface TakeoverScansParts {
  /** Looks for what these have to go on with; rejects when the store is away. */
  readonly scan: (tenures: readonly Tenure[]) => Promise<void>;
  readonly pause: (ms: DurationMs) => Promise<void>;
  readonly log: RuntimeLog;
}

interface Waiting {
  readonly tenure: Tenure;
  readonly done: () => void;
}

export class TakeoverScans {
  private readonly parts: TakeoverScansParts;
  private waiting: Waiting[] = [];
  private scanning = false;

  constructor(parts: TakeoverScansParts) {
    this.parts = parts;
  }

  /** Resolves once a scan that began after this call has seen it, or the tenure is over. */
  async scanned(tenure: Tenure): Promise<void> {
    const done = new Promise<void>((resolve) => this.waiting.push({ tenure, done: resolve }));
    if (!this.scanning) void this.scanAll();
    await tenure.whileMine(done);
  }

  private async scanAll(): Promise<void> {
    const { scan, pause, log } = this.parts;
    this.scanning = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0).filter(({ tenure }) => !tenure.over);
      try {
        await scan(batch.map(({ tenure }) => tenure));
        for (const { done } of batch) done();
      } catch (thrown) {
        log.warn({ err: thrown }, 'a takeover waits for the store');
        this.waiting.unshift(...batch);
        await pause(retryDelayMs);
      }
    }
    this.scanning = false;
  }
}
