/** POST /callback/{provider}/{paymentId}: a callback from a provider's server. No supported provider sends
 *  callbacks yet, so no callback can be verified: an unknown payment is answered 404, any other message
 *  400, as one whose signature does not verify. Neither changes anything. */
import { couldBeId } from '../../src/kernel/id.ts';
import { noSuch } from '../http/route/answer.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { errorReply } from '../http/route/reply.ts';
import type { BuyerParts } from './parts.ts';

export async function callbackDoor({ client }: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const { provider = '', paymentId = '' } = request.params;
  const row = couldBeId('pay', paymentId) ? await client.readRow('payment', paymentId, null) : null;
  return row === null || row.body['provider'] !== provider
    ? errorReply('resource_not_found', request.requestId, { message: noSuch('payment', paymentId, null) })
    : errorReply('callback_signature_invalid', request.requestId);
}
