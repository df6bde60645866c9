/** Commits batches of writes to the log, and brings the tables up to date behind it.
 *  Boundary: synchronous, on the writing connection, in the writer's thread; knows records, not documents.
 *  1. A batch is one row of the log in one transaction, and is acknowledged when that is on disk. The tables follow
 *     in larger transactions, in which the versions of a record have become one; the last transaction of a portion
 *     removes its part of the log. So a record is in the log, in the tables or in both.
 *  2. A stale write changes nothing, its rows included, and does not affect the others of its batch.
 *  3. Only the effect of COMMIT itself may be in doubt.
 *  4. After a disk failure nothing is written any more: a failed fsync is never retried. */
import { BrokenInvariant } from '../kernel/assert.ts';
import { sqliteCode, type Connection } from './sqlite-bind.ts';
import { DiskFailed } from './sqlite-errors.ts';
import { purgeFrom } from './sqlite-purge.ts';
import type { Of, Slots } from './sqlite-schema.ts';
import { keepTables, type Version } from './sqlite-tables.ts';
import { Records, UnappliedRecords, type Unapplied } from './sqlite-unapplied.ts';
import type { LineHead, Lines } from './sqlite-wire.ts';
import type { Purged, PurgeQuery, Written } from './store.ts';

export interface Writer {
  /** One result per write. Throws DiskFailed when the outcome cannot be known. `hasRoom` false: nothing more may be
   *  appended, because the disk is full. */
  commit(lines: Lines, hasRoom?: boolean): readonly Written[];
  /** False: no room, nothing was stored. Throws DiskFailed. */
  putRows(lines: Lines): boolean;
  /** Throws DiskFailed, or an error after which nothing was removed. */
  purge(query: PurgeQuery): Purged;
  /** Applies some of what waits, for at most about this many milliseconds; true while more waits. Throws DiskFailed,
   *  or an error of SQLite when there is no room: then it waits. */
  applySome(forMs: number): boolean;
  /** Applies all that waits. Throws as `applySome` does. */
  applyAll(): void;
  /** Every commit up to this number is in the tables. */
  readonly appliedUpTo: number;
  /** The number of the newest commit. */
  readonly committed: number;
  readonly unapplied: Pick<UnappliedRecords, 'isEmpty' | 'chars' | 'inPortion' | 'waitedMs'>;
}

const appliedResult: Written = { is: 'applied' };
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

/** Errors that make a whole batch fail without harm to what is stored: the reason its writes are given. */
const refusals: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'disk_full',
  SQLITE_BUSY: 'database_locked',
};

/** Records that are applied between two looks at the time. */
const recordsAtOnce = 16;

/** `monotonicMs`: a clock in milliseconds. Applies what the log of an earlier process holds; throws for a log that
 *  cannot be read. */
export function createWriter(
  connection: Connection,
  slots: Readonly<Record<Of, Slots>>,
  monotonicMs: () => number,
): Writer {
  const tables = keepTables(connection, slots);
  const unapplied = new UnappliedRecords();
  const transact = transactions(connection, () => tables.forget());
  const append = connection.statement('INSERT INTO log(seq, records) VALUES(?, ?)');
  const cut = connection.statement('DELETE FROM log WHERE seq <= ?');
  let committed = 0;
  let appliedUpTo = 0;
  /** Records of the portion that are in the tables. */
  let position = 0;

  const versionOf = (staged: Records, of: Of, kind: string, id: string): Version | undefined =>
    staged.get(of, kind, id) ?? unapplied.get(of, kind, id) ?? tables.versionOf(of, kind, id);

  /** Takes a row unless a copy of it, or a newer one, is there. */
  const stageRow = (staged: Records, kept: string[], lines: Lines, at: number): void => {
    const [of, kind, id, v, once] = headAt(lines, at);
    if (of !== 'row') throw new BrokenInvariant('rows follow their document');
    const json = lines[at + 1] ?? '';
    // an insert-only row of which the tables have a copy is left out when it is applied
    const there = once === 1 ? (staged.get(of, kind, id) ?? unapplied.get(of, kind, id)) : undefined;
    const known = once === 1 ? there : versionOf(staged, of, kind, id);
    if (known !== undefined && (known.once || once === 1 || known.v >= v)) return;
    staged.put({ of, kind, id, v, e: 0, once: once === 1, json });
    kept.push(lines[at] ?? '', json);
  };

  const log = (staged: Records, kept: Lines): void => {
    if (kept.length === 0) return;
    transact(() => append.run([committed + 1, kept.join('\n')]));
    committed++;
    unapplied.add(staged, committed, monotonicMs());
  };

  /** Applies the portion from where it stands; true when some of it is left. */
  const applySome = (forMs: number): boolean => {
    const portion = unapplied.portion();
    if (portion === null) return false;
    const until = monotonicMs() + forMs;
    let next = position;
    transact(() => {
      do {
        for (const record of portion.records.slice(next, next + recordsAtOnce))
          if (record.once || !unapplied.isReplaced(record)) tables.put(record);
        next += recordsAtOnce;
      } while (next < portion.records.length && monotonicMs() < until);
      if (next >= portion.records.length) cut.run([portion.upTo]);
    }, 'NORMAL');
    position = next;
    if (next < portion.records.length) return true;
    position = 0;
    appliedUpTo = portion.upTo;
    unapplied.applied();
    return !unapplied.isEmpty;
  };

  const applyAll = (): void => {
    while (applySome(Infinity));
  };

  const replay = (): void => {
    const rows = connection.statement('SELECT seq, records FROM log ORDER BY seq').all([]);
    for (const [seq, text] of rows) {
      const staged = new Records();
      for (const record of recordsIn(String(text).split('\n'))) {
        // as when it was committed: the first of insert-only rows, the newest of all others
        if (!record.once || unapplied.get(record.of, record.kind, record.id) === undefined)
          staged.put(record);
      }
      committed = Number(seq);
      unapplied.add(staged, committed, monotonicMs());
    }
    applyAll();
  };
  replay();

  return {
    commit(lines, hasRoom = true) {
      const staged = new Records();
      const kept: string[] = [];
      const results: Written[] = [];
      for (let at = 0; at < lines.length;) {
        const [of, kind, id, v, expect, e = 0, rows = 0] = headAt(lines, at);
        if (of !== 'doc') throw new BrokenInvariant('a write begins with its document');
        const there = versionOf(staged, of, kind, id);
        const fits = expect === 0 ? there === undefined : there?.v === expect && there.e <= e;
        results.push(fits ? appliedResult : stale);
        if (fits) {
          const json = lines[at + 1] ?? '';
          staged.put({ of, kind, id, v, e, once: false, json });
          kept.push(lines[at] ?? '', json);
          for (let row = 0; row < rows; row++) stageRow(staged, kept, lines, at + 2 + row * 2);
        }
        at += 2 + rows * 2;
      }
      if (!hasRoom) return results.map(() => refusedNow('disk_full'));
      try {
        log(staged, kept);
        return results;
      } catch (error) {
        const reason = refusals[sqliteCode(error) ?? ''];
        if (reason === undefined) throw error;
        return results.map(() => refusedNow(reason));
      }
    },

    putRows(lines) {
      const staged = new Records();
      const kept: string[] = [];
      for (let at = 0; at < lines.length; at += 2) stageRow(staged, kept, lines, at);
      try {
        log(staged, kept);
        return true;
      } catch (error) {
        if (refusals[sqliteCode(error) ?? ''] !== undefined) return false;
        throw error;
      }
    },

    purge(query) {
      applyAll();
      // It need not be on disk when it is answered, and a later commit syncs it with its own.
      return transact(() => purgeFrom(connection, tables.records, slots, query), 'NORMAL');
    },

    applySome,
    applyAll,
    get appliedUpTo() {
      return appliedUpTo;
    },
    get committed() {
      return committed;
    },
    unapplied,
  };
}

// Written by this store, by this build or an older one.
const headAt = (lines: Lines, at: number): LineHead => JSON.parse(lines[at] ?? '') as LineHead;

function* recordsIn(lines: Lines): Generator<Unapplied> {
  for (let at = 0; at < lines.length; at += 2) {
    const head = headAt(lines, at);
    const [of, kind, id, v] = head;
    const json = lines[at + 1] ?? '';
    if (head[0] === 'doc') yield { of, kind, id, v, e: head[5], once: false, json };
    else yield { of, kind, id, v, e: 0, once: head[4] === 1, json };
  }
}

/** Runs work in one transaction; `undone` is called when it was rolled back. NORMAL: it need not be on disk when this
 *  returns. */
function transactions(connection: Connection, undone: () => void) {
  return <Result>(work: () => Result, synchronous: 'FULL' | 'NORMAL' = 'FULL'): Result => {
    let sent = false;
    if (synchronous === 'NORMAL') connection.exec('PRAGMA synchronous = NORMAL');
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
    } finally {
      if (synchronous === 'NORMAL') connection.exec('PRAGMA synchronous = FULL');
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
