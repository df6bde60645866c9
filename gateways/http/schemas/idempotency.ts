/** The record of one use of an Idempotency-Key. */
import { shown } from '../route/description.ts';
import { checkoutSession } from './checkout.ts';
import { anyObject, integerOrNull, object, oneOf, orNull, text, textOrNull, time } from './parts.ts';

export const idempotencyRecord = shown(
  object('IdempotencyRecord', 'One use of an `Idempotency-Key`.', {
    key: text('The key, as you sent it.'),
    method: text('The method of the request.'),
    path: text('Its path.'),
    state: oneOf(['running', 'completed'], 'Whether its answer is stored.'),
    statusCode: integerOrNull('The status that was answered. null while it runs.'),
    objectId: textOrNull('The object it created or changed. null while it runs.'),
    response: orNull(
      anyObject('The body of another operation.'),
      'The body that was answered, without its secrets. null while it runs.',
    ),
    createdAt: time('When the first request with the key came.'),
    expiresAt: time('When the key can be used again.'),
  }),
  {
    key: '6f1c2f0e-6b0a-4b57-9a0f-3a5a1d0c9b11',
    method: 'POST',
    path: '/v1/checkout',
    state: 'completed',
    statusCode: 201,
    objectId: checkoutSession.example.id,
    response: checkoutSession.example,
    createdAt: '2026-11-21T15:33:10.857Z',
    expiresAt: '2026-11-22T15:33:10.857Z',
  },
);
