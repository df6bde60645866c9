/** A try as the timeline of the payment shows it. The URL stays out: it may hold a secret. */
import type { Note } from '../../src/runtime/model/actor.ts';
import type { DeliveryState } from './messages.ts';

/** `cause`: the event, or the merchant who asked for another try. */
export function attemptNote(s: DeliveryState, deliveryId: string, cause: string): Note {
  const { endpointId, eventId, pos: place, attempts: attempt, responseStatus: httpStatus } = s;
  const outcome = httpStatus === null ? (s.responseBody ?? 'no answer') : `answered ${httpStatus}`;
  return {
    about: s.objectId,
    kind: 'webhook_attempt',
    summary: `${s.eventType} to ${endpointId}, try ${attempt}: ${outcome}`,
    cause,
    durationMs: s.durationMs,
    // `place` is the event's in its log: the order of what is sent in one instant
    detail: { deliveryId, endpointId, eventId, place, attempt, httpStatus },
  };
}
