/** One event on its way to one endpoint: tries, waits, outcome.
 *  D1. Only a 2xx is success; ten tries, then it is over.
 *  D2. At most one POST of it is under way.
 *  D3. It waits for the delivery of its object before it, at most 60 s. Who waits says so to the one it waits
 *      for (`awaitEnd`), which says `go` when it has ended, at once if it had already: no end is missed.
 *  D4. The endpoint is told of what is news to it, not of every try.
 *  D5. A try the merchant asks for goes at once, before any other of its object, and uses up none of the plan.
 *  D6. A test is tried once, and says nothing of its endpoint's health.
 *  Schema 2: tries by hand. Schema 3: tests. */
import { actor, type Json, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { waitAfter } from '../webhook-endpoint/retry-schedule.ts';
import {
  webhookDeliveryAt,
  type DeliveryCommands,
  type DeliveryState,
  type DeliveryTypes,
} from './messages.ts';
import { againDue, attemptedAgain, sendAgain } from './sent-again.ts';
import { healthOf, isTest, plannedTries, posted, told, tried, type Attempted, type Tried } from './trying.ts';
import { deliveryView } from './view.ts';

type X = Turn<DeliveryTypes>;
type Unended = Extract<DeliveryState, { status: 'pending' | 'retrying' }>;
type Retrying = Extract<DeliveryState, { status: 'retrying' }>;

/** A later event of the same object waits this long for the earlier one. */
export const heldMsMax = seconds(60);
/** Before asking again at an endpoint that takes one delivery at a time just now. */
export const laterMs = seconds(5);
/** More than this wait for `go` in vain, and go by their timer. */
export const waitersMax = 100;

export const webhookDelivery = actor<DeliveryTypes>('webhook_delivery', 'whd', {
  schema: 3,
  upcast: (body) => body as unknown as DeliveryState,
  // who knows no test would look for its body in the journal, who knows no try by hand would never end one
  downcast: (s, to) => (isTest(s) || (to < 2 && hasTriesByHand(s)) ? null : plainJson(s)),
  on: {
    open: { by: 'system', creates: open, _any: (_s, _c, x) => x.ok() },
    test: { by: 'merchant', creates: test, _any: (_s, _c, x) => x.ok() },
    attempted: {
      by: 'system',
      pending: attempted,
      retrying: attempted,
      _terminal: (s, c, x) => attemptedAgain(s, c, laterMs, x),
    },
    retryDue: { by: 'system', pending: due, retrying: due, _terminal: (s, _c, x) => againDue(s, x) },
    retry: {
      by: 'merchant',
      pending: (s, _c, x) => x.refuse('invalid_state', { currentStatus: s.status }),
      retrying: tryNow,
      _terminal: (s, _c, x) => sendAgain(s, x),
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
      // we failed, not the endpoint: a try is spent, its health is not touched
      unknown: () => ({
        result: { is: 'unanswered', reason: 'failed on our side', durationMs: 0 },
        sentAt: null,
        endpointFailing: true,
      }),
    },
  },
  timers: { due: 'retryDue' },
  view: deliveryView,
  indexes: ['endpointId', 'objectId', 'status', 'eventId'],
});

function open(c: DeliveryCommands['open'], x: X): Verdict {
  return send(begun(c, x.now), x);
}

function test({ endpointId, ...sent }: DeliveryCommands['test'], x: X): Verdict {
  const nowhere = { journalId: '', objectId: endpointId, pos: 0, eventAt: x.now };
  return send({ ...begun({ endpointId, ...sent, ...nowhere }, x.now), sample: sent.sample }, x);
}

const begun = (
  { endpointId, eventId, eventType, journalId, objectId, pos, eventAt }: DeliveryCommands['open'],
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

function attempted(s: Unended, c: Attempted, x: X): Verdict {
  switch (c.result.is) {
    case 'held':
      return heldBack(s, c.result.behind, x);
    case 'later':
      return notYet(s, x);
    case 'no_endpoint':
      return end({ ...s, responseStatus: null, responseBody: 'endpoint disabled or deleted' }, 'failed', x);
    default:
      return decided(s, c.result, c, x);
  }
}

function decided(s: Unended, result: Tried, c: Attempted, x: X): Verdict {
  const [after, health] = [tried(s, result, c, x), healthOf(result)];
  const outcome = { before: s, after, health };
  if (health !== 'failing') return told(end(after, health === 'ok' ? 'success' : 'failed', x), outcome, c, x);
  const retryAfterMs = result.is === 'answered' ? result.retryAfterMs : null;
  return told(failedOnce(after, s.byHand === true, retryAfterMs, x), outcome, c, x);
}

function failedOnce(s: Unended, byHand: boolean, retryAfterMs: DurationMs | null, x: X) {
  if (isTest(s)) return end(s, 'failed', x);
  // the plan goes on where it stood, unless the endpoint asks for more
  if (byHand) return waiting(s, 'due', Math.max(s.nextAttemptAt, x.now + (retryAfterMs ?? 0)), x);
  const wait = waitAfter(plannedTries(s), x.id, retryAfterMs);
  return wait === null ? end(s, 'failed', x) : waiting({ ...s, status: 'retrying' }, 'due', x.now + wait, x);
}

/** The endpoint takes one delivery at a time; a try by hand moves nothing of the plan meanwhile. */
function notYet(s: Unended, x: X): Verdict {
  const again = x.now + laterMs;
  return s.byHand === true ? keep(s, { post: 'due' }, x).timer('due', again) : waiting(s, 'due', again, x);
}

/** Told to wait; unless its turn has come while the answer was on its way, or its 60 s are over. */
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

/** One try now; one that is under way already is it. */
function tryNow(s: Retrying, _c: unknown, x: X): Verdict {
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
