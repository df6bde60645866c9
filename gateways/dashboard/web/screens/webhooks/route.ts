/** The list of endpoints: `webhooks`. */
import { route, type Entry } from '../../route.ts';

export const webhooksRoute = route('webhooks');

export const webhooksEntry: Entry = { word: 'Webhooks', group: 'shop', link: webhooksRoute.at({}) };
