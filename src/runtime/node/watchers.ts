/** Subscriptions to commit notices of actors, here or on another node. A notice may be lost; a watcher also
 *  reads again at intervals.
 *  1. Another node is told only what may be watched there (watch-lists.ts), and with a watched actor what it has
 *     committed, as far as that fits. */
import type { Bus, Carried } from '../../bus/bus.ts';
import { Listeners } from '../../kernel/listeners.ts';
import type { Cancel } from '../../kernel/time.ts';
import type { AnyActor } from '../model/actor.ts';
import type { Scope } from '../model/address.ts';
import type { OnNotice, Snapshot } from '../model/client.ts';
import type { Shown } from '../model/envelope.ts';
import { shownWithView } from './shown-with-view.ts';
import type { WatchLists } from './watch-lists.ts';

export interface WatchersParts {
  readonly bus: Pick<Bus, 'notice' | 'watch' | 'watchScope'>;
  readonly lists: Pick<WatchLists, 'add' | 'remove' | 'wanted'>;
  readonly kinds: ReadonlyMap<string, AnyActor>;
  /** Whether the actor is on this node. */
  readonly isHere: (id: string) => boolean;
}

/** What a commit may be told with. */
export interface Committed {
  readonly kind: string;
  shown(): Shown | null;
}

export class Watchers {
  private readonly parts: WatchersParts;
  private readonly ofId = new Listeners<string, string>();
  private readonly ofScope = new Listeners<Scope, string>();

  constructor(parts: WatchersParts) {
    this.parts = parts;
  }

  watch(id: string, onNotice: OnNotice): Cancel {
    const { bus, lists, isHere } = this.parts;
    const stop = bus.watch(id, (_id, carried) => onNotice(id, () => this.snapshotOf(id, carried)));
    lists.add(id, !isHere(id));
    return this.ofId.add(
      id,
      () => onNotice(id),
      () => {
        stop();
        lists.remove(id);
      },
    );
  }

  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel {
    const { bus, lists } = this.parts;
    const stop = bus.watchScope(scope, onNotice);
    lists.add(scope, true);
    return this.ofScope.add(scope, onNotice, () => {
      stop();
      lists.remove(scope);
    });
  }

  /** `committed`: null where there is nothing to show. */
  notify(id: string, scope: Scope, committed: Committed | null): void {
    const { bus, lists } = this.parts;
    this.ofId.notify(id, id);
    this.ofScope.notify(scope, id);
    const wanted = lists.wanted(id, scope);
    if (wanted === 'no') return;
    const shown = wanted === 'id' ? (committed?.shown() ?? null) : null;
    bus.notice(
      id,
      scope,
      committed === null || shown === null ? undefined : { ...shown, kind: committed.kind },
    );
  }

  private snapshotOf(id: string, carried: Carried | null): Snapshot | null {
    return carried?.meta.id === id ? shownWithView(this.parts.kinds.get(carried.kind), carried) : null;
  }
}
