/** A backup of an embedded service: its database in one compressed file, with a description inside.
 *  1. The file is complete by itself: `gunzip` makes the SQLite database of it.
 *  2. It is read back and compared before it gets its name.
 *  3. The secrets key is left out, or sealed with a passphrase: whoever has the file alone reads no secret. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { backupNameAt } from '../../compose/backups.ts';
import { collections } from '../../compose/collections.ts';
import { makeFolders } from '../../kernel/folders.ts';
import { openConnection, type Connection } from '../../store/sqlite-bind.ts';
import { BackupRefused, copyDatabase, openCopy, removeDatabase } from '../../store/sqlite-backup.ts';
import { version } from '../../telemetry/version.ts';
import type { SealedSecrets } from './secrets.ts';

/** What a backup says about itself. */
export interface Description {
  readonly format: 1;
  /** Of the program that made it. */
  readonly version: string;
  /** Everything that was acknowledged before this instant is in it. */
  readonly begunAt: string;
  /** null: they were left out. */
  readonly secrets: SealedSecrets | null;
}

export interface Made {
  readonly file: string;
  readonly bytes: number;
  readonly databaseBytes: number;
  readonly begunAt: string;
  readonly tookMs: number;
}

export interface BackupParts {
  readonly dataDir: string;
  /** A file that is not there yet, or a folder, in which the file is named after its time. */
  readonly to: string;
  readonly secrets: SealedSecrets | null;
  readonly onProgress: (line: string) => void;
  /** How fast the database is read at most. */
  readonly bytesPerSecondMax?: number;
}

/** A service of two cores hardly notices it; a gigabyte takes eight seconds. */
const bytesPerSecondUsual = 128 * 1024 * 1024;
/** Written between two syncs of a backup: a disk takes it in some milliseconds. */
const syncedBytes = 1024 * 1024;
const table = 'backup';

/** Makes a backup. Rejects with BackupRefused, one line for the operator; nothing is left behind then. */
export async function makeBackup(parts: BackupParts): Promise<Made> {
  const begun = new Date();
  const since = performance.now();
  const file = fileOf(parts.to, begun);
  const partial = `${file}.partial`;
  const database = `${file}.copy`;
  // what this command did not make it does not remove
  for (const left of [partial, database])
    if (existsSync(left))
      throw new BackupRefused(
        `${left} is there: another backup to this file runs, or was killed. Wait for it, or remove that file`,
      );
  try {
    await copyDatabase({
      dataDir: parts.dataDir,
      target: database,
      collections: collections(),
      bytesPerSecondMax: parts.bytesPerSecondMax ?? bytesPerSecondUsual,
      onProgress: (copied, all) => parts.onProgress(`copying: ${percent(copied, all)}`),
    });
    describe(database, {
      format: 1,
      version,
      begunAt: begun.toISOString(),
      secrets: parts.secrets,
    });
    const databaseBytes = statSync(database).size;
    const report = (what: string) => (done: number) =>
      parts.onProgress(`${what}: ${percent(done, databaseBytes)}`);
    await compress(database, partial, report('compressing'));
    await compare(database, partial, report('reading back'));
    await rename(partial, file);
    await syncFolderOf(file);
    const { size } = statSync(file);
    const tookMs = Math.round(performance.now() - since);
    return { file, bytes: size, databaseBytes, begunAt: begun.toISOString(), tookMs };
  } finally {
    await rm(partial, { force: true });
    await removeDatabase(database);
  }
}

/** Writes the database of a backup to `target`, and returns what it says about itself. Rejects with BackupRefused for a
 *  file that is no backup, is damaged or is of a newer format; nothing is left behind then. */
export async function unpack(
  file: string,
  target: string,
  onBytes: (done: number) => void = () => undefined,
): Promise<Description> {
  if (!existsSync(file)) throw new BackupRefused(`${file} is not there`);
  try {
    await pipeline(
      createReadStream(file),
      createGunzip(),
      counted(onBytes),
      createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }),
    );
  } catch (error) {
    await removeDatabase(target);
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    throw new BackupRefused(`${file} is damaged or no backup (${code}): use another one`);
  }
  try {
    return descriptionIn(target, file);
  } catch (error) {
    await removeDatabase(target);
    throw error;
  }
}

/** A name in the folder, or the file as it was named. */
function fileOf(to: string, begun: Date): string {
  const isFolder = to.endsWith('/') || statSync(to, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(to, backupNameAt(begun)) : to;
  if (existsSync(file)) throw new BackupRefused(`${file} is there already: name another one`);
  makeFolders(dirname(file), 0o700);
  return file;
}

function describe(database: string, description: Description): void {
  const connection = openCopy(database);
  try {
    connection.exec(`CREATE TABLE ${table}(description TEXT NOT NULL) STRICT`);
    connection.statement(`INSERT INTO ${table} VALUES(?)`).run([JSON.stringify(description)]);
  } finally {
    connection.close();
  }
}

/** Removes the description from a database that will be used again. */
export function undescribe(connection: Connection): void {
  connection.exec(`DROP TABLE ${table}`);
}

function descriptionIn(database: string, file: string): Description {
  const connection = openConnection(database);
  try {
    const found = textIn(connection);
    if (found === null) throw new BackupRefused(`${file} is no backup of this service`);
    const description = JSON.parse(found) as { readonly format: number };
    if (description.format !== 1)
      throw new BackupRefused(`${file} has the format ${description.format}: restore it with a newer build`);
    // written by `describe`
    return description as Description;
  } finally {
    connection.close();
  }
}

function textIn(connection: Connection): string | null {
  try {
    const [text = null] = connection.statement(`SELECT description FROM ${table}`).first([]) ?? [];
    return text === null ? null : String(text);
  } catch {
    // no database, or one without that table
    return null;
  }
}

const percent = (done: number, all: number): string => `${Math.floor((100 * done) / Math.max(1, all))} %`;

function counted(onBytes: (done: number) => void): Transform {
  let done = 0;
  return new Transform({
    transform(piece: Buffer, _, next) {
      done += piece.length;
      onBytes(done);
      next(null, piece);
    },
  });
}

async function compress(from: string, to: string, onBytes: (done: number) => void): Promise<void> {
  await pipeline(
    createReadStream(from),
    counted(onBytes),
    createGzip({ level: constants.Z_BEST_SPEED }),
    (pieces: AsyncIterable<Buffer>) => writeSynced(to, pieces),
  );
}

/** Synced as it grows: one sync of it all would keep those of the service waiting. */
async function writeSynced(to: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  const made = await open(to, 'wx', 0o600);
  try {
    let unsynced = 0;
    for await (const piece of pieces) {
      // all of it
      await made.appendFile(piece);
      unsynced += piece.length;
      if (unsynced < syncedBytes) continue;
      await made.datasync();
      unsynced = 0;
    }
    await made.sync();
  } finally {
    await made.close();
  }
}

async function compare(database: string, file: string, onBytes: (done: number) => void): Promise<void> {
  const [written, read] = [createHash('sha256'), createHash('sha256')];
  await pipeline(createReadStream(database), written);
  await pipeline(createReadStream(file), createGunzip(), counted(onBytes), read);
  if (written.digest('hex') !== read.digest('hex'))
    throw new BackupRefused(`${file} does not read as it was written: check the disk`);
}

async function syncFolderOf(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
