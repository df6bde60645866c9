/** Reads by id, together: what is asked for while reads are under way is the next read, as commits share a batch.
 *  A herd of readers costs the store one query for dozens of them.
 *  1. A read begins after it was asked for.
 *  2. What a read of many does not find is read by itself: only that is proof. */
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
  private underWay = 0;

  constructor(options: BatchLoaderOptions<Found>) {
    this.options = options;
  }

  /** Rejects when it cannot be read. Nobody asks twice at a time for one id. */
  read(id: string): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.asked.push({ id, resolve, reject });
      // a microtask later, so that what is asked for together is read together
      if (this.asked.length === 1) queueMicrotask(() => this.send());
    });
  }

  private send(): void {
    const { idsMax, readsMax } = this.options;
    while (this.asked.length > 0 && this.underWay < readsMax) {
      const batch = this.asked.splice(0, idsMax);
      this.underWay++;
      void this.answer(batch).finally(() => {
        this.underWay--;
        this.send();
      });
    }
  }

  /** Never rejects. */
  private async answer(batch: readonly Asked<Found>[]): Promise<void> {
    const { one, many } = this.options;
    try {
      const found = await many(batch.map(({ id }) => id));
      for (const { id, resolve } of batch) {
        const it = found.get(id);
        resolve(it === undefined ? one(id) : it);
      }
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown);
    }
  }
}
