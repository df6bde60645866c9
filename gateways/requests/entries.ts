/** Entries of the log of requests while they wait in memory: numbers in columns, each text once.
 *  Boundary: memory only; blocks.ts makes rows of them.
 *  1. An entry allocates nothing: what is kept for a second would otherwise be copied by the garbage collector,
 *     which costs more than the whole rest of the log. */
import type { Instant } from '../../src/kernel/time.ts';
import type { AnsweredRequest, Door, KeyUsed } from '../server/door.ts';
import { Texts } from './texts.ts';

/** Entries of one piece of memory: some 850 KiB. A power of two. */
export const piecesEntriesMax = 8192;
/** Characters of a path that are kept; more than any path of ours has. */
export const pathCharsMax = 300;
const textBytes = piecesEntriesMax * 64;

/** The column of each number. */
export const column = { kind: 0, text: 1, at: 2, took: 3 } as const;
const columns = Object.keys(column).length;

/** A method and a path with its parameters: `GET`, `/v1/checkout/{id}`. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly names: readonly string[];
}

/** What many entries have in common. */
export interface Kind {
  readonly caller: KeyUsed;
  readonly route: Route;
  readonly status: number;
  /** Of the error; '' for none. */
  readonly code: string;
}

/** The request of an entry. */
export type Noted = Pick<AnsweredRequest, 'requestNumber' | 'method' | 'params' | 'path' | 'refusal'>;

export class Entries {
  from: Instant = 0;
  readonly kinds: Kind[] = [];
  /** The parameters of paths, separated by spaces. */
  readonly texts = new Texts(piecesEntriesMax, textBytes);
  length = 0;
  private readonly numbers = new Int32Array(piecesEntriesMax * columns);
  private readonly requests = new Float64Array(piecesEntriesMax);
  private readonly routes = new Map<Door | string, Route>();
  /** Of the kinds of a caller, few of which there are. */
  private readonly placesOf = new Map<KeyUsed, number[]>();
  private last = -1;

  /** Empties it for new entries. */
  begin(now: Instant): this {
    this.from = now;
    this.length = 0;
    this.last = -1;
    this.kinds.length = 0;
    this.texts.clear();
    this.routes.clear();
    this.placesOf.clear();
    return this;
  }

  get isFull(): boolean {
    return this.length === piecesEntriesMax || this.texts.used > textBytes - pathCharsMax;
  }

  number(entry: number, of: number): number {
    return this.numbers[entry * columns + of] ?? 0;
  }

  /** The number that the id of the request was made of. */
  requestNumber(entry: number): number {
    return this.requests[entry] ?? 0;
  }

  /** Only while it is not full. `door` is undefined where none has matched. */
  add(
    keyUsed: KeyUsed,
    door: Door | undefined,
    request: Noted,
    { now, status, tookMs }: { now: Instant; status: number; tookMs: number },
  ): void {
    const { numbers, length, texts } = this;
    const route = this.write(door, request);
    const first = length * columns;
    numbers[first + column.kind] = this.kindPlace(keyUsed, route, status, request.refusal);
    numbers[first + column.text] = texts.place();
    numbers[first + column.at] = now - this.from;
    numbers[first + column.took] = tookMs + 0.5;
    this.requests[length] = request.requestNumber;
    this.length = length + 1;
  }

  /** Writes the text; gives the route it belongs to. */
  private write(door: Door | undefined, request: Noted): Route {
    const { texts } = this;
    texts.begin();
    if (door !== undefined) {
      const route = this.routeOf(door);
      if (this.writeParams(route, request.params)) return route;
      texts.begin();
    }
    // a parameter that was percent-encoded, or no door's path: as it was sent
    texts.write(request.path.slice(0, pathCharsMax).replace(/[^\x21-\x7e]/g, '?'));
    return this.anyOf(request.method);
  }

  /** False: one is empty, has more than visible ASCII, or all are too long. */
  private writeParams({ names }: Route, params: Noted['params']): boolean {
    let left = pathCharsMax + 1;
    for (let name = 0; name < names.length; name++) {
      const value = params[names[name] ?? ''] ?? '';
      left -= value.length + 1;
      if (left < 0) return false;
      if (name > 0) this.texts.separate();
      if (!this.texts.write(value)) return false;
    }
    return true;
  }

  private routeOf(door: Door): Route {
    const known = this.routes.get(door);
    if (known !== undefined) return known;
    const route = door.path.includes('*') ? this.anyOf(door.method) : routeOf(door);
    this.routes.set(door, route);
    return route;
  }

  private anyOf(asked: string): Route {
    const method = methods.has(asked) ? asked : otherMethod;
    const known = this.routes.get(method);
    if (known !== undefined) return known;
    const route = anyPath(method);
    this.routes.set(method, route);
    return route;
  }

  private kindPlace(caller: KeyUsed, route: Route, status: number, refusal: Noted['refusal']): number {
    const code = status < 400 ? noCode : codeIn(refusal);
    if (isKind(this.kinds[this.last], caller, route, status, code)) return this.last;
    let places = this.placesOf.get(caller);
    if (places === undefined) this.placesOf.set(caller, (places = []));
    const known = places.find((place) => isKind(this.kinds[place], caller, route, status, code));
    if (known !== undefined) return (this.last = known);
    this.last = this.kinds.push({ caller, route, status, code }) - 1;
    places.push(this.last);
    return this.last;
  }
}

const isKind = (
  kind: Kind | undefined,
  caller: KeyUsed,
  route: Route,
  status: number,
  code: string,
): boolean => kind?.caller === caller && kind.route === route && kind.status === status && kind.code === code;

/** A client may send any word of up to 16 KiB as its method: rows of such words would be too long to store. */
const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
]);
export const otherMethod = 'OTHER';

const noCode = '';
/** A code comes after a message, and before what is said of single fields. */
const codeBegin = /"code":"([a-z_]+)"/;
const codeWithinChars = 1000;

/** The `code` of an error's body; '' when it has none. */
const codeIn = (body: Noted['refusal']): string =>
  typeof body === 'string' ? (codeBegin.exec(body.slice(0, codeWithinChars))?.[1] ?? noCode) : noCode;

const routeOf = ({ method, path }: Door): Route => ({
  method,
  path,
  names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
});

/** A path that is kept whole. */
const anyPath = (method: string): Route => ({ method, path: '{path}', names: ['path'] });
