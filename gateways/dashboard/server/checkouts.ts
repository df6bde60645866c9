/** The checkouts that a buyer can still pay: those that the day's totals count (http/today.ts). Under /v1 each of their
 *  two states is listed by itself. */
import { Type } from 'typebox';
import type { ApiParts } from '../../http/api-parts.ts';
import { viewAs } from '../../http/route/description.ts';
import { answerPage, pageQuery, queryOf } from '../../http/route/paging.ts';
import { ownRoute } from '../../http/route/spec.ts';
import { checkoutSession } from '../../http/schemas/checkout.ts';
import { openCheckouts } from '../../http/today.ts';

export const openCheckoutsRoute = ({ client }: Pick<ApiParts, 'client'>) =>
  ownRoute({
    method: 'GET',
    at: { dashboard: 'open-checkouts' },
    does:
      'the checkout sessions that can still be paid, in either state, newest first: as many as ' +
      '`openCount` of `today`; `page` and `limit` as under `/v1`',
    reply: 200,
    query: Type.Object(pageQuery),
    handle: ({ caller: { scope }, query }) =>
      answerPage(
        query,
        (page) => client.list(queryOf('checkout_session', scope, page, query, openCheckouts)),
        ({ view }) => viewAs(checkoutSession, view),
      ),
  });
