/** A whole list, unpaged, for a file.
 *  1. Rows that are added, or that enter or leave the list while it is read, move no other row: each read
 *     continues at the time of the last row, not at a page number. */
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { assert } from '../../../src/kernel/assert.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';
import type { Listed, ListQuery, Row } from '../../../src/store/store.ts';
import type { Answer } from './answer.ts';
import { checkedInstant } from './instant.ts';
import {
  answerPage,
  entriesDeepMax,
  given,
  queryOf,
  type Filters,
  type Listing,
  type Page,
} from './paging.ts';

/** Rows of one read: they are in memory together. No more than a page has, so that other requests wait no
 *  longer for a file than for a page. */
const batchRows = 100;
/** Rows of one file: the newest ones. */
export const rowsMax = entriesDeepMax;

export interface Rows {
  readonly is: 'rows';
  /** All that match, also those beyond `rowsMax`. */
  readonly total: number;
  /** API objects, newest first. Rejects when the store cannot answer. */
  readonly batches: AsyncIterable<readonly Row['body'][]>;
}

export interface RowList {
  readonly kind: string;
  readonly scope: Scope;
  readonly listing: Listing;
  readonly filters: Filters;
  /** The API object of a body that an older build may have written. Absent: as it is. */
  readonly shown?: (body: Row['body']) => Row['body'];
  /** Ordered and bounded by this instant of the object, in place of its creation. */
  readonly by?: Within;
}

/** A span of an instant in the bodies of rows; at least one end. */
interface Within {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

/** The span that a query names by two texts; absent when it names none. */
export const within = (
  field: string,
  from: string | undefined,
  to: string | undefined,
): { readonly by?: Within } => {
  const written = (text: string): string => iso(checkedInstant(text));
  if (from === undefined && to === undefined) return {};
  const ends = given<string>({
    from: from === undefined ? undefined : written(from),
    to: to === undefined ? undefined : written(to),
  });
  return { by: { field, ...ends } };
};

/** A list whose entries are rows: the requested page, or all of it for a CSV file. */
export function answerRows(
  client: Pick<Client, 'listRows'>,
  list: RowList,
  wantsCsv: boolean,
): Promise<Answer | Rows> {
  const { shown = (body) => body } = list;
  const read: Read = async (before, page) => {
    const { items, total } = await client.listRows(queryBefore(list, before, page));
    return { items: items.map((row) => ({ ...row, body: shown(row.body) })), total };
  };
  return wantsCsv
    ? allRows(read, (row) => placeIn(row, list.by))
    : answerPage(
        list.listing,
        (page) => read(null, page),
        ({ body }) => body,
      );
}

/** `before`: only what is older, by the list's order; null: all that was asked for. */
function queryBefore(
  { kind, scope, listing, filters, by }: RowList,
  before: Instant | null,
  page: Page,
): ListQuery {
  const end = before === null ? {} : { to: iso(before) };
  if (by === undefined) {
    const created = before === null ? listing : { ...listing, createdTo: iso(before) };
    return queryOf(kind, scope, page, created, filters);
  }
  const range = [...(filters.range ?? []), { ...by, ...end }];
  return { ...queryOf(kind, scope, page, listing, { ...filters, range }), newestBy: by.field };
}

function placeIn({ created, body }: Row, by: RowList['by']): Instant {
  if (by === undefined) return created;
  const text = body[by.field];
  assert(typeof text === 'string', 'a row in a span of an instant has that instant');
  return checkedInstant(text);
}

type Read = (before: Instant | null, page: Page) => Promise<Listed<Row>>;
/** The instant by which a list is ordered. */
type PlaceOf = (row: Row) => Instant;

/** The first read is made at once: if the store cannot answer, that is the answer. */
async function allRows(read: Read, placeOf: PlaceOf): Promise<Rows> {
  const first = await read(null, { page: 1, limit: batchRows });
  return { is: 'rows', total: first.total, batches: batchesOf(read, placeOf, first.items) };
}

async function* batchesOf(
  read: Read,
  placeOf: PlaceOf,
  first: readonly Row[],
): AsyncGenerator<readonly Row['body'][]> {
  let [before, page, left]: [Instant | null, number, number] = [null, 1, rowsMax];
  /** Rows of the last instant that were given already: the next read finds them again. */
  let seen: ReadonlySet<string> = new Set();
  for (let items = first; ; items = (await read(before, { page, limit: batchRows })).items) {
    const known = seen;
    const fresh = items.filter(({ id }) => !known.has(id)).slice(0, left);
    yield fresh.map(({ body }) => body);
    left -= fresh.length;
    const last = items.at(-1);
    if (last === undefined || items.length < batchRows || left === 0) return;
    const end = placeOf(last) + 1;
    if (end === before) {
      // more rows of one instant than one read holds
      page++;
      seen = new Set([...known, ...items.map(({ id }) => id)]);
    } else {
      [before, page] = [end, 1];
      seen = new Set(items.filter((row) => placeOf(row) === placeOf(last)).map(({ id }) => id));
    }
  }
}
