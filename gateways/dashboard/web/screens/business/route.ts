/** The merchant's name, shop, logo and plan: `settings/business`. */
import { route, type Entry } from '../../route.ts';

export const businessRoute = route('settings/business');

export const businessEntry: Entry = { word: 'Business', group: 'settings', link: businessRoute.at({}) };
