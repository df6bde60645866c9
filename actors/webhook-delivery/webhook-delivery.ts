/** One event on its way to one endpoint: tries, waits, outcome (decisions 14).
 *  D1. Only a 2xx is success; ten tries, then it is over.
 *  D2. At most one POST of it is under way.
 *  D3. It waits for the delivery of its object before it, at most 60 s. Who waits says so to the one it waits
 *      for (`awaitEnd`), which says `go` when it has ended, at once if it had already: no end is missed.
 *  D4. The endpoint is told of what is news to it, not of every try. */
import { actor, type Turn, type Verdict } from '../../src/runtime/actor.ts';
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { webhookEndpointAt } from '../webhook-endpoint/messages.ts';
import { waitAfter } from '../webhook-endpoint/retry-schedule.ts';
import { attemptNote } from './attempt-note.ts';
import {
  webhookDeliveryAt,
  type DeliveryCommands,
  type DeliveryState,
  type DeliveryTypes,
  type PostResult,
} from './messages.ts';
import { deliveryView } from './view.ts';

type X = Turn<DeliveryTypes>;
type Unended = Extract<DeliveryState, { status: 'pending' | 'retrying' }>;
type Attempted = DeliveryCommands['attempted'];
type Tried = Extract<PostResult, { is: 'answered' | 'unanswered' }>;

/** A later event of the same object waits this long for the earlier one. */
export const heldMsMax = seconds(60);
/** Before asking again at an endpoint that takes one delivery at a time just now. */
export const laterMs = seconds(5);
/** More than this wait for `go` in vain, and go by their timer. */
export const waitersMax = 100;

export const webhookDelivery = actor<DeliveryTypes>('webhook_delivery', 'whd', {
  schema: 1,
  on: {
    open: { by: 'system', creates: open, _any: (_s, _c, x) => x.ok() },
    attempted: { by: 'system', pending: attempted, retrying: attempted, _terminal: (_s, _c, x) => x.ok() },
    retryDue: { by: 'system', pending: due, retrying: due, _terminal: (_s, _c, x) => x.ok() },
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
      mode: 'again',
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
  indexes: ['endpointId', 'objectId', 'status', 'eventType'],
});

function open(c: DeliveryCommands['open'], x: X): Verdict {
  return send(
    {
      ...c,
      status: 'pending',
      createdAt: x.now,
      attempts: 0,
      lastAttemptAt: null,
      responseStatus: null,
      responseBody: null,
      durationMs: null,
      post: 'out',
      nextAttemptAt: x.now,
      overtakesAt: x.now + heldMsMax,
      waiters: [],
    },
    x,
  );
}

function attempted(s: Unended, c: Attempted, x: X): Verdict {
  switch (c.result.is) {
    case 'held':
      return heldBack(s, c.result.behind, x);
    case 'later':
      return waiting(s, 'due', x.now + laterMs, x);
    case 'no_endpoint':
      return end({ ...s, responseStatus: null, responseBody: 'endpoint disabled or deleted' }, 'failed', x);
    default:
      return tried(s, c.result, c, x);
  }
}

function tried(s: Unended, result: Tried, { sentAt, endpointFailing }: Attempted, x: X): Verdict {
  const status = result.is === 'answered' ? result.status : null;
  const next: Unended = {
    ...s,
    attempts: s.attempts + 1,
    lastAttemptAt: sentAt ?? x.now,
    responseStatus: status,
    responseBody: result.is === 'answered' ? result.body : result.reason,
    durationMs: result.durationMs,
  };
  const health = healthOf(status);
  const change = afterTry(next, health, result.is === 'answered' ? result.retryAfterMs : null, x);
  const isNews = health === 'gone' || (health === 'failing') !== endpointFailing;
  if (isNews) change.tell(webhookEndpointAt(s.endpointId), 'healthChanged', { health, deliveryId: x.id });
  if (s.objectId.startsWith('pay_')) change.note(attemptNote(next, x.id));
  return change;
}

type Health = 'ok' | 'failing' | 'gone';

function healthOf(status: number | null): Health {
  if (status === 410) return 'gone';
  return status !== null && status >= 200 && status < 300 ? 'ok' : 'failing';
}

function afterTry(s: Unended, health: Health, retryAfterMs: DurationMs | null, x: X) {
  if (health !== 'failing') return end(s, health === 'ok' ? 'success' : 'failed', x);
  const wait = waitAfter(s.attempts, x.id, retryAfterMs);
  return wait === null ? end(s, 'failed', x) : waiting({ ...s, status: 'retrying' }, 'due', x.now + wait, x);
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

function send(s: Unended, x: X) {
  const { endpointId, journalId, eventId, objectId, pos } = s;
  const overtakes = x.now >= s.overtakesAt;
  const data = { endpointId, deliveryId: x.id, journalId, eventId, objectId, pos, overtakes };
  return keep(s, { post: 'out' }, x)
    .noTimer('due')
    .effect('webhook.post', data, { lane: endpointId, key: objectId, order: pos });
}

function waiting(s: Unended, post: 'held' | 'due', until: Instant, x: X) {
  return keep(s, { post, nextAttemptAt: until }, x).timer('due', until);
}

function keep(s: Unended, part: Partial<Pick<Unended, 'post' | 'nextAttemptAt' | 'waiters'>>, x: X) {
  if (s.status === 'pending') return x.become('pending', { ...s, ...part });
  return x.become('retrying', { ...s, ...part });
}

function end(s: Unended, status: 'success' | 'failed', x: X) {
  const { post: _post, nextAttemptAt: _next, overtakesAt: _overtakes, waiters, ...kept } = s;
  const change = x.become(status, kept).noTimer('due');
  for (const waiter of waiters) change.tell(webhookDeliveryAt(waiter), 'go', {});
  return change;
}
