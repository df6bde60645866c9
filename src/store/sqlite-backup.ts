/** Copies the database of a data folder into one file that is complete by itself, while a service may be using it.
 *  Boundary: runs in a process of its own, never in the service: it reads and waits synchronously.
 *  1. The copy holds everything that was acknowledged before it began: what is in the tables, and what waits in the log
 *     of commits. It may hold what was acknowledged meanwhile, each commit whole or not at all.
 *  2. No writer waits for it. A read transaction keeps the write-ahead log (WAL) from starting over while the files are
 *     copied, so that the WAL grows by what is written meanwhile.
 *  3. The database file may change while it is copied: a page that a checkpoint writes is in the WAL, too, which is
 *     copied after it and replaces the page.
 *  4. A service that starts waits for nobody who reads its WAL: the copy ends then, and begins again a little later.
 *  5. What is not whole never gets the name that was asked for. */
import { existsSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { assert } from '../kernel/assert.ts';
import { seconds, type DurationMs } from '../kernel/time.ts';
import { moveNoteIn } from './move-note.ts';
import { openConnection, sqliteCode, type Connection } from './sqlite-bind.ts';
import { loggedBeside, noLog, type Logged } from './sqlite-commit-log.ts';
import { lockedAt } from './sqlite-lock.ts';
import { logStateOf } from './sqlite-log-tail.ts';
import { databaseFile, prepareSchema, schemaVersion, slotsOf, versionOf } from './sqlite-schema.ts';
import { Writer } from './sqlite-write.ts';
import type { Collection } from './store.ts';

/** The folder or the file is not what the command needs: one line for the operator. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

export interface CopyParts {
  readonly dataDir: string;
  /** Does not exist yet. */
  readonly target: string;
  readonly collections: readonly Collection[];
  /** How fast the files are read at most. */
  readonly bytesPerSecondMax: number;
  /** Called with bytes copied and bytes in all, as far as they are known. */
  readonly onProgress: (copied: number, all: number) => void;
}

/** The log of commits did not fit to the copy so often: it has ended, or was written over while it was read. */
const triesMax = 3;
/** A service that starts has read its folder by then; where it has not, it begins before the next try. */
export const giveWayMs: DurationMs = seconds(3);
const lookEveryMs: DurationMs = 100;
const pieceBytes = 1024 * 1024;
const busyMs = 10_000;

/** Rejects with BackupRefused, or with what the disk says; the target is removed then. */
export async function copyDatabase(parts: CopyParts): Promise<void> {
  const { dataDir, target, collections } = parts;
  const path = databaseFile(dataDir);
  if (!existsSync(path)) throw new BackupRefused(`${path} is not there: name the data folder of a service`);
  const note = moveNoteIn(dataDir);
  if (note?.state === 'moved')
    throw new BackupRefused(`${dataDir} was moved to ${note.to}: back up that database`);
  try {
    for (let attempt = 1; attempt <= triesMax; attempt++) {
      const log = await copyFiles(path, parts);
      if (log !== 'service starts' && completed(target, log, collections)) return;
      await removeDatabase(target);
      if (log === 'service starts') await pause(giveWayMs);
    }
    throw new BackupRefused(
      'the service was stopped, started, or wrote too fast, while it was read: try again',
    );
  } catch (error) {
    await removeDatabase(target);
    throw error;
  }
}

/** A database that a crash may damage, because it is made anew then. Nothing of it is synced: the service would wait
 *  with its own syncs until the disk has all of the copy. */
export function openCopy(path: string): Connection {
  const connection = openConnection(path);
  connection.exec('PRAGMA synchronous = OFF');
  return connection;
}

/** Removes a database file and what SQLite keeps beside it. */
export async function removeDatabase(path: string): Promise<void> {
  for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${path}${end}`, { force: true });
}

/** The log of commits as it was after the tables were read. */
interface LogAfter {
  /** null: there was none. */
  readonly name: string | null;
  readonly texts: readonly Logged[];
}

async function copyFiles(path: string, parts: CopyParts): Promise<LogAfter | 'service starts'> {
  const connection = openConnection(path, busyMs);
  const sources: FileHandle[] = [];
  try {
    const version = versionOf(connection);
    if (version !== schemaVersion)
      throw new BackupRefused(
        `${path} has schema ${version} and this build has ${schemaVersion}: use the build that runs the service`,
      );
    const { dataDir } = parts;
    const since = lockedAt(dataDir);
    connection.exec('BEGIN');
    // only a read begins the transaction
    logStateOf(connection);
    const isWhole = await copyPaced(path, parts, { sources, isOver: () => lockedAt(dataDir) !== since });
    connection.exec('COMMIT');
    if (!isWhole) return 'service starts';
    return logAfter(connection, path);
  } finally {
    for (const source of sources) await source.close();
    connection.close();
  }
}

/** Read after the tables: they may hold a part of a commit, and a newer version of one record than of another. All that
 *  they hold any of is in the log, or was in it and is in them whole. */
function logAfter(connection: Connection, path: string): LogAfter {
  const { name } = logStateOf(connection);
  if (name === null) return { name, texts: [] };
  // the second time for what came into the first file while that was read, and before what is in the second one
  const texts = [...loggedBeside(path, name), ...loggedBeside(path, name)];
  const ended = logStateOf(connection).name !== name;
  return ended
    ? { name: null, texts: [] }
    : { name, texts: [...new Map(texts.map((text) => [text.seq, text])).values()] };
}

interface Copying {
  /** Opened here, and closed by the caller when it needs its connection no more: closing the database drops the lock
   *  that SQLite holds on it for this process. */
  readonly sources: FileHandle[];
  /** Nothing more is to be read. */
  readonly isOver: () => boolean;
}

/** The database first, then its WAL. False: `isOver` before all was copied. */
async function copyPaced(
  path: string,
  { target, bytesPerSecondMax, onProgress }: CopyParts,
  { sources, isOver }: Copying,
): Promise<boolean> {
  let copied = 0;
  const database = await open(path, 'r');
  sources.push(database);
  const begunAt = performance.now();
  const all = (await database.stat()).size;
  const aheadMs = (): DurationMs => (copied / bytesPerSecondMax) * 1000 - (performance.now() - begunAt);
  const copy = async (source: FileHandle, to: string): Promise<boolean> => {
    const made = await open(to, 'wx', 0o600);
    try {
      const piece = Buffer.alloc(pieceBytes);
      for (;;) {
        const { bytesRead } = await source.read(piece, 0, piece.length);
        if (bytesRead === 0) return true;
        await writeAll(made, piece.subarray(0, bytesRead));
        copied += bytesRead;
        onProgress(copied, Math.max(all, copied));
        while (!isOver() && aheadMs() > 1) await pause(Math.min(aheadMs(), lookEveryMs));
        if (isOver()) return false;
      }
    } finally {
      await made.close();
    }
  };
  if (!(await copy(database, target))) return false;
  if (!existsSync(`${path}-wal`)) return true;
  const wal = await open(`${path}-wal`, 'r');
  sources.push(wal);
  return copy(wal, `${target}-wal`);
}

/** A disk that is nearly full takes a part of it, without an error. */
async function writeAll(made: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await made.write(bytes, done, bytes.length - done)).bytesWritten;
}

/** Makes of the copied files one database, without a log, that a store opens as after a stop in good order. False: what
 *  was read of the log does not reach from the tables to its end. */
function completed(target: string, log: LogAfter, collections: readonly Collection[]): boolean {
  const connection = openCopy(target);
  try {
    const { name, applied } = logStateOf(connection);
    const left = log.texts.filter(({ seq }) => seq > applied).toSorted((a, b) => a.seq - b.seq);
    // without a name the tables have all
    if (name !== null && (name !== log.name || left.some(({ seq }, at) => seq !== applied + 1 + at)))
      return false;
    connection.statement('UPDATE log_state SET name = NULL, applied = 0, turns = turns + 1').run([]);
    prepareSchema(connection, target, collections);
    const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };
    // applies what is left
    const ended = { ...noLog(connection), left: name === null ? [] : left };
    new Writer(connection, slots, ended, () => performance.now());
    const [busy] = connection.statement('PRAGMA wal_checkpoint(TRUNCATE)').first([]) ?? [];
    assert(busy === 0, 'nobody else has the copy open');
    connection.pragma('journal_mode = DELETE');
    checkWhole(connection, target);
    return true;
  } finally {
    connection.close();
  }
}

/** Throws BackupRefused when SQLite finds the file damaged. */
export function checkWhole(connection: Connection, path: string): void {
  let found: unknown;
  try {
    found = connection.pragma('quick_check(1)');
  } catch (error) {
    if (sqliteCode(error) === null) throw error;
    found = String(error);
  }
  if (found !== 'ok') throw new BackupRefused(`${path} is damaged: ${String(found)}`);
}
