/** Queries over all actors: what is due, who is busy, how many timers a clock has.
 *  Boundary: the caller decides which actors to ask for.
 *  1. What is asked of one clock is one query over all kinds, because the walk of a test clock asks at each of its
 *     steps. A union names an index for its first collection alone; of the others each sorts by the fields of the
 *     wanted index up to the id, so that no other index gives that order.
 *  2. Everything else is one query per kind, and names its index: a full collection scan would stop the cluster.
 *  3. Slots are filtered in the index, so that no document of another node's actors is read. */
import type { ClientSession, Collection as MongoCollection, Document } from 'mongodb';
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
  const asking: Asking = { maxTimeMS, kinds, caughtUp };
  return {
    async due(query) {
      const wanted = dueFilter(query);
      if (wanted === null) return [];
      return query.clock === undefined
        ? dueOnAny(asking, wanted, query.limit)
        : dueOnClock(asking, wanted, query.limit);
    },
    async countTimers(clock) {
      const sum = { $group: { _id: null, timers: { $sum: '$timers' } } };
      const parts = kinds.map((kind) => ({ kind, stages: [{ $match: { clock } }, sum] }));
      const [all] = await unionOf<{ readonly timers: number }>(asking, indexNames.onClock, parts, [sum]);
      return all?.timers ?? 0;
    },
    async busy(query) {
      const wanted = kinds.flatMap((kind) => {
        const filter = busyFilter(query, kind);
        return filter === null ? [] : [{ kind, filter }];
      });
      return query.clock === undefined
        ? busyOnAny(asking, wanted, query.limit)
        : busyOnClock(asking, wanted, query.limit);
    },
  };
}

interface Asking {
  readonly maxTimeMS: number;
  readonly kinds: readonly string[];
  readonly caughtUp: Asks;
}

/** What is wanted of one kind. */
interface Wanted {
  readonly kind: string;
  readonly filter: MongoFilter;
}

async function dueOnAny(
  { maxTimeMS, kinds, caughtUp }: Asking,
  wanted: MongoFilter,
  limit: number,
): Promise<readonly Due[]> {
  const pages = await Promise.all(
    kinds.map((kind) =>
      caughtUp(async (session, collection) => {
        const found = await collection(kind)
          .find(wanted, { maxTimeMS, session, hint: indexNames.due, projection: { wake: 1 } })
          .sort({ wake: 1, _id: 1 })
          .limit(limit)
          .toArray();
        return found.map((doc): Due => ({
          kind,
          id: doc._id,
          wake: 'wake' in doc ? (doc.wake ?? 0) : 0,
        }));
      }),
    ),
  );
  return pages.flat().toSorted(bySoonest).slice(0, limit);
}

async function dueOnClock(asking: Asking, wanted: MongoFilter, limit: number): Promise<readonly Due[]> {
  const soonest = { wake: 1, _id: 1 };
  const parts = asking.kinds.map((kind) => ({
    kind,
    stages: [
      { $match: wanted },
      { $sort: { clock: 1, ...soonest } },
      { $limit: limit },
      { $project: { wake: 1, kind: { $literal: kind } } },
    ],
  }));
  const together = [{ $sort: { ...soonest, kind: 1 } }, { $limit: limit }];
  const found = await unionOf<Found & { readonly wake: number }>(asking, indexNames.onClock, parts, together);
  return found.map(({ kind, _id: id, wake }) => ({ kind, id, wake }));
}

function busyOnAny(
  { maxTimeMS, caughtUp }: Asking,
  wanted: readonly Wanted[],
  limit: number,
): ReturnType<Store['busy']> {
  return caughtUp(async (session, collection) => {
    const found: { kind: string; id: string }[] = [];
    for (const { kind, filter } of wanted) {
      const page = await collection(kind)
        .find(filter, { maxTimeMS, session, hint: indexNames.busy, projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(limit - found.length)
        .toArray();
      found.push(...page.map((doc) => ({ kind, id: doc._id })));
      if (found.length >= limit) break;
    }
    return found;
  });
}

async function busyOnClock(
  asking: Asking,
  wanted: readonly Wanted[],
  limit: number,
): ReturnType<Store['busy']> {
  const parts = wanted.map(({ kind, filter }) => ({
    kind,
    stages: [
      { $match: filter },
      { $sort: { busy: 1, _id: 1 } },
      { $limit: limit },
      { $project: { kind: { $literal: kind } } },
    ],
  }));
  const together = [{ $sort: { kind: 1, _id: 1 } }, { $limit: limit }];
  const found = await unionOf<Found>(asking, indexNames.busy, parts, together);
  return found.map(({ kind, _id: id }) => ({ kind, id }));
}

/** One query: what each kind gives, in any order of kinds, and then `together` over all of it. */
async function unionOf<Answer extends Document>(
  { maxTimeMS, caughtUp }: Asking,
  hint: string,
  parts: readonly Part[],
  together: readonly Document[],
): Promise<readonly Answer[]> {
  const [first, ...others] = parts;
  if (first === undefined) return [];
  const rest = others.map(({ kind: coll, stages }) => ({ $unionWith: { coll, pipeline: stages } }));
  return caughtUp((session, collection) =>
    collection(first.kind)
      .aggregate<Answer>([...first.stages, ...rest, ...together], { maxTimeMS, session, hint })
      .toArray(),
  );
}

/** Of one kind, what a union takes. */
interface Part {
  readonly kind: string;
  readonly stages: Document[];
}

interface Found {
  readonly _id: string;
  readonly kind: string;
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
