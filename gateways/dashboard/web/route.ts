/** The current location: the page's address as a place and a path within it, and routes that parse and
 *  build that path. Pure.
 *  1. Project and mode are part of every address: a link shows the same to everyone who may see it.
 *  2. `read` and `at` of a route are inverse to each other, as are `whereOf` and `addressOf`. */
import { filterText, type Filter, type FiltersOf, type SomeFilters } from './lists/filters.ts';
import type { Attention, Me, Mode, Place } from './wire/types.ts';

/** The part of an address after project and mode, or after `operator`: `payments/pay_4t8z1m6q3x9k2v7b`. */
export interface Below {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** An address within any place, or among the operator's. */
export interface Link {
  readonly below: string;
  readonly isOperators?: true;
}

export interface Route<Params> {
  /** Whether going back restores it as it was left. */
  readonly isList: boolean;
  /** null: the address belongs to another route. */
  readonly read: (below: Below) => Params | null;
  readonly at: (params: Params) => Link;
}

/** The groups of the bar's entries, with the names shown above them; the first one needs none. The order of the
 *  bar is that of the screens (screens/list.ts). */
export const entryGroups = {
  shop: null,
  developers: 'Developers',
  settings: 'Settings',
  operator: 'Operator',
} as const;
export type EntryGroup = keyof typeof entryGroups;

/** An entry of the bar. */
export interface Entry {
  readonly word: string;
  readonly group: EntryGroup;
  readonly link: Link;
  /** How many of it wait for a person, shown beside it. */
  readonly counts?: keyof Attention;
}

export type Where =
  /** No place is named. */
  | { readonly is: 'home' }
  /** Not a valid place. */
  | { readonly is: 'not_found' }
  /** Of the whole service, in no project. */
  | { readonly is: 'operator'; readonly below: Below }
  | { readonly is: 'place'; readonly place: Place; readonly below: Below };

export const home = '/dashboard';
const operatorPart = 'operator';

const isMode = (text: string): text is Mode => text === 'sandbox' || text === 'live';

/** `search`: with or without its question mark. */
export function whereOf(path: string, search: string): Where {
  const [, , projectId = '', mode = '', ...rest] = path.replace(/\/+$/, '').split('/');
  const query = new URLSearchParams(search);
  if (projectId === '') return { is: 'home' };
  if (projectId === operatorPart)
    return { is: 'operator', below: { path: [mode, ...rest].join('/'), query } };
  if (!/^prj_[0-9a-z]+$/.test(projectId) || !isMode(mode)) return { is: 'not_found' };
  return { is: 'place', place: { projectId, mode }, below: { path: rest.join('/'), query } };
}

/** `place` null: only for the operator's addresses. */
export function addressOf(place: Place | null, { below, isOperators }: Link): string {
  if (isOperators === true) return `${home}/${operatorPart}/${below}`;
  if (place === null) throw new Error(`${below} is an address of a project`);
  return `${home}/${place.projectId}/${place.mode}/${below}`;
}

/** `payments/{id}`: a text with this name. */
type Ids<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & Ids<Rest>
  : object;

/** Names are written in braces. */
export function route<Path extends string>(
  path: Path,
  group: Pick<Link, 'isOperators'> = {},
): Route<Ids<Path>> {
  const name = /\{(\w+)\}/g;
  const shape = new RegExp(`^${path.replace(name, '(?<$1>[^/]+)')}$`);
  return {
    isList: false,
    read: (below) => {
      const found = shape.exec(below.path);
      return found === null ? null : ({ ...found.groups } as Ids<Path>);
    },
    at: (ids) => {
      const texts = new Map<string, unknown>(Object.entries(ids));
      return { ...group, below: path.replace(name, (_whole, each: string) => String(texts.get(each))) };
    },
  };
}

/** A route whose query filters a list. */
export interface ListRoute<Path extends string, Accepted> extends Pick<
  Route<Ids<Path> & { readonly filters: FiltersOf<Accepted> }>,
  'isList' | 'read'
> {
  readonly none: FiltersOf<Accepted>;
  /** Filters that are not given are empty. */
  readonly at: (params: Ids<Path> & { readonly filters?: SomeFilters<Accepted> }) => Link;
}

export function listRoute<
  Path extends string,
  Accepted extends Readonly<Record<string, Filter<string>>> = Readonly<Record<never, Filter<string>>>,
>(path: Path, accepted: Accepted, group: Pick<Link, 'isOperators'> = {}): ListRoute<Path, Accepted> {
  const bare = route(path, group);
  const { none, read, write } = filterText(accepted);
  return {
    isList: true,
    none,
    read: (below) => {
      const ids = bare.read(below);
      return ids === null ? null : Object.assign(ids, { filters: read(below.query) });
    },
    at: (params) => {
      const link = bare.at(params);
      const query = write(params.filters ?? {});
      return query === '' ? link : { ...link, below: `${link.below}?${query}` };
    },
  };
}

/** The places that a login may open. The API enforces this; here it only avoids showing refusals. */
type Opens = Pick<Me, 'role' | 'projects'>;

/** Maximum number of projects listed: a shorter list is known to be complete. */
export const projectsListedMax = 100;

const isListed = ({ projects }: Opens, { projectId }: Place): boolean =>
  projects.some(({ id }) => id === projectId);

/** An operator may open every project, also one too old to be listed. */
export const mayOpen = (me: Opens, place: Place): boolean => me.role === 'operator' || isListed(me, place);

/** The last place used, else the sandbox of the project listed first; null for a user without a project. A
 *  place missing from a complete list no longer exists, for example because its data folder was deleted. */
export function usualPlace(me: Opens, last: Place | null): Place | null {
  const mayBeUnlisted = me.role === 'operator' && me.projects.length >= projectsListedMax;
  if (last !== null && (mayBeUnlisted || isListed(me, last))) return last;
  const [first] = me.projects;
  return first === undefined ? null : { projectId: first.id, mode: 'sandbox' };
}
