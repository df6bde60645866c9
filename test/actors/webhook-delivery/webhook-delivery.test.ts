import { describe, expect, test } from 'vitest';
import { retrySchedule } from '../../../actors/webhook-endpoint/retry-schedule.ts';
import { deliveryIdOf, type PostResult } from '../../../actors/webhook-delivery/messages.ts';
import { waitersMax, webhookDelivery } from '../../../actors/webhook-delivery/webhook-delivery.ts';
import { endedByEndpoint } from '../../../actors/webhook-delivery/trying.ts';
import { hours, minutes, seconds } from '../../../src/kernel/time.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';
import type { DeliveryTypes } from '../../../actors/webhook-delivery/messages.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' as const;
const endpointId = 'we_n9bpy9ep30dg728y8n6r6p5w';
const eventId = 'evt_m339g1s03anfq6rgyzmhk9e5';
const id = deliveryIdOf(endpointId, eventId);
const earlier = 'whd_n9earlier';
const opening = {
  endpointId,
  eventId,
  eventType: 'payment.succeeded',
  journalId: 'checkout_session/cs_1:3',
  objectId: 'pay_4t8z1m6q3x9k2v7b',
  pos: 7,
  eventAt: Date.parse('2026-11-20T09:14:59.000Z'),
};
type Delivery = Story<DeliveryTypes>;
const opened = (more: Partial<typeof opening> = {}): Delivery =>
  given(webhookDelivery, { id, scope }).when('open', { ...opening, ...more });

const answered = (status: number, more: { body?: string; retryAfterMs?: number } = {}): PostResult => ({
  is: 'answered',
  status,
  body: 'oops',
  durationMs: 87,
  retryAfterMs: null,
  ...more,
});
const timeout: PostResult = { is: 'unanswered', reason: 'timeout', durationMs: 15_000 };

/** Brings the result of the POST under way. */
const settle = (story: Delivery, result: PostResult, endpointFailing = false): Delivery =>
  story.settle('webhook.post', { result, sentAt: story.now, endpointFailing });
const told = (story: Delivery): unknown[] =>
  story.last.tells.map(({ to, command, data }) => [to, command, data]);
const health = (value: string): unknown[] => [
  `webhook_endpoint/${endpointId}`,
  'healthChanged',
  { health: value, deliveryId: id },
];

/** Lets the next try fall due and answers how long that took. */
function untilNextTry(story: Delivery): number {
  const due = story.timer('due') ?? NaN;
  const waited = due - story.now;
  story.wait(waited);
  expect(story.pending).toHaveLength(1);
  return waited;
}

describe('one try after the other', () => {
  test('a new delivery is posted at once, in the lane of its endpoint, in the order of its object', () => {
    const story = opened();
    expect(story.pending).toMatchObject([
      {
        kind: 'webhook.post',
        lane: endpointId,
        key: opening.objectId,
        order: 7,
        data: {
          endpointId,
          deliveryId: id,
          journalId: opening.journalId,
          eventId,
          objectId: opening.objectId,
          pos: 7,
          overtakes: false,
        },
      },
    ]);
    expect(story.view).toEqual({
      id,
      webhookEndpointId: endpointId,
      eventId,
      eventType: 'payment.succeeded',
      payload: null,
      status: 'pending',
      attempts: 0,
      lastAttemptAt: null,
      nextAttemptAt: '2026-11-20T09:15:00.000Z',
      responseStatus: null,
      responseBody: null,
      durationMs: null,
      createdAt: '2026-11-20T09:15:00.000Z',
    });
  });

  test('opening it again changes nothing', () => {
    const story = opened().when('open', opening);
    expect(story.last.outcome.is).toBe('ok');
    expect(story.pending).toHaveLength(1);
    expect(settle(story, answered(200)).when('open', opening).pending).toHaveLength(0);
  });

  test.each([200, 201, 204, 299])('%i is success', (status) => {
    const story = settle(opened(), answered(status));
    expect(story.view).toMatchObject({
      status: 'success',
      attempts: 1,
      responseStatus: status,
      responseBody: 'oops',
      durationMs: 87,
      nextAttemptAt: null,
    });
    expect(story.doc?.timers).toEqual([]);
  });

  test.each([100, 301, 302, 308, 400, 404, 429, 500, 503])('%i is tried again', (status) => {
    expect(settle(opened(), answered(status)).view).toMatchObject({
      status: 'retrying',
      attempts: 1,
      responseStatus: status,
    });
  });

  test('no answer is tried again, and the log has the reason', () => {
    expect(settle(opened(), timeout).view).toMatchObject({
      status: 'retrying',
      responseStatus: null,
      responseBody: 'timeout',
      durationMs: 15_000,
    });
  });

  test('ten tries within 10 % of the schedule, then failed', () => {
    const story = opened();
    for (const planned of retrySchedule.slice(1)) {
      expect(settle(story, answered(500)).state.status).toBe('retrying');
      const waited = untilNextTry(story);
      expect(Math.abs(waited - planned)).toBeLessThanOrEqual(planned * 0.1);
    }
    settle(story, answered(500));
    expect(story.view).toMatchObject({ status: 'failed', attempts: 10, nextAttemptAt: null });
    expect(endedByEndpoint(story.state)).toBe(false);
    expect(story.doc?.timers).toEqual([]);
    expect(Math.abs(story.now - opened().now - hours(75.6))).toBeLessThan(hours(7.56));
  });

  test('a success on a later try ends it', () => {
    const story = settle(opened(), answered(500));
    untilNextTry(story);
    expect(settle(story, answered(200)).view).toMatchObject({
      status: 'success',
      attempts: 2,
      nextAttemptAt: null,
    });
  });

  test('Retry-After delays the next try, by at most a day', () => {
    const story = settle(opened(), answered(429, { retryAfterMs: minutes(20) }));
    expect(untilNextTry(story)).toBe(minutes(20));
    settle(story, answered(503, { retryAfterMs: hours(30) }));
    expect(untilNextTry(story)).toBe(hours(24));
  });

  test('410 ends it at once', () => {
    const story = settle(opened(), answered(410));
    expect(story.view).toMatchObject({ status: 'failed', attempts: 1, responseStatus: 410 });
    expect(endedByEndpoint(story.state)).toBe(false);
  });

  test('an endpoint disabled or deleted meanwhile ends it without a try, and the last answer stays', () => {
    const lastTry = {
      status: 'failed',
      attempts: 1,
      responseStatus: 500,
      responseBody: 'oops',
      durationMs: 87,
    };
    const story = settle(opened(), answered(500));
    untilNextTry(story);
    expect(settle(story, { is: 'no_endpoint' }).view).toMatchObject(lastTry);
    const waits = settle(opened(), answered(500)).when('endpointOff', { term: 0 });
    expect(waits.view).toMatchObject(lastTry);
    expect([story, waits].map(({ state }) => endedByEndpoint(state))).toEqual([true, true]);
  });

  test('one that was never sent says why', () => {
    const story = settle(opened(), { is: 'no_endpoint' });
    expect(story.view).toMatchObject({
      status: 'failed',
      attempts: 0,
      responseStatus: null,
      responseBody: 'endpoint disabled or deleted',
      durationMs: null,
    });
    expect(endedByEndpoint(story.state)).toBe(true);
  });

  test('an end is final', () => {
    const story = settle(opened(), answered(200));
    const { v } = story.doc ?? { v: 0 };
    story
      .when('go', {})
      .when('retryDue', { key: '' })
      .when('attempted', { result: answered(500), sentAt: null, endpointFailing: false });
    expect(story.doc?.v).toBe(v);
    expect(story.state.status).toBe('success');
  });

  test("a try with an unknown result counts as a try, and does not affect the endpoint's health", () => {
    const unknown = webhookDelivery.effects['webhook.post'].unknown({
      endpointId,
      deliveryId: id,
      journalId: '',
      eventId,
      objectId: '',
      pos: 7,
      overtakes: false,
    });
    const story = opened().settle('webhook.post', unknown);
    expect(story.view).toMatchObject({
      status: 'retrying',
      attempts: 1,
      responseBody: 'failed on our side',
      lastAttemptAt: '2026-11-20T09:15:00.000Z',
    });
    expect(told(story)).toEqual([]);
  });
});

describe('order among deliveries of one object', () => {
  const held: PostResult = { is: 'held', behind: earlier };

  test('when held, it registers with the previous delivery, and that is no try', () => {
    const story = settle(opened(), held);
    expect(told(story)).toEqual([[`webhook_delivery/${earlier}`, 'awaitEnd', { deliveryId: id }]]);
    expect(story.view).toMatchObject({
      status: 'pending',
      attempts: 0,
      nextAttemptAt: '2026-11-20T09:16:00.000Z',
    });
    expect(story.pending).toEqual([]);
  });

  test('it is sent when the previous delivery has ended', () => {
    const story = settle(opened(), held).wait(seconds(7)).when('go', {});
    expect(story.pending).toMatchObject([{ data: { overtakes: false } }]);
    expect(story.doc?.timers).toEqual([]);
    expect(settle(story, answered(200)).state.status).toBe('success');
  });

  test('it waits 60 s in all, then overtakes', () => {
    const story = settle(opened(), held).wait(seconds(30)).when('go', {});
    settle(story, { is: 'held', behind: 'whd_another' }).wait(seconds(30) - 1);
    expect(story.pending).toEqual([]);
    expect(story.wait(1).pending).toMatchObject([{ data: { overtakes: true } }]);
  });

  test('when held by an answer that arrived after its 60 s, it overtakes at once', () => {
    const story = opened();
    story.now += seconds(61);
    expect(settle(story, held).pending).toMatchObject([{ data: { overtakes: true } }]);
  });

  test('a go that arrives before the held result is not lost', () => {
    const story = settle(opened().when('go', {}), held);
    expect(story.pending).toMatchObject([{ data: { overtakes: false } }]);
    expect(story.timer('due')).toBeNull();
  });

  test('an early go counts for one try only', () => {
    const story = settle(opened().when('go', {}), held);
    settle(story, held);
    expect(story.pending).toEqual([]);
    expect(story.timer('due')).not.toBeNull();
  });

  test('a go does not advance a try that waits for its time, nor send it twice', () => {
    const story = settle(opened(), answered(500)).when('go', {});
    expect(story.pending).toEqual([]);
    const out = opened().when('go', {}).when('go', {});
    expect(out.pending).toHaveLength(1);
  });

  test.each([
    ['success', answered(200)],
    ['failed', answered(410)],
    ['failed', { is: 'no_endpoint' } as const],
  ])('waiting deliveries are notified once when it ends as %s', (status, result) => {
    const story = opened()
      .when('awaitEnd', { deliveryId: 'whd_b' })
      .when('awaitEnd', { deliveryId: 'whd_b' })
      .when('awaitEnd', { deliveryId: 'whd_c' });
    settle(story, result);
    expect(story.state.status).toBe(status);
    expect(story.last.tells.filter(({ command }) => command === 'go')).toHaveLength(2);
    expect(told(story).slice(0, 2)).toEqual([
      ['webhook_delivery/whd_b', 'go', {}],
      ['webhook_delivery/whd_c', 'go', {}],
    ]);
  });

  test('waiting deliveries are not notified while it is only retried', () => {
    const story = opened().when('awaitEnd', { deliveryId: 'whd_b' });
    expect(told(settle(story, answered(500)))).toEqual([health('failing')]);
  });

  test('a delivery that registers after the end is notified at once', () => {
    const story = settle(opened(), answered(200)).when('awaitEnd', { deliveryId: 'whd_b' });
    expect(told(story)).toEqual([['webhook_delivery/whd_b', 'go', {}]]);
  });

  test('the list of waiting deliveries is bounded; the rest continue by their own timers', () => {
    const story = opened();
    for (let i = 0; i <= waitersMax; i++) story.when('awaitEnd', { deliveryId: `whd_${i}` });
    expect(story.last.outcome.is).toBe('ok');
    expect(story.state).toHaveProperty('waiters.length', waitersMax);
  });
});

describe('the endpoint is notified of changes of its health only', () => {
  test.each<[string, PostResult, boolean, unknown[]]>([
    ['a first failure', answered(500), false, [health('failing')]],
    ['silence', timeout, false, [health('failing')]],
    ['a failure it knows of', answered(500), true, []],
    ['a success after failures', answered(200), true, [health('ok')]],
    ['a success while it is well', answered(200), false, []],
    ['410 while it is well', answered(410), false, [health('gone')]],
    ['410 while it fails', answered(410), true, [health('gone')]],
    [
      'held',
      { is: 'held', behind: earlier },
      false,
      [[`webhook_delivery/${earlier}`, 'awaitEnd', { deliveryId: id }]],
    ],
  ])('%s', (_what, result, endpointFailing, tells) => {
    expect(told(settle(opened(), result, endpointFailing))).toEqual(tells);
  });
});

describe('the timeline', () => {
  test("each try is a note in the payment's timeline", () => {
    const story = settle(opened(), answered(500));
    untilNextTry(story);
    settle(story, timeout);
    expect(story.notes).toMatchObject([
      {
        about: opening.objectId,
        kind: 'webhook_attempt',
        summary: `payment.succeeded to ${endpointId}, try 1: answered 500`,
        cause: 'payment.succeeded',
        durationMs: 87,
        detail: { deliveryId: id, endpointId, eventId, place: opening.pos, attempt: 1, httpStatus: 500 },
      },
      {
        summary: `payment.succeeded to ${endpointId}, try 2: timeout`,
        detail: { attempt: 2, httpStatus: null },
      },
    ]);
  });

  test('being held is no note, nor is a try of an event that is not about a payment', () => {
    expect(settle(opened(), { is: 'held', behind: earlier }).notes).toEqual([]);
    expect(settle(opened({ objectId: 'cs_n5y5kc7txbgmy7rz22b0c1r5' }), answered(200)).notes).toEqual([]);
  });
});

test.each(['merchant', 'buyer', 'provider', 'operator'] as const)('a %s may send it no command', (by) => {
  const story = opened();
  expect(
    story.when('attempted', { result: answered(200), sentAt: null, endpointFailing: false }, { by }).last
      .outcome,
  ).toMatchObject({ code: 'not_found' });
  expect(story.when('go', {}, { by }).last.outcome).toMatchObject({ code: 'not_found' });
});
