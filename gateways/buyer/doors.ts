/** Every door that a buyer or a provider's server calls: one line each. */
import type { Door, DoorReply, DoorRequest } from '../server/door.ts';
import { callbackBytesMax, callbackDoor } from './callback.ts';
import { codeDoor } from './code.ts';
import { readerHeaders, readerOf } from './device.ts';
import { cancelDoor, startDoor } from './forms.ts';
import { invoiceDoor, invoiceFormDoor } from './invoice.ts';
import { linkPngDoor, linkSvgDoor } from './link-code.ts';
import { linkDoor, linkFormDoor } from './link.ts';
import type { BuyerParts } from './parts.ts';
import { payDoor, statusDoor } from './pay.ts';
import { inLanguages } from './language.ts';
import { errorPage, seeOther } from './replies.ts';
import { statusPath } from '../pages/hosted/status.ts';
import { publicStatusDoor } from './status.ts';
import { registeredReturnDoor, returnDoor } from './returned.ts';
import { runningOf } from '../../actors/checkout-session/steps.ts';
import { appLinkOf, pageModelOf } from './page-model.ts';

const returnPath = '/return/{provider}/{paymentId}/{leg}/{outcome}';
type Handle = (parts: BuyerParts, request: DoorRequest) => Promise<DoorReply>;

export const buyerDoors = (parts: BuyerParts): readonly Door[] => {
  const door = (method: Door['method'], path: string, handle: Handle): Door => ({
    method,
    path,
    lateHeaders: [],
    handle: (request) => handle(parts, request),
  });
  const pageDoor = (method: Door['method'], path: string, handle: Handle): Door =>
    inLanguages({ ...door(method, path, handle), lateHeaders: readerHeaders, errorPage });
  // some providers sign in a header
  const callback = (path: string): Door => ({
    ...door('POST', path, callbackDoor),
    bodyBytesMax: callbackBytesMax,
    lateHeaders: ['signature'],
  });
  return [
    pageDoor('GET', '/pay/{sessionId}', payDoor),
    door('GET', '/pay/{sessionId}/status', statusDoor),
    pageDoor('GET', '/pay/{sessionId}/code.png', codeDoor),
    pageDoor('GET', '/pay/{sessionId}/app', appDoor),
    pageDoor('POST', '/pay/{sessionId}/start', startDoor),
    pageDoor('POST', '/pay/{sessionId}/cancel', cancelDoor),
    pageDoor('GET', '/link/{referenceId}', linkDoor),
    pageDoor('POST', '/link/{referenceId}', linkFormDoor),
    pageDoor('GET', '/link/{referenceId}/qr.png', linkPngDoor),
    pageDoor('GET', '/link/{referenceId}/qr.svg', linkSvgDoor),
    pageDoor('GET', '/invoice/{invoiceId}', invoiceDoor),
    pageDoor('POST', '/invoice/{invoiceId}', invoiceFormDoor),
    pageDoor('GET', returnPath, returnDoor),
    pageDoor('POST', returnPath, returnDoor),
    pageDoor('GET', '/return/{provider}/success', registeredReturnDoor('success')),
    pageDoor('GET', '/return/{provider}/failure', registeredReturnDoor('failure')),
    pageDoor('GET', statusPath, publicStatusDoor),
    callback('/callback/{provider}/{paymentId}'),
    callback('/callback/{provider}'),
  ];
};

const stay: DoorReply = { status: 204, body: null };

/** GET /pay/{sessionId}/app: the way from a phone's page to the wallet's app. Read-only.
 *  1. A link that no longer leads to the app is answered 204: the browser stays on the page, which goes on to
 *     the web by itself. */
async function appDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const [reader, userAgent] = [readerOf(request), request.header('user-agent')];
  if (parts.limitReturns(request.ip)?.allowed === false) return stay;
  const model = await pageModelOf(parts, request.params['sessionId'] ?? '', reader);
  if (model?.session.status !== 'initiated' || model.shop.suspended !== null) return stay;
  const link = appLinkOf(model);
  if (link === null) return stay;
  const { provider } = runningOf(model.session);
  return (await parts.leadsToApp(model.scope, provider, link, userAgent)) ? seeOther(link) : stay;
}
