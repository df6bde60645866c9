import { describe, expect, test } from 'vitest';
import {
  deliveryIdOf,
  type DeliveryTypes,
  type PostResult,
} from '../../../actors/webhook-delivery/messages.ts';
import { webhookDelivery } from '../../../actors/webhook-delivery/webhook-delivery.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';

const endpointId = 'we_n9bpy9ep30dg728y8n6r6p5w';
const eventId = 'evt_m339g1s03anfq6rgyzmhk9e5';
const id = deliveryIdOf(endpointId, eventId);
type Delivery = Story<DeliveryTypes>;

const opened = (): Delivery =>
  given(webhookDelivery, { id, scope: 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' }).when('open', {
    endpointId,
    eventId,
    eventType: 'payment.succeeded',
    journalId: 'checkout_session/cs_1:3',
    objectId: 'pay_4t8z1m6q3x9k2v7b',
    pos: 7,
    eventAt: Date.parse('2026-11-20T09:14:59.000Z'),
  });
const answered = (status: number): PostResult => ({
  is: 'answered',
  status,
  body: `said ${status}`,
  durationMs: 87,
  retryAfterMs: null,
});
const settle = (story: Delivery, result: PostResult, endpointFailing = false): Delivery =>
  story.settle('webhook.post', { result, sentAt: story.now, endpointFailing });
const retried = (story: Delivery): Delivery => story.when('retry', {});
const nextTry = (story: Delivery): Delivery => story.wait((story.timer('due') ?? NaN) - story.now);

/** Ten tries, none of them a success. */
function failed(): Delivery {
  const story = settle(opened(), answered(500));
  for (let tries = 1; tries < 10; tries++) settle(nextTry(story), answered(500));
  expect(story.state.status).toBe('failed');
  return story;
}

describe('a manual retry', () => {
  test('is refused while the first try is in progress', () => {
    const story = retried(opened());
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state' });
    expect(story.pending).toHaveLength(1);
  });

  test('is sent now, before earlier deliveries of its object, and the schedule continues where it was', () => {
    const story = settle(opened(), answered(500));
    const { nextAttemptAt } = story.view;
    expect(retried(story).pending).toMatchObject([{ kind: 'webhook.post', data: { overtakes: true } }]);
    settle(story, answered(500));
    expect(story.view).toMatchObject({ status: 'retrying', attempts: 2, nextAttemptAt });
    // nine more of the plan, then it is over
    for (let tries = 1; tries < 10; tries++) {
      expect(story.state.status).toBe('retrying');
      settle(nextTry(story), answered(500));
    }
    expect(story.view).toMatchObject({ status: 'failed', attempts: 11 });
  });

  test('that is answered 2xx ends the delivery', () => {
    const story = settle(retried(settle(opened(), answered(500))), answered(200));
    expect(story.view).toMatchObject({ status: 'success', attempts: 2, nextAttemptAt: null });
    expect(story.doc?.timers).toEqual([]);
  });

  test('requested during a try refers to that try', () => {
    const story = settle(opened(), answered(500));
    expect(retried(retried(story)).pending).toHaveLength(1);
    const sentAgain = retried(retried(settle(opened(), answered(200))));
    expect(sentAgain.pending).toHaveLength(1);
  });

  test.each([200, 500, 410])('of a success changes only its log, even when it is answered %i', (status) => {
    const story = settle(retried(settle(opened(), answered(200))), answered(status));
    expect(story.view).toMatchObject({ status: 'success', attempts: 2, responseStatus: status });
    expect(story.doc?.timers).toEqual([]);
    expect(retried(story).pending).toHaveLength(1);
  });

  test('of a failed delivery decides its status again', () => {
    expect(settle(retried(failed()), answered(500)).view).toMatchObject({ status: 'failed', attempts: 11 });
    const story = settle(retried(failed()), answered(200), true);
    expect(story.view).toMatchObject({ status: 'success', attempts: 11, responseBody: 'said 200' });
    expect(story.last.tells).toMatchObject([{ command: 'healthChanged', data: { health: 'ok' } }]);
  });

  test('put off by a node of an older version is sent when its time has come', () => {
    const story = retried(failed());
    expect(settle(story, { is: 'held', behind: 'whd_a' }).pending).toMatchObject([
      { data: { overtakes: true } },
    ]);
    expect(settle(story, answered(200)).view).toMatchObject({ status: 'success', attempts: 11 });
  });

  test.each(['disabled', 'deleted'] as const)(
    'for an endpoint that is %s is refused in every status, and sends nothing',
    (endpoint) => {
      const [pending, retrying] = [opened(), settle(opened(), answered(500))];
      for (const story of [pending, retrying, settle(opened(), answered(200)), failed()]) {
        const [before, waiting] = [story.view, story.pending.length];
        story.when('retry', { endpoint });
        const detail = { currentStatus: endpoint };
        expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state', detail });
        expect([story.view, story.pending.length]).toEqual([before, waiting]);
      }
    },
  );

  test('at an endpoint deleted meanwhile leaves an ended delivery unchanged', () => {
    const story = settle(opened(), answered(200));
    const before = story.view;
    expect(settle(retried(story), { is: 'no_endpoint' }).view).toEqual(before);
    expect(retried(story).pending).toHaveLength(1);
  });
});
