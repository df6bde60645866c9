/** Entries of the log of requests while they wait in memory: numbers in columns, texts as bytes.
 *  Boundary: memory only; blocks.ts makes rows of them.
 *  1. An entry allocates nothing: what is kept for a second would otherwise be copied by the garbage collector,
 *     which costs more than the whole rest of the log. */
import type { Instant } from '../../src/kernel/time.ts';
import type { Door, DoorRequest, KeyUsed } from '../server/door.ts';

/** Entries of one piece of memory: some 360 KiB. */
export const piecesEntriesMax = 4096;
/** Characters of a path that are kept; more than any path of ours has. */
export const pathCharsMax = 300;
const idPrefixLength = 'req_'.length;
export const idLength = 24;
const textBytes = piecesEntriesMax * 64;
const entryBytesMax = idLength + pathCharsMax;

/** The column of each number. */
export const column = { caller: 0, route: 1, at: 2, status: 3, took: 4, textEnd: 5, code: 6 } as const;
const columns = Object.keys(column).length;

/** A method and a path with its parameters: `GET`, `/v1/checkout/{id}`. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly names: readonly string[];
}

/** The request of an entry. */
export type Noted = Pick<DoorRequest, 'requestId' | 'method' | 'params' | 'path' | 'refusal'>;

export class Entries {
  from: Instant = 0;
  readonly callers: KeyUsed[] = [];
  readonly routes: Route[] = [];
  /** Error codes; the first stands for none. */
  readonly codes: string[] = [noCode];
  /** Per entry: the letters of its id, then the parameters of its path, separated by spaces. */
  readonly text = Buffer.allocUnsafe(textBytes);
  length = 0;
  private readonly numbers = new Int32Array(piecesEntriesMax * columns);
  private readonly placeOf = new Map<KeyUsed | Door | string, number>();
  private used = 0;

  /** Empties it for new entries. */
  begin(now: Instant): this {
    this.from = now;
    this.length = 0;
    this.used = 0;
    this.callers.length = 0;
    this.routes.length = 0;
    this.codes.length = 1;
    this.placeOf.clear();
    return this;
  }

  get isFull(): boolean {
    return this.length === piecesEntriesMax || this.used > textBytes - entryBytesMax;
  }

  number(entry: number, of: number): number {
    return this.numbers[entry * columns + of] ?? 0;
  }

  /** Where the text of an entry begins. */
  textStart(entry: number): number {
    return entry === 0 ? 0 : this.number(entry - 1, column.textEnd);
  }

  /** Only while it is not full. `door` is undefined where none has matched. */
  add(
    keyUsed: KeyUsed,
    door: Door | undefined,
    request: Noted,
    { now, status, tookMs }: { now: Instant; status: number; tookMs: number },
  ): void {
    const { numbers, length } = this;
    const route = this.write(door, request);
    const first = length * columns;
    numbers[first + column.caller] = this.placeOf.get(keyUsed) ?? this.placed(this.callers, keyUsed, keyUsed);
    numbers[first + column.route] = route;
    numbers[first + column.at] = now - this.from;
    numbers[first + column.status] = status;
    numbers[first + column.took] = tookMs + 0.5;
    numbers[first + column.textEnd] = this.used;
    numbers[first + column.code] = status < 400 ? 0 : this.codePlace(codeIn(request.refusal));
    this.length = length + 1;
  }

  /** Writes the texts; gives the place of the route. */
  private write(door: Door | undefined, request: Noted): number {
    const { text } = this;
    const { requestId, params } = request;
    let end = this.used;
    for (let at = idPrefixLength; at < idPrefixLength + idLength; at++)
      text[end++] = requestId.charCodeAt(at);
    const begin = end;
    if (door !== undefined) {
      const place = this.placeOf.get(door) ?? this.placed(this.routes, door, routeOf(door));
      const names = this.routes[place]?.names ?? [];
      const most = begin + pathCharsMax;
      for (let name = 0; name < names.length && end > 0; name++) {
        if (name > 0) text[end++] = space;
        end = written(text, end, params[names[name] ?? ''] ?? '', most);
      }
      if (end > 0) {
        this.used = end;
        return place;
      }
    }
    // a parameter that was percent-encoded, or no door's path: as it was sent
    const path = request.path.slice(0, pathCharsMax).replace(/[^\x21-\x7e]/g, '?');
    this.used = written(text, begin, path, begin + pathCharsMax);
    const { method } = request;
    return this.placeOf.get(method) ?? this.placed(this.routes, method, anyPath(method));
  }

  private codePlace(code: string): number {
    const known = this.codes.indexOf(code);
    return known < 0 ? this.codes.push(code) - 1 : known;
  }

  private placed<Value>(list: Value[], key: KeyUsed | Door | string, value: Value): number {
    this.placeOf.set(key, list.length);
    return list.push(value) - 1;
  }
}

const space = 0x20;

/** The code of an entry that was not refused. */
export const noCode = '';
/** A code comes after a message, and before what is said of single fields. */
const codeBegin = /"code":"([a-z_]+)"/;
const codeWithinChars = 1000;

/** The `code` of an error's body; '' when it has none. */
const codeIn = (body: Noted['refusal']): string =>
  typeof body === 'string' ? (codeBegin.exec(body.slice(0, codeWithinChars))?.[1] ?? noCode) : noCode;

/** The end of what was written; -1 for a text that is too long, empty, or has more than visible ASCII. */
function written(into: Uint8Array, at: number, value: string, most: number): number {
  if (value.length === 0 || at + value.length > most) return -1;
  for (let from = 0; from < value.length; from++) {
    const code = value.charCodeAt(from);
    if (code <= space || code > 0x7e) return -1;
    into[at++] = code;
  }
  return at;
}

const routeOf = ({ method, path }: Door): Route =>
  path.includes('*')
    ? anyPath(method)
    : { method, path, names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name) };

/** A path that is kept whole. */
const anyPath = (method: string): Route => ({ method, path: '{path}', names: ['path'] });
