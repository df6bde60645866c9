/** How many are inside, by where they come from or what they follow; above a bound nobody more is let in.
 *  1. A key nobody is counted under takes no memory. */
import type { Cancel } from '../../src/kernel/time.ts';

export class ConnectionLimiter {
  private readonly eachMax: number;
  private readonly inside = new Map<string, number>();

  constructor(eachMax: number) {
    this.eachMax = eachMax;
  }

  /** Whether nobody more would be let in under this key. */
  isFull(key: string): boolean {
    return (this.inside.get(key) ?? 0) >= this.eachMax;
  }

  /** Counts one more; null when the key has as many as it may. What it gives is called when he leaves; twice does no
   *  harm. */
  enter(key: string): Cancel | null {
    const count = this.inside.get(key) ?? 0;
    if (count >= this.eachMax) return null;
    this.inside.set(key, count + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const left = (this.inside.get(key) ?? 1) - 1;
      if (left === 0) this.inside.delete(key);
      else this.inside.set(key, left);
    };
  }
}
