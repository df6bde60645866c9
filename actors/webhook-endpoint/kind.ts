/** The kind of webhook endpoints. */
import type { Kind } from '../kind.ts';
import { endpointView } from './view.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

export const webhookEndpointKind = {
  actor: webhookEndpoint,
  events: {
    'webhook_endpoint.disabled': ({ endpoint: { id, state }, scope, now }) =>
      endpointView(
        { ...state, status: 'disabled', disabledReason: 'failing', updatedAt: now },
        { id, scope },
      ),
  },
} as const satisfies Kind;
