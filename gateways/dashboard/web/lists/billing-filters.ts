/** The filters of the lists of billing: as text in the page's address, and as a query of the API. Pure. */
import type { FilterText } from '../route.ts';
import { pageFrom, rowsPerPage } from './filters.ts';

/** Filters that are texts; empty: all. */
export type TextFilters<Name extends string> = Readonly<Record<Name, string>> & { readonly page: number };

/** `allowed`: what a filter accepts; anything else does not filter. */
export function textFilters<Name extends string>(
  allowed: Readonly<Record<Name, (text: string) => boolean>>,
): FilterText<TextFilters<Name>> & { readonly none: TextFilters<Name> } {
  const names = Object.keys(allowed) as Name[];
  const filled = (textOf: (name: Name) => string, page: number): TextFilters<Name> => {
    const texts = Object.fromEntries(names.map((name) => [name, textOf(name)]));
    return { ...(texts as Record<Name, string>), page };
  };
  return {
    none: filled(() => '', 1),
    read: (query) =>
      filled((name) => {
        const text = (query.get(name) ?? '').trim();
        return allowed[name](text) ? text : '';
      }, pageFrom(query)),
    write: (filters) => written(names, filters, new URLSearchParams()).toString(),
  };
}

/** For the API. */
export function textQuery({ page, ...texts }: { readonly page: number }): URLSearchParams {
  const query = new URLSearchParams({ page: String(page), limit: String(rowsPerPage) });
  for (const [name, text] of Object.entries<unknown>(texts))
    if (typeof text === 'string' && text !== '') query.set(name, text);
  return query;
}

function written<Name extends string>(
  names: readonly Name[],
  filters: TextFilters<Name>,
  query: URLSearchParams,
): URLSearchParams {
  for (const name of names) if (filters[name] !== '') query.set(name, filters[name]);
  if (filters.page > 1) query.set('page', String(filters.page));
  return query;
}

/** Everything, from the first page. */
export const isUnfilteredBy = ({ page, ...texts }: { readonly page: number }): boolean =>
  page === 1 && Object.values<unknown>(texts).every((text) => text === '');

export const oneOf =
  (...values: readonly string[]) =>
  (text: string): boolean =>
    values.includes(text);
export const idOf =
  (prefix: string) =>
  (text: string): boolean =>
    new RegExp(`^${prefix}_[0-9a-z]{1,61}$`).test(text);
