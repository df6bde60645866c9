/** Semaphore: runs at most `atOnceMax` tasks at once; the others wait in FIFO order, at most `waitingMax` of them. */
export class Semaphore {
  private readonly atOnceMax: number;
  private readonly waitingMax: number;
  private readonly waiting: (() => void)[] = [];
  private inside = 0;

  constructor(atOnceMax: number, waitingMax = Infinity) {
    this.atOnceMax = atOnceMax;
    this.waitingMax = waitingMax;
  }

  /** Nothing runs, nothing waits. */
  get idle(): boolean {
    return this.inside === 0;
  }

  /** Whether one more would be refused. */
  get full(): boolean {
    return this.inside >= this.atOnceMax && this.waiting.length >= this.waitingMax;
  }

  /** Runs `work` when a slot is free. Rejects when `work` rejects, and with SemaphoreFull. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.full) throw new SemaphoreFull();
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

/** As many wait as may. */
export class SemaphoreFull extends Error {
  override readonly name = 'SemaphoreFull';
}
