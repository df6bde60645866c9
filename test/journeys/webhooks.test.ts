import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Received } from '../../src/cli/demo/shop.ts';
import { buttonFor, buttonOf, open, press } from '../../src/cli/demo/buyer.ts';
import { verifyByHand, verifyStandard } from '../../src/cli/demo/signature.ts';
import { eventually } from '../support/eventually.ts';
import { change, Hooks, recover, rotate, untilHeard, verifies } from '../support/hooks.ts';
import { describeModes } from '../support/modes.ts';
import type { Merchant } from '../support/merchant.ts';

const created = 'checkout.created';
const expiredKind = 'checkout.expired';
const hour = 3_600_000;
/** Of two nodes of one machine. */
const clocksApartMsMax = 1000;

const vector = {
  secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3',
  body: '{"id":"evt_1","type":"payment.succeeded"}',
  id: 'evt_1',
  timestamp: '1711234567',
  standard: 'v1,q1I+g+zynNSoLYBeA78rfvgZ2IIZqLi/SD3rQZE3j4Q=',
  other: 't=1711234567,v1=46deeb301315445063ae15c596c3f3dadec21a27c33b7d28dfef4c83e569ec41',
} as const;

describeModes('webhooks', (galla) => {
  test('row 58: a delivery answered with 500 is tried again after 5 s', async () => {
    const shop = await galla().merchant();
    const server = await galla().shop();
    server.answering = () => ({ status: server.webhooks.length === 1 ? 500 : 200 });
    await shop.endpoint(server, ['checkout.expired']);
    await expired(shop);
    await server.webhook(({ type }) => type === 'checkout.expired');
    const [told] = await shop.untilEvents(1, 'checkout.expired');
    const next = await nextTimer(shop);
    const { body: clock } = await shop.api.must('GET', '/v1/test/clock');
    // a try lies between the event and now: the second follows either by 5 s, a tenth more or less
    expect(next).toBeGreaterThanOrEqual(Date.parse(told?.text('timestamp') ?? '') + 4500);
    expect(next).toBeLessThanOrEqual(Date.parse(clock.text('now')) + 5500);
    await shop.advance(6);
    expect(server.webhooks.length).toBe(2);
    expect(server.webhooks[1]?.raw.equals(server.webhooks[0]?.raw ?? Buffer.alloc(0))).toBe(true);
    await shop.advance(3600);
    expect(server.webhooks.length).toBe(2);
  });

  /** An event with no timer beside it: a session that ended before anybody tried to pay. */
  async function expired(shop: Merchant): Promise<string> {
    const session = await shop.checkout();
    await shop.api.must('POST', `/v1/checkout/${session.text('id')}/expire`);
    return session.text('id');
  }

  const nextTimer = (shop: Merchant): Promise<number> =>
    eventually(
      async () => {
        const at = (await shop.clock()).at('nextTimerAt');
        return typeof at === 'string' ? Date.parse(at) : null;
      },
      () => 'a timer on the test clock',
    );

  test('row 60: the check vectors hold, and both headers verify on a real delivery', async () => {
    const received: Received = {
      path: '/',
      raw: Buffer.from(vector.body),
      type: '',
      id: vector.id,
      objectId: '',
      at: 0,
      headers: {
        'webhook-id': vector.id,
        'webhook-timestamp': vector.timestamp,
        'webhook-signature': vector.standard,
        'x-webhook-signature': vector.other,
      },
    };
    verifyByHand(received, vector.secret, Number(vector.timestamp));
    expect(() => verifyByHand(received, vector.secret)).toThrow(/timestamp/);

    const shop = await galla().merchant();
    const server = await galla().shop();
    const { secret } = await shop.endpoint(server, ['checkout.created']);
    await shop.checkout({ description: 'अर्डर १००१' });
    const heard = await server.webhook(({ type }) => type === 'checkout.created');
    verifyStandard(heard, secret);
    verifyByHand(heard, secret);
    expect(heard.headers).toMatchObject({
      'webhook-id': heard.id,
      'content-type': 'application/json',
      'user-agent': 'payment-webhooks/1',
      'api-version': '2026-11-20',
    });
    const changed = { ...heard, raw: Buffer.from(heard.raw.toString().replace('125050', '125051')) };
    expect(() => verifyStandard(changed, secret)).toThrow();
    expect(() => verifyByHand(changed, secret)).toThrow();
    expect(() => verifyStandard(heard, vector.secret)).toThrow();
    expect(() => verifyByHand(heard, vector.secret)).toThrow();
  });

  test('row 62: ten tries, their waits within a tenth of the schedule, and then no more', async () => {
    const shop = await galla().merchant();
    const server = await galla().shop();
    server.answering = () => ({ status: 503 });
    await shop.endpoint(server, ['checkout.expired']);
    await expired(shop);
    await server.webhook(({ type }) => type === 'checkout.expired');
    const tries = [Date.parse((await shop.untilEvents(1, 'checkout.expired'))[0]?.text('timestamp') ?? '')];
    for (let steps = 0; tries.length < 10 && steps < 40; steps++) {
      const [at, had] = [await nextTimer(shop), server.webhooks.length];
      await shop.advance(
        new Date(Math.max(at, Date.parse((await shop.clock()).text('now')) + 1000)).toISOString(),
      );
      if (server.webhooks.length > had) tries.push(at);
    }
    const waits = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) / 1000);
    const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expect(waits.length).toBe(schedule.length);
    for (const [index, wait] of waits.entries()) {
      const planned = schedule[index] ?? 0;
      // the first stretch also holds the moment between the event and its first try
      expect(wait, `wait ${index + 1}`).toBeGreaterThanOrEqual(planned * 0.9);
      expect(wait, `wait ${index + 1}`).toBeLessThanOrEqual(planned * 1.1 + (index === 0 ? 5 : 0));
    }
    await shop.advance(10 * 24 * 3600);
    expect(server.webhooks.length).toBe(10);
    expect(new Set(server.webhooks.map(({ id }) => id)).size).toBe(1);
  }, 60_000);

  test('row 68: retries and the event list show one id and one body', async () => {
    const shop = await galla().merchant();
    const server = await galla().shop();
    server.answering = () => ({ status: server.webhooks.length < 4 ? 500 : 200 });
    const { secret } = await shop.endpoint(server, ['payment.succeeded']);
    const session = await shop.checkout();
    await press(buttonFor(await shop.startAndLogIn(session), 'do', 'pay'));
    await shop.untilStatus(session.text('id'), 'success');
    const first = await server.webhook(({ type }) => type === 'payment.succeeded');
    await shop.advance(3 * 3600);
    expect(server.webhooks.length).toBe(4);
    const [event] = await shop.untilEvents(1, 'payment.succeeded');
    for (const heard of server.webhooks) {
      verifyStandard(heard, secret);
      expect(heard.headers['webhook-id']).toBe(first.id);
      expect(heard.raw.equals(first.raw)).toBe(true);
    }
    expect(event?.text('id')).toBe(first.id);
    expect(JSON.stringify(event?.value)).toBe(first.raw.toString());
  });

  test('row 69: an event exists without any endpoint', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    const page = await open(session.text('checkout_url'));
    await press(buttonOf(page, /cancel/i));
    const events = await shop.untilEvents(2, 'checkout.created,checkout.cancelled', session.text('id'));
    expect(events.map((event) => [event.at('type'), event.at('sequence'), event.at('data.status')])).toEqual([
      ['checkout.created', 1, 'pending'],
      ['checkout.cancelled', 2, 'cancelled'],
    ]);
    const late = await galla().shop();
    await shop.endpoint(late);
    await shop.advance(60);
    expect(late.webhooks).toEqual([]);
  });

  test('row 61: during the grace period both secrets verify, after it only the new one', async () => {
    const hook = await (await Hooks.open(galla())).add({}, [created]);
    const heard = async (): Promise<Received> => {
      const had = hook.heard().length;
      await hook.shop.checkout();
      return (await untilHeard(hook, had + 1)).at(-1) as Received;
    };
    const now = Date.parse((await hook.shop.clock()).text('now'));
    const rotated = await rotate(hook, 2);
    expect(rotated.body.at('sequence')).toBe(2);
    const second = rotated.body.text('signing_secret');
    const until = Date.parse(rotated.body.text('previousSecretExpiresAt'));
    expect(Math.abs(until - now - 2 * hour)).toBeLessThan(10_000);
    const both = await heard();
    expect([hook.secret, second].map((secret) => verifies(both, secret))).toEqual([true, true]);
    // the new one is first
    expect(both.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    expect(both.headers['x-webhook-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    const [first = ''] = (both.headers['webhook-signature'] ?? '').split(' ');
    const [t = '', v1 = ''] = (both.headers['x-webhook-signature'] ?? '').split(',');
    const newest = {
      ...both,
      headers: { ...both.headers, 'webhook-signature': first, 'x-webhook-signature': `${t},${v1}` },
    };
    expect([hook.secret, second].map((secret) => verifies(newest, secret))).toEqual([false, true]);

    await hook.shop.advance(2 * 3600);
    const alone = await heard();
    expect([hook.secret, second].map((secret) => verifies(alone, secret))).toEqual([false, true]);
  });

  test('row 63: the log keeps status, times and the first 2 KiB of each answer', async () => {
    const shop = await galla().merchant();
    const answers = ['{"error":"', 'भुक्तानी '.repeat(500)].join('');
    const server = createServer((request, response) => {
      request.resume();
      request.once('end', () => response.writeHead(507).end(answers));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    const { body } = await shop.api.must('POST', '/v1/webhooks', { url, events: [created] });
    const before = Date.parse((await shop.clock()).text('now'));
    await shop.checkout();
    const path = `/v1/webhooks/${body.text('id')}/deliveries`;
    const [delivery] = await eventually(
      async () => {
        const all = (await shop.api.must('GET', path)).body.list('data');
        return all[0]?.at('status') === 'retrying' ? all : null;
      },
      () => 'a try',
    );
    expect(delivery?.value).toMatchObject({ attempts: 1, responseStatus: 507 });
    const kept = delivery?.text('responseBody') ?? '';
    expect(answers.startsWith(kept)).toBe(true);
    // a character of three bytes is not cut in two
    expect(Buffer.byteLength(kept)).toBeGreaterThan(2045);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(2048);
    const [at, next] = ['lastAttemptAt', 'nextAttemptAt'].map((name) =>
      Date.parse(delivery?.text(name) ?? ''),
    );
    expect(at).toBeGreaterThanOrEqual(before - clocksApartMsMax);
    expect((next ?? 0) - (at ?? 0)).toBeGreaterThanOrEqual(4500);
    expect(delivery?.at('durationMs')).toBeGreaterThanOrEqual(0);
    const one = await shop.api.must('GET', `/v1/webhooks/deliveries/${delivery?.text('id')}`);
    expect(one.body.value).toEqual(delivery?.value);
  });

  const missedSessions = 25;

  test('row 64: 50 events while disabled arrive after recover, once each, oldest first, with their old ids', async () => {
    const hook = await (await Hooks.open(galla())).add({}, [created, expiredKind]);
    await change(hook, { enabled: false });
    const since = Date.parse((await hook.shop.clock()).text('now'));
    for (let n = 0; n < missedSessions; n++) {
      const session = await hook.shop.checkout();
      await hook.shop.api.must('POST', `/v1/checkout/${session.text('id')}/expire`);
    }
    const events = await hook.shop.untilEvents(2 * missedSessions, `${created},${expiredKind}`);
    await change(hook, { enabled: true });
    await hook.shop.advance(1);
    expect(hook.heard()).toEqual([]);

    const { body } = await recover(hook, since);
    expect(body.value).toEqual({
      endpointId: hook.id,
      since: new Date(since).toISOString(),
      queued: 2 * missedSessions,
    });
    const arrived = await untilHeard(hook, 2 * missedSessions);
    const place = new Map(events.map((event, at) => [event.text('id'), at]));
    for (const one of arrived) {
      verifyStandard(one, hook.secret);
      const event = events[place.get(one.id) ?? -1];
      expect(one.raw.toString(), 'the body in the list').toBe(JSON.stringify(event?.value));
    }
    expect(new Set(arrived.map(({ id }) => id)).size).toBe(2 * missedSessions);
    for (const objectId of new Set(arrived.map((one) => one.objectId)))
      expect(arrived.filter((one) => one.objectId === objectId).map(({ type }) => type)).toEqual([
        created,
        expiredKind,
      ]);
    // several are sent at once, and one of the same object waits for the other: each is near its place
    const off = arrived.map(({ id }, at) => Math.abs((place.get(id) ?? 0) - at));
    expect(off.reduce((sum, each) => sum + each, 0) / off.length).toBeLessThan(10);

    expect((await recover(hook, since)).body.at('queued')).toBe(0);
    await hook.shop.advance(3600);
    expect(hook.heard()).toHaveLength(2 * missedSessions);
  });
});
