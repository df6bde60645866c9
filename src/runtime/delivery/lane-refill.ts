/** Finds the effects of one lane that wait in the store, and offers them to the lane.
 *  1. A document whose `out` holds an effect of a lane carries the tag of the lane, so one query of an index
 *     finds them, the oldest document first, however many other actors have something to send.
 *  2. It ends when the lane is full. What a document of an earlier build holds carries no tag: the scan of
 *     all actors with something to send offers it. */
import type { Doc, Store } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import { laneTag } from '../model/lane-tags.ts';
import type { Lane } from './effect-lane.ts';

const idsPerQuery = 500;
/** Documents that are loaded together. */
const loadedTogether = 50;

export interface RefillHost {
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly store: Pick<Store, 'oldestTagged'>;
  /** The actor in memory; undefined: it is not. */
  inMemory(kind: string, id: string): { offerEffects(): void } | undefined;
  /** Loads an actor that has something left to send. */
  wake(kind: string, id: string): Promise<void>;
}

type Place = Pick<Doc, 'created' | 'id'>;

/** Rejects when the store does not answer. */
export async function refill(
  host: RefillHost,
  effect: string,
  lane: Pick<Lane, 'name' | 'scope' | 'room' | 'isFull'>,
): Promise<void> {
  const tag = laneTag(effect, lane.name);
  for (const { kind, effects } of host.kinds.values()) {
    if (!Object.hasOwn(effects, effect)) continue;
    for (let after: Place | undefined; ;) {
      const query = { kind, scope: lane.scope, tag, limit: idsPerQuery };
      const page = await host.store.oldestTagged(after === undefined ? query : { ...query, after });
      const stored = page.filter(({ id }) => {
        const known = host.inMemory(kind, id);
        known?.offerEffects();
        return known === undefined;
      });
      // the first one that does not fit shows the lane where it ends
      for (let from = 0; from < stored.length && !lane.isFull;) {
        const few = stored.slice(from, from + Math.min(loadedTogether, Math.max(1, lane.room)));
        await Promise.all(few.map(({ id }) => host.wake(kind, id)));
        from += few.length;
      }
      after = page.at(-1);
      if (lane.isFull || page.length < idsPerQuery) break;
    }
  }
}
