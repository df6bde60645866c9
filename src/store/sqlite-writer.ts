/** The thread that owns the only writing connection and the lock file.
 *  Boundary: started by store-sqlite.ts; answers its calls one after the other.
 *  1. While it lives, no other process can open the folder.
 *  2. At start the whole old log is checkpointed and synced before any call is answered: the sync that
 *     should have made it durable may have failed.
 *  3. After a disk failure every call is refused. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { openConnection, sqliteCode, type Connection } from './sqlite-bind.ts';
import { answerCalls } from './sqlite-calls.ts';
import { DataDirInUse, DiskFailed, StoreStopped } from './sqlite-errors.ts';
import { copyLog, keepLogShort, logBytesMax } from './sqlite-log.ts';
import { databaseFile, prepareSchema, slotsOf } from './sqlite-schema.ts';
import { createWriter, type Writer } from './sqlite-write.ts';
import type { RowRecord, WriteRecord } from './sqlite-wire.ts';
import type { Collection, Purged, PurgeQuery, SettledDoc, Written } from './store.ts';

export interface OpenWriter {
  readonly dataDir: string;
  readonly collections: readonly Collection[];
  /** The maximum number of database pages; tests use it to simulate a full disk. */
  readonly pagesMax?: number;
}

export type WriterOperations = {
  open(input: OpenWriter): null;
  /** null: all applied. DiskFailed: the outcome is unknown and the store stops. */
  commit(writes: readonly WriteRecord[]): readonly Written[] | null;
  /** False: there was no room and nothing was stored. */
  putRows(rows: readonly RowRecord[]): boolean;
  settle(docs: readonly SettledDoc[]): null;
  purge(query: PurgeQuery): Purged;
};

const pageBytes = 8192;
const cacheKib = 64 * 1024;
/** How long to wait for a lock that another tool holds on the database. */
const busyMs = 5000;

function openWriter({ dataDir, collections, pagesMax }: OpenWriter) {
  const lock = lockFolder(dataDir);
  const path = databaseFile(dataDir);
  makeFile(path);
  const connection = openConnection(path, busyMs);
  try {
    connection.exec(`PRAGMA page_size = ${pageBytes}`);
    const mode = connection.pragma('journal_mode = WAL');
    if (mode !== 'wal') throw new Error(`${path} cannot keep a write-ahead log`);
    connection.exec('PRAGMA synchronous = FULL');
    connection.exec(`PRAGMA cache_size = -${cacheKib}`);
    connection.pragma('wal_autocheckpoint = 0');
    connection.pragma(`journal_size_limit = ${logBytesMax}`);
    const held = connection.pragma('wal_checkpoint(TRUNCATE)');
    if (held !== 0) throw new Error(`${path} is held open by another process`);
    prepareSchema(connection, path, collections);
    if (pagesMax !== undefined) connection.pragma(`max_page_count = ${pagesMax}`);
  } catch (error) {
    connection.close();
    lock.close();
    throw error;
  }
  const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };
  const log = keepLogShort(connection, `${path}-wal`);
  return { lock, connection, log, writer: createWriter(connection, slots) };
}

/** Locks the folder for this process's life; throws DataDirInUse when another process has it. */
function lockFolder(dataDir: string): Connection {
  if (mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(dirname(dataDir));
  chmodSync(dataDir, 0o700);
  const path = join(dataDir, 'owner.lock');
  makeFile(path);
  const lock = openConnection(path);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw sqliteCode(error) === 'SQLITE_BUSY' ? new DataDirInUse(dataDir) : error;
  }
}

/** Creates the file, readable by its owner only, unless it exists. An existing file is not opened: closing
 *  it again would drop the locks this process may hold on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    chmodSync(path, 0o600);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function serve(port: NonNullable<typeof parentPort>): void {
  let opened: ReturnType<typeof openWriter> | null = null;
  let failed: DiskFailed | null = null;

  const guarded = <Result>(work: (writer: Writer) => Result): Result => {
    if (failed !== null) throw new StoreStopped(failed.message);
    if (opened === null) throw new Error('the store is not open');
    try {
      const result = work(opened.writer);
      opened.log.written();
      return result;
    } catch (error) {
      if (error instanceof DiskFailed) failed = error;
      throw error;
    }
  };

  answerCalls<WriterOperations>(
    port,
    {
      open(input) {
        opened = openWriter(input);
        return null;
      },
      commit: (writes) =>
        guarded((writer) => {
          const results = writer.commit(writes);
          return results.every((result) => result.is === 'applied') ? null : results;
        }),
      putRows: (rows) => guarded((writer) => writer.putRows(rows)),
      settle: (docs) =>
        guarded((writer) => {
          writer.settle(docs);
          return null;
        }),
      purge: (query) => guarded((writer) => writer.purge(query)),
    },
    () => {
      if (opened === null) return;
      opened.log.stop();
      if (failed === null) copyLog(opened.connection, 'TRUNCATE');
      opened.connection.close();
      opened.lock.close();
    },
  );
}

if (parentPort !== null) serve(parentPort);
