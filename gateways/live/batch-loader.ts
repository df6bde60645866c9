/** Reads by id, together: what is asked for while reads are under way is the next read, as commits share a batch.
 *  A herd of readers costs the store one query for dozens of them.
 *  1. A read begins after it was asked for.
 *  2. What a read of many does not find is read by itself: only that is proof. It is part of the
 *     read of many: until it ends no other begins in its place. */
import { Semaphore } from './semaphore.ts';

export interface BatchLoaderOptions<Found> {
  /** What there is at an id. Rejects when it cannot be read. */
  readonly one: (id: string) => Promise<Found>;
  /** What there is at these ids; any may be left out. Rejects when nothing can be read. */
  readonly many: (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>;
  /** Ids of one read of many. */
  readonly idsMax: number;
  /** Reads of many under way at once. */
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
  /** What was asked for waits for its turn. */
  private queued = false;

  constructor(options: BatchLoaderOptions<Found>) {
    this.options = options;
    this.reads = new Semaphore(options.readsMax);
  }

  /** Rejects when it cannot be read. Nobody asks twice at a time for one id. */
  read(id: string): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.asked.push({ id, resolve, reject });
      // a microtask later, so that what is asked for together is read together
      if (this.asked.length === 1) queueMicrotask(() => this.send());
    });
  }

  /** Takes its ids when there is room for a read, so that what is asked for until then is in it. */
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
        // what was found may be null, too
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
