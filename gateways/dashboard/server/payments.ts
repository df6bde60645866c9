/** The dashboard's own answer to one payment: as under /v1, and what its provider's app calls it. Nothing else shows
 *  these two ids. */
import { checkoutSessionAt } from '../../../actors/checkout-session/commands.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { paymentOf } from '../../../actors/checkout-session/steps.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import { done, notFound } from '../../http/route/answer.ts';
import type { MakeBareRoute } from '../../http/route/route.ts';
import { paymentIn } from '../../http/routes/payments.ts';
import type { Door } from '../../server/door.ts';
import { apiBase } from './api-base.ts';

export const paymentDoor = (make: MakeBareRoute, { client }: Pick<ApiParts, 'client'>): Door =>
  make({
    method: 'GET',
    path: `${apiBase}/payments/{id}`,
    key: 'secret',
    object: 'payment',
    reply: 200,
    async handle({ caller, params }) {
      const row = await paymentIn(client, params['id'] ?? '', caller.scope);
      if (row === null) return notFound;
      const found = await client.read<SessionState>(checkoutSessionAt(row.owner.id), caller.scope);
      const booking = found === null ? undefined : paymentOf(found.state, row.id)?.booking;
      return done({ ...row.body, walletAIntent: booking === undefined ? null : { ...booking } });
    },
  });
