/** Makes a data folder of a backup.
 *  1. The folder does not exist, or is empty: nothing is ever overwritten.
 *  2. A new era has begun in it (docs/decisions/0060).
 *  3. The database gets its name last, when all of it is on disk. No service begins on the folder before. */
import { mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invoicesCounter } from '../../../actors/invoice-book/messages.ts';
import { collections } from '../../compose/collections.ts';
import { openDataDir } from '../../compose/data-dir.ts';
import { makeFolders } from '../../kernel/folders.ts';
import { realScheduler } from '../../kernel/time.ts';
import { beginEra } from '../../runtime/cluster/eras.ts';
import type { EraBegun } from '../../runtime/model/era.ts';
import { openConnection, type Connection } from '../../store/sqlite-bind.ts';
import { BackupRefused, checkWhole, removeDatabase } from '../../store/sqlite-backup.ts';
import { syncFolder } from '../../store/sqlite-commit-log.ts';
import { openRows } from '../../store/sqlite-offline.ts';
import { lockFolder, lockName, partialOf } from '../../store/sqlite-lock.ts';
import { databaseFile, schemaVersion, versionOf } from '../../store/sqlite-schema.ts';
import { undescribe, unpack, type Description } from './archive.ts';
import { secretNames, unsealSecrets } from './secrets.ts';

export interface RestoreParts {
  readonly file: string;
  readonly dataDir: string;
  /** null: the secrets of the backup, if it has any, are left out. */
  readonly passphrase: string | null;
  readonly begins: Begins;
  readonly onProgress: (line: string) => void;
}

/** What the operator says of the service whose backup it is. */
export interface Begins {
  /** null: the era after that of the backup. */
  readonly era: number | null;
  /** The highest invoice number that was given; null: not known. */
  readonly invoicesFrom: number | null;
}

export interface Restored {
  readonly dataDir: string;
  readonly begunAt: string;
  readonly madeBy: string;
  readonly databaseBytes: number;
  /** Whether the folder has the secrets key of the service. */
  readonly hasSecrets: boolean;
  readonly era: number;
}

/** Rejects with BackupRefused or EraRefused, one line for the operator; the folder is then as it was. */
export async function restore({
  file,
  dataDir,
  passphrase,
  begins,
  onProgress,
}: RestoreParts): Promise<Restored> {
  const wasThere = assertEmpty(dataDir);
  openDataDir(dataDir);
  const path = databaseFile(dataDir);
  const partial = partialOf(path);
  const lock = lockEmpty(dataDir);
  try {
    const description = await unpack(file, partial, (done) => onProgress(`unpacking: ${mibOf(done)} MiB`));
    onProgress('checking');
    const databaseBytes = checked(partial, file);
    const { secrets } = description;
    if (passphrase !== null && secrets === null)
      throw new BackupRefused(`${file} has no secrets: restore it without a passphrase`);
    if (passphrase !== null && secrets !== null) unsealSecrets(secrets, passphrase, dataDir);
    const { era } = await begun(partial, begins, description);
    renameSync(partial, path);
    syncFolder(dataDir);
    lock.close();
    const { begunAt, version: madeBy } = description;
    return { dataDir, begunAt, madeBy, databaseBytes, hasSecrets: passphrase !== null, era };
  } catch (error) {
    lock.close();
    await removeDatabase(partial);
    for (const name of [...secretNames, lockName]) rmSync(join(dataDir, name), { force: true });
    // what anybody else has put there stays
    if (!wasThere && readdirSync(dataDir).length === 0) rmdirSync(dataDir);
    throw error;
  }
}

/** What was given after the backup is lost here and known outside: nothing of it is given again. */
async function begun(
  path: string,
  { era, invoicesFrom }: Begins,
  { begunAt }: Description,
): Promise<EraBegun> {
  const rows = openRows(path, collections());
  try {
    const highest = highestOf(invoicesFrom);
    return await beginEra(
      { store: rows, scheduler: realScheduler },
      { era, backupAt: Date.parse(begunAt), highest },
    );
  } finally {
    rows.close();
  }
}

export const highestOf = (invoicesFrom: number | null): EraBegun['highest'] =>
  invoicesFrom === null ? {} : { [invoicesCounter]: invoicesFrom };

/** Reads a whole backup, and writes nothing that stays. Rejects as `restore` does. */
export async function checkBackup(file: string, onProgress: (line: string) => void): Promise<Description> {
  const folder = mkdtempSync(join(tmpdir(), 'galla-check-'));
  try {
    const path = databaseFile(folder);
    const description = await unpack(file, path, (done) => onProgress(`reading: ${mibOf(done)} MiB`));
    checked(path, file);
    return description;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the folder was there. Throws BackupRefused when there is anything in it. */
function assertEmpty(dataDir: string): boolean {
  const stats = statSync(dataDir, { throwIfNoEntry: false });
  if (stats === undefined) {
    makeFolders(dataDir, 0o700);
    return false;
  }
  if (!stats.isDirectory()) throw new BackupRefused(`${dataDir} is not a folder`);
  if (readdirSync(dataDir).length > 0)
    throw new BackupRefused(`${dataDir} is not empty: name a folder that is, and nothing is overwritten`);
  return true;
}

/** Until it is closed no service begins on the folder. Throws BackupRefused when one has begun. */
function lockEmpty(dataDir: string): Connection {
  const lock = lockFolder(dataDir);
  if (readdirSync(dataDir).every((name) => name.startsWith(lockName))) return lock;
  lock.close();
  throw new BackupRefused(`${dataDir} is not empty any more: a service has begun on it`);
}

/** Bytes of the database. Throws BackupRefused for a damaged or newer one. */
function checked(path: string, file: string): number {
  const connection = openConnection(path);
  try {
    checkWhole(connection, file);
    const version = versionOf(connection);
    if (version > schemaVersion)
      throw new BackupRefused(
        `${file} has schema ${version} and this build knows ${schemaVersion}: restore it with a newer build`,
      );
    undescribe(connection);
  } finally {
    connection.close();
  }
  return statSync(path).size;
}

const mibOf = (bytes: number): number => Math.floor(bytes / 2 ** 20);
