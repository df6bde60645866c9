/** POST /callback/{provider}/{paymentId} and /callback/{provider}: a call of a provider's server.
 *  1. What it says is a hint: it makes the session look the payment up, and nothing more. A session whose owner
 *     does not answer for 2 s finds it in its mailbox later.
 *  2. It is answered 200 only once the session or its mailbox has it; a provider repeats any other answer.
 *  3. Repeating it changes nothing.
 *  4. An address that calls far more often than any provider is refused before anything is read. */
import { checkoutSessionAt, type SessionCommands } from '../../actors/checkout-session/commands.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import type { Provider } from '../../src/providers/answers.ts';
import { refusalReply } from '../http/access/gate.ts';
import { limitHeaders } from '../http/access/rate-limit.ts';
import { noSuch } from '../http/route/answer.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { errorReply, jsonReply } from '../http/route/reply.ts';
import { excessOf } from '../http/route/request.ts';
import type { BuyerParts } from './parts.ts';

/** More than ten times what any provider sends. */
export const callbackBytesMax = 8 * 1024;

const received = JSON.stringify({ received: true });

export async function callbackDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const { requestId, params } = request;
  const verdict = parts.limitCallbacks(request.ip);
  if (verdict?.allowed === false)
    return errorReply('rate_limit_exceeded', requestId, {}, limitHeaders(verdict));
  // before its provider reads it: nobody is known to have sent it yet
  const excess = excessOf(request.body);
  if (excess !== null) return refusalReply(excess, requestId);
  const { provider = '' } = params;
  const body = request.body.toString('utf8');
  const paymentId = params['paymentId'] ?? parts.paymentOfCallback(provider, body) ?? '';
  const row = couldBeId('pay', paymentId) ? await parts.client.readRow('payment', paymentId, null) : null;
  if (row === null || row.body['provider'] !== provider)
    return errorReply('resource_not_found', requestId, { message: noSuch('payment', paymentId, null) });
  // a payment's provider is one that we support
  const claim = await parts.parseCallback(row.scope, provider as Provider, {
    paymentId,
    body,
    header: (name) => request.header(name),
  });
  if (claim === null) return errorReply('callback_signature_invalid', requestId);
  const { hint: says, ...rest } = claim;
  const hint: SessionCommands['hint'] = { paymentId, from: 'callback', says, ...rest };
  const to = checkoutSessionAt(row.owner.id);
  const fate = await parts.client.hint(to, 'hint', hint, { by: 'provider', scope: null });
  if (fate !== 'lost') return jsonReply(200, received);
  parts.log.warn({ session: row.owner.id }, 'a callback could not be delivered to its session');
  return errorReply('service_unavailable', requestId);
}
