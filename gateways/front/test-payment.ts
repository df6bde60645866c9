/** POST /sim/test-payment: one click creates a checkout of the demo merchant and opens its payment page. It
 *  requires no key, so it is only for the person at this machine:
 *  1. It is offered where the demo merchant exists (embedded, simulator on) and where HOST and BASE_URL are
 *     this machine itself; elsewhere the button is not shown and the address answers 404.
 *  2. The request must name this machine as its host: a foreign name that resolves to it (DNS rebinding) is
 *     refused.
 *  3. The form carries a token that only our own page contains, and a request that the browser marks as
 *     coming from another site is refused.
 *  4. It counts against the form limit of its address, and the checkout against the creation limit of its
 *     project. */
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { isLoopback } from '../../src/kernel/loopback.ts';
import { formTokenOf, isFormToken } from '../buyer/form-token.ts';
import { localeOf } from '../buyer/language.ts';
import { lone, seeOther, tooMany } from '../buyer/replies.ts';
import { notFoundPage } from '../pages/hosted/trouble.ts';
import { testOrder, thanksPath } from '../pages/front/places.ts';
import { noTestPaymentPage } from '../pages/front/start.ts';
import type { FrontParts } from './parts.ts';

/** The input of the token: no session has this id. */
const formName = 'test payment';

/** The data that the page's form needs; null: not offered to this request. */
export const offerOf = (
  { makeTestPayment, formKey }: FrontParts,
  request: DoorRequest,
): { readonly token: string } | null =>
  makeTestPayment === null || !isAskedHere(request) ? null : { token: formTokenOf(formKey, formName) };

export async function testPaymentDoor(parts: FrontParts, request: DoorRequest): Promise<DoorReply> {
  const { makeTestPayment, formKey, baseUrl, log } = parts;
  const locale = localeOf(request);
  if (makeTestPayment === null || !isAskedHere(request)) return lone(404, notFoundPage(locale));
  const verdict = parts.limitForms(request.ip);
  if (verdict?.allowed === false) return tooMany(verdict, locale);
  const token = new URLSearchParams(request.body.toString('utf8')).get('token');
  if (isForeign(request) || !isFormToken(formKey, formName, token)) {
    return lone(
      403,
      noTestPaymentPage('The form is out of date. Open the start page and press its button there.'),
    );
  }
  try {
    const id = await makeTestPayment({ ...testOrder, returnUrl: `${baseUrl}${thanksPath}` });
    // a path, so that the browser keeps the host it has opened: localhost, 127.0.0.1 or a forwarded port
    return seeOther(`/pay/${id}`);
  } catch (err) {
    log.warn({ err }, 'a test payment could not be created');
    return lone(503, noTestPaymentPage('The API rejected it. The log of the service shows the reason.'), {
      'Retry-After': '1',
    });
  }
}

const isAskedHere = (request: DoorRequest): boolean =>
  isLoopback(request.header('host').replace(/:\d*$/, ''));

const isForeign = (request: DoorRequest): boolean =>
  !['', 'none', 'same-origin'].includes(request.header('sec-fetch-site'));
