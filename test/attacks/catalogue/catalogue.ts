/** Every attack, by topic. A new topic is a file here and its line. */
import type { Attack } from '../attack.ts';
import { bodies } from './bodies.ts';
import { headers } from './headers.ts';
import { keys } from './keys.ts';
import { people } from './people.ts';
import { protocol } from './protocol.ts';
import { webhookUrls } from './webhook-urls.ts';

export const catalogue: { readonly [topic: string]: readonly Attack[] } = {
  protocol,
  keys,
  bodies,
  headers,
  'webhook URLs': webhookUrls,
  people,
};

export { fieldAttacks } from './fields.ts';
export { floods } from './floods.ts';
export { slow } from './slow.ts';
export { unread } from './unread.ts';
