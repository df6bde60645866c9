/** The searches for a tag: in all scopes, and in one from the oldest document on.
 *  Boundary: reads the index on tags alone, in its own order: tag, scope, creation.
 *  1. One query answers for a tag with few records. For one with many it goes on from scope to scope: at
 *     most one query for each scope to find. */
import { indexNames } from './mongo-schema.ts';
import type { Line } from './mongo-command.ts';
import type { Asks } from './mongo-scan.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Store, Tagged, TaggedQuery, TagQuery } from './store.ts';

type Found = { readonly _id: string; readonly shelf: Scope; readonly ord: number };

export const createTagged = ({ answerMsMax: maxTimeMS }: Line, caughtUp: Asks): Store['newestTagged'] => {
  /** The newest first within a scope, the last scope first. */
  const entries = ({ kind, tag, from }: TagQuery, shelf: object | Scope, limit: number) =>
    caughtUp((session, shelves) =>
      shelves(kind)
        .find({ tags: tag, shelf, ord: { $gte: from } }, { maxTimeMS, session, hint: indexNames.tags })
        // the filter asks for both
        .project<Found>({ shelf: 1, ord: 1 })
        .sort({ shelf: -1, ord: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    );

  return async (query) => {
    const { scopes, limit } = query;
    if (scopes !== null) {
      const each = await Promise.all(scopes.slice(0, limit).map((scope) => entries(query, scope, 2)));
      return each.flatMap(([first, second]) => (first === undefined ? [] : tagged(first, second)));
    }
    const newest = new Map<Scope, Tagged>();
    for (let below: object = {}; newest.size < limit;) {
      // one more than is taken: the entry after each shows whether it is the only one of its scope
      const found = await entries(query, { $gt: '', ...below }, limit + 1);
      const taken = found.slice(0, limit);
      for (const [at, entry] of taken.entries())
        if (newest.size < limit && !newest.has(entry.shelf))
          newest.set(entry.shelf, tagged(entry, found[at + 1]));
      const last = taken.at(-1);
      if (last === undefined || found.length <= limit) break;
      below = { $lt: last.shelf };
    }
    return [...newest.values()];
  };
};

export const createOldestTagged =
  ({ answerMsMax: maxTimeMS }: Line, caughtUp: Asks): Store['oldestTagged'] =>
  ({ kind, scope: shelf, tag, after, limit }: TaggedQuery) =>
    caughtUp(async (session, shelves) => {
      // one bound on the index, and what of its first instant comes no later than the place
      const later = after === undefined ? {} : { ord: { $gte: after.created } };
      const beyond =
        after === undefined
          ? {}
          : { $or: [{ ord: { $gt: after.created } }, { ord: after.created, _id: { $gt: after.id } }] };
      const found = await shelves(kind)
        .find({ tags: tag, shelf, ...later, ...beyond }, { maxTimeMS, session, hint: indexNames.tags })
        .project<Pick<Found, '_id' | 'ord'>>({ ord: 1 })
        .sort({ ord: 1, _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id: id, ord: created }) => ({ id, created }));
    });

const tagged = ({ _id: id, shelf: scope, ord: created }: Found, next: Found | undefined): Tagged => ({
  scope,
  id,
  created,
  only: next?.shelf !== scope,
});
