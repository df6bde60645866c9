import { describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { hmacSha256 } from '../../../src/kernel/hash.ts';
import { hours, minutes, seconds } from '../../../src/kernel/time.ts';
import { answerBytesKept, postsAtOnce, retryAfter } from '../../../src/outbound/webhook-post.ts';
import { projectAt, type ProjectState } from '../../../actors/project/messages.ts';
import { webhookEndpointAt } from '../../../actors/webhook-endpoint/messages.ts';
import { retrySchedule } from '../../../actors/webhook-endpoint/retry-schedule.ts';
import { projectId, secret, shop, world, type Received } from './webhook-world.ts';

const payment = 'pay_4t8z1m6q3x9k2v7b';
const idOf = ({ headers }: Received): string => String(headers['webhook-id']);
const verified = ({ headers, body }: Received): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

describe('what the endpoint receives', () => {
  test("the journal's bytes, with both signatures", async () => {
    const { url, received } = await shop(() => 200);
    const { openEndpoint, emit, statusIs, store, scope } = await world();
    const endpoint = await openEndpoint(url);
    const [event = ''] = await emit({ objectId: payment, note: 'आशा राई "quoted" \u2028' });
    await statusIs(endpoint, event, 'success');

    expect(received).toHaveLength(1);
    const [one = { headers: {}, body: '', path: '' }] = received;
    const [entry] = await store.journalAfter(scope, 0, 10);
    expect(one.body).toBe(entry?.body['envelope']);
    expect(verified(one)).toMatchObject({
      id: event,
      type: 'payment.failed',
      data: { note: 'आशा राई "quoted" \u2028' },
    });
    expect(one.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'payment-webhooks/1',
      'api-version': '2026-11-20',
      'webhook-id': event,
    });
    const timestamp = String(one.headers['webhook-timestamp']);
    expect(one.headers['x-webhook-signature']).toBe(
      `t=${timestamp},v1=${hmacSha256(secret, `${timestamp}.${one.body}`, 'hex')}`,
    );
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
  });

  test('the same id and bytes on every try, signed with real time though the test clock is far ahead', async () => {
    const { url, received } = await shop((_one, count) => (count < 3 ? 500 : 204));
    const { openEndpoint, emit, statusIs, advance } = await world();
    const endpoint = await openEndpoint(url);
    const [event = ''] = await emit({ objectId: payment });
    await statusIs(endpoint, event, 'retrying');
    await advance(hours(1));
    await statusIs(endpoint, event, 'success');
    expect(received).toHaveLength(3);
    expect(new Set(received.map(idOf))).toEqual(new Set([event]));
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    for (const one of received) expect(verified(one)).toMatchObject({ id: event });
  });

  test('only the subscribed kinds, and nothing at a deleted endpoint', async () => {
    const { url, received } = await shop(() => 200);
    const { node, scope, openEndpoint, emit, statusIs } = await world();
    const endpoint = await openEndpoint(url, ['payment.succeeded']);
    const gone = await openEndpoint(url, ['*'], 'we_pjbpy9ep30dg728y8n6r6p5w');
    await node.client.ask(webhookEndpointAt(gone), 'remove', {}, { by: 'merchant', scope });
    const [, paid = ''] = await emit({ objectId: payment }, { objectId: payment, type: 'payment.succeeded' });
    await statusIs(endpoint, paid, 'success');
    expect(received.map(idOf)).toEqual([paid]);
  });
});

describe('when the endpoint fails', () => {
  test('ten tries at their own times of the test clock, then failed', async () => {
    const { url, received } = await shop(() => ({ status: 500, body: 'oops' }));
    const { node, scope, openEndpoint, emit, delivery, advance } = await world();
    const endpoint = await openEndpoint(url);
    const [event = ''] = await emit({ objectId: payment });
    await advance(hours(90));
    expect(await delivery(endpoint, event)).toMatchObject({
      status: 'failed',
      attempts: 10,
      responseStatus: 500,
      responseBody: 'oops',
    });
    expect(received).toHaveLength(10);
    const notes = await node.client.listRows({
      kind: 'timeline',
      scope,
      equals: { about: payment },
      page: 1,
      limit: 100,
    });
    const times = notes.items.map(({ created }) => created).reverse();
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    for (const [index, waited] of waits.entries()) {
      const planned = retrySchedule[index + 1] ?? 0;
      expect(Math.abs(waited - planned)).toBeLessThanOrEqual(planned * 0.1 + seconds(1));
    }
  });

  test('120 hours of failures disable it, and the other endpoints receive an event', async () => {
    const bad = await shop(() => 500);
    const good = await shop(() => 200);
    const { node, scope, openEndpoint, emit, advance } = await world();
    const endpoint = await openEndpoint(bad.url);
    await openEndpoint(good.url, ['webhook_endpoint.disabled'], 'we_pjbpy9ep30dg728y8n6r6p5w');
    await emit({ objectId: payment });
    await advance(hours(119));
    expect((await node.client.read(webhookEndpointAt(endpoint), scope))?.view).toMatchObject({
      enabled: true,
    });
    await advance(hours(2));
    expect((await node.client.read(webhookEndpointAt(endpoint), scope))?.view).toMatchObject({
      enabled: false,
      disabledReason: 'failing',
    });
    expect(good.received.map((one) => verified(one))).toMatchObject([
      { type: 'webhook_endpoint.disabled', data: { id: endpoint, enabled: false } },
    ]);
    expect(bad.received).toHaveLength(10);
  });

  test('one success between failures keeps it enabled', async () => {
    const { url } = await shop(({ body }) => (body.includes('"note":"fine"') ? 200 : 500));
    const { node, scope, openEndpoint, emit, advance } = await world();
    const endpoint = await openEndpoint(url);
    await emit({ objectId: payment });
    await advance(hours(60));
    await emit({ objectId: 'cs_another', note: 'fine' });
    await advance(hours(61));
    expect((await node.client.read(webhookEndpointAt(endpoint), scope))?.view).toMatchObject({
      enabled: true,
    });
  });

  test('410 disables it at once; deliveries in progress end as failed', async () => {
    const { url, received } = await shop((_one, count) => (count === 1 ? 500 : 410));
    const { openEndpoint, emit, delivery, statusIs, advance } = await world();
    const endpoint = await openEndpoint(url);
    const [first = ''] = await emit({ objectId: payment });
    await statusIs(endpoint, first, 'retrying');
    const [second = ''] = await emit({ objectId: 'cs_another' });
    await statusIs(endpoint, second, 'failed');
    await advance(minutes(1));
    expect(await delivery(endpoint, first)).toMatchObject({
      status: 'failed',
      attempts: 1,
      responseStatus: 500,
    });
    await emit({ objectId: 'cs_third' });
    await advance(minutes(1));
    expect(received).toHaveLength(2);
  });

  test('of a huge answer 2 KiB are kept, whole characters only', async () => {
    const { url } = await shop(() => ({ status: 200, body: `a${'आ'.repeat(1_000_000)}` }));
    const { openEndpoint, emit, delivery, statusIs } = await world();
    const endpoint = await openEndpoint(url);
    const [event = ''] = await emit({ objectId: payment });
    await statusIs(endpoint, event, 'success');
    expect((await delivery(endpoint, event))?.['responseBody']).toBe(
      `a${'आ'.repeat(Math.floor((answerBytesKept - 1) / 3))}`,
    );
  });

  test('a redirect is no success and is not followed', async () => {
    const inner = await shop(() => 200);
    const { url } = await shop(() => ({ status: 307, headers: { Location: inner.url } }));
    const { openEndpoint, emit, delivery, statusIs } = await world();
    const endpoint = await openEndpoint(url);
    const [event = ''] = await emit({ objectId: payment });
    await statusIs(endpoint, event, 'retrying');
    expect(await delivery(endpoint, event)).toMatchObject({ responseStatus: 307 });
    expect(inner.received).toEqual([]);
  });
});

describe('order', () => {
  test('events of one object arrive in order although the first needs two tries; other objects do not wait', async () => {
    const { url, received } = await shop((_one, count) => (count === 1 ? 500 : 200));
    const { openEndpoint, emit, statusIs, advance } = await world();
    const endpoint = await openEndpoint(url);
    const [first = ''] = await emit({ objectId: payment });
    await statusIs(endpoint, first, 'retrying');
    const [second = '', other = '', third = ''] = await emit(
      { objectId: payment },
      { objectId: 'cs_another' },
      { objectId: payment },
    );
    await statusIs(endpoint, other, 'success');
    await advance(seconds(10));
    await statusIs(endpoint, third, 'success');
    expect(received.map(idOf)).toEqual([first, other, first, second, third]);
  });

  test('a later event overtakes after 60 s, not before', async () => {
    let broken = '';
    const { url, received } = await shop((one) => (idOf(one) === broken ? 500 : 200));
    const { openEndpoint, emit, delivery, statusIs, advance } = await world();
    const endpoint = await openEndpoint(url);
    [broken = ''] = await emit({ objectId: payment });
    await statusIs(endpoint, broken, 'retrying');
    const [second = ''] = await emit({ objectId: payment });
    await advance(seconds(50));
    expect(await delivery(endpoint, second)).toMatchObject({ status: 'pending', attempts: 0 });
    await advance(seconds(15));
    expect(await delivery(endpoint, second)).toMatchObject({ status: 'success', attempts: 1 });
    expect(received.map(idOf)).toEqual([broken, broken, second]);
  });

  test('a burst of one object arrives in order, each once', async () => {
    const { url, received } = await shop(() => 200);
    const { openEndpoint, emit, statusIs } = await world();
    const endpoint = await openEndpoint(url);
    const events = await emit(...Array.from({ length: 12 }, () => ({ objectId: payment })));
    await statusIs(endpoint, events.at(-1) ?? '', 'success');
    expect(received.map(idOf)).toEqual(events);
  });

  test('events of different objects are sent in parallel, ten at once to begin with', async () => {
    let [open, most] = [0, 0];
    let answerAll = (): void => undefined;
    const full = new Promise<void>((resolve) => void (answerAll = resolve));
    const { url, received } = await shop(async () => {
      // an eleventh would come meanwhile
      if (++open === postsAtOnce)
        setTimeout(() => {
          most = open;
          answerAll();
        }, 50);
      await full;
      return 200;
    });
    const { openEndpoint, emit, statusIs } = await world();
    const endpoint = await openEndpoint(url);
    const events = await emit(...Array.from({ length: 25 }, (_, i) => ({ objectId: `cs_${i}` })));
    for (const event of events) await statusIs(endpoint, event, 'success');
    expect(most).toBe(postsAtOnce);
    expect(received).toHaveLength(25);
  });

  test.each([429, 502, 504])('after %i an endpoint gets one delivery at a time', async (asks) => {
    let [open, most, calm] = [0, 0, false];
    const { url } = await shop(async () => {
      if (!calm) return asks;
      most = Math.max(most, ++open);
      await new Promise((resolve) => void setTimeout(resolve, 5));
      open--;
      return 200;
    });
    const { openEndpoint, emit, statusIs } = await world();
    const endpoint = await openEndpoint(url);
    const [first = ''] = await emit({ objectId: 'cs_first' });
    await statusIs(endpoint, first, 'retrying');
    calm = true;
    const events = await emit(...Array.from({ length: 8 }, (_, i) => ({ objectId: `cs_${i}` })));
    for (const event of events) await statusIs(endpoint, event, 'success');
    expect(most).toBe(1);
  });
});

describe('where we connect', () => {
  test.each([
    ['sandbox, when the deployment does not lift the rule', { mode: 'sandbox', allowPrivate: false }],
    ['live, whatever the deployment lifts for sandbox', { mode: 'live', allowPrivate: true }],
  ] as const)('a private address is not connected to in %s', async (_where, options) => {
    const { url, received } = await shop(() => 200);
    const { openEndpoint, emit, delivery, statusIs } = await world(options);
    const byAddress = await openEndpoint(url);
    const byName = await openEndpoint(
      url.replace('127.0.0.1', 'shop.example'),
      ['*'],
      'we_pjbpy9ep30dg728y8n6r6p5w',
    );
    const [event = ''] = await emit({ objectId: payment });
    for (const endpoint of [byAddress, byName]) {
      await statusIs(endpoint, event, 'retrying');
      expect(await delivery(endpoint, event)).toMatchObject({
        attempts: 1,
        responseStatus: null,
        responseBody: 'address not allowed',
      });
    }
    expect(received).toEqual([]);
  });
});

test('a removed endpoint releases its reservation', async () => {
  const { url } = await shop(() => 200);
  const { node, scope, openEndpoint } = await world();
  const endpoint = await openEndpoint(url);
  await node.client.ask(
    projectAt(projectId),
    'reserveEndpoint',
    { endpointId: endpoint, mode: 'sandbox' },
    { by: 'system', scope: 'system' },
  );
  await node.client.ask(webhookEndpointAt(endpoint), 'remove', {}, { by: 'merchant', scope });
  await expect
    .poll(
      async () => (await node.client.read<ProjectState>(projectAt(projectId), null))?.state.seats.sandbox,
      {
        timeout: 3000,
      },
    )
    .toEqual([]);
});

test.each<[string, number | null]>([
  ['120', seconds(120)],
  [' 5 ', seconds(5)],
  ['0', 0],
  ['999999999999', hours(24)],
  ['', null],
  ['soon', null],
  ['-5', null],
  ['Fri, 20 Nov 2026 09:16:40 GMT', seconds(100)],
  ['Fri, 20 Nov 2020 09:16:40 GMT', 0],
  ['Fri, 20 Nov 2099 09:16:40 GMT', hours(24)],
])('Retry-After "%s" means %s ms', (value, ms) => {
  expect(retryAfter(value, Date.parse('2026-11-20T09:15:00.000Z'))).toBe(ms);
});
