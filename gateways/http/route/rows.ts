/** A whole list, unpaged, for a file.
 *  1. Rows that are added, or that enter or leave the list while it is read, move no other row: each read
 *     continues at the time of the last row, not at a page number. */
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { iso } from '../../../src/kernel/time.ts';
import type { Listed, Row } from '../../../src/store/store.ts';
import type { Answer } from './answer.ts';
import { answerPage, entriesDeepMax, queryOf, type Filters, type Listing, type Page } from './paging.ts';

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
}

/** A list whose entries are rows: the requested page, or all of it for a CSV file. */
export function answerRows(
  client: Pick<Client, 'listRows'>,
  { kind, scope, listing, filters }: RowList,
  wantsCsv: boolean,
): Promise<Answer | Rows> {
  const read: Read = (within, page) => client.listRows(queryOf(kind, scope, page, within, filters));
  return wantsCsv
    ? allRows(read, listing)
    : answerPage(
        listing,
        (page) => read(listing, page),
        ({ body }) => body,
      );
}

type Read = (within: Listing, page: Page) => Promise<Listed<Row>>;

/** The first read is made at once: if the store cannot answer, that is the answer. */
async function allRows(read: Read, listing: Listing): Promise<Rows> {
  const first = await read(listing, { page: 1, limit: batchRows });
  return { is: 'rows', total: first.total, batches: batchesOf(read, listing, first.items) };
}

async function* batchesOf(
  read: Read,
  listing: Listing,
  first: readonly Row[],
): AsyncGenerator<readonly Row['body'][]> {
  let [within, page, left] = [listing, 1, rowsMax];
  /** Rows of the last instant that were given already: the next read finds them again. */
  let given: ReadonlySet<string> = new Set();
  for (let items = first; ; items = (await read(within, { page, limit: batchRows })).items) {
    const before = given;
    const fresh = items.filter(({ id }) => !before.has(id)).slice(0, left);
    yield fresh.map(({ body }) => body);
    left -= fresh.length;
    const last = items.at(-1);
    if (last === undefined || items.length < batchRows || left === 0) return;
    const createdTo = iso(last.created + 1);
    if (createdTo === within.createdTo) {
      // more rows of one instant than one read holds
      page++;
      given = new Set([...before, ...items.map(({ id }) => id)]);
    } else {
      [within, page] = [{ ...within, createdTo }, 1];
      given = new Set(items.filter(({ created }) => created === last.created).map(({ id }) => id));
    }
  }
}
