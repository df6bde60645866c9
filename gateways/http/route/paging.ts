/** Lists: the requested page, and its envelope. */
import { Type, type Static } from 'typebox';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Listed, ListQuery } from '../../../src/store/store.ts';
import { done, refused, type Answer, type Refused } from './answer.ts';
import { checkedInstant } from './instant.ts';

export const limitUsual = 50;
export const limitMax = 100;
/** Limit of `page x limit`; to read further back, use createdTo. */
export const entriesDeepMax = 10_000;

/** Query parameters every list has. */
export const pageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'Which page, from 1 (default).' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limitMax,
      description: `Entries of a page; ${limitUsual} by default.`,
    }),
  ),
};
export const listQuery = {
  ...pageQuery,
  createdFrom: Type.Optional(
    Type.String({ format: 'instant', description: 'Only what was created at this instant or later.' }),
  ),
  createdTo: Type.Optional(
    Type.String({ format: 'instant', description: 'Only what was created before this instant.' }),
  ),
};

/** Two query parameters that bound another instant of an object than its creation. */
const instantText = (description: string) => Type.Optional(Type.String({ format: 'instant', description }));
export const paidQuery = {
  paidFrom: instantText('Only what was paid at this instant or later, also late: the newest `paidAt` first.'),
  paidTo: instantText('Only what was paid before this instant; the newest `paidAt` first.'),
};
export const succeededQuery = {
  succeededFrom: instantText('Only refunds that succeeded at this instant or later, the newest first.'),
  succeededTo: instantText('Only refunds that succeeded before this instant, the newest first.'),
};

export const listQuerySchema = Type.Object(listQuery);
export type Listing = Static<typeof listQuerySchema>;

export interface Page {
  readonly page: number;
  readonly limit: number;
}

/** The requested page; a refusal when it is too deep. */
export function pageOf(
  { page = 1, limit = limitUsual }: Listing,
  deepMax: number = entriesDeepMax,
): Page | Refused {
  return page * limit > deepMax ? refused('page_too_deep') : { page, limit };
}

export const isPage = (page: Page | Refused): page is Page => 'page' in page;

export type Filters = Pick<ListQuery, 'equals' | 'anyOf' | 'range' | 'tags' | 'tagPrefix'>;

/** The one way in which doors query a list: an absent filter is not applied, and the scope is never
 *  omitted; null is for the operator only. */
export function queryOf(
  kind: string,
  scope: Scope | null,
  page: Page,
  listing: Listing,
  filters: Filters = {},
): ListQuery {
  const created = span('created', instantOf(listing.createdFrom), instantOf(listing.createdTo));
  return { kind, scope, ...filters, range: [...(filters.range ?? []), ...created], ...page, inTurn: true };
}

const instantOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : checkedInstant(text);

/** A range with only the bounds that were given; none when there are none. */
export function span(
  field: string,
  from: number | undefined,
  to: number | undefined,
): NonNullable<ListQuery['range']> {
  if (from === undefined && to === undefined) return [];
  return [{ field, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}

/** Only the filters that were given. */
export function given<Value extends string | number | boolean>(fields: {
  readonly [field: string]: Value | undefined;
}): { readonly [field: string]: Value } {
  const kept: { [field: string]: Value } = {};
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) kept[field] = value;
  return kept;
}

/** Answers the requested page, each item converted by `shown`; a refusal when the page is too deep. */
export async function answerPage<Item, Value extends object>(
  listing: Listing,
  find: (page: Page) => Promise<Listed<Item>>,
  shown: (item: Item) => Value,
): Promise<Answer<Paged<Value>>> {
  const page = pageOf(listing);
  if (!isPage(page)) return page;
  const { items, total } = await find(page);
  return listed(items.map(shown), total, page);
}

/** The list envelope. */
export interface Paged<Item> extends Page {
  readonly data: readonly Item[];
  readonly total: number;
}

export const listed = <Item extends object>(
  items: readonly Item[],
  total: number,
  { page, limit }: Page,
): Answer<Paged<Item>> => done({ data: items, total, page, limit });
