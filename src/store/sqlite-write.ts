/** Commits batches of writes to the log, and brings the tables up to date behind it.
 *  Boundary: synchronous, on the writing connection, in the writer's thread; knows records, not documents.
 *  1. A batch is one text of the log, and is acknowledged when that is on disk. The tables follow in larger
 *     transactions, in which the versions of a record have become one; the last transaction of a portion notes how far
 *     it came. So a record is in the log, in the tables or in both.
 *  2. A stale write changes nothing, its rows included, and does not affect the others of its batch.
 *  3. Only a write or a sync that failed leaves an effect in doubt.
 *  4. After a disk failure nothing is written any more: a failed fsync is never retried. */
import { BrokenInvariant } from '../kernel/assert.ts';
import { sqliteCode, waitsForRoom, type Connection } from './sqlite-bind.ts';
import { appliedSql, turnSql, type CommitLog } from './sqlite-commit-log.ts';
import { copyWal, type WalKeeper } from './sqlite-checkpoints.ts';
import { diskFailed } from './sqlite-errors.ts';
import { purgeFrom } from './sqlite-purge.ts';
import type { Of, Slots } from './sqlite-schema.ts';
import { keepTables, type Tables, type Version } from './sqlite-tables.ts';
import { Records, UnappliedRecords, type Unapplied } from './sqlite-unapplied.ts';
import type { LineHead, Lines } from './sqlite-wire.ts';
import type { Purged, PurgeQuery, SettledDoc, Written } from './store.ts';

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

const diskFull: Written = { is: 'error', of: 'store', reason: 'disk_full' };

/** Records that are applied between two looks at the time. */
const recordsAtOnce = 4;
/** The texts that one transaction of steps writes at most, and a few more: the WAL grows by several times as much. */
const transactionCharsMax = 1024 * 1024;

type Slotted = Readonly<Record<Of, Slots>>;
type WrittenWal = Pick<WalKeeper, 'written' | 'copyNow'>;

export class Writer {
  readonly unapplied = new UnappliedRecords();
  /** The number of the newest commit. */
  committed = 0;
  /** Every commit up to this number is in the tables. */
  appliedUpTo = 0;
  /** Every commit up to this number is in the tables, and they are synced. */
  #onDiskUpTo = 0;
  /** Records of the portion that are in the tables; those from `#committedTo` on in a transaction that is open. */
  #next = 0;
  #committedTo = 0;
  /** The texts in that transaction. */
  #openChars = 0;
  readonly #connection: Connection;
  readonly #slots: Slotted;
  readonly #monotonicMs: () => number;
  readonly #tables: Tables;
  readonly #transactions: Transactions;
  readonly #log: CommitLog;
  readonly #wal: WrittenWal;

  /** `monotonicMs`: a clock in milliseconds. Applies what the log of an earlier process holds; throws for what cannot
   *  be read. */
  constructor(
    connection: Connection,
    slots: Slotted,
    log: CommitLog,
    monotonicMs: () => number,
    wal: WrittenWal = { written: () => undefined, copyNow: () => void copyWal(connection, 'PASSIVE') },
  ) {
    this.#wal = wal;
    this.#log = log;
    this.#connection = connection;
    this.#slots = slots;
    this.#monotonicMs = monotonicMs;
    this.#tables = keepTables(connection, slots);
    this.#transactions = transactions(connection, () => this.#tables.forget());
    this.#replay();
  }

  /** One result per write. Throws DiskFailed when the outcome cannot be known. `hasRoom` false: nothing more may be
   *  appended, because the disk is full. */
  commit(lines: Lines, hasRoom = true): readonly Written[] {
    const staged = new Records();
    const kept: string[] = [];
    const results: Written[] = [];
    for (let at = 0; at < lines.length;) {
      const [of, kind, id, v, expect, e = 0, rows = 0] = headAt(lines, at);
      if (of !== 'doc') throw new BrokenInvariant('a write begins with its document');
      const there = this.#versionOf(staged, of, kind, id);
      const fits = expect === 0 ? there === undefined : there?.v === expect && there.e <= e;
      results.push(fits ? appliedResult : stale);
      if (fits) {
        const json = lines[at + 1] ?? '';
        staged.put({ of, kind, id, v, e, once: false, json });
        kept.push(lines[at] ?? '', json);
        for (let row = 0; row < rows; row++) this.#stageRow(staged, kept, lines, at + 2 + row * 2);
      }
      at += 2 + rows * 2;
    }
    return hasRoom && this.#append(staged, kept) ? results : results.map(() => diskFull);
  }

  /** False: no room, nothing was stored. Throws DiskFailed. */
  putRows(lines: Lines): boolean {
    const staged = new Records();
    const kept: string[] = [];
    for (let at = 0; at < lines.length; at += 2) this.#stageRow(staged, kept, lines, at);
    return this.#append(staged, kept);
  }

  /** Of documents whose version the tables hold. Throws DiskFailed, or an error after which nothing has changed. */
  settle(docs: readonly SettledDoc[]): void {
    const { doc: records } = this.#tables.records;
    const next = this.#next;
    [this.#next, this.#openChars] = [this.#committedTo, 0];
    // ends a transaction of steps that is open: what it has written so far is committed with this
    this.#transactions.step(() => {
      docs.forEach((doc) => records.settle(doc));
      return true;
    });
    [this.#next, this.#committedTo] = [next, next];
  }

  /** Throws DiskFailed, or an error after which nothing was removed. */
  purge(query: PurgeQuery): Purged {
    this.applyAll();
    // It need not be on disk when it is answered; the next checkpoint syncs it.
    return this.#transactions.whole(
      () => purgeFrom(this.#connection, this.#tables.records, this.#slots, query),
      'NORMAL',
    );
  }

  /** Applies some of what waits, for at most about this many milliseconds; true while more waits. Steps share a
   *  transaction until it is as large as one may be. Throws DiskFailed, or an error of SQLite when there is no room:
   *  then what was not in an earlier transaction waits. */
  applySome(forMs: number): boolean {
    const portion = this.unapplied.portion();
    if (portion === null) return false;
    const until = this.#monotonicMs() + forMs;
    const { records, upTo } = portion;
    const step = { next: this.#next, chars: this.#openChars };
    [this.#next, this.#openChars] = [this.#committedTo, 0];
    this.#transactions.step(() => {
      do {
        for (const record of records.slice(step.next, step.next + recordsAtOnce)) {
          step.chars += record.json.length;
          // never left out: a list that waits for this portion shows each record of it, in whatever version
          this.#tables.put(this.unapplied.newestOf(record));
        }
        step.next += recordsAtOnce;
      } while (step.next < records.length && step.chars < transactionCharsMax && this.#monotonicMs() < until);
      if (step.next < records.length) return step.chars >= transactionCharsMax;
      this.#connection.statement(appliedSql).run([upTo]);
      return true;
    });
    if (step.next >= records.length) return this.#portionApplied(upTo);
    this.#next = step.next;
    if (this.#connection.inTransaction) this.#openChars = step.chars;
    else this.#committedTo = step.next;
    return true;
  }

  #portionApplied(upTo: number): boolean {
    [this.#next, this.#committedTo] = [0, 0];
    this.appliedUpTo = upTo;
    this.unapplied.applied();
    return !this.unapplied.isEmpty;
  }

  /** Ends the transaction of steps, which ends with its portion at the latest. */
  #endStep(): void {
    while (this.#connection.inTransaction) this.applySome(Infinity);
  }

  /** The tables as they were when every commit up to this number was applied are synced. */
  onDisk(upTo: number): void {
    this.#onDiskUpTo = upTo;
  }

  /** Commits a change of one row, outside a transaction. False: there is no room. Throws DiskFailed. */
  touch(): boolean {
    try {
      this.#transactions.whole(() => this.#connection.statement(turnSql).run([]), 'NORMAL');
      return true;
    } catch (error) {
      if (waitsForRoom(error)) return false;
      throw error;
    }
  }

  /** Applies all that waits. Throws as `applySome` does. */
  applyAll(): void {
    while (this.applySome(Infinity));
  }

  #versionOf(staged: Records, of: Of, kind: string, id: string): Version | undefined {
    return (
      staged.get(of, kind, id) ?? this.unapplied.get(of, kind, id) ?? this.#tables.versionOf(of, kind, id)
    );
  }

  /** Takes a row unless a copy of it, or a newer one, is there. */
  #stageRow(staged: Records, kept: string[], lines: Lines, at: number): void {
    const [of, kind, id, v, once] = headAt(lines, at);
    if (of !== 'row') throw new BrokenInvariant('rows follow their document');
    const json = lines[at + 1] ?? '';
    const isOnce = once === 1;
    // an insert-only row of which the tables have a copy is left out when it is applied
    const known = isOnce
      ? (staged.get(of, kind, id) ?? this.unapplied.get(of, kind, id))
      : this.#versionOf(staged, of, kind, id);
    if (known !== undefined && (known.once || isOnce || known.v >= v)) return;
    staged.put({ of, kind, id, v, e: 0, once: isOnce, json });
    kept.push(lines[at] ?? '', json);
  }

  /** False: there is no room, nothing was stored. */
  #append(staged: Records, kept: Lines): boolean {
    if (kept.length === 0) return true;
    const seq = this.committed + 1;
    if (!this.#log.append({ seq, text: kept.join('\n') }, (upTo) => this.#appliedOnDisk(upTo))) return false;
    this.committed = seq;
    this.unapplied.add(staged, seq, this.#monotonicMs());
    return true;
  }

  /** False: there is no room for the tables. */
  #appliedOnDisk(upTo: number): boolean {
    if (upTo <= this.#onDiskUpTo) return true;
    try {
      while (this.appliedUpTo < upTo) {
        this.applySome(Infinity);
        // so much at once would make a long WAL
        this.#wal.copyNow();
      }
      this.#endStep();
      // a sync, and of those before it
      this.#transactions.whole(() => this.#connection.statement(turnSql).run([]), 'FULL');
      this.#wal.written();
      return true;
    } catch (error) {
      if (waitsForRoom(error)) return false;
      throw error;
    }
  }

  #replay(): void {
    for (const { seq, text } of this.#log.left) {
      const staged = new Records();
      for (const record of recordsIn(text.split('\n'))) {
        const { of, kind, id, once } = record;
        // as when it was committed: the first of insert-only rows, the newest of all others
        if (!once || this.unapplied.get(of, kind, id) === undefined) staged.put(record);
      }
      this.committed = seq;
      this.unapplied.add(staged, seq, this.#monotonicMs());
    }
    this.applyAll();
    // a new log begins
    [this.committed, this.appliedUpTo] = [0, 0];
  }
}

// Written by this store, by this build or an older one.
const headAt = (lines: Lines, at: number): LineHead => JSON.parse(lines[at] ?? '') as LineHead;

/** The records of one text of the log. */
export function* recordsIn(lines: Lines): Generator<Unapplied> {
  for (let at = 0; at < lines.length; at += 2) {
    const head = headAt(lines, at);
    const [of, kind, id, v] = head;
    const json = lines[at + 1] ?? '';
    if (head[0] === 'doc') yield { of, kind, id, v, e: head[5], once: false, json };
    else yield { of, kind, id, v, e: 0, once: head[4] === 1, json };
  }
}

/** NORMAL: it need not be on disk when this returns. */
type Synchronous = 'FULL' | 'NORMAL';

interface Transactions {
  /** Runs work in one transaction. */
  whole<Result>(work: () => Result, synchronous: Synchronous): Result;
  /** Runs a step of a transaction that need not be on disk; it ends when a step returns true, or throws. */
  step(work: () => boolean): void;
}

/** `undone` is called when one was rolled back. */
function transactions(connection: Connection, undone: () => void): Transactions {
  const begin = (synchronous: Synchronous): void => {
    if (synchronous === 'NORMAL') connection.exec('PRAGMA synchronous = NORMAL');
    connection.exec('BEGIN IMMEDIATE');
  };
  const failedBy = (error: unknown, isSent: boolean): unknown => {
    undone();
    const code = sqliteCode(error);
    rollBack(connection);
    connection.exec('PRAGMA synchronous = FULL');
    return failuresOfDisk.has(code) || (isSent && code !== 'SQLITE_FULL') ? diskFailed(error) : error;
  };
  const part = <Result>(work: () => Result, isLast: (result: Result) => boolean): Result => {
    let isSent = false;
    try {
      const result = work();
      if (!isLast(result)) return result;
      isSent = true;
      connection.exec('COMMIT');
      connection.exec('PRAGMA synchronous = FULL');
      return result;
    } catch (error) {
      throw failedBy(error, isSent);
    }
  };
  const whole = <Result>(work: () => Result, synchronous: Synchronous): Result =>
    part(
      () => {
        begin(synchronous);
        return work();
      },
      () => true,
    );
  const step = (work: () => boolean): void => {
    part(
      () => {
        if (!connection.inTransaction) begin('NORMAL');
        return work();
      },
      (isLast) => isLast,
    );
  };
  return { whole, step };
}

function rollBack(connection: Connection): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  } catch (error) {
    throw diskFailed(error);
  }
}
