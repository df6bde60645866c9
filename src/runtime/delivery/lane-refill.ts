/** Finds the effects of one lane that wait in the store, and offers them to the lane.
 *  1. A document whose `out` holds an effect of a lane carries the tag of the lane, so one query of an index
 *     finds them, the oldest document first, however many other actors have something to send.
 *  2. It ends when the lane is full. What a document of an earlier build holds carries no tag: the scan of
 *     all actors with something to send offers it. */
import type { Doc, Store } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import { laneTag } from '../model/lane-tags.ts';
import type { Lane } from './effect-lane.ts';
import type { Outbox } from './outbox.ts';

const idsPerQuery = 500;
/** Documents that are loaded together: at most, and at least. */
const togetherMax = 50;
const togetherMin = 10;

export interface RefillHost {
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly store: Pick<Store, 'oldestTagged'>;
  /** The actor in memory; undefined: it is not. */
  inMemory(kind: string, id: string): { readonly outbox: Pick<Outbox, 'offerEffects'> } | undefined;
  /** Loads an actor that has something left to send. */
  wake(kind: string, id: string): Promise<void>;
}

type Place = Pick<Doc, 'created' | 'id'>;

/** Rejects when the store does not answer. */
export async function refill(
  host: RefillHost,
  effect: string,
  lane: Pick<Lane, 'name' | 'scope' | 'room' | 'offering' | 'isFull'>,
): Promise<void> {
  const tag = laneTag(effect, lane.name);
  for (const { kind, effects } of host.kinds.values()) {
    if (!Object.hasOwn(effects, effect)) continue;
    for (let after: Place | undefined; ;) {
      const query = { kind, scope: lane.scope, tag, limit: idsPerQuery };
      const page = await host.store.oldestTagged(after === undefined ? query : { ...query, after });
      // the first ones that do not fit show the lane where it ends
      for (let from = 0; from < page.length && !lane.isFull;) {
        const together = Math.min(togetherMax, Math.max(togetherMin, lane.room));
        const ids = page.slice(from, from + together).map(({ id }) => id);
        lane.offering(ids);
        await Promise.all(ids.map((id) => offer(host, kind, id)));
        from += ids.length;
      }
      after = page.at(-1);
      if (lane.isFull || page.length < idsPerQuery) break;
    }
  }
}

async function offer(host: RefillHost, kind: string, id: string): Promise<void> {
  const known = host.inMemory(kind, id);
  if (known === undefined) await host.wake(kind, id);
  else known.outbox.offerEffects();
}
