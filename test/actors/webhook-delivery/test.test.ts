/** A merchant tests an endpoint: one POST of a sample, without consequences. */
import { describe, expect, test } from 'vitest';
import {
  deliveryIdOf,
  type DeliveryTypes,
  type PostResult,
} from '../../../actors/webhook-delivery/messages.ts';
import { webhookDelivery } from '../../../actors/webhook-delivery/webhook-delivery.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';

const endpointId = 'we_n9bpy9ep30dg728y8n6r6p5w';
const eventId = 'evt_m339g1s03anfq6rgyzmhk9e5';
const id = deliveryIdOf(endpointId, eventId);
const sample =
  '{"id":"evt_m339g1s03anfq6rgyzmhk9e5","type":"test.ping","test":true,"data":{"message":"ping"}}';
const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';
type Delivery = Story<DeliveryTypes>;

const tested = (): Delivery =>
  given(webhookDelivery, { id, scope }).when('test', { endpointId, eventId, eventType: 'test.ping', sample });
const opened = (): Delivery =>
  given(webhookDelivery, { id, scope }).when('open', {
    endpointId,
    eventId,
    eventType: 'checkout.created',
    journalId: 'checkout_session/cs_1:3',
    objectId: 'cs_n5y5kc7txbgmy7rz22b0c1r5',
    pos: 7,
    eventAt: 0,
  });
const answered = (status: number): PostResult => ({
  is: 'answered',
  status,
  body: 'oops',
  durationMs: 87,
  retryAfterMs: null,
});
const settle = (story: Delivery, result: PostResult): Delivery =>
  story.settle('webhook.post', { result, sentAt: story.now, endpointFailing: false });

describe('a test', () => {
  test('sends the sample itself, which is in no journal, and shows it', () => {
    const story = tested();
    expect(story.pending).toMatchObject([
      { kind: 'webhook.post', lane: endpointId, data: { endpointId, eventId, journalId: '', sample } },
    ]);
    expect(story.view).toMatchObject({
      status: 'pending',
      eventType: 'test.ping',
      payload: { type: 'test.ping', test: true, data: { message: 'ping' } },
    });
    expect(story.events).toEqual([]);
  });

  test.each([
    [200, 'success'],
    [500, 'failed'],
    [410, 'failed'],
  ] as const)('answered %i has one try, and does not affect the health of its endpoint', (status, end) => {
    const story = settle(tested(), answered(status));
    expect(story.view).toMatchObject({
      status: end,
      attempts: 1,
      responseStatus: status,
      nextAttemptAt: null,
    });
    expect([story.doc?.timers, story.tells, story.notes]).toEqual([[], [], []]);
  });

  test('has failed when it is not answered, and at an endpoint deleted meanwhile', () => {
    expect(settle(tested(), { is: 'unanswered', reason: 'timeout', durationMs: 15_000 }).view).toMatchObject({
      status: 'failed',
      responseBody: 'timeout',
    });
    expect(settle(tested(), { is: 'no_endpoint' }).view).toMatchObject({ status: 'failed', attempts: 0 });
  });

  test('requested twice with one key is sent once; a manual retry sends the same sample', () => {
    const story = tested().when('test', { endpointId, eventId, eventType: 'test.ping', sample: '{}' });
    expect(story.pending).toHaveLength(1);
    settle(story, answered(500)).when('retry', {});
    expect(story.pending).toMatchObject([{ data: { sample } }]);
    expect(settle(story, answered(200)).view).toMatchObject({ status: 'success', attempts: 2 });
    expect(story.tells).toEqual([]);
  });
});

test('a test delivery cannot be written in a schema without tests; every other delivery can', () => {
  const actor: AnyActor = webhookDelivery;
  expect(lowered(actor, tested().state as never, 2)).toBeNull();
  const byHand = settle(opened(), answered(500)).when('retry', {});
  for (const [story, schema, said] of [
    [opened(), 2, true],
    [opened(), 1, true],
    [byHand, 2, true],
    [byHand, 1, false],
  ] as const)
    expect(lowered(actor, story.state as never, schema) !== null).toBe(said);
});
