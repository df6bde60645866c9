/** GET /pay/{sessionId} and its status: read-only. A link preview that opens them starts nothing. */
import { pageStatusOf, shopUrlOf } from '../../actors/checkout-session/page.ts';
import { minutes, seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { noSuch } from '../http/route/answer.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { errorReply, jsonReply } from '../http/route/reply.ts';
import { suspendedPage, unknownPage } from '../pages/hosted/trouble.ts';
import { readerOf } from './device.ts';
import { sessionWithPage } from '../http/page-sessions.ts';
import { appLinkOf, codeOf, pageModelOf, shown, type PageModel } from './page-model.ts';
import type { BuyerParts } from './parts.ts';
import { lone, seeOther, tooManyYet } from './replies.ts';

/** How long after a return the buyer is only asked to wait (after 10 s the page offers to try again). */
const patienceMs: DurationMs = seconds(10);
/** In the address that follows a start on a phone: its page opens the app, once. */
export const opensApp = 'app';
/** An older return does not count: the buyer opened the address again. */
const backMsMax: DurationMs = minutes(30);

export async function payDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const reader = readerOf(request);
  const { locale } = reader;
  const model = await pageModelOf(parts, request.params['sessionId'] ?? '', reader);
  if (model === null) return lone(404, unknownPage(locale));
  const backAt = backAtOf(request.rawQuery, parts.scheduler.now());
  const shopUrl = 'endedAt' in model.session ? shopUrlOf(model.session, model.id) : null;
  if (backAt !== null && shopUrl !== null) return seeOther(shopUrl);
  if (model.shop.suspended !== null) return lone(403, suspendedPage(model.shop, locale));
  // a page with a code is larger than the others, and reloads every 2 s where there is no script
  const verdict = hasCode(model) ? parts.limitCodes(request.ip) : null;
  if (verdict?.allowed === false) return tooManyYet(verdict, locale);
  const query = new URLSearchParams(request.rawQuery);
  if (query.has(opensApp)) return shown(at(model, `/pay/${model.id}`), { opensApp: true });
  const stay = query.has('stay');
  return backAt === null || 'endedAt' in model.session ? shown(model, { stay }) : waitingPage(model, backAt);
}

const hasCode = (model: PageModel): boolean =>
  codeOf(model) !== null || (!model.isPhone && appLinkOf(model) !== null);

/** The same page, whose switch of language leads to this address. */
const at = (model: PageModel, here: string): PageModel => ({ ...model, locale: { ...model.locale, here } });

/** For a buyer who returned at `backAt` (real time) and has no verdict yet. */
export function waitingPage(model: PageModel, backAt: Instant): DoorReply {
  const to = `/pay/${model.id}?back=${backAt}`;
  const patientMs = backAt + patienceMs - model.parts.scheduler.now();
  return shown(at(model, to), { back: { to, patientMs } });
}

/** GET /pay/{sessionId}/status: for the page's script, and for any other client that has the id. */
export async function statusDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const id = request.params['sessionId'] ?? '';
  const found = await sessionWithPage(parts.client, id);
  return found === null
    ? errorReply('resource_not_found', request.requestId, { message: noSuch('checkout session', id, null) })
    : jsonReply(200, JSON.stringify(pageStatusOf(found.state, id)));
}

/** When the buyer returned, from the address of our redirect; null when the buyer did not come through it. */
function backAtOf(rawQuery: string, now: Instant): Instant | null {
  const text = new URLSearchParams(rawQuery).get('back') ?? '';
  const at = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return at <= now && now - at < backMsMax ? at : null;
}
