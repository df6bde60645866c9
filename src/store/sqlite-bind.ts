/** The only access to libsql: a guarded connection and guarded statements.
 *  Boundary: no SQL of its own. Its callers are the store's two workers and the bench.
 *  1. Only Bindable values reach the driver: it aborts the whole process on a boolean, a Date or an object.
 *  2. The number of values always equals the number of placeholders: the driver accepts too few or too many
 *     without an error.
 *  3. A closed connection is not asked anything: the driver aborts the whole process on some questions.
 *  4. NUL never reaches a column (it becomes U+FFFD): the driver cuts a text at NUL when it reads it back. */
import Libsql from 'libsql';
import { BrokenInvariant } from '../kernel/assert.ts';

/** The types a placeholder may be bound to. */
export type Bindable = string | number | bigint | Buffer | null;
export type Cell = string | number | Buffer | null;

export interface Ran {
  /** How many rows it changed. */
  readonly changes: number;
  /** Rowid of the newest row; only meaningful when an insert changed something. */
  readonly rowid: number;
}

export interface Statement {
  run(values: readonly Bindable[]): Ran;
  /** Every row, as cells in column order; the statement is not left open. */
  all(values: readonly Bindable[]): readonly (readonly Cell[])[];
  /** The first row, if there is one. */
  first(values: readonly Bindable[]): readonly Cell[] | undefined;
}

export interface Connection {
  /** The statement for `sql`, prepared once. Placeholders are `?`; the SQL has no other question mark. */
  statement(sql: string): Statement;
  /** Runs SQL without values, e.g. `COMMIT`. */
  exec(sql: string): void;
  /** The first cell a pragma answers with. */
  pragma(text: string): Cell | undefined;
  readonly inTransaction: boolean;
  close(): void;
}

/** SQLite's primary code of the error, without the driver's extended code: `SQLITE_IOERR_FSYNC` becomes
 *  `SQLITE_IOERR`. null for an error that did not come from SQLite. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Libsql.SqliteError)) return null;
  const plain = (error.rawCode ?? 0) & 0xff;
  return codes[plain] ?? error.code;
}

const codes: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

/** Whether the error is of a full disk or a lock: nothing has changed, and a later try may succeed. */
export const waitsForRoom = (error: unknown): boolean =>
  ['SQLITE_FULL', 'SQLITE_BUSY'].includes(sqliteCode(error) ?? '');

/** Prepared statements cached per connection; above this, all are dropped and prepared again. */
const statementsMax = 512;

/** Opens (or creates) the database at `path`. Waits `busyMs` milliseconds for a lock held by another
 *  process. */
export function openConnection(path: string, busyMs = 0): Connection {
  const database = new Libsql(path, { timeout: busyMs });
  const prepared = new Map<string, Statement>();
  let isClosed = false;
  return {
    statement(sql) {
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      if (prepared.size >= statementsMax) prepared.clear();
      const made = prepare(database, sql);
      prepared.set(sql, made);
      return made;
    },
    exec: (sql) => void database.exec(sql),
    pragma: (text) => prepare(database, `PRAGMA ${text}`).first([])?.[0],
    get inTransaction() {
      if (isClosed) throw new BrokenInvariant('the connection is open');
      return database.inTransaction;
    },
    close() {
      isClosed = true;
      prepared.clear();
      database.close();
    },
  };
}

function prepare(database: Libsql.Database, sql: string): Statement {
  const count = sql.split('?').length - 1;
  const statement = database.prepare<[readonly Bindable[]]>(sql);
  if (statement.reader) statement.raw();
  const all = (values: readonly Bindable[]): readonly (readonly Cell[])[] =>
    // `raw` makes each row a plain array; the driver has no types for what a query selects.
    statement.all(bind(values, count)) as (readonly Cell[])[];
  return {
    run(values) {
      const { changes, lastInsertRowid } = statement.run(bind(values, count));
      return { changes, rowid: Number(lastInsertRowid) };
    },
    all,
    first: (values) => all(values)[0],
  };
}

/** The values in a form the driver accepts; throws BrokenInvariant for values that would crash it. */
function bind(values: readonly Bindable[], count: number): readonly Bindable[] {
  // Hot path: the error message is built only when the check fails.
  if (values.length !== count) throw new BrokenInvariant(`${count} values are bound, not ${values.length}`);
  let clean: Bindable[] | undefined;
  for (let at = 0; at < count; at++) {
    const value = values[at];
    if (!isBindable(value)) throw new BrokenInvariant(`value ${at} may be bound`);
    if (typeof value === 'string' && value.includes('\u0000')) {
      clean ??= [...values];
      clean[at] = value.replaceAll('\u0000', '\ufffd');
    }
  }
  return clean ?? values;
}

function isBindable(value: unknown): value is Bindable {
  switch (typeof value) {
    case 'string':
    case 'bigint':
      return true;
    case 'number':
      return Number.isFinite(value);
    default:
      return value === null || Buffer.isBuffer(value);
  }
}
