/** Semaphore: runs at most this many tasks at once; the others wait in FIFO order. */
export class Semaphore {
  private readonly atOnceMax: number;
  private readonly waiting: (() => void)[] = [];
  private inside = 0;

  constructor(atOnceMax: number) {
    this.atOnceMax = atOnceMax;
  }

  /** Runs `work` when a slot is free. Rejects when `work` rejects. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.inside >= this.atOnceMax) await new Promise<void>((go) => void this.waiting.push(go));
    else this.inside++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.inside--;
      else next();
    }
  }
}
