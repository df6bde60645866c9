/** One event on its way to one endpoint: tries, delays, outcome.
 *  D1. Only a 2xx is success. It fails after ten scheduled tries, at once after a 410, and when its endpoint
 *      is disabled or deleted.
 *  D2. At most one POST of it is in progress.
 *  D3. It waits for the previous delivery of its object, at most 60 s. It registers with that delivery
 *      (`awaitEnd`), which sends `go` when it has ended, or at once if it already had: no end is missed.
 *  D4. The endpoint is notified only of changes in its health, not of every try.
 *  D5. A try requested by the merchant does not wait for earlier deliveries of its object, and does not count
 *      towards the schedule.
 *  D6. A test is tried once, and does not affect its endpoint's health.
 *  D7. It belongs to the term of its endpoint in which it was queued: once that is over, it has failed. Only
 *      a recovery queues it again, once, with its ten tries ahead.
 *  D8. A manual try for an endpoint that is disabled or deleted is refused here and not by the route, so that a
 *      repeat of the request gets the first outcome.
 *  Schema 2: manual tries. Schema 3: tests. */
import { actor, type Json, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { termOf } from '../webhook-endpoint/messages.ts';
import { waitAfter } from '../webhook-endpoint/retry-schedule.ts';
import {
  webhookDeliveryAt,
  type DeliveryCommands,
  type DeliveryState,
  type DeliveryTypes,
  type Opening,
} from './messages.ts';
import { againDue, attemptedAgain, sendAgain } from './sent-again.ts';
import {
  healthOf,
  isTest,
  plannedTries,
  posted,
  withReport,
  tried,
  type Attempted,
  type Tried,
} from './trying.ts';
import { deliveryView } from './view.ts';

type X = Turn<DeliveryTypes>;
type Unended = Extract<DeliveryState, { status: 'pending' | 'retrying' }>;
type Failed = Extract<DeliveryState, { status: 'failed' }>;
type Retrying = Extract<DeliveryState, { status: 'retrying' }>;

/** How long a later event of the same object waits for the earlier one. */
export const heldMsMax = seconds(60);
/** Deliveries beyond this number are not registered for `go` and continue by their timer. */
export const waitersMax = 100;

/** Of a delivery in these states an attempt is still to come. */
const unended = { field: 'status', values: ['pending', 'retrying'] } as const;

export const webhookDelivery = actor<DeliveryTypes>('webhook_delivery', 'whd', {
  schema: 3,
  upcast: (body) => body as unknown as DeliveryState,
  // a build without tests would search the journal for the body; one without manual tries would never end
  // such a try
  downcast: (s, to) => (isTest(s) || (to < 2 && hasTriesByHand(s)) ? null : plainJson(s)),
  on: {
    open: { by: 'system', creates: open, _any: (_s, _c, x) => x.ok() },
    test: { by: 'merchant', creates: test, _any: (_s, _c, x) => x.ok() },
    recover: {
      by: 'system',
      creates: (c, x) => send({ ...begun(c, x.now), round: c.round }, x),
      pending: (_s, _c, x) => x.ok(),
      retrying: (_s, _c, x) => x.ok(),
      success: (_s, _c, x) => x.ok(),
      failed: queuedAgain,
    },
    endpointOff: {
      by: 'system',
      pending: endpointOff,
      retrying: endpointOff,
      _terminal: (_s, _c, x) => x.ok(),
    },
    attempted: {
      by: 'system',
      pending: attempted,
      retrying: attempted,
      _terminal: (s, c, x) => attemptedAgain(s, c, x),
    },
    retryDue: { by: 'system', pending: due, retrying: due, _terminal: (s, _c, x) => againDue(s, x) },
    retry: {
      by: 'merchant',
      pending: (s, c, x) => x.refuse('invalid_state', { currentStatus: c.endpoint ?? s.status }),
      retrying: unlessOff(tryNow),
      _terminal: unlessOff(sendAgain),
    },
    go: { by: 'system', pending: freed, retrying: freed, _terminal: (_s, _c, x) => x.ok() },
    awaitEnd: {
      by: 'system',
      pending: awaited,
      retrying: awaited,
      _terminal: (_s, { deliveryId }, x) => x.stay().tell(webhookDeliveryAt(deliveryId), 'go', {}),
    },
  },
  effects: {
    'webhook.post': {
      result: 'attempted',
      mode: 'atLeastOnce',
      // the failure is ours, not the endpoint's: the try counts, but the endpoint's health does not change
      unknown: () => ({
        result: { is: 'unanswered', reason: 'failed on our side', durationMs: 0 },
        sentAt: null,
        endpointFailing: true,
      }),
    },
  },
  timers: { due: 'retryDue' },
  view: deliveryView,
  // by its object only what has not ended is looked for: the deliveries that an event must wait for
  indexes: ['endpointId', { field: 'objectId', only: unended }, 'status'],
});

function open(c: DeliveryCommands['open'], x: X): Verdict {
  return send(begun(c, x.now), x);
}

function test({ endpointId, ...sent }: DeliveryCommands['test'], x: X): Verdict {
  const noEvent = { journalId: '', objectId: endpointId, pos: 0, eventAt: x.now };
  return send({ ...begun({ endpointId, ...sent, ...noEvent }, x.now), sample: sent.sample }, x);
}

const begun = (
  { endpointId, eventId, eventType, journalId, objectId, pos, eventAt, term }: Opening,
  now: Instant,
): Unended => ({
  status: 'pending',
  endpointId,
  eventId,
  eventType,
  journalId,
  objectId,
  pos,
  eventAt,
  ...(term === undefined ? {} : { term }),
  createdAt: now,
  attempts: 0,
  lastAttemptAt: null,
  responseStatus: null,
  responseBody: null,
  durationMs: null,
  post: 'out',
  nextAttemptAt: now,
  overtakesAt: now + heldMsMax,
  waiters: [],
});

/** A failed delivery begins anew. A manual try that is in progress is its first one. */
function queuedAgain(s: Failed, { round, term }: DeliveryCommands['recover'], x: X): Verdict {
  if ((s.round ?? 0) >= round) return x.ok();
  const { term: _over, ...kept } = s;
  const queued = {
    ...kept,
    ...(term === undefined ? {} : { term }),
    round,
    attemptsByHand: s.attempts,
    post: 'out' as const,
    nextAttemptAt: x.now,
    overtakesAt: x.now + heldMsMax,
    waiters: [],
  };
  const again = x.become('pending', queued);
  return s.byHand === true ? again : posted(again, { ...queued, status: 'pending' }, false, x);
}

/** A try that is in progress ends it. */
function endpointOff(s: Unended, { term }: DeliveryCommands['endpointOff'], x: X): Verdict {
  if (termOf(s) > term || s.post === 'out' || s.post === 'freed') return x.ok();
  return endedUnsent(s, x);
}

/** The log keeps the answer to its last try; the reason is there only if there was none. */
const endedUnsent = (s: Unended, x: X): Verdict =>
  end(s.lastAttemptAt === null ? { ...s, responseBody: 'endpoint disabled or deleted' } : s, 'failed', x);

function attempted(s: Unended, c: Attempted, x: X): Verdict {
  switch (c.result.is) {
    case 'held':
      return heldBack(s, c.result.behind, x);
    case 'no_endpoint':
      return endedUnsent(s, x);
    default:
      return decided(s, c.result, c, x);
  }
}

function decided(s: Unended, result: Tried, c: Attempted, x: X): Verdict {
  const [after, health] = [tried(s, result, c, x), healthOf(result)];
  const outcome = { before: s, after, health };
  if (health !== 'failing')
    return withReport(end(after, health === 'ok' ? 'success' : 'failed', x), outcome, c, x);
  if (c.endpointOff === true) return withReport(end(after, 'failed', x), outcome, c, x);
  const retryAfterMs = result.is === 'answered' ? result.retryAfterMs : null;
  return withReport(failedOnce(after, s.byHand === true, retryAfterMs, x), outcome, c, x);
}

function failedOnce(s: Unended, byHand: boolean, retryAfterMs: DurationMs | null, x: X) {
  if (isTest(s)) return end(s, 'failed', x);
  // the schedule continues where it was, unless the endpoint requests a longer delay
  if (byHand) return waiting(s, 'due', Math.max(s.nextAttemptAt, x.now + (retryAfterMs ?? 0)), x);
  const wait = waitAfter(plannedTries(s), x.id, retryAfterMs);
  return wait === null ? end(s, 'failed', x) : waiting({ ...s, status: 'retrying' }, 'due', x.now + wait, x);
}

/** Has to wait, unless its turn came while the answer was in transit, or its 60 s are over. */
function heldBack(s: Unended, behind: string, x: X): Verdict {
  if (s.post === 'freed' || x.now >= s.overtakesAt) return send(s, x);
  return waiting(s, 'held', s.overtakesAt, x).tell(webhookDeliveryAt(behind), 'awaitEnd', {
    deliveryId: x.id,
  });
}

function due(s: Unended, _c: unknown, x: X): Verdict {
  return s.post === 'held' || s.post === 'due' ? send(s, x) : x.ok();
}

function freed(s: Unended, _c: unknown, x: X): Verdict {
  if (s.post === 'held') return send(s, x);
  return s.post === 'out' ? keep(s, { post: 'freed' }, x) : x.ok();
}

function awaited(s: Unended, { deliveryId }: DeliveryCommands['awaitEnd'], x: X): Verdict {
  if (s.waiters.includes(deliveryId) || s.waiters.length >= waitersMax) return x.ok();
  return keep(s, { waiters: [...s.waiters, deliveryId] }, x);
}

/** A manual try needs an endpoint that is sent something. */
function unlessOff<S extends DeliveryState>(tryOf: (s: S, x: X) => Verdict) {
  return (s: S, { endpoint }: DeliveryCommands['retry'], x: X): Verdict =>
    endpoint === undefined ? tryOf(s, x) : x.refuse('invalid_state', { currentStatus: endpoint });
}

/** One try now; if one is in progress, that is the try. */
function tryNow(s: Retrying, x: X): Verdict {
  return s.post === 'out' || s.post === 'freed' ? x.ok() : send({ ...s, byHand: true }, x);
}

function send(s: Unended, x: X) {
  return posted(keep(s, { post: 'out' }, x), s, s.byHand === true || x.now >= s.overtakesAt, x);
}

function waiting(s: Unended, post: 'held' | 'due', until: Instant, x: X) {
  return keep(s, { post, nextAttemptAt: until }, x).timer('due', until);
}

function keep(s: Unended, part: Partial<Pick<Unended, 'post' | 'nextAttemptAt' | 'waiters'>>, x: X) {
  if (s.status === 'pending') return x.become('pending', { ...s, ...part });
  return x.become('retrying', { ...s, ...part });
}

function end(s: Unended, status: 'success' | 'failed', x: X) {
  const { post: _post, nextAttemptAt: _next, overtakesAt: _overtakes, byHand: _asked, waiters, ...kept } = s;
  const change = x.become(status, kept).noTimer('due');
  for (const waiter of waiters) change.tell(webhookDeliveryAt(waiter), 'go', {});
  return change;
}

const hasTriesByHand = ({ byHand, attemptsByHand }: DeliveryState): boolean =>
  byHand !== undefined || attemptsByHand !== undefined;

const plainJson = (s: DeliveryState): Json => s as unknown as Json;
