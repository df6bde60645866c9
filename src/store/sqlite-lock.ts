/** The lock file of a data folder: one process uses it, a service or a restore. */
import { chmodSync, closeSync, existsSync, openSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders } from '../kernel/folders.ts';
import { openConnection, sqliteCode, type Connection } from './sqlite-bind.ts';
import { syncFolder } from './sqlite-commit-log.ts';
import { assertNotMoved } from './move-note.ts';
import { DataDirInUse } from './sqlite-errors.ts';
import { databaseFile } from './sqlite-schema.ts';

export const lockName = 'owner.lock';

/** Locks the folder for this process's life; throws DataDirInUse when another process has it. */
export function lockFolder(dataDir: string): Connection {
  if (makeFolders(dataDir, 0o700) !== undefined) syncFolder(dirname(dataDir));
  chmodSync(dataDir, 0o700);
  const path = join(dataDir, lockName);
  const lock = lockFile(path);
  if (lock === null) throw new DataDirInUse(dataDir);
  const now = Date.now() / 1000;
  utimesSync(path, now, now);
  return lock;
}

/** Another one for each process that has locked the folder. */
export const lockedAt = (dataDir: string): number =>
  statSync(join(dataDir, lockName), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Locks a file for this process's life, or until it is closed; null: another process has it. */
export function lockFile(path: string): Connection | null {
  makeFile(path);
  const lock = openConnection(path);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (sqliteCode(error) === 'SQLITE_BUSY') return null;
    throw error;
  }
}

/** Creates the file, readable by its owner only, unless it exists. An existing file is not opened: closing
 *  it again would drop the locks this process may hold on it. */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    chmodSync(path, 0o600);
  }
}

/** What a restore writes to before the database gets its name. */
export const partialOf = (path: string): string => `${path}.partial`;

/** Throws, and gives the lock back, where a restore was killed, because a service would begin anew on half a folder,
 *  and where the service has moved. */
export function assertUsable(dataDir: string, lock: Pick<Connection, 'close'>): void {
  try {
    assertNotMoved(dataDir);
    if (existsSync(partialOf(databaseFile(dataDir))))
      throw new Error(`a restore into ${dataDir} has not ended: empty the folder and restore again`);
  } catch (error) {
    lock.close();
    throw error;
  }
}
