/** Blocks of the log of requests: many entries as one row, and back. Pure but for the id of a row.
 *  A block is a few long texts, because one that is made, written and copied costs hardly more than a short one:
 *  `ids` are fixed in length, `paths` has a line for each entry, and `numbers` are columns in base64. */
import { mintId } from '../../src/kernel/id.ts';
import { days, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Row } from '../../src/store/store.ts';
import { secondLength } from '../server/request-id.ts';
import { column, idLength, noCode, pathCharsMax, type Entries, type Route } from './entries.ts';

export const requestLogKind = 'request_log';
/** In real time. */
export const requestsKeptMs: DurationMs = days(30);
/** Entries of one row: some 40 KiB. */
export const blockEntriesMax = 500;

/** A request as it is found. */
export interface Entry {
  readonly id: string;
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly keyId: string;
  readonly tookMs: number;
  /** Of the error it was answered with. */
  readonly code: string | null;
}

/** The row of a block, and how many entries it has. */
export interface Block {
  readonly row: Row;
  readonly length: number;
}

/** The blocks of one piece of memory; `createdAt` is called once for each. */
export function blocksOf(entries: Entries, createdAt: () => Instant): readonly Block[] {
  return [...entriesByScope(entries)].flatMap(([scope, all]) =>
    Array.from({ length: Math.ceil(all.length / blockEntriesMax) }, (_, block): Block => {
      const of = all.slice(block * blockEntriesMax, (block + 1) * blockEntriesMax);
      return { row: rowOf(entries, scope, of, createdAt()), length: of.length };
    }),
  );
}

function entriesByScope(entries: Entries): ReadonlyMap<Scope, readonly number[]> {
  const scopes = new Map<Scope, number[]>();
  const listOf = entries.callers.map(({ scope: text }) => {
    // a caller's scope: the listener knows it as text only
    const scope = text as Scope;
    const list = scopes.get(scope) ?? [];
    scopes.set(scope, list);
    return list;
  });
  for (let entry = 0; entry < entries.length; entry++)
    listOf[entries.number(entry, column.caller)]?.push(entry);
  return scopes;
}

interface Body {
  readonly from: Instant;
  readonly ids: string;
  readonly keys: readonly string[];
  /** Method and path, `{name}` where a value of `paths` belongs. */
  readonly routes: readonly (readonly [method: string, path: string])[];
  readonly paths: string;
  readonly numbers: string;
  /** A line for each entry: the code of its error. Absent when no entry has one. */
  readonly codes?: string;
}

const stored = ['at', 'status', 'took', 'key', 'route'] as const;
const lineBreak = 0x0a;

/** For one row at a time, which is made without an await. */
const scratch = {
  numbers: new Int32Array(blockEntriesMax * stored.length),
  ids: Buffer.allocUnsafeSlow(blockEntriesMax * idLength),
  paths: Buffer.allocUnsafeSlow(blockEntriesMax * (pathCharsMax + 1)),
};
const packed = (count: number): string =>
  Buffer.from(scratch.numbers.buffer, 0, count * Int32Array.BYTES_PER_ELEMENT).toString('base64');

function rowOf(entries: Entries, scope: Scope, of: readonly number[], created: Instant): Row {
  const keys = new Numbered<string>();
  const routes = new Numbered<Route>();
  const { numbers, ids, paths } = scratch;
  const [statuses, seconds] = [new Set<number>(), new Set<string>()];
  let [idsEnd, pathsEnd] = [0, 0];
  for (const [place, entry] of of.entries()) {
    const status = entries.number(entry, column.status);
    const keyId = entries.callers[entries.number(entry, column.caller)]?.keyId ?? '';
    const route = entries.routes[entries.number(entry, column.route)] ?? noRoute;
    numbers[place] = entries.number(entry, column.at);
    numbers[of.length + place] = status;
    numbers[2 * of.length + place] = entries.number(entry, column.took);
    numbers[3 * of.length + place] = keys.placeOf(keyId);
    numbers[4 * of.length + place] = routes.placeOf(route);
    const start = entries.textStart(entry);
    idsEnd += entries.text.copy(ids, idsEnd, start, start + idLength);
    pathsEnd += entries.text.copy(paths, pathsEnd, start + idLength, entries.number(entry, column.textEnd));
    paths[pathsEnd++] = lineBreak;
    statuses.add(status);
    const isNews =
      place === 0 ||
      ids.compare(
        ids,
        idsEnd - 2 * idLength,
        idsEnd - 2 * idLength + secondLength,
        idsEnd - idLength,
        idsEnd - idLength + secondLength,
      ) !== 0;
    if (isNews) seconds.add(ids.toString('latin1', idsEnd - idLength, idsEnd - idLength + secondLength));
  }
  const codes = of.map((entry) => entries.codes[entries.number(entry, column.code)] ?? noCode);
  const body: Body = {
    from: entries.from,
    ids: ids.toString('latin1', 0, idsEnd),
    keys: keys.all,
    routes: routes.all.map(({ method, path }) => [method, path]),
    paths: shown(paths.toString('latin1', 0, pathsEnd)),
    numbers: packed(of.length * stored.length),
    ...(codes.some((code) => code !== noCode) ? { codes: codes.join('\n') } : {}),
  };
  const id = mintId('rql');
  return {
    kind: requestLogKind,
    id,
    owner: { kind: requestLogKind, id },
    scope,
    v: 1,
    once: true,
    gone: false,
    created,
    tags: [...[...seconds].map(secondTag), ...[...statuses].map(statusTag), ...keys.all.map(keyTag)],
    body: { ...body },
  };
}

const noRoute: Route = { method: '', path: '', names: [] };

/** Gives each value the place of its first use: a row names no key and no path of other rows. */
class Numbered<Value> {
  readonly all: Value[] = [];
  private readonly places = new Map<Value, number>();

  placeOf(value: Value): number {
    const known = this.places.get(value);
    if (known !== undefined) return known;
    this.places.set(value, this.all.length);
    return this.all.push(value) - 1;
  }
}

/** The entries of a stored block, in the order of the answers. */
export function entriesOf({ body }: Row): readonly Entry[] {
  // a row of this kind has this body
  const { from, ids, keys, routes, paths, numbers: packed, codes = '' } = body as unknown as Body;
  const bytes = new Uint8Array(Buffer.from(packed, 'base64'));
  const numbers = new Int32Array(bytes.buffer);
  const length = numbers.length / stored.length;
  const [lines, refused] = [paths.split('\n'), codes.split('\n')];
  return Array.from({ length }, (_, place): Entry => {
    const [at = 0, status = 0, took = 0, key = 0, route = 0] = stored.map(
      (_name, of) => numbers[of * length + place],
    );
    const [method, path] = routes[route] ?? ['', ''];
    return {
      id: `req_${ids.slice(place * idLength, (place + 1) * idLength)}`,
      at: from + at,
      method,
      path: filled(path, lines[place]?.split(' ') ?? []),
      status,
      keyId: keys[key] ?? '',
      tookMs: took,
      code: refused[place] || null,
    };
  });
}

function filled(path: Route['path'], values: readonly string[]): string {
  let next = 0;
  return path.replace(/\{\w+\}/g, () => values[next++] ?? '');
}

/** What a block can be found by. */
export const secondTag = (second: string): string => `second=${second}`;
export const statusTag = (status: number): string => `status=${status}`;
export const keyTag = (keyId: string): string => `key=${keyId}`;

const secret = /[ps]k_(?:test|sandbox|live)_[0-9A-Za-z]+|whsec_[0-9A-Za-z+/=]+/g;

const shown = (paths: string): string =>
  paths.includes('k_') || paths.includes('whsec') ? paths.replace(secret, '[removed]') : paths;
