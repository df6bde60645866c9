/** The list of API keys: `settings/keys?page=2`. */
import { pageFrom } from '../../lists/filters.ts';
import { listRoute, type Entry } from '../../route.ts';

export const keysRoute = listRoute('settings/keys', {
  read: (query) => pageFrom(query),
  write: (page) => (page > 1 ? `page=${page}` : ''),
});

export const keysEntry: Entry = { word: 'API keys', group: 'settings', link: keysRoute.at({ filters: 1 }) };
