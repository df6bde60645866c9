/** How the project uses each provider: `settings/providers`. */
import { route, type Entry } from '../../route.ts';

export const providersRoute = route('settings/providers');

export const providersEntry: Entry = {
  word: 'Providers',
  group: 'settings',
  link: providersRoute.at({}),
};
