/** Listeners by key. Usually there are tens of thousands of keys with one listener each, so such a key
 *  costs only one map entry.
 *  1. The same function may be registered twice; then it is called twice.
 *  2. A message reaches exactly the listeners registered when it is sent; changes during the call have no
 *     effect. */
import type { Cancel } from './time.ts';

/** Receives the message and its key. */
export type Listener<Key, Message> = (message: Message, key: Key) => void;

export class Listeners<Key, Message> {
  private readonly byKey = new Map<Key, Listener<Key, Message> | readonly Listener<Key, Message>[]>();

  /** The number of keys with listeners. */
  get size(): number {
    return this.byKey.size;
  }

  has(key: Key): boolean {
    return this.byKey.has(key);
  }

  /** `after` is called once, when the listener is removed. */
  add(key: Key, listener: Listener<Key, Message>, after: Cancel | null = null): Cancel {
    const before = this.byKey.get(key);
    if (before === undefined) this.byKey.set(key, listener);
    else this.byKey.set(key, typeof before === 'function' ? [before, listener] : [...before, listener]);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.drop(key, listener);
      after?.();
    };
  }

  notify(key: Key, message: Message): void {
    const all = this.byKey.get(key);
    if (typeof all === 'function') all(message, key);
    else if (all !== undefined) for (const listener of all) listener(message, key);
  }

  clear(): void {
    this.byKey.clear();
  }

  /** When the same function is registered several times, it does not matter which registration is removed. */
  private drop(key: Key, listener: Listener<Key, Message>): void {
    const all = this.byKey.get(key);
    if (all === listener) this.byKey.delete(key);
    if (all === undefined || typeof all === 'function') return;
    const at = all.indexOf(listener);
    if (at < 0) return;
    const [left, ...more] = all.toSpliced(at, 1);
    if (left === undefined) this.byKey.delete(key);
    else this.byKey.set(key, more.length === 0 ? left : [left, ...more]);
  }
}
