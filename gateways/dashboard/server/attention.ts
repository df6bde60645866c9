/** What waits for a person in one project and mode: the first that the dashboard shows.
 *  Boundary: counts, each along an index; the screens of each show what they are. */
import type { EndpointState } from '../../../actors/webhook-endpoint/messages.ts';
import { webhookEndpointsMax } from '../../../actors/project/messages.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import { done } from '../../http/route/answer.ts';
import { ownRoute } from '../../http/route/spec.ts';

export const attentionRoute = ({ client }: Pick<ApiParts, 'client'>) =>
  ownRoute({
    method: 'GET',
    at: { dashboard: 'attention' },
    does:
      'what waits for a person: `{reviews, refunds, endpoints}`, the payments under review, the ' +
      'refunds that require action, the endpoints that fail or were switched off because they did',
    reply: 200,
    handle: async ({ caller: { scope } }) => done(await attentionOf(client, scope)),
  });

async function attentionOf(client: Client, scope: Scope) {
  const one = { scope, page: 1, limit: 1 };
  const [reviews, refunds, endpoints] = await Promise.all([
    client.listRows({ ...one, kind: 'payment', equals: { needsReview: true } }),
    client.listRows({ ...one, kind: 'refund', equals: { status: 'requires_action' } }),
    client.list({ kind: 'webhook_endpoint', scope, page: 1, limit: webhookEndpointsMax }),
  ]);
  return {
    reviews: reviews.total,
    refunds: refunds.total,
    endpoints: endpoints.items.filter(isFailing).length,
  };
}

/** Its deliveries fail, or it was switched off because they did. */
function isFailing({ state }: Snapshot): boolean {
  const endpoint = state as unknown as EndpointState;
  return endpoint.status === 'enabled'
    ? endpoint.failingSince !== null
    : endpoint.disabledReason !== 'merchant';
}
