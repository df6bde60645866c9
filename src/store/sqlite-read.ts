/** Answers reads and lists from the reading connection.
 *  Boundary: synchronous, in the reader's thread; returns the stored texts without parsing them.
 *  1. Each answer comes from one snapshot, not older than the last commit acknowledged before the request.
 *  2. A total or a sum over more than `totalKeptMin` records may be up to `totalKeptMs` old; every smaller
 *     one is exact. */
import { busySql, dueSql, journalSql, readSql, timersSql, type Sql } from './sqlite-query.ts';
import { newestTagged, oldestTagged } from './sqlite-tagged.ts';
import { accessPathsOf, type AccessPath, type AccessPaths } from './sqlite-access-paths.ts';
import { sqliteCode, type Cell, type Connection } from './sqlite-bind.ts';
import { noIndexes, type Of, type Slots } from './sqlite-schema.ts';
import {
  DocumentUnreadable,
  type Doc,
  type Due,
  type ListQuery,
  type Store,
  type Sum,
  type SumQuery,
  type Tagged,
  type TaggedQuery,
  type TagQuery,
} from './store.ts';

/** A list's page as stored texts. */
export interface ListedTexts {
  readonly texts: readonly string[];
  readonly total: number;
}

export interface Reader {
  /** The stored text of one record, or null. */
  read(of: Of, kind: string, id: string): string | null;
  list(of: Of, query: ListQuery): ListedTexts;
  sumRows(query: SumQuery): Sum;
  newestTagged(query: TagQuery): readonly Tagged[];
  oldestTagged(query: TaggedQuery): readonly Pick<Doc, 'created' | 'id'>[];
  journalAfter(scope: string, after: number, limit: number): readonly string[];
  due(query: Parameters<Store['due']>[0]): readonly Due[];
  countTimers(clock: string): number;
  busy(query: Parameters<Store['busy']>[0]): readonly { kind: string; id: string }[];
}

/** How many entries of an access path are counted before it counts as long, and how long it is then not counted
 *  again. Every path gives the same answer. */
const probeMost = 5000;
/** A path this short is taken without a look at how long the others are. */
const probedMax = 50;
const longKeptMs = 60_000;
const longsMax = 1000;
/** Totals and sums: large ones are recomputed at most once per interval. */
const totalKeptMin = 10_000;
const totalKeptMs = 2000;
const totalsMax = 1000;

export function createReader(
  connection: Connection,
  slots: Readonly<Record<Of, Slots>>,
  monotonicMs: () => number,
): Reader {
  const all = ({ sql, values }: Sql): readonly (readonly Cell[])[] => connection.statement(sql).all(values);
  const texts = (query: Sql): readonly string[] => all(query).map((row) => String(row[0]));
  const number = (query: Sql): number => Number(all(query)[0]?.[0] ?? 0);
  const totals = new Map<string, { readonly row: readonly Cell[]; readonly until: number }>();

  /** The single row of a query whose first cell is the number of records it covers. */
  const totalOf = (count: Sql): readonly Cell[] => {
    const key = JSON.stringify([count.sql, count.values]);
    const kept = totals.get(key);
    if (kept !== undefined && kept.until > monotonicMs()) return kept.row;
    const [row = []] = all(count);
    if (totals.size >= totalsMax) totals.clear();
    if (Number(row[0]) > totalKeptMin) totals.set(key, { row, until: monotonicMs() + totalKeptMs });
    return row;
  };
  const lengthOf = cachingLengths(number, monotonicMs);
  const cheapestOf = (paths: AccessPaths): Cheapest => cheapest(paths, lengthOf);

  const listed = (query: ListQuery, paths: AccessPaths): ListedTexts => {
    const { counted, paged } = cheapestOf(paths);
    const found = texts(paged.page);
    const read = (query.page - 1) * query.limit + found.length;
    const total = needsCount(query, found.length) ? Number(totalOf(counted.count)[0] ?? 0) : read;
    return { texts: found, total };
  };
  /** All reads inside see one snapshot. */
  const atOnce = <Answer>(answer: () => Answer): Answer => {
    connection.exec('BEGIN');
    try {
      return answer();
    } finally {
      connection.exec('COMMIT');
    }
  };

  return {
    read(of, kind, id) {
      const row = readable(() => connection.statement(readSql(of)).first([id, kind]));
      return row === undefined ? null : textOf(row);
    },
    list(of, query) {
      const paths = pathsOf(slots, of, query);
      return atOnce(() => listed(query, paths));
    },
    sumRows({ sumOf, ...query }) {
      const paths = pathsOf(slots, 'row', { ...query, page: 1, limit: 1 });
      const [count, sum] = atOnce(() => totalOf(cheapestOf(paths).counted.sum(sumOf)));
      return { count: Number(count ?? 0), sum: Number(sum ?? 0) };
    },
    newestTagged(query) {
      const of = slots.doc.has(query.kind) ? 'doc' : 'row';
      return atOnce(() => newestTagged(of, query, all));
    },
    oldestTagged: (query) => oldestTagged(query, all),
    journalAfter: (scope, after, limit) => texts(journalSql(scope, after, limit)),
    due: (query) =>
      all(dueSql(query)).map(([kind, id, wake]) => ({
        kind: String(kind),
        id: String(id),
        wake: Number(wake),
      })),
    countTimers: (clock) => number(timersSql(clock)),
    busy: (query) => all(busySql(query)).map(([kind, id]) => ({ kind: String(kind), id: String(id) })),
  };
}

const pathsOf = (slots: Readonly<Record<Of, Slots>>, of: Of, query: ListQuery): AccessPaths =>
  accessPathsOf(of, slots[of].get(query.kind) ?? noIndexes, query);

/** How the text of a busy document ends. */
const busyEnd = '"busy":true}';

/** `busy` may have been taken away without writing the text again. */
function textOf([json = '', notBusy = 0]: readonly Cell[]): string {
  const text = String(json);
  return notBusy === 1 && text.endsWith(busyEnd) ? `${text.slice(0, -busyEnd.length)}"busy":false}` : text;
}

/** A page that is not full ends the list: no count is needed. */
const needsCount = ({ page, limit, uncounted }: ListQuery, found: number): boolean =>
  uncounted !== true && (found === limit || (found === 0 && page > 1));

/** Up to `most`. */
type LengthOf = (path: AccessPath, most: number) => number;

/** The length of an access path; when it is long, it is counted only at intervals. */
function cachingLengths(lengthOf: (probe: Sql) => number, monotonicMs: () => number): LengthOf {
  const longUntil = new Map<string, number>();
  return (path, most) => {
    const probe = path.probe(most);
    const key = JSON.stringify([probe.sql, probe.values]);
    if ((longUntil.get(key) ?? -Infinity) > monotonicMs()) return most;
    const length = lengthOf(probe);
    if (longUntil.size >= longsMax) longUntil.clear();
    if (length >= most) longUntil.set(key, monotonicMs() + longKeptMs);
    return length;
  };
}

interface Cheapest {
  readonly counted: AccessPath;
  readonly paged: AccessPath;
}

/** The access path used for counting and paging: the shortest one, unless it is long and would have to be sorted. */
function cheapest({ whole, narrow }: AccessPaths, lengthOf: LengthOf): Cheapest {
  const [only] = narrow;
  if (only === undefined) return { counted: whole, paged: whole };
  if (narrow.length === 1 && only.ordered) return { counted: only, paged: only };
  const short = narrow.find((path) => lengthOf(path, probedMax) < probedMax);
  if (short !== undefined) return { counted: short, paged: short };
  const measured = narrow
    .map((path) => ({ path, length: lengthOf(path, probeMost) }))
    .toSorted((a, b) => a.length - b.length || Number(b.path.ordered) - Number(a.path.ordered));
  const best = measured[0] ?? { path: only, length: 0 };
  const paged = best.path.ordered || best.length < probeMost ? best.path : whole;
  return { counted: best.path, paged };
}

/** A damaged database page under one record is a defect of that record, not an outage. */
function readable<Answer>(look: () => Answer): Answer {
  try {
    return look();
  } catch (error) {
    if (sqliteCode(error) !== 'SQLITE_CORRUPT') throw error;
    throw new DocumentUnreadable(String(error));
  }
}
