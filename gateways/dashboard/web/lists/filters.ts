/** The filters of the lists: as text in the page's address, and as a query of the API. A list declares what each of
 *  its filters accepts; addresses, controls and queries follow from that. Pure.
 *  1. What is not accepted does not filter.
 *  2. `read` and `write` are inverse to each other; empty filters and the first page are not written. */

export const rowsPerPage = 25;
const pageMax = 400;

/** The value that a text in an address stands for; '' does not filter. */
export type Filter<Value extends string> = (text: string) => Value | '';

/** `after`: where a list without pages goes on. */
export interface Paged {
  readonly page: number;
  readonly after?: string;
}

/** Filters by name, empty where nothing is filtered. */
export type FiltersOf<Accepted> = {
  readonly [Name in keyof Accepted]: Accepted[Name] extends Filter<infer Value> ? Value | '' : never;
} & Paged;

export type Filters = Readonly<Record<string, string | number>> & Paged;

/** Some of a list's filters; the others are empty, and without a page it is the first. */
export type SomeFilters<Accepted> = Partial<FiltersOf<Accepted>>;

export interface FilterText<Accepted> {
  /** Everything, from the first page. */
  readonly none: FiltersOf<Accepted>;
  readonly read: (query: URLSearchParams) => FiltersOf<Accepted>;
  readonly write: (filters: SomeFilters<Accepted>) => string;
}

export function filterText<Accepted extends Readonly<Record<string, Filter<string>>>>(
  accepted: Accepted,
): FilterText<Accepted> {
  const names = Object.keys(accepted);
  const filled = (textOf: (name: string) => string, page: number): FiltersOf<Accepted> =>
    Object.fromEntries([
      ...names.map((name) => [name, accepted[name]?.(textOf(name)) ?? '']),
      ['page', page],
    ]) as FiltersOf<Accepted>;
  return {
    none: filled(() => '', 1),
    read: (query) => filled((name) => (query.get(name) ?? '').trim(), pageFrom(query)),
    write: (filters) => {
      const query = new URLSearchParams();
      const texts = textsOf({ ...filters });
      for (const name of names) if (texts.has(name)) query.set(name, texts.get(name) ?? '');
      const { page = 1 } = filters;
      if (page > 1) query.set('page', String(page));
      return query.toString();
    },
  };
}

const textsOf = (filters: { readonly [name: string]: unknown }): ReadonlyMap<string, string> =>
  new Map(
    Object.entries<unknown>(filters).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  );

/** For the API: the filters by their names. */
export function queryOf<Of extends Paged>({ page, ...filters }: Of): URLSearchParams {
  const query = new URLSearchParams({ page: String(page), limit: String(rowsPerPage) });
  for (const [name, text] of textsOf(filters)) query.set(name, text);
  return query;
}

export const isFiltered = (filters: Paged): boolean => textsOf({ ...filters }).size > 0;

/** Everything, from the first page. */
export const isUnfiltered = (filters: Paged): boolean => filters.page === 1 && !isFiltered(filters);

/** The same filters at the first page. */
export const atStart = <Of extends Paged>(filters: Of): Of => ({
  ...filters,
  page: 1,
  ...('after' in filters ? { after: '' } : {}),
});

export const emptied = <Of extends Paged>(filters: Of): Of =>
  Object.fromEntries(Object.keys(filters).map((name) => [name, name === 'page' ? 1 : ''])) as unknown as Of;

function pageFrom(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? '');
  return Number.isInteger(page) && page >= 1 ? Math.min(page, pageMax) : 1;
}

export const oneOf =
  <Value extends string>(...values: readonly Value[]): Filter<Value> =>
  (text) =>
    values.find((value) => value === text) ?? '';
/** A code that a table of words has a row for. The tables' keys are the API's own codes, by their types. */
export const keyOf = <Value extends string>(table: Readonly<Record<Value, unknown>>): Filter<Value> =>
  oneOf(...(Object.keys(table) as Value[]));
export const idOf = (prefix: string): Filter<string> => like(new RegExp(`^${prefix}_[0-9a-z]{1,61}$`));
export const like =
  (shape: RegExp): Filter<string> =>
  (text) =>
    shape.test(text) ? text : '';
/** Any text; of a longer one the beginning. */
export const upTo =
  (charactersMax: number): Filter<string> =>
  (text) =>
    text.slice(0, charactersMax);
