/** Removes old records from MongoDB for good.
 *  Boundary: one find and one delete per call; the query names what is old.
 *  1. The find is a range of one index, oldest first. TTL indexes would not do: they compare with the
 *     server's clock and not with a project's, they cannot leave out actors that are not at rest, and a
 *     backlog is removed as fast as the server can.
 *  2. The delete names the documents found, and repeats the condition that they are at rest: it is checked
 *     in the same step that removes them.
 *  3. A journal loses only its beginning: what is left has no gap. */
import { ReadPreference } from 'mongodb';
import { assert, BrokenInvariant } from '../kernel/assert.ts';
import { sendWrite, type Line } from './mongo-command.ts';
import { pathOf, type MongoFilter } from './mongo-fields.ts';
import { indexNames } from './mongo-schema.ts';
import type { StoredRow } from './mongo-record.ts';
import { purgeMax, type Collection, type Store } from './store.ts';

export function createPurge(line: Line, collections: readonly Collection[]): Store['purge'] {
  return async (query) => {
    const { kind, scope, before, only, gone, limit } = query;
    assert(limit <= purgeMax, `at most ${purgeMax} records are removed at once`);
    const collection = collections.find((one) => one.kind === kind);
    if (collection === undefined) throw new BrokenInvariant(`the store has a collection ${kind}`);
    const path = only === undefined ? null : pathOf(kind, only.field);
    const atRest: MongoFilter =
      collection.of === 'doc' ? { busy: { $exists: false }, wake: { $exists: false } } : {};
    const age: MongoFilter = kind === 'journal' ? {} : { ord: { $lt: before } };
    const [wanted, sort, hint]: readonly [MongoFilter, Record<string, 1>, string] =
      gone === true
        ? [{ goneIn: scope, goneAt: { $lt: before } }, { goneAt: 1 }, indexNames.gone]
        : path === null
          ? [{ shelf: scope, ...age }, { ord: 1, _id: 1 }, indexNames.list]
          : [{ shelf: scope, [path]: only?.value, ...age }, { ord: 1, _id: 1 }, `by_${only?.field}`];
    const found = await line.db
      .collection<StoredRow>(kind)
      .find({ ...wanted, ...atRest }, { hint, maxTimeMS: line.answerMsMax, projection: { created: 1 } })
      .withReadPreference(ReadPreference.primary)
      .sort(sort)
      .limit(limit)
      .toArray();
    const kept = kind === 'journal' ? found.findIndex(({ created = 0 }) => created >= before) : -1;
    const ids = (kept < 0 ? found : found.slice(0, kept)).map(({ _id }) => _id);
    if (ids.length === 0) return { removed: 0, ids, more: false };
    const reply = await sendWrite(line, {
      delete: kind,
      deletes: [{ q: { _id: { $in: ids }, ...atRest }, limit: 0 }],
    });
    if (reply.is !== 'answered' || reply.faults.length > 0)
      throw new Error(`records of kind ${kind} could not be removed: ${reasonOf(reply)}`);
    return { removed: reply.n, ids, more: ids.length === limit };
  };
}

function reasonOf(reply: Awaited<ReturnType<typeof sendWrite>>): string {
  if (reply.is === 'answered') return reply.faults[0]?.reason ?? '';
  return reply.is === 'silent' ? 'no answer' : reply.reason;
}
