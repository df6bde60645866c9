/** Lets a bounded number of works run at once; the others wait in the order in which they came. How many can wait
 *  is the caller's to bound. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  private readonly atOnceMax: number;

  constructor(atOnceMax: number) {
    this.atOnceMax = atOnceMax;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < this.atOnceMax) this.running++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // the turn is handed on, so that nobody who comes meanwhile takes it
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}
