import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { buttonOf, open, press } from '../../src/cli/demo/buyer.ts';
import { declaredRoutes } from '../support/doors.ts';
import { describeModes } from '../support/modes.ts';
import type { Merchant } from '../support/merchant.ts';

const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
const daySeconds = 24 * 3600;
const later = (iso: string, seconds: number): string =>
  new Date(Date.parse(iso) + seconds * 1000).toISOString();
/** What a session is apart from the state it is in. */
const lasting = (session: Body): object => {
  const {
    status: _1,
    provider: _2,
    paymentId: _3,
    attempts: _4,
    sequence: _5,
    updatedAt: _6,
    ...rest
  } = session.value as { [key: string]: unknown };
  return rest;
};

describeModes('checkouts', (galla) => {
  test('row 1: amount and returnUrl make a pending session whose address shows the amount', async () => {
    const { api } = await galla().merchant();
    const created = await api.post('/v1/checkout', order);
    expect(created.status).toBe(201);
    expect(created.body.value).toMatchObject({
      status: 'pending',
      provider: null,
      amount: 125_050,
      currency: 'NPR',
      livemode: false,
    });
    expect(created.body.text('id')).toMatch(/^cs_[0-9a-hjkmnp-tv-z]{24}$/);
    const page = await open(created.body.text('checkout_url'));
    expect(page.status).toBe(200);
    expect(page.words).toContain('NPR 1,250.50');
  });

  test('row 3: expire answers five fields, and again on every ended session its status unchanged', async () => {
    const shop = await galla().merchant();
    const ended: { [status: string]: string } = {
      expired: await expired(shop),
      success: await paid(shop),
      cancelled: await cancelled(shop),
      failed: await failed(shop),
    };
    for (const [status, id] of Object.entries(ended)) {
      const before = await shop.session(id);
      expect(before.at('status')).toBe(status);
      const again = await shop.api.post(`/v1/checkout/${id}/expire`);
      expect(again.status).toBe(200);
      expect(again.body.value).toEqual({
        id,
        status,
        flow: 'hosted',
        provider: before.at('provider'),
        expires_at: before.at('expires_at'),
      });
      expect((await shop.session(id)).value).toEqual(before.value);
    }
  });

  async function expired(shop: Merchant): Promise<string> {
    const session = await shop.checkout();
    const answer = await shop.api.post(`/v1/checkout/${session.text('id')}/expire`);
    expect(answer.status).toBe(200);
    expect(answer.body.value).toEqual({
      id: session.at('id'),
      status: 'expired',
      flow: 'hosted',
      provider: null,
      expires_at: session.at('expires_at'),
    });
    return session.text('id');
  }

  async function paid(shop: Merchant): Promise<string> {
    const session = await shop.checkout();
    await shop.simulate(session.text('id'), 'success');
    return (await shop.untilStatus(session.text('id'), 'success')).text('id');
  }

  async function cancelled(shop: Merchant): Promise<string> {
    const session = await shop.checkout();
    await press(buttonOf(await open(session.text('checkout_url')), /cancel/i));
    return (await shop.untilStatus(session.text('id'), 'cancelled')).text('id');
  }

  /** Five starts the provider does not answer: nobody holds their instructions, so they failed. */
  async function failed(shop: Merchant): Promise<string> {
    const session = await shop.checkout();
    await shop.faults([{ call: 'start', kind: 'http_500_html' }]);
    for (let attempt = 1; attempt <= 5; attempt++) await shop.start(session);
    await shop.faults([]);
    return (await shop.untilStatus(session.text('id'), 'failed')).text('id');
  }

  test('row 7: one key and body are one session for 24 hours, and a new one a second later', async () => {
    const { api, ...shop } = await merchantWithClock();
    const idempotencyKey = randomUUID();
    const first = await api.post('/v1/checkout', order, { idempotencyKey });
    expect(first.status).toBe(201);
    const at = first.body.text('createdAt');
    await shop.advance(later(at, daySeconds - 30));
    const again = await api.post('/v1/checkout', order, { idempotencyKey });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await shop.advance(later(at, daySeconds + 1));
    const fresh = await api.post('/v1/checkout', order, { idempotencyKey });
    expect(fresh.status).toBe(201);
    expect(fresh.headers.get('idempotent-replayed')).toBeNull();
    expect(fresh.body.text('id')).not.toBe(first.body.text('id'));
    // the key is the project's own
    const { api: neighbour } = await galla().merchant();
    expect((await neighbour.post('/v1/checkout', order, { idempotencyKey })).body.text('id')).not.toBe(
      fresh.body.text('id'),
    );
  });

  async function merchantWithClock() {
    const shop = await galla().merchant();
    return { api: shop.api, advance: (to: string) => shop.advance(to) };
  }

  test('row 8: of simultaneous requests with one key one is executed, the others conflict or replay', async () => {
    const { api } = await galla().merchant();
    let conflicts = 0;
    for (let round = 0; round < 20 && conflicts === 0; round++) {
      const idempotencyKey = randomUUID();
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => api.post('/v1/checkout', order, { idempotencyKey })),
      );
      const executed = answers.filter(
        ({ status, headers }) => status === 201 && headers.get('idempotent-replayed') === null,
      );
      expect(executed.length).toBe(1);
      for (const { status, text, headers, body } of answers) {
        if (status === 201) expect(text).toBe(executed[0]?.text);
        else {
          conflicts++;
          expect([status, headers.get('retry-after')]).toEqual([409, '1']);
          expect(Object.keys(body.value as object)).toEqual(['error', 'code']);
          expect(body.value).toEqual({
            error: 'A request with this Idempotency-Key is still running. Try again after a short delay.',
            code: 'idempotency_conflict',
          });
        }
      }
      expect((await api.post('/v1/checkout', order, { idempotencyKey })).text).toBe(executed[0]?.text);
    }
    expect(conflicts).toBeGreaterThan(0);
  });

  test('row 8: a key whose session exists answers all requests that arrive at once', async () => {
    const { api } = await galla().merchant();
    const idempotencyKey = randomUUID();
    const first = await api.must('POST', '/v1/checkout', order, { idempotencyKey });
    for (let round = 0; round < 5; round++) {
      const again = () => api.post('/v1/checkout', order, { idempotencyKey });
      const answers = await Promise.all(Array.from({ length: 8 }, again));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
      for (const { text } of answers) expect(text).toBe(first.text);
    }
  });

  test('row 14: reading a session returns what its creation returned, apart from its state', async () => {
    const shop = await galla().merchant();
    const fields = {
      description: 'Order 1001',
      referenceId: 'A-1001',
      metadata: { order_id: '1001', nested: { deep: [1, 2] } },
      cancelUrl: 'https://shop.example/no',
      customer: {
        name: 'Asha Rai',
        email: 'asha@example.com',
        phone: '9800000000',
        address: { line1: 'Lazimpat 1', city: 'Kathmandu' },
      },
    };
    const created = await shop.checkout(fields);
    const id = created.text('id');
    expect((await shop.session(id)).value).toEqual(created.value);
    await shop.start(created);
    const started = await shop.session(id);
    expect(started.value).toMatchObject({ status: 'initiated', provider: 'wallet_b', attempts: 1 });
    expect(lasting(started)).toEqual(lasting(created));
    const { body: list } = await shop.api.must('GET', '/v1/checkout');
    expect(list.at('data')).toEqual([started.value]);
    expect((await shop.publishable.must('GET', `/v1/checkout/${id}`)).body.value).toEqual({
      ...(started.value as object),
      customer: null,
      customerAddress: null,
      metadata: null,
    });
  });

  test('row 90: a list has four fields, 50 entries by default and 100 at most', async () => {
    const shop = await galla().merchant();
    for (let made = 0; made < 52; made++) await shop.checkout({ referenceId: String(made) });
    const { body } = await shop.api.must('GET', '/v1/checkout');
    expect(Object.keys(body.value as object)).toEqual(['data', 'total', 'page', 'limit']);
    expect(body.value).toMatchObject({ total: 52, page: 1, limit: 50 });
    const second = (await shop.api.must('GET', '/v1/checkout?page=2')).body;
    const all = [...body.list('data'), ...second.list('data')];
    expect(all.map((one) => Number(one.at('referenceId'))).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 52 }, (_, at) => at),
    );
    // newest first; what was created in one millisecond by its id
    const placed = all.map((one) => `${String(one.at('createdAt'))} ${String(one.at('id'))}`);
    expect(placed).toEqual(placed.toSorted().toReversed());
    expect((await shop.api.must('GET', '/v1/checkout?page=3')).body.at('data')).toEqual([]);
    expect((await shop.api.must('GET', '/v1/checkout?limit=100')).body.list('data').length).toBe(52);
    for (const path of ['/v1/checkout', '/v1/payments', '/v1/events']) {
      const refused = await shop.api.get(`${path}?limit=101`);
      expect(refused.status).toBe(400);
      expect(refused.body.value).toMatchObject({
        error: { code: 'validation_failed', param: 'limit', errors: [{ param: 'limit', code: 'too_large' }] },
      });
    }
  });

  test('row 91: every path of the API begins with /v1', async () => {
    const { api } = await galla().merchant();
    const routes = declaredRoutes();
    expect(routes.length).toBeGreaterThan(15);
    for (const { method, path } of routes) {
      expect(path).toMatch(/^(\/v1\/|\/admin\/v1\/|\/health$|\/metrics$)/);
      if (!path.startsWith('/v1/')) continue;
      const bare = await api.send(method, path.slice('/v1'.length));
      expect([path, bare.status, bare.body.at('error.code')]).toEqual([path, 404, 'endpoint_not_found']);
    }
  });
});
