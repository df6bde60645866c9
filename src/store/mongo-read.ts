/** Reads of the store on MongoDB.
 *  Boundary: queries; filters are built in mongo-fields.ts, indexes in mongo-schema.ts.
 *  1. Reads used for decisions go to the primary and are linearizable: a former primary cannot answer.
 *  2. Lists show what a majority has, and are not older than this node's last write.
 *  3. Every read has a time limit: the server gives up after `answerMsMax`, the connection a little later.
 *  4. A large total or sum may be slightly old (large-totals.ts); every smaller one is exact. A count the
 *     server cannot finish in time is counted again, up to `countedMax`; if that takes too long as well, it is
 *     given as `countedMax` to whoever asks for the list at a door.
 *  5. Lists that are asked for at doors have connections of their own, and each project a bounded part of them: a slow
 *     list delays no commit, and nothing that the service has to read for its work. */
import {
  MongoServerError,
  ReadPreference,
  type Collection as MongoCollection,
  type Db,
  type MongoClient,
} from 'mongodb';
import { assert, BrokenInvariant } from '../kernel/assert.ts';
import { filterOf, isFieldName, pathOf, type MongoFilter } from './mongo-fields.ts';
import { reserved } from './mongo-schema.ts';
import { recordIn, type StoredDoc, type StoredRow } from './mongo-record.ts';
import { createScans, type Asks } from './mongo-scan.ts';
import { createOldestTagged, createTagged } from './mongo-tagged.ts';
import { LargeTotals } from './large-totals.ts';
import { ListTurns } from './list-turns.ts';
import type { Line } from './mongo-command.ts';
import {
  DocumentUnreadable,
  readManyMax,
  type Collection,
  type Doc,
  type Listed,
  type ListQuery,
  type Row,
  type Store,
  type Sum,
  type SumQuery,
} from './store.ts';

type Stored = StoredDoc | StoredRow;
interface Reads extends Omit<Store, 'rowsInCommit' | 'commit' | 'putRows' | 'settle' | 'purge' | 'close'> {
  /** Answered by the primary alone: how long a majority takes is not its question. */
  readonly probe: () => Promise<unknown>;
}

/** What a record is read from. */
const projection = { json: 1, busy: 1 } as const;

type Level = 'linearizable' | 'majority';

/** A client at this moment, and its database. */
type Used = () => { readonly client: MongoClient; readonly db: Db };

/** `usedNow`: the client of `line`; `forLists`: the one of lists. */
export function createReads(
  usedNow: Used,
  forLists: Used,
  line: Line,
  collections: readonly Collection[],
): Reads {
  const kindsOf = (of: Collection['of']): readonly string[] =>
    collections
      .filter((one) => one.of === of)
      .map(({ kind }) => kind)
      .toSorted();
  const docKinds = kindsOf('doc');
  const collectionOf = (db: Db, kind: string, level: Level): MongoCollection<Stored> => {
    if (!collections.some((one) => one.kind === kind)) {
      throw new BrokenInvariant(`the store has a collection ${kind}`);
    }
    const readPreference = ReadPreference.primary;
    return db.collection<Stored>(kind, { readConcern: { level }, readPreference });
  };
  const caughtUp = caughtUpOn(usedNow, line, collectionOf);
  const listing = caughtUpOn(forLists, line, collectionOf);
  const readOne = async <Item extends Doc | Row>(kind: string, id: string): Promise<Item | null> => {
    const found = await collectionOf(usedNow().db, kind, 'linearizable').findOne(
      { _id: id },
      { projection, maxTimeMS: line.answerMsMax },
    );
    return found === null ? null : recordIn<Item>(kind, found);
  };
  const { list, sumRows } = createLists(line, { own: caughtUp, inTurn: listing });
  const timed = { maxTimeMS: line.answerMsMax };
  const many = <Item extends Doc | Row>(kind: string, ids: readonly string[]): Promise<readonly Item[]> =>
    caughtUp(async (session, collection) => {
      assert(ids.length <= readManyMax, `at most ${readManyMax} records are read at once`);
      const found = await collection(kind)
        .find({ _id: { $in: [...ids] } }, { ...timed, session, projection })
        .toArray();
      return found.flatMap((one) => readable<Item>(kind, one));
    });

  return {
    read: (kind, id) => readOne<Doc>(kind, id),
    readRow: (kind, id) => readOne<Row>(kind, id),
    readMany: (kind, ids) => many<Doc>(kind, ids),
    readManyRows: (kind, ids) => many<Row>(kind, ids),
    listDocs: (query) => list<Doc>(query),
    listRows: (query) => list<Row>(query),
    sumRows,
    newestTagged: createTagged(line, caughtUp),
    oldestTagged: createOldestTagged(line, caughtUp),
    journalAfter: (scope, after, limit) =>
      caughtUp(async (session, collection) => {
        const found = await collection('journal')
          .find({ shelf: scope, ord: { $gt: after } }, { ...timed, session, projection })
          .sort({ ord: 1, _id: 1 })
          .limit(limit)
          .toArray();
        // an unreadable document is not skipped: a reader of the log must not miss it without knowing
        return found.map((row) => recordIn<Row>('journal', row));
      }),
    ...createScans(line, docKinds, caughtUp),
    probe: () =>
      usedNow()
        .db.collection(reserved.cluster, { readConcern: { level: 'local' } })
        .findOne(
          {},
          { readPreference: ReadPreference.primary, projection: { _id: 1 }, maxTimeMS: line.answerMsMax },
        ),
  };
}

/** Asks in a session that is not older than the last write, even at a primary that has just been elected. */
function caughtUpOn(
  used: Used,
  line: Line,
  collectionOf: (db: Db, kind: string, level: Level) => MongoCollection<Stored>,
): Asks {
  return async (ask) => {
    const { client, db } = used();
    const session = client.startSession({ causalConsistency: true });
    try {
      if (line.latest !== null) session.advanceOperationTime(line.latest);
      return await ask(session, (kind) => collectionOf(db, kind, 'majority'));
    } finally {
      await session.endSession();
    }
  };
}

/** Any suitable database can count this many within the time limit of an answer. */
export const countedMax = 100_000;
const outOfTime = 50;
const isOutOfTime = (thrown: unknown): boolean =>
  thrown instanceof MongoServerError && thrown.code === outOfTime;

/** Connections: `own` for what the service itself has to know, `inTurn` for lists that somebody asks for at a door. */
interface Listing {
  readonly own: Asks;
  readonly inTurn: Asks;
}

function createLists(line: Line, asks: Listing) {
  const turns = new ListTurns();
  const timed = { maxTimeMS: line.answerMsMax };
  const asksOf: AsksOf = ({ inTurn }) => (inTurn === true ? asks.inTurn : asks.own);
  const inTurn = <Result>(query: Pick<ListQuery, 'inTurn' | 'scope'>, work: () => Promise<Result>) =>
    query.inTurn === true ? turns.pass(query.scope, work) : work();
  const { totalOf, sumRows } = createTotals(timed, asksOf);

  const list = async <Item extends Doc | Row>(query: ListQuery): Promise<Listed<Item>> => {
    const { kind, page, limit, uncounted, newestBy } = query;
    assert(Number.isSafeInteger(page) && page >= 1, 'pages are counted from 1');
    assert(Number.isSafeInteger(limit) && limit >= 1, 'a page holds at least one');
    const wanted = filterOf(query);
    if (wanted === null) return { items: [], total: 0 };
    const before = (page - 1) * limit;
    return asksOf(query)(async (session, collection) => {
      const found = await collection(kind)
        .find(wanted, { ...timed, session, projection })
        .sort({ [newestBy === undefined ? 'ord' : pathOf(kind, newestBy)]: -1, _id: -1 })
        .skip(before)
        .limit(limit)
        .toArray();
      // A page that is not full ends the list: no count is needed.
      const ended = uncounted === true || (found.length < limit && (found.length > 0 || page === 1));
      const total = ended ? before + found.length : await totalOf(kind, wanted, query);
      return { items: found.flatMap((one) => readable<Item>(kind, one)), total };
    });
  };
  return {
    list: <Item extends Doc | Row>(query: ListQuery) => inTurn(query, () => list<Item>(query)),
    sumRows: (query: SumQuery) => inTurn(query, () => sumRows(query)),
  };
}

type AsksOf = (query: Pick<ListQuery, 'inTurn'>) => Asks;

/** Each total is counted in a session of its own, because it may continue after the list that requested it has been
 *  answered. */
function createTotals(timed: { readonly maxTimeMS: number }, asksOf: AsksOf) {
  const totals = new LargeTotals(() => performance.now());
  const nothing: Sum = { count: 0, sum: 0 };

  const counted = async (kind: string, wanted: MongoFilter, query: ListQuery): Promise<number> => {
    const count = (limit?: number): Promise<number> =>
      asksOf(query)(async (session, collection) =>
        collection(kind).countDocuments(wanted, {
          ...timed,
          session,
          ...(limit === undefined ? {} : { limit }),
        }),
      );
    return count().catch((thrown: unknown) => {
      if (!isOutOfTime(thrown)) throw thrown;
      return count(countedMax);
    });
  };

  const totalOf = async (kind: string, wanted: MongoFilter, query: ListQuery): Promise<number> => {
    const make = async (): Promise<Sum> => ({ ...nothing, count: await counted(kind, wanted, query) });
    try {
      return (await totals.of(JSON.stringify([kind, wanted]), make)).count;
    } catch (thrown) {
      // not kept among the totals: the service itself must not take it for the number
      if (query.inTurn === true && isOutOfTime(thrown)) return countedMax;
      throw thrown;
    }
  };

  const sumRows = async ({ sumOf, ...query }: SumQuery): Promise<Sum> => {
    const { kind } = query;
    assert(isFieldName(sumOf), `what is added up is a plain word: ${JSON.stringify(sumOf)}`);
    const field = `$f.${sumOf}`;
    const wanted = filterOf({ ...query, page: 1, limit: 1 });
    if (wanted === null) return nothing;
    const summed = { $group: { _id: null, count: { $sum: 1 }, sum: { $sum: field } } };
    return totals.of(JSON.stringify([kind, wanted, field]), () =>
      asksOf(query)(async (session, collection) => {
        const [found] = await collection(kind)
          .aggregate<Sum>([{ $match: wanted }, summed], { ...timed, session })
          .toArray();
        return found === undefined ? nothing : { count: found.count, sum: found.sum };
      }),
    );
  };
  return { totalOf, sumRows };
}

/** Null for a document that cannot be read: one broken document must not make a whole list fail. */
function readable<Item extends Doc | Row>(kind: string, stored: Stored): readonly Item[] {
  try {
    return [recordIn<Item>(kind, stored)];
  } catch (error) {
    if (error instanceof DocumentUnreadable) return [];
    throw error;
  }
}
