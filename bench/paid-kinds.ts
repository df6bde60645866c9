/** What one paid checkout leaves in the store, by kind of actor: commits, records and bytes. Read from the file of a
 *  service that has ended. */
import Database from 'libsql';
import { databaseFile } from '../src/store/sqlite-schema.ts';
import type { Row } from './support.ts';

/** Kinds that say less than this a checkout are left out: they belong to the project. */
const leastShown = 0.02;

export function kindsIn(dataDir: string): readonly Row[] {
  const database = new Database(databaseFile(dataDir));
  const all = (sql: string): readonly Kind[] => database.prepare(sql).all() as readonly Kind[];
  const kinds = all(
    `SELECT kind, count(*) AS count, sum(v) AS commits, sum(length(json)) AS bytes FROM docs GROUP BY kind`,
  );
  const views = all(
    `SELECT kind, count(*) AS count, 0 AS commits, sum(length(json)) AS bytes FROM view_rows GROUP BY kind`,
  );
  database.close();
  const checkouts = kinds.find(({ kind }) => kind === 'checkout_session')?.count ?? Number.NaN;
  const rows = (
    each: readonly Kind[],
    of: string,
    value: (kind: Kind) => number,
    unit: string,
  ): readonly Row[] =>
    each
      .filter(({ count, commits }) => Math.max(count, commits) / checkouts >= leastShown)
      .toSorted((a, b) => value(b) - value(a))
      .map((kind) => ({ what: of, arm: kind.kind, value: value(kind) / checkouts, unit }));
  return [
    ...rows(kinds, 'by kind: commits a checkout', ({ commits }) => commits, 'commits'),
    ...rows(kinds, 'by kind: documents', ({ bytes }) => bytes / 1024, 'KiB a checkout'),
    ...rows(views, 'by kind: rows a checkout', ({ count }) => count, 'rows'),
    ...rows(views, 'by kind: rows', ({ bytes }) => bytes / 1024, 'KiB a checkout'),
  ];
}

interface Kind {
  readonly kind: string;
  readonly count: number;
  readonly commits: number;
  readonly bytes: number;
}
