/** A try as the payment's timeline shows it. The URL is left out, because it may contain a secret. */
import type { Note } from '../../src/runtime/model/actor.ts';
import type { DeliveryState } from './messages.ts';

/** `cause`: the event, or the merchant who requested another try. */
export function attemptNote(s: DeliveryState, deliveryId: string, cause: string): Note {
  const { endpointId, eventId, pos: place, attempts: attempt, responseStatus: httpStatus } = s;
  const outcome = httpStatus === null ? (s.responseBody ?? 'no answer') : `answered ${httpStatus}`;
  return {
    about: s.objectId,
    kind: 'webhook_attempt',
    summary: `${s.eventType} to ${endpointId}, try ${attempt}: ${outcome}`,
    cause,
    durationMs: s.durationMs,
    // `place` is the event's position in its log: it orders what is sent at the same instant
    detail: { deliveryId, endpointId, eventId, place, attempt, httpStatus },
  };
}
