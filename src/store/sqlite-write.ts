/** Applies batches of records to the database: one transaction each, one result per write.
 *  Boundary: synchronous, on the writing connection, in the writer's thread; knows records, not documents.
 *  1. A stale write changes nothing, its rows included, and does not affect the others of its batch.
 *  2. A batch that cannot be completed is rolled back; only the effect of COMMIT itself may be in doubt.
 *  3. After a disk failure nothing is written any more: a failed fsync is never retried. */
import { sqliteCode, type Connection } from './sqlite-bind.ts';
import { DiskFailed } from './sqlite-errors.ts';
import { purgeFrom } from './sqlite-purge.ts';
import { extraOf, keepRecords, keepShelves } from './sqlite-records.ts';
import type { Of, Slots } from './sqlite-schema.ts';
import type { RowRecord, WriteRecord } from './sqlite-wire.ts';
import type { Purged, PurgeQuery, SettledDoc, Written } from './store.ts';

export interface Writer {
  /** One result per write. Throws DiskFailed when the outcome cannot be known. */
  commit(writes: readonly WriteRecord[]): readonly Written[];
  /** False: no room, nothing was stored. Throws DiskFailed, or an error caused by a record itself. */
  putRows(rows: readonly RowRecord[]): boolean;
  /** Throws DiskFailed, or an error after which nothing has changed. */
  settle(docs: readonly SettledDoc[]): void;
  /** Throws DiskFailed, or an error after which nothing was removed. */
  purge(query: PurgeQuery): Purged;
}

const applied: Written = { is: 'applied' };
const stale: Written = { is: 'stale' };

/** Errors after which the file or the disk can no longer be trusted. */
const failuresOfDisk: ReadonlySet<string | null> = new Set([
  'SQLITE_IOERR',
  'SQLITE_CORRUPT',
  'SQLITE_CANTOPEN',
  'SQLITE_NOTADB',
  'SQLITE_READONLY',
]);

const refusedNow = (reason: string): Written => ({ is: 'error', of: 'store', reason });
const unstorable = (error: unknown): Written => ({ is: 'error', of: 'document', reason: String(error) });

/** Errors that make a whole batch fail without harm to what is stored: the reason its writes are given. */
const refusals: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'disk_full',
  SQLITE_BUSY: 'database_locked',
};

export function createWriter(connection: Connection, slots: Readonly<Record<Of, Slots>>): Writer {
  const docs = keepRecords(connection, 'doc', slots.doc);
  const rows = keepRecords(connection, 'row', slots.row);
  const shelves = keepShelves(connection);

  const putRow = ([head, once]: RowRecord): void => {
    const row = rows.make(head, shelves.of(head[0], head[2]), [Number(once)]);
    const there = once ? undefined : rows.find(row);
    if (there === undefined) rows.insert(row);
    else if (there.v < head[8] && extraOf(there, 0) === 0) rows.update(there, row);
  };

  const apply = ([expect, [head, e, ...rest], withRows]: WriteRecord): Written => {
    const [clock, wake, timers, busy] = rest;
    const doc = docs.make(head, shelves.of(head[0], head[2]), [e, clock, wake, timers, Number(busy)]);
    if (expect === 0) {
      if (!docs.insert(doc)) return stale;
    } else {
      const there = docs.find(doc);
      if (there === undefined || there.v !== expect || Number(extraOf(there, 0)) > e) return stale;
      docs.update(there, doc);
    }
    withRows.forEach(putRow);
    return applied;
  };

  const transact = transactions(connection, () => {
    for (const memory of [shelves, docs, rows]) memory.forget();
  });

  const commit = (writes: readonly WriteRecord[]): readonly Written[] => {
    try {
      return transact(() => writes.map(apply));
    } catch (error) {
      if (error instanceof DiskFailed) throw error;
      const reason = refusals[sqliteCode(error) ?? ''];
      // One of them cannot be stored at all: sent alone, only that one fails.
      if (reason === undefined && writes.length > 1) return writes.flatMap((write) => commit([write]));
      return writes.map(() => (reason === undefined ? unstorable(error) : refusedNow(reason)));
    }
  };

  /** It need not be on disk when it is answered, and a later commit syncs it with its own. */
  const unsynced = <Result>(work: () => Result): Result => {
    connection.exec('PRAGMA synchronous = NORMAL');
    try {
      return transact(work);
    } finally {
      connection.exec('PRAGMA synchronous = FULL');
    }
  };

  return {
    commit,
    settle: (settled) => unsynced(() => settled.forEach((doc) => docs.settle(doc))),
    purge: (query) => unsynced(() => purgeFrom(connection, { doc: docs, row: rows }, slots, query)),
    putRows(given) {
      try {
        transact(() => given.forEach(putRow));
        return true;
      } catch (error) {
        if (refusals[sqliteCode(error) ?? ''] !== undefined) return false;
        throw error;
      }
    },
  };
}

/** Runs work in one transaction; `undone` is called when it was rolled back. */
function transactions(connection: Connection, undone: () => void) {
  return <Result>(work: () => Result): Result => {
    let sent = false;
    try {
      connection.exec('BEGIN IMMEDIATE');
      const result = work();
      sent = true;
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      undone();
      const code = sqliteCode(error);
      rollBack(connection);
      if (failuresOfDisk.has(code) || (sent && code !== 'SQLITE_FULL')) throw diskFailed(error);
      throw error;
    }
  };
}

function rollBack(connection: Connection): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  } catch (error) {
    throw diskFailed(error);
  }
}

const diskFailed = (error: unknown): DiskFailed =>
  new DiskFailed(error instanceof Error ? error.message : String(error), { cause: error });
