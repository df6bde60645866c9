/** GET /sim/thanks: the page an example's buyer returns to. Anyone with a session's id may see it, as at
 *  `/pay/{id}`.
 *  1. Nothing of a live session is shown.
 *  2. The claim in the address is only compared with the session's state. */
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { projectOf, isLive } from '../../src/runtime/model/address.ts';
import { needsReview } from '../../actors/checkout-session/view.ts';
import { readerOf } from '../buyer/device.ts';
import { pageModelOf, labelOf, pageOrderOf, type PageModel } from '../buyer/page-model.ts';
import { lone, withLogo } from '../buyer/replies.ts';
import type { EndedPayment } from '../pages/hosted/ended.ts';
import { nobodysThanksPage, thanksPage } from '../pages/front/thanks.ts';
import { addressOf } from './docs.ts';
import type { FrontParts } from './parts.ts';
import { offerOf } from './test-payment.ts';

const webhookGuide = 'docs/guides/webhooks.md';
/** A longer text is not a status. */
const claimedCharactersMax = 20;

export async function thanksDoor(parts: FrontParts, request: DoorRequest): Promise<DoorReply> {
  const reader = readerOf(request);
  const { locale } = reader;
  const query = new URLSearchParams(request.rawQuery);
  const testPayment = offerOf(parts, request);
  const named = query.get('session_id');
  if (named === null) return lone(200, nobodysThanksPage(locale));
  const model = await pageModelOf(parts, named, reader);
  if (model === null || isLive(model.scope)) return lone(404, nobodysThanksPage(locale));
  const payment = lastOf(model);
  return withLogo(
    200,
    thanksPage({
      locale,
      sheet: pageOrderOf(model),
      sessionId: model.id,
      status: model.session.status,
      needsReview: needsReview(model.session),
      claimed: (query.get('status') ?? '').slice(0, claimedCharactersMax),
      payment,
      dashboard: dashboardOf(model, payment, testPayment !== null),
      service: parts.baseUrl,
      webhookGuide: parts.docs?.has(webhookGuide) === true ? addressOf(webhookGuide) : null,
      testPayment,
    }),
  );
}

/** The payment that succeeded, or the last attempt. */
function lastOf(model: PageModel): EndedPayment | null {
  const { session } = model;
  const paying = session.status === 'success' ? session.paidBy : null;
  const last = session.payments.find(({ id }) => id === paying) ?? session.payments.at(-1);
  return last === undefined ? null : { ...last, label: labelOf(model, last.provider) };
}

/** A project's name is shown only to the person at this machine. */
const dashboardOf = ({ scope }: PageModel, payment: EndedPayment | null, isOwnMachine: boolean): string =>
  isOwnMachine && payment !== null
    ? `/dashboard/${projectOf(scope)}/sandbox/payments/${payment.id}`
    : '/dashboard';
