import { expect, test } from 'vitest';
import { webhookEndpoint } from '../../../actors/webhook-endpoint/webhook-endpoint.ts';
import { hours } from '../../../src/kernel/time.ts';
import { given } from '../../support/simulated/test-runner.ts';

const id = 'we_n9bpy9ep30dg728y8n6r6p5w';
const projectId = 'prj_pjc0e83mhrawse3s6h8bhrbw';
const opening = {
  url: 'https://shop.example/hooks',
  events: ['payment.succeeded', 'payment.failed'],
  description: 'Orders',
  sealedSecret: 's1.sealed',
  apiVersion: '2026-11-20',
};
const opened = (mode: 'sandbox' | 'live' = 'sandbox') =>
  given(webhookEndpoint, { id, scope: `${projectId}:${mode}` }).when('open', opening);
const told = { deliveryId: 'whd_f32ydxkr15tkrabjxt73h22c' };

test('a new endpoint is the object of docs/reference/api/webhook-endpoints.md, without its secret', () => {
  const story = opened();
  expect(story.view).toEqual({
    id,
    livemode: false,
    url: 'https://shop.example/hooks',
    events: ['payment.succeeded', 'payment.failed'],
    enabled: true,
    description: 'Orders',
    disabledReason: null,
    apiVersion: '2026-11-20',
    sequence: 1,
    createdAt: '2026-11-20T09:15:00.000Z',
    updatedAt: '2026-11-20T09:15:00.000Z',
  });
  expect(JSON.stringify(story.view)).not.toContain('s1.sealed');
  expect(opened('live').view['livemode']).toBe(true);
});

test('opening it again changes nothing', () => {
  expect(opened().when('open', { ...opening, url: 'https://other.example/' }).view['url']).toBe(
    'https://shop.example/hooks',
  );
});

test('120 hours without a successful try disable it once, with an event', () => {
  const story = opened()
    .wait(hours(1))
    .when('healthChanged', { health: 'failing', ...told })
    .wait(hours(119));
  story.when('healthChanged', { health: 'failing', ...told }).wait(hours(1) - 1);
  expect(story.state.status).toBe('enabled');
  story.wait(1);
  expect(story.view).toMatchObject({
    enabled: false,
    disabledReason: 'failing',
    sequence: 2,
    updatedAt: '2026-11-25T10:15:00.000Z',
  });
  expect(story.events).toEqual([{ type: 'webhook_endpoint.disabled', data: story.view }]);
  story.when('healthChanged', { health: 'gone', ...told }).wait(hours(200));
  expect(story.events).toHaveLength(1);
});

test('one successful answer ends a period of failures', () => {
  const story = opened()
    .when('healthChanged', { health: 'failing', ...told })
    .wait(hours(119));
  story.when('healthChanged', { health: 'ok', ...told });
  expect(story.timer('failing')).toBeNull();
  story
    .wait(hours(10))
    .when('healthChanged', { health: 'failing', ...told })
    .wait(hours(119));
  expect(story.state.status).toBe('enabled');
  expect(story.view['sequence']).toBe(1);
});

test('410 disables it at once', () => {
  const story = opened()
    .when('healthChanged', { health: 'failing', ...told })
    .when('healthChanged', { health: 'gone', ...told });
  expect(story.view).toMatchObject({ enabled: false, disabledReason: 'gone' });
  expect(story.events.map(({ type }) => type)).toEqual(['webhook_endpoint.disabled']);
  expect(story.timer('failing')).toBeNull();
});

test('a health report changes nothing for a healthy or a disabled endpoint', () => {
  expect(opened().when('healthChanged', { health: 'ok', ...told }).doc?.v).toBe(1);
  const disabled = opened().when('healthChanged', { health: 'gone', ...told });
  const { v } = disabled.doc ?? { v: 0 };
  expect(
    disabled
      .when('healthChanged', { health: 'ok', ...told })
      .when('healthChanged', { health: 'failing', ...told }).doc?.v,
  ).toBe(v);
});

test.each(['sandbox', 'live'] as const)(
  'removing a %s endpoint deletes it and releases its reservation',
  (mode) => {
    const story = opened(mode).when('remove', {});
    expect(story.doc).toMatchObject({ gone: true, body: null, timers: [] });
    expect(story.tells).toMatchObject([
      { to: `project/${projectId}`, command: 'releaseEndpoint', data: { endpointId: id, mode } },
    ]);
    expect(story.when('remove', {}).last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
    expect(story.when('open', opening).last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
  },
);

test('a disabled endpoint can be removed too', () => {
  expect(
    opened()
      .when('healthChanged', { health: 'gone', ...told })
      .when('remove', {}).doc?.gone,
  ).toBe(true);
});

test.each(['buyer', 'provider', 'merchant'] as const)('a %s may not report its health', (by) => {
  expect(opened().when('healthChanged', { health: 'gone', ...told }, { by }).last.outcome).toMatchObject({
    code: 'not_found',
  });
});
