/** The Delivery of docs/reference/api/webhook-endpoints.md. `payload` is null here except for a test: the route
 *  adds the
 *  envelope from the journal. */
import type { Json, ViewMeta } from '../../src/runtime/model/actor.ts';
import { iso, isoOrNull } from '../../src/kernel/time.ts';
import type { DeliveryState } from './messages.ts';

export const deliveryView = (s: DeliveryState, { id }: Pick<ViewMeta, 'id'>) => ({
  id,
  webhookEndpointId: s.endpointId,
  eventId: s.eventId,
  eventType: s.eventType,
  payload: s.sample === undefined ? null : (JSON.parse(s.sample) as Json),
  status: s.status,
  attempts: s.attempts,
  lastAttemptAt: isoOrNull(s.lastAttemptAt),
  nextAttemptAt: s.status === 'pending' || s.status === 'retrying' ? iso(s.nextAttemptAt) : null,
  responseStatus: s.responseStatus,
  responseBody: s.responseBody,
  durationMs: s.durationMs,
  createdAt: iso(s.createdAt),
});
