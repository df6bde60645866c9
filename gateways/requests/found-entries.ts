/** Finds entries in a stored block, of this version or the one before. Pure.
 *  1. A block has thousands of entries, of which a search shows some: only those are put together. */
import type { Row } from '../../src/store/store.ts';
import { RequestIdsOf, secondOf, secondOfNumber, secondText } from '../server/request-id.ts';
import type { Body } from './blocks.ts';
import { filled, type Entry } from './entry.ts';
import { NumbersIn, signed } from './numbers.ts';
import { olderEntriesOf } from './older-blocks.ts';

export interface EntryFilter {
  readonly id?: string | undefined;
  readonly key?: string | undefined;
  /** Part of the path. */
  readonly path?: string | undefined;
  readonly status?: number | undefined;
}

/** A block that is read. */
export interface FoundBlock {
  readonly length: number;
  /** Those that match, the newest first, from below this place. */
  matching(filter: EntryFilter, below: number): Iterable<readonly [place: number, entry: Entry]>;
}

export const foundBlock = ({ body }: Row): FoundBlock =>
  body['entries'] === undefined
    ? new OlderBlock(olderEntriesOf(body))
    : // a row of this kind has this body
      new StoredBlock(body as unknown as Body);

class OlderBlock implements FoundBlock {
  readonly length: number;
  private readonly entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
    this.length = entries.length;
  }

  *matching(filter: EntryFilter, below: number): Iterable<readonly [number, Entry]> {
    for (let place = below - 1; place >= 0; place--) {
      const entry = this.entries[place];
      if (entry !== undefined && matches(entry, filter)) yield [place, entry];
    }
  }
}

const matches = (entry: Entry, { id, key, status, path }: EntryFilter): boolean =>
  (id === undefined || id === entry.id) &&
  (key === undefined || key === entry.keyId) &&
  (status === undefined || status === entry.status) &&
  (path === undefined || entry.path.includes(path));

/** Places in the columns of an entry. */
const column = { request: 0, at: 1, took: 2, kind: 3, text: 4 } as const;
const columns = Object.keys(column).length;

class StoredBlock implements FoundBlock {
  readonly length: number;
  private readonly body: Body;
  private readonly numbers: readonly number[];
  private readonly texts: readonly string[];
  private readonly ids: RequestIdsOf;

  constructor(body: Body) {
    this.body = body;
    this.numbers = numbersIn(body);
    this.length = this.numbers.length / columns;
    this.texts = body.texts.split('\n');
    this.ids = new RequestIdsOf(body.idKey);
  }

  *matching(filter: EntryFilter, below: number): Iterable<readonly [number, Entry]> {
    const { key, status, path, id } = filter;
    const kinds = this.body.kinds.map(
      ([keyPlace, , of]) =>
        (key === undefined || this.body.keys[keyPlace] === key) && (status === undefined || status === of),
    );
    const named = id === undefined ? null : this.placesOf(id);
    for (let place = below - 1; place >= 0; place--) {
      if (kinds[this.number(place, column.kind)] !== true || named?.has(place) === false) continue;
      if (path === undefined || this.path(place).includes(path)) yield [place, this.entry(place)];
    }
  }

  /** Where the request of this id is: its numbers are those of its second. */
  private placesOf(id: string): ReadonlySet<number> {
    const second = secondOf(id);
    const places: number[] = [];
    for (let place = 0; place < this.length; place++)
      if (secondText(secondOfNumber(this.number(place, column.request))) === second) places.push(place);
    const ids = this.ids.of(places.map((place) => this.number(place, column.request)));
    return new Set(places.filter((_, at) => ids[at] === id));
  }

  private number(place: number, of: number): number {
    return this.numbers[place * columns + of] ?? 0;
  }

  private path(place: number): string {
    const { kinds, routes } = this.body;
    const [, route = 0] = kinds[this.number(place, column.kind)] ?? [];
    const [, path] = routes[route] ?? ['', ''];
    return filled(path, this.texts[this.number(place, column.text)] ?? '');
  }

  private entry(place: number): Entry {
    const { from, keys, routes, kinds } = this.body;
    const [key = 0, route = 0, status = 0, code = ''] = kinds[this.number(place, column.kind)] ?? [];
    const [id = ''] = this.ids.of([this.number(place, column.request)]);
    return {
      id,
      at: from + this.number(place, column.at),
      method: routes[route]?.[0] ?? '',
      path: this.path(place),
      status,
      keyId: keys[key] ?? '',
      tookMs: this.number(place, column.took),
      code: code || null,
    };
  }
}

/** Column by column of each entry; numbers and instants as they were, not their differences. */
function numbersIn({ entries }: Body): readonly number[] {
  const numbers = new NumbersIn(Buffer.from(entries, 'base64'));
  const all: number[] = [];
  for (let [request, at] = [0, 0]; numbers.more;) {
    request += signed(numbers.next());
    at += signed(numbers.next());
    all.push(request, at, numbers.next(), numbers.next(), numbers.next());
  }
  return all;
}
