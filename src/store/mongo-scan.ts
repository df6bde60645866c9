/** Queries over all actors: what is due, who is busy, how many timers a clock has.
 *  Boundary: one query per kind, combined here; the caller decides which actors to ask for.
 *  1. Each query names its index: a full collection scan would stop the cluster.
 *  2. Slots are filtered in the index, so that no document of another node's actors is read. */
import type { ClientSession, Collection as MongoCollection } from 'mongodb';
import { indexNames } from './mongo-schema.ts';
import type { Line } from './mongo-command.ts';
import type { MongoFilter } from './mongo-fields.ts';
import type { StoredDoc, StoredRow } from './mongo-record.ts';
import type { Due, SlotRange, Store } from './store.ts';

/** The number of slots; a query for all of them needs no slot filter. */
const slotsAll = 1024;

export type Collections = (kind: string) => MongoCollection<StoredDoc | StoredRow>;

/** Runs in a session that is not behind this node's last write, on the collections of that session's
 *  client: another client may take over at any moment. */
export type Asks = <Answer>(
  ask: (session: ClientSession, collection: Collections) => Promise<Answer>,
) => Promise<Answer>;

type Scans = Pick<Store, 'due' | 'busy' | 'countTimers'>;

/** `kinds` in the order of their names. */
export function createScans(
  { answerMsMax: maxTimeMS }: Line,
  kinds: readonly string[],
  caughtUp: Asks,
): Scans {
  return {
    async due(query) {
      const wanted = dueFilter(query);
      if (wanted === null) return [];
      const hint = query.clock === undefined ? indexNames.due : indexNames.onClock;
      const pages = await Promise.all(
        kinds.map((kind) =>
          caughtUp(async (session, collection) => {
            const found = await collection(kind)
              .find(wanted, { maxTimeMS, session, hint, projection: { wake: 1 } })
              .sort({ wake: 1, _id: 1 })
              .limit(query.limit)
              .toArray();
            return found.map((doc): Due => ({
              kind,
              id: doc._id,
              wake: 'wake' in doc ? (doc.wake ?? 0) : 0,
            }));
          }),
        ),
      );
      return pages.flat().toSorted(bySoonest).slice(0, query.limit);
    },
    async countTimers(clock) {
      const counts = await Promise.all(
        kinds.map((kind) =>
          caughtUp(async (session, collection) => {
            const [sum] = await collection(kind)
              .aggregate<{ timers: number }>(
                [{ $match: { clock } }, { $group: { _id: null, timers: { $sum: '$timers' } } }],
                { maxTimeMS, session, hint: indexNames.onClock },
              )
              .toArray();
            return sum?.timers ?? 0;
          }),
        ),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
    busy: (query) =>
      caughtUp(async (session, collection) => {
        const found: { kind: string; id: string }[] = [];
        for (const kind of kinds) {
          const wanted = busyFilter(query, kind);
          if (wanted === null) continue;
          const page = await collection(kind)
            .find(wanted, { maxTimeMS, session, hint: indexNames.busy, projection: { _id: 1 } })
            .sort({ _id: 1 })
            .limit(query.limit - found.length)
            .toArray();
          found.push(...page.map((doc) => ({ kind, id: doc._id })));
          if (found.length >= query.limit) break;
        }
        return found;
      }),
  };
}

/** null: nothing can match. */
function dueFilter({ clock, slots, until }: Parameters<Store['due']>[0]): MongoFilter | null {
  const within = inSlots(slots);
  if (within === null) return null;
  return { ...(clock === undefined ? {} : { clock }), wake: { $lte: until }, ...within };
}

/** null: nothing of this kind can match. */
function busyFilter({ clock, slots, after }: Parameters<Store['busy']>[0], kind: string): MongoFilter | null {
  const within = inSlots(slots);
  if (within === null || (after !== undefined && kind < after.kind)) return null;
  return {
    busy: true,
    ...(after?.kind === kind ? { _id: { $gt: after.id } } : {}),
    ...(clock === undefined ? {} : { clock }),
    ...within,
  };
}

/** A list of numbers, not of ranges: each alternative range would be a separate scan. */
function inSlots(slots: readonly SlotRange[] | undefined): MongoFilter | null {
  if (slots === undefined) return {};
  const each = new Set(
    slots.flatMap(({ from, to }) => Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n)),
  );
  if (each.size === 0) return null;
  return each.size >= slotsAll ? {} : { slot: { $in: [...each] } };
}

const bySoonest = (a: Due, b: Due): number =>
  a.wake - b.wake || compare(a.id, b.id) || compare(a.kind, b.kind);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
