/** Follows the log of commits of a service that runs in another process.
 *  Boundary: runs in a process of its own; reads files, and of the database only the name of the log.
 *  1. What `poll` returns is every commit after the one before, in order and none left out; otherwise it says so.
 *  2. The files stay open: what the service writes last is read also after it has ended its log and removed them.
 *  3. A text is taken when its checksum holds and its number is the next: a torn one is read again later. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Connection } from './sqlite-bind.ts';
import { blockBytes, blocked, filesOf, headBytes, textAt, type Logged } from './sqlite-commit-log.ts';

/** Texts that one poll returns, beside a last one. */
const pollCharsMax = 8 * 1024 * 1024;

/** `lost`: commits were written over before they were read, or a new log has begun. */
export type Polled = { readonly is: 'texts'; readonly texts: readonly Logged[] } | { readonly is: 'lost' };

const lost: Polled = { is: 'lost' };

interface LogState {
  readonly name: string | null;
  readonly applied: number;
  /** Rises with the end of each log, and now and then. */
  readonly turns: number;
}

export function logStateOf(connection: Connection): LogState {
  const [name = null, applied = 0, turns = 0] =
    connection.statement('SELECT name, applied, turns FROM log_state').first([]) ?? [];
  return { name: name === null ? null : String(name), applied: Number(applied), turns: Number(turns) };
}

export class LogTail {
  readonly #connection: Connection;
  readonly #path: string;
  #followed: Followed | null = null;
  /** While no log is followed: as it was when the last one had ended. */
  #turns: number;

  /** Begins with what the tables may lack now. `path`: of the database. */
  constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
    const { name, applied, turns } = logStateOf(connection);
    this.#turns = turns;
    if (name !== null) this.#followed = follow(path, name, applied);
  }

  poll(): Polled {
    const { name, turns } = logStateOf(this.#connection);
    if (this.#followed === null) {
      // a log may have begun and ended since
      if (turns !== this.#turns) return lost;
      if (name === null) return { is: 'texts', texts: [] };
      this.#followed = follow(this.#path, name, 0);
      if (this.#followed === null) return lost;
    }
    const polled = this.#followed.poll();
    if (polled.is === 'lost' || polled.texts.length > 0 || name === this.#followed.name) return polled;
    return this.#ended(this.#followed);
  }

  close(): void {
    this.#followed?.close();
    this.#followed = null;
  }

  /** The service has ended this log. The number of its last commit stands in the database until a new log begins. */
  #ended(followed: Followed): Polled {
    const { name, applied, turns } = logStateOf(this.#connection);
    const polled = followed.poll();
    if (polled.is === 'lost' || polled.texts.length > 0) return polled;
    if (name !== null || followed.last !== applied) return lost;
    this.close();
    this.#turns = turns;
    return polled;
  }
}

/** null: the log has ended meanwhile. */
function follow(path: string, name: string, applied: number): Followed | null {
  const opened: number[] = [];
  try {
    for (const file of filesOf(path, name)) opened.push(openSync(file, 'r'));
  } catch (error) {
    opened.forEach((fd) => closeSync(fd));
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return new Followed(name, opened, applied);
}

interface Place {
  readonly fd: number;
  readonly at: number;
}

class Followed {
  readonly name: string;
  /** The number of the last commit that was read. */
  last: number;
  readonly #fds: readonly number[];
  readonly #salt: number;
  #place: Place;

  constructor(name: string, fds: readonly number[], applied: number) {
    this.name = name;
    this.last = applied;
    this.#fds = fds;
    this.#salt = crc32(name);
    this.#place = this.#placeAfter(applied);
  }

  poll(): Polled {
    const texts: Logged[] = [];
    let chars = 0;
    // a second look: what is next may have been written between the looks at the two files
    for (let looks = 0; looks < 2 && chars < pollCharsMax;) {
      const next = this.#next();
      if (next === null) looks++;
      else {
        looks = 0;
        texts.push(next);
        chars += next.text.length;
      }
    }
    return texts.length === 0 && this.#isPassed() ? lost : { is: 'texts', texts };
  }

  close(): void {
    this.#fds.forEach((fd) => closeSync(fd));
  }

  #next(): Logged | null {
    for (const place of [this.#place, ...this.#fds.map((fd) => ({ fd, at: 0 }))]) {
      const one = this.#read(place, this.last + 1);
      if (one === null) continue;
      this.#place = { fd: place.fd, at: place.at + blocked(headBytes + Buffer.byteLength(one.text)) };
      this.last = one.seq;
      return one;
    }
    return null;
  }

  /** Whether a file begins with a later commit, although the next one cannot be read. */
  #isPassed(): boolean {
    const isLater = this.#fds.some((fd) => (this.#read({ fd, at: 0 })?.seq ?? 0) > this.last + 1);
    return isLater && this.#next() === null;
  }

  #placeAfter(applied: number): Place {
    let found: Place = { fd: this.#fds[0] ?? 0, at: 0 };
    for (const fd of this.#fds) {
      const { size } = fstatSync(fd);
      for (let at = 0; at + headBytes <= size;) {
        const one = this.#read({ fd, at });
        if (one?.seq === applied + 1) return { fd, at };
        at += one === null ? blockBytes : blocked(headBytes + Buffer.byteLength(one.text));
        if (one?.seq === applied) found = { fd, at };
      }
    }
    return found;
  }

  /** The text there; only the one of this number, if one is given. */
  #read({ fd, at }: Place, seq?: number): Logged | null {
    const head = Buffer.alloc(headBytes);
    if (readSync(fd, head, 0, headBytes, at) < headBytes) return null;
    if (seq !== undefined && head.readDoubleLE(16) !== seq) return null;
    const bytes = headBytes + head.readUInt32LE(8);
    if (at + bytes > fstatSync(fd).size) return null;
    const whole = Buffer.alloc(bytes);
    const read = readSync(fd, whole, 0, bytes, at);
    return read < bytes ? null : textAt(whole, 0, this.#salt);
  }
}
