/** GET /pay/{sessionId}/app: the way from a phone's page to the wallet's app. Read-only.
 *  1. A link that no longer leads to the app is answered 204: the browser stays on the page, which goes on to
 *     the web by itself. */
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { runningOf } from '../../actors/checkout-session/steps.ts';
import { readerOf } from './device.ts';
import { appLinkOf, pageModelOf } from './page-model.ts';
import type { BuyerParts } from './parts.ts';
import { seeOther } from './replies.ts';

const stay: DoorReply = { status: 204, body: null };

export async function appDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const [reader, userAgent] = [readerOf(request), request.header('user-agent')];
  if (parts.limitReturns(request.ip)?.allowed === false) return stay;
  const model = await pageModelOf(parts, request.params['sessionId'] ?? '', reader);
  if (model?.session.status !== 'initiated' || model.shop.suspended !== null) return stay;
  const link = appLinkOf(model);
  if (link === null) return stay;
  const { provider } = runningOf(model.session);
  return (await parts.leadsToApp(model.scope, provider, link, userAgent)) ? seeOther(link) : stay;
}
