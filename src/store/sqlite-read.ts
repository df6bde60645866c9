/** Answers reads and lists from the reading connection.
 *  Boundary: synchronous, in the reader's thread; hands out the stored texts, nobody parses them here.
 *  1. Each answer is of one snapshot, not older than the last commit acknowledged before it was asked for.
 *  2. A total above `totalKeptMin` may be up to `totalKeptMs` old; every smaller one is exact. */
import { busySql, dueSql, journalSql, readSql, timersSql, type Sql } from './sqlite-query.ts';
import { waysOf, type Way, type Ways } from './sqlite-ways.ts';
import { sqliteCode, type Cell, type Connection } from './sqlite-bind.ts';
import type { Of, Slots } from './sqlite-schema.ts';
import { DocumentUnreadable, type Due, type ListQuery, type Store } from './store.ts';

/** A list's page as stored texts. */
export interface ListedTexts {
  readonly texts: readonly string[];
  readonly total: number;
}

export interface Reader {
  /** The stored text of one record, or null. */
  read(of: Of, kind: string, id: string): string | null;
  list(of: Of, query: ListQuery): ListedTexts;
  journalAfter(scope: string, after: number, limit: number): readonly string[];
  due(query: Parameters<Store['due']>[0]): readonly Due[];
  countTimers(clock: string): number;
  busy(query: Parameters<Store['busy']>[0]): readonly { kind: string; id: string }[];
}

/** How far a way is looked down before it counts as long. */
const probeMost = 5000;
/** Totals (engine 6): counted again at most every so often when they are large. */
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
  const totals = new Map<string, { readonly total: number; readonly until: number }>();

  const totalOf = (count: Sql): number => {
    const key = JSON.stringify([count.sql, count.values]);
    const kept = totals.get(key);
    if (kept !== undefined && kept.until > monotonicMs()) return kept.total;
    const total = number(count);
    if (totals.size >= totalsMax) totals.clear();
    if (total > totalKeptMin) totals.set(key, { total, until: monotonicMs() + totalKeptMs });
    return total;
  };

  const listed = (query: ListQuery, ways: Ways): ListedTexts => {
    const { count, page } = cheapest(ways, (way) => number(way.probe(probeMost)));
    const found = texts(page);
    const before = (query.page - 1) * query.limit;
    // A page that is not full ends the list: nothing is left to count.
    const ended = found.length < query.limit && (found.length > 0 || query.page === 1);
    return { texts: found, total: ended ? before + found.length : totalOf(count) };
  };

  return {
    read(of, kind, id) {
      const row = readable(() => connection.statement(readSql(of)).first([id, kind]));
      return row === undefined ? null : String(row[0]);
    },
    list(of, query) {
      const ways = waysOf(of, slots[of].get(query.kind) ?? [], query);
      connection.exec('BEGIN');
      try {
        return listed(query, ways);
      } finally {
        connection.exec('COMMIT');
      }
    },
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

/** Which way to count and to page along: the shortest, unless that is long and would have to be sorted. */
function cheapest({ whole, narrow }: Ways, lengthOf: (way: Way) => number): { count: Sql; page: Sql } {
  const [only] = narrow;
  if (only === undefined) return { count: whole.count, page: whole.page };
  if (narrow.length === 1 && only.ordered) return { count: only.count, page: only.page };
  const measured = narrow
    .map((way) => ({ way, length: lengthOf(way) }))
    .toSorted((a, b) => a.length - b.length || Number(b.way.ordered) - Number(a.way.ordered));
  const best = measured[0] ?? { way: only, length: 0 };
  const page = best.way.ordered || best.length < probeMost ? best.way.page : whole.page;
  return { count: best.way.count, page };
}

/** A page of the file that is damaged under one record is that record's defect, not an outage. */
function readable<Answer>(look: () => Answer): Answer {
  try {
    return look();
  } catch (error) {
    if (sqliteCode(error) !== 'SQLITE_CORRUPT') throw error;
    throw new DocumentUnreadable(String(error));
  }
}
