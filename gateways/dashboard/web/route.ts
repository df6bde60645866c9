/** Where one is: the page's address and what it shows. Pure.
 *  1. Project and mode stand in every address: a link shows the same to everybody who may see it.
 *  2. `whereOf` and `addressOf` undo each other. */
import { addressQuery, filtersFrom, noFilters, type Filters } from './lists/filters.ts';
import type { DeliveryStatus, Mode, Place } from './wire/types.ts';

export type Screen =
  | { readonly name: 'payments'; readonly filters: Filters }
  | { readonly name: 'payment'; readonly id: string }
  | { readonly name: 'webhooks' }
  | { readonly name: 'endpoint'; readonly id: string; readonly filters: DeliveryFilters }
  | { readonly name: 'delivery'; readonly endpointId: string; readonly eventId: string }
  | { readonly name: 'unknown' };

export interface DeliveryFilters {
  readonly status: DeliveryStatus | '';
  readonly page: number;
}

export interface Where {
  /** null: none is named, or none that could be one. */
  readonly place: Place | null;
  readonly screen: Screen;
}

export const home = '/dashboard';
export const paymentsScreen: Screen = { name: 'payments', filters: noFilters };

const deliveryStatuses: ReadonlySet<string> = new Set<DeliveryStatus>([
  'pending',
  'retrying',
  'success',
  'failed',
]);
const isDeliveryStatus = (text: string): text is DeliveryStatus => deliveryStatuses.has(text);
const isMode = (text: string): text is Mode => text === 'sandbox' || text === 'live';

/** `search`: with or without its question mark. */
export function whereOf(path: string, search: string): Where {
  const [, , projectId = '', mode = '', ...rest] = path.replace(/\/+$/, '').split('/');
  if (projectId === '') return { place: null, screen: paymentsScreen };
  if (!/^prj_[0-9a-z]+$/.test(projectId) || !isMode(mode))
    return { place: null, screen: { name: 'unknown' } };
  return { place: { projectId, mode }, screen: screenOf(rest, new URLSearchParams(search)) };
}

function screenOf(parts: readonly string[], query: URLSearchParams): Screen {
  const [section = 'payments', id, events, eventId, ...more] = parts;
  if (more.length > 0 || (events !== undefined && (events !== 'events' || eventId === undefined))) {
    return { name: 'unknown' };
  }
  if (section === 'payments' && events === undefined) {
    return id === undefined ? { name: 'payments', filters: filtersFrom(query) } : { name: 'payment', id };
  }
  if (section !== 'webhooks') return { name: 'unknown' };
  if (id === undefined) return { name: 'webhooks' };
  if (eventId !== undefined) return { name: 'delivery', endpointId: id, eventId };
  return { name: 'endpoint', id, filters: deliveryFiltersFrom(query) };
}

function deliveryFiltersFrom(query: URLSearchParams): DeliveryFilters {
  const status = query.get('status') ?? '';
  const { page } = filtersFrom(query);
  return { status: isDeliveryStatus(status) ? status : '', page };
}

export function addressOf({ projectId, mode }: Place, screen: Screen): string {
  const base = `${home}/${projectId}/${mode}`;
  switch (screen.name) {
    case 'payments':
      return withQuery(`${base}/payments`, addressQuery(screen.filters));
    case 'payment':
      return `${base}/payments/${screen.id}`;
    case 'webhooks':
      return `${base}/webhooks`;
    case 'unknown':
      return `${base}/payments`;
    case 'endpoint': {
      const { status, page } = screen.filters;
      return withQuery(`${base}/webhooks/${screen.id}`, addressQuery({ ...noFilters, status, page }));
    }
    case 'delivery':
      return `${base}/webhooks/${screen.endpointId}/events/${screen.eventId}`;
  }
}

const withQuery = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`);

/** The list one came from. */
export function sectionOf(screen: Screen): 'payments' | 'webhooks' | null {
  if (screen.name === 'unknown') return null;
  return screen.name === 'payments' || screen.name === 'payment' ? 'payments' : 'webhooks';
}
