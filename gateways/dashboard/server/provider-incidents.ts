/** The door of the incidents of providers.
 *  1. `open` is what the actor says now; `data` are all that are kept, newest first, and may follow it by a
 *     moment. */
import type { incidentView } from '../../../actors/provider-incident/messages.ts';
import { providerNames } from '../../../src/providers/catalog.ts';
import { iso } from '../../../src/kernel/time.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import { done } from '../../http/route/answer.ts';
import { isPage, listQuerySchema, pageOf, queryOf } from '../../http/route/paging.ts';
import { ownRoute } from '../../http/route/spec.ts';

type IncidentView = ReturnType<typeof incidentView>;

export const incidentsRoute = ({ client }: Pick<ApiParts, 'client'>) =>
  ownRoute({
    method: 'GET',
    at: { dashboard: 'provider-incidents' },
    does:
      '`{now, open, data, total, page, limit}`: the incidents of providers that are open, and all ' +
      'of the last 90 days, newest first. Each has `id`, `provider`, `kind`, `openedAt`, ' +
      '`closedAt`, `openings`, `sequence` and why: `attempts` and `paid` (`degraded`), `failed` ' +
      'with `call`, `why` and `count` (`down`), `call` and `says` (`refused`)',
    reply: 200,
    query: listQuerySchema,
    async handle({ caller: { scope }, query }) {
      const page = pageOf(query);
      if (!isPage(page)) return page;
      const [troubled, { items, total }] = await Promise.all([
        client.list({
          kind: 'provider_health',
          scope,
          equals: { status: 'troubled' },
          page: 1,
          limit: providerNames.length,
        }),
        client.list(queryOf('provider_incident', scope, page, query)),
      ]);
      const open = troubled.items.flatMap(({ view }) => view['incidents'] as readonly IncidentView[]);
      return done({
        now: iso(client.now(scope)),
        open,
        data: items.map(({ view }) => view as unknown as IncidentView),
        total,
        ...page,
      });
    },
  });
