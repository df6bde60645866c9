/** The current location: the page's address as a place and a path within it, and routes that parse and
 *  build that path. Pure.
 *  1. Project and mode are part of every address: a link shows the same to everyone who may see it.
 *  2. `read` and `at` of a route are inverse to each other, as are `whereOf` and `addressOf`. */
import type { Attention } from './wire/review-api.ts';
import type { Mode, Place } from './wire/types.ts';

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
  | { readonly is: 'nowhere' }
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
  if (!/^prj_[0-9a-z]+$/.test(projectId) || !isMode(mode)) return { is: 'nowhere' };
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
export function route<Path extends string>(path: Path): Route<Ids<Path>> {
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
      return { below: path.replace(name, (_whole, each: string) => String(texts.get(each))) };
    },
  };
}

/** The format of filters in an address. */
export interface FilterText<Filters> {
  readonly read: (query: URLSearchParams) => Filters;
  /** Empty: no filter. */
  readonly write: (filters: Filters) => string;
}

/** A route whose query filters a list. */
export function listRoute<Path extends string, Filters>(
  path: Path,
  { read, write }: FilterText<Filters>,
): Route<Ids<Path> & { readonly filters: Filters }> {
  const bare = route(path);
  return {
    isList: true,
    read: (below) => {
      const ids = bare.read(below);
      return ids === null ? null : Object.assign(ids, { filters: read(below.query) });
    },
    at: (params) => {
      const { below } = bare.at(params);
      const query = write(params.filters);
      return { below: query === '' ? below : `${below}?${query}` };
    },
  };
}

/** The same route among the operator's addresses. */
export const ofOperator = <Params>({ isList, read, at }: Route<Params>): Route<Params> => ({
  isList,
  read,
  at: (params) => ({ ...at(params), isOperators: true }),
});
