/** A try as the timeline of the payment shows it (decisions 10). The URL stays out: it may hold a secret. */
import type { Note } from '../../src/runtime/actor.ts';
import type { DeliveryState } from './messages.ts';

export function attemptNote(s: DeliveryState, deliveryId: string): Note {
  const { endpointId, eventId, attempts, responseStatus } = s;
  const outcome = responseStatus === null ? (s.responseBody ?? 'no answer') : `answered ${responseStatus}`;
  return {
    about: s.objectId,
    kind: 'webhook_attempt',
    summary: `${s.eventType} to ${endpointId}, try ${attempts}: ${outcome}`,
    durationMs: s.durationMs,
    detail: { deliveryId, endpointId, eventId, attempt: attempts, httpStatus: responseStatus },
  };
}
