/** The dashboard's own answers about payments: one of them as under /v1, with the description of its session and what
 *  its provider's app calls it (nothing else shows these two ids); and the descriptions of sessions, for rows of buyers
 *  without a name. */
import { checkoutSessionAt } from '../../../actors/checkout-session/commands.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { paymentOf } from '../../../actors/checkout-session/steps.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import { done, notFound } from '../../http/route/answer.ts';
import { ownRoute } from '../../http/route/spec.ts';
import { viewAs } from '../../http/route/description.ts';
import { payment } from '../../http/schemas/payment.ts';
import { paymentIn } from '../../http/routes/payments.ts';
import { idsIn, idsQuery } from './ids.ts';

export const paymentRoute = ({ client }: Pick<ApiParts, 'client'>) =>
  ownRoute({
    method: 'GET',
    at: { dashboard: 'payments/{id}' },
    does:
      'as under `/v1`, and `description`, that of its checkout session, and `walletAIntent`: ' +
      "`{bookingId, correlationId}`, what the provider's app calls the payment; null where it was " +
      'never booked there',
    object: 'payment',
    reply: 200,
    async handle({ caller, params }) {
      const row = await paymentIn(client, params.id, caller.scope);
      if (row === null) return notFound;
      const found = await client.read<SessionState>(checkoutSessionAt(row.owner.id), caller.scope);
      const booking = found === null ? undefined : paymentOf(found.state, row.id)?.booking;
      return done({
        ...viewAs(payment, row.body),
        description: found?.state.order.description ?? null,
        walletAIntent: booking === undefined ? null : { ...booking },
      });
    },
  });

/** A session without a description, or that is not found, is left out. */
export const descriptionsRoute = ({ client }: Pick<ApiParts, 'client'>) =>
  ownRoute({
    method: 'GET',
    at: { dashboard: 'descriptions' },
    does:
      '`?ids=cs_...,cs_...` (at most 100): `{data: [{id, description}]}`, the descriptions of ' +
      'these checkout sessions; those without one are left out',
    reply: 200,
    query: idsQuery,
    async handle({ caller: { scope }, query }) {
      const ids = idsIn(query.ids, 'cs');
      const found = await Promise.all(
        ids.map(async (id) => client.read<SessionState>(checkoutSessionAt(id), scope)),
      );
      const data = found.flatMap((each, at) => {
        const description = each?.state.order.description ?? null;
        return description === null ? [] : [{ id: ids[at] ?? '', description }];
      });
      return done({ data });
    },
  });
