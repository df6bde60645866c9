/** Counts connections per key, such as an address or a topic; above a bound no more are admitted.
 *  1. A key with no connections takes no memory. */
import type { Cancel } from '../../src/kernel/time.ts';

export class ConnectionLimiter {
  private readonly eachMax: number;
  private readonly inside = new Map<string, number>();

  constructor(eachMax: number) {
    this.eachMax = eachMax;
  }

  /** Whether this key has reached its bound. */
  isFull(key: string): boolean {
    return (this.inside.get(key) ?? 0) >= this.eachMax;
  }

  /** Counts one more; null when the key has reached its bound. Call the returned function on leaving; a
   *  second call does nothing. */
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
