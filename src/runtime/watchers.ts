/** Who wants to know when an actor has committed. A notice may be lost; whoever watches reads again by himself. */
import type { Cancel } from '../kernel/time.ts';

export class Watchers {
  private readonly byId = new Map<string, Set<() => void>>();

  watch(id: string, onNotice: () => void): Cancel {
    const set = this.byId.get(id) ?? new Set();
    this.byId.set(id, set.add(onNotice));
    return () => {
      set.delete(onNotice);
      if (set.size === 0) this.byId.delete(id);
    };
  }

  tell(id: string): void {
    for (const notice of this.byId.get(id) ?? []) notice();
  }
}
