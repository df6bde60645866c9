/** Who listens to what: functions by key. Tens of thousands of keys with one listener each are the rule, so such a key
 *  costs an entry of a map and no more.
 *  1. The same function may listen twice; then it is told twice.
 *  2. Whoever came before something is told hears of it, whoever comes or goes meanwhile changes nothing. */
import type { Cancel } from './time.ts';

/** Told what was said, and under which key. */
export type Hear<Key, Said> = (said: Said, key: Key) => void;

export class Listeners<Key, Said> {
  private readonly byKey = new Map<Key, Hear<Key, Said> | readonly Hear<Key, Said>[]>();

  /** How many keys somebody listens to. */
  get size(): number {
    return this.byKey.size;
  }

  has(key: Key): boolean {
    return this.byKey.has(key);
  }

  /** `after` is called once, when the listening has ended. */
  hear(key: Key, hear: Hear<Key, Said>, after: Cancel | null = null): Cancel {
    const before = this.byKey.get(key);
    if (before === undefined) this.byKey.set(key, hear);
    else this.byKey.set(key, typeof before === 'function' ? [before, hear] : [...before, hear]);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.drop(key, hear);
      after?.();
    };
  }

  tell(key: Key, said: Said): void {
    const all = this.byKey.get(key);
    if (typeof all === 'function') all(said, key);
    else if (all !== undefined) for (const hear of all) hear(said, key);
  }

  clear(): void {
    this.byKey.clear();
  }

  /** One of several that are the same function is as good as another. */
  private drop(key: Key, hear: Hear<Key, Said>): void {
    const all = this.byKey.get(key);
    if (all === hear) this.byKey.delete(key);
    if (all === undefined || typeof all === 'function') return;
    const at = all.indexOf(hear);
    if (at < 0) return;
    const [left, ...more] = all.toSpliced(at, 1);
    if (left === undefined) this.byKey.delete(key);
    else this.byKey.set(key, more.length === 0 ? left : [left, ...more]);
  }
}
