/** The doors for people who evaluate the service: the start page, its test payment, and the page its buyer
 *  returns to. */
import { prefersHtml } from '../server/accept.ts';
import type { Door } from '../server/door.ts';
import { jsonReply } from '../http/route/reply.ts';
import { inLanguages } from '../buyer/language.ts';
import { errorPage, lone } from '../buyer/replies.ts';
import { docsPath, thanksPath, testPaymentPath } from '../pages/front/places.ts';
import { startPage } from '../pages/front/start.ts';
import { docsDoors } from './docs.ts';
import type { FrontParts } from './parts.ts';
import { offerOf, testPaymentDoor } from './test-payment.ts';
import { thanksDoor } from './thanks.ts';
import { viewerDoors } from './viewer.ts';

const places = JSON.stringify({
  service: 'Galla',
  api: '/v1',
  health: '/health',
  live: '/live',
  openapi: '/v1/openapi.json',
  documentation: docsPath,
});
/** Which of the two is served depends on this header. */
const varies = { Vary: 'Accept' };

export const frontDoors = (parts: FrontParts): readonly Door[] => [
  {
    method: 'GET',
    path: '/',
    lateHeaders: [],
    errorPage,
    handle: async (request) =>
      prefersHtml(request.header('accept'))
        ? lone(
            200,
            startPage({
              simulator: parts.simulator,
              testPayment: offerOf(parts, request),
            }),
            varies,
          )
        : jsonReply(200, places, varies),
  },
  ...viewerDoors(parts),
  ...docsDoors(parts.docs),
  ...(parts.simulator ? sandboxDoors(parts) : []),
];

const sandboxDoors = (parts: FrontParts): readonly Door[] => [
  inLanguages({
    method: 'GET',
    path: thanksPath,
    lateHeaders: [],
    errorPage,
    handle: (request) => thanksDoor(parts, request),
  }),
  inLanguages({
    method: 'POST',
    path: testPaymentPath,
    bodyBytesMax: 4096,
    lateHeaders: ['host', 'sec-fetch-site'],
    errorPage,
    handle: (request) => testPaymentDoor(parts, request),
  }),
];
