/** Every door a buyer or a provider's server opens (decisions 7, "Doors"): one line each. */
import type { Door } from '../http/door.ts';
import { callbackDoor } from './callback.ts';
import { cancelDoor, startDoor } from './forms.ts';
import type { BuyerParts } from './parts.ts';
import { payDoor, statusDoor } from './pay.ts';
import { returnDoor } from './returned.ts';

const returnPath = '/return/{provider}/{paymentId}/{leg}/{outcome}';
/** None of these doors looks at a header. */
const noHeaders = { lateHeaders: [] } as const;

export const buyerDoors = (parts: BuyerParts): readonly Door[] => [
  { ...noHeaders, method: 'GET', path: '/pay/{sessionId}', handle: (request) => payDoor(parts, request) },
  { ...noHeaders, method: 'GET', path: '/pay/{sessionId}/status', handle: (request) => statusDoor(parts, request) },
  { ...noHeaders, method: 'POST', path: '/pay/{sessionId}/start', handle: (request) => startDoor(parts, request) },
  { ...noHeaders, method: 'POST', path: '/pay/{sessionId}/cancel', handle: (request) => cancelDoor(parts, request) },
  { ...noHeaders, method: 'GET', path: returnPath, handle: (request) => returnDoor(parts, request) },
  { ...noHeaders, method: 'POST', path: returnPath, handle: (request) => returnDoor(parts, request) },
  { ...noHeaders, method: 'POST', path: '/callback/{provider}/{paymentId}', handle: (request) => callbackDoor(parts, request) },
];
