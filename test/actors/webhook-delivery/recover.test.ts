/** A delivery whose endpoint is disabled, enabled again and recovered. */
import { describe, expect, test } from 'vitest';
import {
  deliveryIdOf,
  type DeliveryTypes,
  type PostResult,
} from '../../../actors/webhook-delivery/messages.ts';
import { triesKept } from '../../../actors/webhook-delivery/trying.ts';
import { heldMsMax, webhookDelivery } from '../../../actors/webhook-delivery/webhook-delivery.ts';
import { hours } from '../../../src/kernel/time.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';

const endpointId = 'we_n9bpy9ep30dg728y8n6r6p5w';
const eventId = 'evt_m339g1s03anfq6rgyzmhk9e5';
const id = deliveryIdOf(endpointId, eventId);
const opening = {
  endpointId,
  eventId,
  eventType: 'payment.succeeded',
  journalId: 'checkout_session/cs_1:3',
  objectId: 'cs_1',
  pos: 7,
  eventAt: 0,
};
type Delivery = Story<DeliveryTypes>;
const begun = () => given(webhookDelivery, { id, scope: 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' });
const opened = () => begun().when('open', opening);
const answered = (status: number): PostResult => ({
  is: 'answered',
  status,
  body: `answer ${status}`,
  durationMs: 5,
  retryAfterMs: null,
});
const settle = (story: Delivery, result: PostResult, more: { endpointOff?: true } = {}): Delivery =>
  story.settle('webhook.post', { result, sentAt: story.now, endpointFailing: true, ...more });
const failedOnce = () => settle(opened(), answered(500));
/** After its ten tries. */
const failed = () => {
  const story = failedOnce();
  while (story.state.status === 'retrying') settle(story.wait(hours(27)), answered(500));
  return story;
};
const recover = (story: Delivery, round = 1, term = 1) => story.when('recover', { ...opening, round, term });
const posts = (story: Delivery) => story.last.effects.map(({ data }) => data);

describe('an endpoint that is disabled or deleted', () => {
  test('ends what waits, and tells who waits for it', () => {
    const story = failedOnce().when('awaitEnd', { deliveryId: 'whd_next' });
    story.when('endpointOff', { term: 0 });
    expect(story.view).toMatchObject({ status: 'failed', attempts: 1, nextAttemptAt: null });
    expect(story.timer('due')).toBeNull();
    expect(story.last.tells).toMatchObject([{ to: 'webhook_delivery/whd_next', command: 'go' }]);
    const held = settle(opened(), { is: 'held', behind: 'whd_earlier' });
    expect(held.when('endpointOff', { term: 0 }).state.status).toBe('failed');
  });

  test('leaves a try that runs: it decides', () => {
    const story = opened().when('endpointOff', { term: 0 });
    expect(story.state.status).toBe('pending');
    expect(settle(story, answered(200)).state.status).toBe('success');
    expect(settle(opened(), answered(500), { endpointOff: true }).state.status).toBe('failed');
  });

  test('leaves what was queued after it was enabled again', () => {
    const story = settle(begun().when('open', { ...opening, term: 1 }), answered(500));
    expect(story.when('endpointOff', { term: 0 }).state.status).toBe('retrying');
    expect(story.when('endpointOff', { term: 1 }).state.status).toBe('failed');
  });
});

describe('a recovery', () => {
  test('queues what was never queued', () => {
    const story = recover(begun());
    expect(story.state).toMatchObject({ status: 'pending', term: 1, round: 1, attempts: 0 });
    expect(posts(story)).toMatchObject([{ eventId, term: 1, overtakes: false }]);
  });

  test('leaves what is queued or was accepted', () => {
    for (const story of [opened(), failedOnce(), settle(opened(), answered(200))]) {
      const { v } = story.doc ?? { v: 0 };
      expect(recover(story).doc?.v).toBe(v);
    }
  });

  test('gives a failed one ten more tries, in the order of its object, once', () => {
    const story = recover(failed());
    expect(story.state).toMatchObject({
      status: 'pending',
      attempts: 10,
      overtakesAt: story.now + heldMsMax,
    });
    expect(posts(story)).toMatchObject([{ eventId, term: 1, overtakes: false }]);
    for (let tries = 1; tries <= 10; tries++) {
      expect(story.state.status).toBe(tries === 1 ? 'pending' : 'retrying');
      settle(story, answered(500));
      if (tries < 10) story.wait(hours(27));
    }
    expect(story.view).toMatchObject({ status: 'failed', attempts: 20 });
    expect(recover(story).last.effects).toEqual([]);
    expect(recover(story, 2).state.status).toBe('pending');
  });

  test('during a manual try makes that its first', () => {
    const story = recover(failed().when('retry', {}));
    expect([story.last.effects, story.pending.length, story.state.status]).toEqual([[], 1, 'pending']);
    settle(story, answered(503));
    expect(story.pending).toHaveLength(0);
    settle(story.wait(1), answered(200));
    expect(story.view).toMatchObject({ status: 'success', attempts: 12 });
  });
});

test('the tries before the last one are kept, a bounded number of them', () => {
  expect(settle(opened(), answered(200)).state.earlier).toBeUndefined();
  const story = failedOnce();
  const at = story.now;
  settle(story.wait(hours(1)), { is: 'unanswered', reason: 'timeout', durationMs: 15_000 });
  settle(story.wait(hours(1)), answered(200));
  expect(story.state.earlier).toEqual([
    { at, status: 500, answer: 'answer 500', durationMs: 5 },
    { at: at + hours(1), status: null, answer: 'timeout', durationMs: 15_000 },
  ]);
  for (let more = 0; more < triesKept + 5; more++) settle(story.when('retry', {}), answered(503));
  expect(story.state.earlier).toHaveLength(triesKept);
});
