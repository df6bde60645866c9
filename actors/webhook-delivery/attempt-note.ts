/** A try as the timeline of the payment shows it (decisions 10). The URL stays out: it may hold a secret. */
import type { Note } from '../../src/runtime/actor.ts';
import type { DeliveryState } from './messages.ts';

export function attemptNote(s: DeliveryState, deliveryId: string): Note {
  const outcome = s.responseStatus === null ? (s.responseBody ?? 'no answer') : `answered ${s.responseStatus}`;
  return {
    about: s.objectId,
    kind: 'webhook_attempt',
    summary: `${s.eventType} to ${s.endpointId}, try ${s.attempts}: ${outcome}`,
    durationMs: s.durationMs,
    detail: { deliveryId, endpointId: s.endpointId, eventId: s.eventId, attempt: s.attempts, httpStatus: s.responseStatus },
  };
}
