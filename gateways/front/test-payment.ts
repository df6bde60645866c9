/** POST /sim/test-payment: one click makes a checkout of the demo merchant and opens its payment page.
 *  It asks for no key, so it is there only for the one person in front of this machine:
 *  1. It is offered where the demo merchant is (embedded, simulator on) and where HOST and BASE_URL are this machine
 *     itself; elsewhere the button is not shown and the address answers 404.
 *  2. The request names this machine as its host: a foreign name that resolves to it (DNS rebinding) is refused.
 *  3. The form carries a token only our own page can show, and a browser that says the request comes from another
 *     site is refused.
 *  4. It counts among the forms of its address, and the checkout among the creations of its project. */
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { isLoopback } from '../../src/kernel/loopback.ts';
import { formTokenOf, isFormToken } from '../buyer/form-token.ts';
import { lone, seeOther, tooMany } from '../buyer/replies.ts';
import { nowherePage } from '../pages/hosted/trouble.ts';
import { testOrder, thanksPath } from '../pages/front/places.ts';
import { noTestPaymentPage } from '../pages/front/start.ts';
import type { FrontParts } from './parts.ts';

/** What the token is made of: no session has this id. */
const formName = 'test payment';

/** What the page's form needs; null: it is not offered to this request. */
export const offerOf = (
  { makeTestPayment, formKey }: FrontParts,
  request: DoorRequest,
): { readonly token: string } | null =>
  makeTestPayment === null || !isAskedHere(request) ? null : { token: formTokenOf(formKey, formName) };

export async function testPaymentDoor(parts: FrontParts, request: DoorRequest): Promise<DoorReply> {
  const { makeTestPayment, formKey, baseUrl, log } = parts;
  if (makeTestPayment === null || !isAskedHere(request)) return lone(404, nowherePage());
  const verdict = parts.limitForms(request.ip);
  if (verdict?.allowed === false) return tooMany(verdict);
  const token = new URLSearchParams(request.body.toString('utf8')).get('token');
  if (isForeign(request) || !isFormToken(formKey, formName, token)) {
    return lone(
      403,
      noTestPaymentPage('The form is out of date. Open the start page and press its button there.'),
    );
  }
  try {
    const id = await makeTestPayment({ ...testOrder, returnUrl: `${baseUrl}${thanksPath}` });
    // a path, so that the browser stays at the name it has opened: localhost, 127.0.0.1 or a forwarded port
    return seeOther(`/pay/${id}`);
  } catch (err) {
    log.warn({ err }, 'a test payment could not be made');
    return lone(503, noTestPaymentPage('The API did not take it; the log of the service says why.'), {
      'Retry-After': '1',
    });
  }
}

const isAskedHere = (request: DoorRequest): boolean =>
  isLoopback(request.header('host').replace(/:\d*$/, ''));

const isForeign = (request: DoorRequest): boolean =>
  !['', 'none', 'same-origin'].includes(request.header('sec-fetch-site'));
