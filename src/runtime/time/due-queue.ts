/** Fires the actors that are due, a bounded number of each kind at once: ten thousand that fall due at one instant are
 *  loaded one after the other, and what each of them sends does not wait behind the first messages of all others.
 *  1. The others wait in the order in which they became due. Each waits at most once.
 *  2. One that becomes due again while it is fired waits again: nothing that is due is dropped. */
import type { DurationMs } from '../../kernel/time.ts';

/** Of a kind that does not name its own bound. */
export const dueAtOnceMax = 1000;
/** How long an actor with something left to send counts as being fired. */
export const dueHeldMsMax: DurationMs = 1000;

interface DueKind {
  firing: number;
  /** Ids, in the order in which they became due. */
  readonly waiting: Set<string>;
}

export class DueQueue {
  private readonly fire: (kind: string, id: string) => Promise<void>;
  private readonly atOnceOf: (kind: string) => number;
  private readonly kinds = new Map<string, DueKind>();

  /** An actor counts until `fire` has ended. */
  constructor(fire: (kind: string, id: string) => Promise<void>, atOnceOf: (kind: string) => number) {
    this.fire = fire;
    this.atOnceOf = atOnceOf;
  }

  add(kind: string, id: string): void {
    const due = this.kinds.get(kind) ?? { firing: 0, waiting: new Set() };
    this.kinds.set(kind, due);
    due.waiting.add(id);
    this.next(kind, due);
  }

  private next(kind: string, due: DueKind): void {
    for (const id of due.waiting) {
      if (due.firing >= this.atOnceOf(kind)) return;
      due.waiting.delete(id);
      due.firing++;
      void this.fire(kind, id).finally(() => {
        due.firing--;
        this.next(kind, due);
      });
    }
  }
}
