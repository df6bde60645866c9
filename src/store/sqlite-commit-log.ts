/** The log of commits: two files beside the database, written in turn.
 *  Boundary: runs in the writer's thread; knows texts and their numbers, nothing of records.
 *  1. A text is on disk when `append` returns true. Each begins at a block of its own, so a torn write reaches no text
 *     before it.
 *  2. A file is written over when the tables hold, on disk, everything that is in it.
 *  3. Only the last text may be torn: a text that is missing before others is damage, and the store is not opened.
 *  4. The database names the files of its log, and the checksum of a text includes that name: those of another folder
 *     or of an older log are never taken for it.
 *  5. After a stop in good order the database is complete by itself, and the log is gone. */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { assert } from '../kernel/assert.ts';
import { mintId } from '../kernel/id.ts';
import { waitsForRoom, type Connection } from './sqlite-bind.ts';
import { diskFailed, LogDamaged } from './sqlite-errors.ts';

/** What one commit wrote. Numbers begin at 1 in each log and leave none out. */
export interface Logged {
  readonly seq: number;
  readonly text: string;
}

export interface CommitLog {
  /** What the log of an earlier process holds and the tables may lack, oldest first. */
  readonly left: readonly Logged[];
  /** False: there is no room, and nothing was stored. `applied` brings the tables on disk up to this number first, or
   *  answers false when there is no room for them. Nothing is appended before all of `left` is in the tables. Throws
   *  DiskFailed. */
  append(logged: Logged, applied: (upTo: number) => boolean): boolean;
  /** Closes the files and leaves them. */
  close(): void;
  /** Ends the log, and removes it: the tables hold everything. Throws for a disk that is full or failed. */
  end(): void;
}

/** Keeps nothing: of those who write the tables of a store that is not running, and apply each batch at once. Asserts
 *  that the store was stopped in good order. */
export function noLog(connection: Connection): CommitLog {
  const named = connection.statement('SELECT name FROM log_state WHERE name IS NOT NULL').first([]);
  assert(named === undefined, 'nothing is left in the log of commits');
  return { left: [], append: () => true, close: () => undefined, end: () => undefined };
}

/** A file is about this large when it is written over; only a larger text makes it larger. */
export const logFileBytes = 8 * 1024 * 1024;
/** A new file; it grows by doubling. A write inside a file is synced faster than one that makes it larger. */
const firstBytes = 64 * 1024;
const pieceBytes = 4096;
/** We assume that a disk tears no smaller unit. */
export const blockBytes = 512;
/** Mark, checksum of the log's name and of what follows, bytes of the text, number. */
export const headBytes = 24;
/** Begins with a byte that no UTF-8 text has, so a text is never taken for the head of another. */
const mark = Buffer.from([0xff, 0x67, 0x6c, 0x31]);
/** A buffer for a larger text is not kept. */
const bufferBytesKept = 1024 * 1024;

/** The statement that notes, inside a transaction, up to which number the tables hold everything. */
export const appliedSql = 'UPDATE log_state SET applied = ?';

/** The statement of a transaction that syncs those before it, before a file is written over. It counts the turns
 *  because SQLite writes and syncs nothing where a row stays as it is. */
export const turnSql = 'UPDATE log_state SET turns = turns + 1';

/** The log beside the database at `path`, which an earlier process may have left. A new one is begun with the first
 *  text. Throws LogDamaged. */
export function openCommitLog(connection: Connection, path: string): CommitLog {
  const [name = null, applied = 0] =
    connection.statement('SELECT name, applied FROM log_state').first([]) ?? [];
  const left = name === null ? inTable(connection) : logged(path, String(name), Number(applied));
  let files: TwoFiles | null = null;
  return {
    left,
    append(one, isApplied) {
      if (files === null && !unlessFull(() => (files = begin(connection, path)))) return false;
      return files?.append(one, isApplied) ?? false;
    },
    close: () => files?.close(),
    end() {
      inOne(connection, () => {
        connection.exec('DROP TABLE IF EXISTS log');
        connection.exec('UPDATE log_state SET name = NULL, turns = turns + 1');
      });
      files?.close();
      removeOthers(path, []);
    },
  };
}

export const filesOf = (path: string, name: string): readonly [string, string] => [
  `${path}-${name}-1`,
  `${path}-${name}-2`,
];

/** The files exist before the database names them, and those of the old log until it does not. */
function begin(connection: Connection, path: string): TwoFiles {
  const name = mintId('log');
  const files = filesOf(path, name);
  let isSent = false;
  try {
    for (const file of files) closeSync(openSync(file, 'wx', 0o600));
    syncFolder(dirname(path));
    inOne(connection, () => {
      connection.exec('DROP TABLE IF EXISTS log');
      connection.statement('UPDATE log_state SET name = ?, applied = 0').run([name]);
      isSent = true;
    });
  } catch (error) {
    // on a full disk each commit tries again; after any other error of COMMIT the database may name them
    if (!isSent || waitsForRoom(error)) for (const file of files) rmSync(file, { force: true });
    throw error;
  }
  removeOthers(path, files);
  return new TwoFiles(files, name);
}

function inOne(connection: Connection, work: () => void): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    work();
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** What a build before version 7 has left. */
function inTable(connection: Connection): readonly Logged[] {
  if (connection.statement(`SELECT name FROM sqlite_schema WHERE name = 'log'`).first([]) === undefined)
    return [];
  const rows = connection.statement('SELECT seq, records FROM log ORDER BY seq').all([]);
  return rows.map(([seq, text]) => ({ seq: Number(seq), text: String(text) }));
}

/** Leftovers of a process that died between two logs. */
function removeOthers(path: string, files: readonly string[]): void {
  const kept = new Set(files.map((file) => basename(file)));
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(`${basename(path)}-log_`) && !kept.has(name))
      rmSync(join(dirname(path), name), { force: true });
}

/** Its entries are on disk when this returns. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

class TwoFiles {
  #current: LogFile;
  #other: LogFile;
  #buffer = Buffer.alloc(firstBytes);
  readonly #salt: number;

  constructor([first, second]: readonly [string, string], name: string) {
    this.#salt = crc32(name);
    [this.#current, this.#other] = [new LogFile(first), new LogFile(second)];
  }

  append({ seq, text }: Logged, applied: Parameters<CommitLog['append']>[1]): boolean {
    const block = this.#blockOf(seq, text);
    if (!this.#current.hasRoom(block.length)) {
      if (!applied(this.#other.last)) return false;
      [this.#current, this.#other] = [this.#other, this.#current];
      this.#current.rewind();
    }
    return this.#current.append(seq, block);
  }

  close(): void {
    this.#current.close();
    this.#other.close();
  }

  #blockOf(seq: number, text: string): Buffer {
    const bytes = Buffer.byteLength(text);
    const whole = blocked(headBytes + bytes);
    const isKept = whole <= bufferBytesKept;
    const buffer = whole <= this.#buffer.length ? this.#buffer : Buffer.alloc(isKept ? 2 * whole : whole);
    if (isKept) this.#buffer = buffer;
    mark.copy(buffer);
    buffer.writeUInt32LE(bytes, 8);
    buffer.writeUInt32LE(0, 12);
    buffer.writeDoubleLE(seq, 16);
    buffer.write(text, headBytes);
    buffer.fill(0, headBytes + bytes, whole);
    buffer.writeUInt32LE(crc32(buffer.subarray(8, headBytes + bytes), this.#salt), 4);
    return buffer.subarray(0, whole);
  }
}

/** Where the next text begins. */
export const blocked = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes;

class LogFile {
  /** The number of the newest text in it; 0: none. */
  last = 0;
  readonly #fd: number;
  #isOpen = true;
  #at = 0;
  /** Bytes that need not be allocated any more. */
  #size = 0;

  constructor(path: string) {
    this.#fd = openSync(path, 'r+');
  }

  /** An empty file has room for anything. */
  hasRoom(bytes: number): boolean {
    return this.#at === 0 || this.#at + bytes <= logFileBytes;
  }

  rewind(): void {
    this.#at = 0;
  }

  append(seq: number, block: Buffer): boolean {
    const isStored = unlessFull(() => {
      this.#allocate(this.#at + block.length);
      writeAll(this.#fd, block, this.#at);
    });
    if (!isStored) return false;
    try {
      fdatasyncSync(this.#fd);
    } catch (error) {
      throw diskFailed(error);
    }
    this.#at += block.length;
    this.last = seq;
    return true;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }

  #allocate(bytes: number): void {
    if (bytes <= this.#size) return;
    const size = Math.max(bytes, Math.min(logFileBytes, Math.max(firstBytes, 2 * this.#size)));
    // in small pieces: of one large piece the kernel may write all when a block of it changes
    const zeros = Buffer.alloc(pieceBytes);
    for (let at = this.#size; at < size; at += pieceBytes)
      writeAll(this.#fd, zeros.subarray(0, size - at), at);
    this.#size = size;
  }
}

function writeAll(fd: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** False: the disk is full. Throws DiskFailed for anything else. */
function unlessFull(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    const isFull = error instanceof Error && 'code' in error && fullCodes.has(error.code);
    if (isFull || waitsForRoom(error)) return false;
    throw diskFailed(error);
  }
}

function logged(path: string, name: string, applied: number): readonly Logged[] {
  const files = filesOf(path, name);
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined)
    throw new LogDamaged(
      `${missing} is missing: it holds what was committed last. Copy a folder whole, or none of it`,
    );
  const found = files.flatMap((file) => textsIn(read(file), crc32(name))).filter(({ seq }) => seq > applied);
  found.sort((a, b) => a.seq - b.seq);
  found.forEach(({ seq }, at) => {
    if (seq !== applied + 1 + at)
      throw new LogDamaged(
        `${files.join(' and ')} are damaged: commit ${applied + 1 + at} cannot be read and commit ${seq} can`,
      );
  });
  return found;
}

/** What the files of the log called `name` hold, in any order: of a log that another process may be writing, so a text
 *  may be missing before others. */
export const loggedBeside = (path: string, name: string): readonly Logged[] =>
  filesOf(path, name).flatMap((file) => (existsSync(file) ? textsIn(readFileSync(file), crc32(name)) : []));

/** Synced first: what a process wrote and did not sync before it died would be shown, and lost with the power. */
function read(file: string): Buffer {
  const fd = openSync(file, 'r+');
  try {
    fdatasyncSync(fd);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Every text whose checksum holds. */
function textsIn(bytes: Buffer, salt: number): readonly Logged[] {
  const found: Logged[] = [];
  for (let at = 0; at + headBytes <= bytes.length;) {
    const one = textAt(bytes, at, salt);
    if (one !== null) found.push(one);
    at += one === null ? blockBytes : blocked(headBytes + Buffer.byteLength(one.text));
  }
  return found;
}

/** null: none begins here, or it is torn. */
export function textAt(bytes: Buffer, at: number, salt: number): Logged | null {
  if (bytes.compare(mark, 0, mark.length, at, at + mark.length) !== 0) return null;
  const end = at + headBytes + bytes.readUInt32LE(at + 8);
  if (end > bytes.length || crc32(bytes.subarray(at + 8, end), salt) !== bytes.readUInt32LE(at + 4))
    return null;
  return { seq: bytes.readDoubleLE(at + 16), text: bytes.toString('utf8', at + headBytes, end) };
}
