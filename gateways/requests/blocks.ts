/** Blocks of the log of requests: many entries as one row. Pure but for the id of a row. found-entries.ts reads them.
 *  1. What entries have in common stands in a block once. An entry is a few bytes: the difference of its number and
 *     of its instant to those of the entry before, how long it took, and the places of the rest.
 *  2. A block has nothing of another project: it counts its own keys, routes and texts.
 *  3. The ids of its requests are not in it. They are made again from their numbers and the key of the process. */
import { mintId } from '../../src/kernel/id.ts';
import { days, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Row } from '../../src/store/store.ts';
import { secondOfNumber, secondText } from '../server/request-id.ts';
import { column, pathCharsMax, piecesEntriesMax, type Entries, type Kind } from './entries.ts';
import { numberBytesMax, unsigned, writeNumber } from './numbers.ts';

export const requestLogKind = 'request_log';
/** In real time. */
export const requestsKeptMs: DurationMs = days(30);
/** Entries of one row: 14 to 80 KiB, by how many of their paths differ, and 600 KiB where each is as long as may be. A
 *  row costs the store about as much as 300 more entries would. */
export const blockEntriesMax = 2048;

/** The row of a block, and how many entries it has. */
export interface Block {
  readonly row: Row;
  readonly length: number;
}

/** Makes the blocks of one process. */
export class BlockMaker {
  private readonly idKey: string;
  /** For one row at a time, which is made without an await. */
  private readonly room: Room = {
    entries: Buffer.allocUnsafeSlow(blockEntriesMax * columns * numberBytesMax),
    texts: Buffer.allocUnsafeSlow(blockEntriesMax * (pathCharsMax + 1)),
    places: new Int32Array(piecesEntriesMax),
  };

  /** `idKey`: what the ids of its requests are made with. */
  constructor(idKey: string) {
    this.idKey = idKey;
  }

  /** The blocks of one piece of memory; `createdAt` is called once for each. */
  blocksOf(entries: Entries, createdAt: () => Instant): readonly Block[] {
    const { idKey, room } = this;
    return [...entriesByScope(entries)].flatMap(([scope, all]) =>
      Array.from({ length: Math.ceil(all.length / blockEntriesMax) }, (_, block): Block => {
        const of = all.slice(block * blockEntriesMax, (block + 1) * blockEntriesMax);
        return { row: rowOf(entries, of, { scope, idKey, created: createdAt(), room }), length: of.length };
      }),
    );
  }
}

interface Room {
  readonly entries: Buffer;
  readonly texts: Buffer;
  readonly places: Int32Array;
}

function entriesByScope(entries: Entries): ReadonlyMap<Scope, readonly number[]> {
  const scopes = new Map<Scope, number[]>();
  const listOf = entries.kinds.map(({ caller }) => {
    // a caller's scope: the listener knows it as text only
    const scope = caller.scope as Scope;
    const list = scopes.get(scope) ?? [];
    scopes.set(scope, list);
    return list;
  });
  for (let entry = 0; entry < entries.length; entry++)
    listOf[entries.number(entry, column.kind)]?.push(entry);
  return scopes;
}

/** What a block has in the store. */
export interface Body {
  readonly from: Instant;
  readonly idKey: string;
  readonly keys: readonly string[];
  /** Method and path, `{name}` where a value of a text belongs. */
  readonly routes: readonly (readonly [method: string, path: string])[];
  /** Places of a key and a route, a status, and the code of an error: '' where there is none. */
  readonly kinds: readonly (readonly [key: number, route: number, status: number, code: string])[];
  /** One per line. */
  readonly texts: string;
  /** In base64, five numbers each: request, at, took, kind, text. */
  readonly entries: string;
}

/** A node of version 0.2.0 finds no entry in a block that has these fields, and fails without them. */
const forOlderNodes = { ids: '', paths: '', numbers: '' } as const;

const lineBreak = 0x0a;
const columns = 5;

interface OfRow {
  readonly scope: Scope;
  readonly idKey: string;
  readonly created: Instant;
  readonly room: Room;
}

function rowOf(entries: Entries, of: readonly number[], { scope, idKey, created, room }: OfRow): Row {
  const kinds = new KindsOfBlock(entries.kinds);
  const texts = new TextsOfBlock(entries, room);
  const { entries: bytes } = room;
  const seconds = new Set<number>();
  let end = 0;
  let number = 0;
  let at = 0;
  let second = -1;
  for (const entry of of) {
    const numberNow = entries.requestNumber(entry);
    const atNow = entries.number(entry, column.at);
    end = writeNumber(bytes, end, unsigned(numberNow - number));
    end = writeNumber(bytes, end, unsigned(atNow - at));
    end = writeNumber(bytes, end, entries.number(entry, column.took));
    end = writeNumber(bytes, end, kinds.placeOf(entries.number(entry, column.kind)));
    end = writeNumber(bytes, end, texts.placeOf(entries.number(entry, column.text)));
    const secondNow = secondOfNumber(numberNow);
    if (secondNow !== second) seconds.add(secondNow);
    number = numberNow;
    at = atNow;
    second = secondNow;
  }
  const body: Body = {
    ...forOlderNodes,
    from: entries.from,
    idKey,
    ...kinds.parts(),
    texts: texts.lines(),
    entries: bytes.toString('base64', 0, end),
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
    tags: [
      ...[...seconds].map((each) => secondTag(secondText(each))),
      ...[...kinds.statuses].map(statusTag),
      ...body.keys.map(keyTag),
    ],
    body: { ...body },
  };
}

/** Gives each value the place of its first use. */
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

class KindsOfBlock {
  readonly statuses = new Set<number>();
  private readonly of: readonly Kind[];
  private readonly places: number[] = [];
  private readonly kinds: Body['kinds'][number][] = [];
  private readonly keys = new Numbered<string>();
  private readonly routes = new Numbered<Kind['route']>();

  constructor(of: readonly Kind[]) {
    this.of = of;
  }

  placeOf(kind: number): number {
    return this.places[kind] ?? this.placed(kind);
  }

  parts(): Pick<Body, 'keys' | 'routes' | 'kinds'> {
    const routes = this.routes.all.map(({ method, path }) => [method, path] as const);
    return { keys: this.keys.all, routes, kinds: this.kinds };
  }

  private placed(kind: number): number {
    const of = this.of[kind];
    if (of === undefined) return 0;
    const { caller, route, status, code } = of;
    this.statuses.add(status);
    const [key, path] = [this.keys.placeOf(caller.keyId), this.routes.placeOf(route)];
    return (this.places[kind] = this.kinds.push([key, path, status, code]) - 1);
  }
}

/** The texts of a block. */
class TextsOfBlock {
  private readonly of: Entries['texts'];
  private readonly room: Room;
  private end = 0;
  private length = 0;

  constructor({ texts }: Entries, room: Room) {
    this.of = texts;
    this.room = room;
    room.places.fill(0, 0, texts.length);
  }

  placeOf(text: number): number {
    const { of, room } = this;
    const known = room.places[text] ?? 0;
    if (known > 0) return known - 1;
    this.end += of.bytes.copy(room.texts, this.end, of.start(text), of.end(text));
    room.texts[this.end++] = lineBreak;
    room.places[text] = ++this.length;
    return this.length - 1;
  }

  lines(): string {
    return shown(this.room.texts.toString('latin1', 0, Math.max(0, this.end - 1)));
  }
}

/** What a block can be found by. */
export const secondTag = (second: string): string => `second=${second}`;
export const statusTag = (status: number): string => `status=${status}`;
export const keyTag = (keyId: string): string => `key=${keyId}`;

const secret = /[ps]k_(?:test|sandbox|live)_[0-9A-Za-z]+|whsec_[0-9A-Za-z+/=]+/g;

const shown = (texts: string): string =>
  texts.includes('k_') || texts.includes('whsec') ? texts.replace(secret, '[removed]') : texts;
