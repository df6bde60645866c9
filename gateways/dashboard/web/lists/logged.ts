/** The filters of events and of logged requests: as text in the page's address, and as a query of the API. One
 *  field finds both: what is typed says what it is. Pure. */
import type { FilterText } from '../route.ts';
import { pageFrom, rowsPerPage } from './filters.ts';

export interface EventFilters {
  /** Empty: all. */
  readonly type: string;
  /** The id of what the event is about; empty: all. */
  readonly object: string;
  readonly page: number;
}

export const allEvents: EventFilters = { type: '', object: '', page: 1 };

export const eventFilterText: FilterText<EventFilters> = {
  read: (query) => ({
    type: query.get('type') ?? '',
    object: query.get('object') ?? '',
    page: pageFrom(query),
  }),
  write: ({ type, object, page }) => textOf({ type, object, page: page > 1 ? String(page) : '' }).toString(),
};

export const eventQuery = ({ type, object, page }: EventFilters): URLSearchParams =>
  textOf({ page: String(page), limit: String(rowsPerPage), type, objectId: object });

/** What a search for events means: the page of one event, a type, or an object. */
export function eventsNamedBy(found: string): { readonly event: string } | Partial<EventFilters> {
  if (found.startsWith('evt_')) return { event: found };
  return /^[a-z_]+\.[a-z_]+$/.test(found) ? { type: found, object: '' } : { object: found, type: '' };
}

export interface RequestFilters {
  readonly id: string;
  readonly key: string;
  readonly path: string;
  /** Three digits, or empty. */
  readonly status: string;
  /** Where the list goes on; empty: at the newest. */
  readonly after: string;
}

export const allRequests: RequestFilters = { id: '', key: '', path: '', status: '', after: '' };

export const requestFilterText: FilterText<RequestFilters> = {
  read: (query) => {
    const status = query.get('status') ?? '';
    return {
      id: query.get('id') ?? '',
      key: query.get('key') ?? '',
      path: query.get('path') ?? '',
      status: /^[1-5]\d\d$/.test(status) ? status : '',
      after: query.get('after') ?? '',
    };
  },
  write: (filters) => textOf({ ...filters }).toString(),
};

export const requestQuery = (filters: RequestFilters): URLSearchParams =>
  textOf({ ...filters, limit: String(rowsPerPage) });

/** What a search for requests means: a request id, the id of a key, a status, or a part of the path. */
export function requestsNamedBy(found: string): Partial<RequestFilters> {
  const none = { id: '', key: '', path: '', after: '' };
  if (found.startsWith('req_')) return { ...none, id: found };
  if (found.startsWith('key_')) return { ...none, key: found };
  return /^[1-5]\d\d$/.test(found) ? { ...none, status: found } : { ...none, path: found };
}

/** What the search field shows. */
export const requestsFoundBy = ({ id, key, path }: RequestFilters): string => id + key + path;

const textOf = (fields: { readonly [name: string]: string }): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ''));
