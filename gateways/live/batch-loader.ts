/** Batches reads by id: ids requested while all `readsMax` reads are under way go into the next one. Many concurrent
 *  readers cost the store a few queries instead of one each.
 *  1. A read begins after it was requested.
 *  2. An id that a batch read does not find is read again on its own; only that read proves it absent. It
 *     counts as part of the batch: no other batch starts in its place until it ends. */
import { Semaphore } from '../../src/kernel/semaphore.ts';

export interface BatchLoaderOptions<Found> {
  /** Returns the value at an id. Rejects when it cannot be read. */
  readonly one: (id: string) => Promise<Found>;
  /** Returns the values at these ids; any may be missing. Rejects when nothing can be read. */
  readonly many: (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>;
  /** Ids in one batch read. */
  readonly idsMax: number;
  /** Batch reads under way at once. */
  readonly readsMax: number;
}

interface Asked<Found> {
  readonly id: string;
  readonly resolve: (found: Found | Promise<Found>) => void;
  readonly reject: (thrown: unknown) => void;
}

export class BatchLoader<Found> {
  private readonly options: BatchLoaderOptions<Found>;
  private readonly asked: Asked<Found>[] = [];
  private readonly reads: Semaphore;
  /** Whether the requested ids already wait for a slot. */
  private queued = false;

  constructor(options: BatchLoaderOptions<Found>) {
    this.options = options;
    this.reads = new Semaphore(options.readsMax);
  }

  /** Rejects when the id cannot be read. Callers must not request the same id twice concurrently. */
  read(id: string): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.asked.push({ id, resolve, reject });
      // a microtask later, so that ids requested in the same turn share one read
      if (this.asked.length === 1) queueMicrotask(() => this.send());
    });
  }

  /** Takes its ids only when a slot is free, so that it includes all ids requested until then. */
  private send(): void {
    if (this.queued || this.asked.length === 0) return;
    this.queued = true;
    void this.reads.pass(() => {
      this.queued = false;
      const batch = this.asked.splice(0, this.options.idsMax);
      const answered = this.answer(batch);
      this.send();
      return answered;
    });
  }

  /** Never rejects. */
  private async answer(batch: readonly Asked<Found>[]): Promise<void> {
    const { one, many } = this.options;
    try {
      const found = await many(batch.map(({ id }) => id));
      const alone: Promise<Found>[] = [];
      for (const { id, resolve } of batch) {
        // the value found may be null
        const it = found.has(id) ? (found.get(id) as Found) : one(id);
        resolve(it);
        if (it instanceof Promise) alone.push(it);
      }
      await Promise.allSettled(alone);
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown);
    }
  }
}
