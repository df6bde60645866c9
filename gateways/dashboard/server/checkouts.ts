/** The checkouts that a buyer can still pay: those that the day's totals count (http/today.ts). Under /v1 each of their
 *  two states is listed by itself. */
import { Type } from 'typebox';
import type { ApiParts } from '../../http/api-parts.ts';
import { answerPage, pageQuery, queryOf } from '../../http/route/paging.ts';
import type { MakeBareRoute } from '../../http/route/route.ts';
import { openCheckouts } from '../../http/today.ts';
import type { Door } from '../../server/door.ts';
import { apiBase } from './api-base.ts';

export const openCheckoutsDoor = (make: MakeBareRoute, { client }: Pick<ApiParts, 'client'>): Door =>
  make({
    method: 'GET',
    path: `${apiBase}/open-checkouts`,
    key: 'secret',
    reply: 200,
    query: Type.Object(pageQuery),
    handle: ({ caller: { scope }, query }) =>
      answerPage(
        query,
        (page) => client.list(queryOf('checkout_session', scope, page, query, openCheckouts)),
        ({ view }) => view,
      ),
  });
