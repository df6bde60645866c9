/** One try of a delivery, scheduled or manual: what is sent, and what is recorded. */
import type { Change, Turn } from '../../src/runtime/model/actor.ts';
import { termOf, webhookEndpointAt } from '../webhook-endpoint/messages.ts';
import { retrySchedule } from '../webhook-endpoint/retry-schedule.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { attemptNote } from './attempt-note.ts';
import type { DeliveryCommands, DeliveryState, DeliveryTypes, EarlierTry, PostResult } from './messages.ts';

export type Attempted = DeliveryCommands['attempted'];
/** A try that was sent. */
export type Tried = Extract<PostResult, { is: 'answered' | 'unanswered' }>;
/** What a try shows about the health of its endpoint. */
export type Health = 'ok' | 'failing' | 'gone';

export const isTest = ({ sample }: DeliveryState): boolean => sample !== undefined;

/** Only a 2xx is success; a 410 means that the endpoint wants no more deliveries. */
export function healthOf(result: Tried): Health {
  if (result.is === 'unanswered') return 'failing';
  if (result.status === 410) return 'gone';
  return result.status >= 200 && result.status < 300 ? 'ok' : 'failing';
}

/** Earlier tries that are kept, and the beginning of each answer. */
export const triesKept = 30;
const answerCharactersKept = 200;

/** The delivery as the log shows it after this try. */
export function tried<S extends DeliveryState>(s: S, result: Tried, { sentAt }: Attempted, x: X): S {
  const { signed: _before, ...kept } = s;
  return {
    ...(kept as S),
    ...(s.lastAttemptAt === null ? {} : { earlier: withLast(s, s.lastAttemptAt) }),
    ...(result.signed === undefined ? {} : { signed: result.signed }),
    attempts: s.attempts + 1,
    ...(s.byHand === true ? { byHand: false, attemptsByHand: byHandOf(s) + 1 } : {}),
    lastAttemptAt: sentAt ?? x.now,
    responseStatus: result.is === 'answered' ? result.status : null,
    responseBody: result.is === 'answered' ? result.body : result.reason,
    durationMs: result.durationMs,
  };
}

const withLast = (s: DeliveryState, at: Instant): readonly EarlierTry[] => [
  ...(s.earlier ?? []).slice(1 - triesKept),
  {
    at,
    status: s.responseStatus,
    answer: s.responseBody?.slice(0, answerCharactersKept) ?? null,
    durationMs: s.durationMs,
  },
];

/** Tries that count towards the ten. */
export const plannedTries = (s: DeliveryState): number => s.attempts - byHandOf(s);

/** It has failed although tries were left: its endpoint was disabled or deleted. */
export const endedByEndpoint = (s: DeliveryState): boolean =>
  s.status === 'failed' && !isTest(s) && s.responseStatus !== 410 && plannedTries(s) < retrySchedule.length;

const byHandOf = ({ attemptsByHand = 0 }: DeliveryState): number => attemptsByHand;

/** A delivery before and after a try, and what the try shows about its endpoint. */
export interface Outcome {
  readonly before: DeliveryState;
  readonly after: DeliveryState;
  readonly health: Health;
}

/** Notifies the endpoint of a change in its health, and adds the try to the payment's timeline. */
export function withReport(
  change: Change<DeliveryTypes>,
  { before, after, health }: Outcome,
  c: Attempted,
  x: X,
) {
  const { endpointId, objectId, eventType } = after;
  const isNews = !isTest(after) && (health === 'gone' || (health === 'failing') !== c.endpointFailing);
  if (isNews) change.tell(webhookEndpointAt(endpointId), 'healthChanged', { health, deliveryId: x.id });
  const cause = before.byHand === true ? 'manual_retry' : eventType;
  if (objectId.startsWith('pay_')) change.note(attemptNote(after, x.id, cause));
  return change;
}

/** Sends it: in the lane of its endpoint, in the order of its object unless it overtakes. */
export function posted(change: Change<DeliveryTypes>, s: DeliveryState, overtakes: boolean, x: X) {
  const { endpointId, journalId, eventId, objectId, pos, sample } = s;
  const what = { endpointId, deliveryId: x.id, journalId, eventId, objectId, pos, overtakes };
  // a test, or a try requested manually, goes to the endpoint as it is now
  const bound = sample === undefined && s.byHand !== true && isUnended(s) ? { term: termOf(s) } : {};
  const data = sample === undefined ? { ...what, ...bound } : { ...what, sample };
  return change.noTimer('due').effect('webhook.post', data, { lane: endpointId, key: objectId, order: pos });
}

const isUnended = ({ status }: DeliveryState): boolean => status === 'pending' || status === 'retrying';

type X = Turn<DeliveryTypes>;
