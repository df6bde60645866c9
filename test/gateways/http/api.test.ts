import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/cli/demo/api.ts';
import { startGalla, type Galla } from '../../support/galla.ts';
import type { Merchant } from '../../support/merchant.ts';
import { expectRefusal } from '../../support/refusal.ts';

let galla: Galla;
let shop: Merchant;
beforeAll(async () => {
  galla = await startGalla();
  shop = await galla.merchant();
});
afterAll(() => galla.stop());

const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
const ids = ({ body }: Answer): readonly unknown[] => body.list('data').map((one) => one.at('id'));

describe('checks come in one order, and the first that fails answers', () => {
  test('path and method, size, key, access, version and key format, media type, JSON, fields, object', async () => {
    const bad = { 'api-version': '1999-01-01', 'idempotency-key': 'two words', 'content-type': 'text/plain' };
    const send = (
      method: string,
      path: string,
      headers: object,
      body = '{',
      api = shop.api,
    ): Promise<Answer> => api.send(method, path, { body, headers: { ...bad, ...headers } });
    const nowhere = '/v1/checkout/cs_unknown/expire';
    expectRefusal(
      await send('POST', '/v1/nowhere', {}, 'x'.repeat(70_000), galla.nobody),
      'endpoint_not_found',
    );
    expectRefusal(
      await send('PUT', '/v1/checkout', {}, 'x'.repeat(70_000), galla.nobody),
      'method_not_allowed',
    );
    expectRefusal(
      await send('POST', '/v1/checkout', {}, 'x'.repeat(70_000), galla.nobody),
      'request_too_large',
    );
    expectRefusal(await send('POST', '/v1/checkout', {}, '{', galla.nobody), 'api_key_missing');
    expectRefusal(await send('POST', '/v1/checkout', {}, '{', shop.publishable), 'api_key_must_be_secret');
    expectRefusal(await send('POST', '/v1/checkout', {}), 'api_version_unknown');
    expectRefusal(
      await send('POST', '/v1/checkout', { 'api-version': '2026-11-20' }),
      'idempotency_key_invalid',
    );
    const named = { 'api-version': '2026-11-20', 'idempotency-key': 'order-of-checks' };
    expectRefusal(await send('POST', '/v1/checkout', named), 'unsupported_media_type');
    const json = { ...named, 'content-type': 'application/json' };
    expectRefusal(await send('POST', nowhere, json), 'invalid_json');
    expectRefusal(
      await send('POST', '/v1/test/checkout/cs_unknown/simulate', json, '{}'),
      'validation_failed',
      ['outcome required'],
    );
    expectRefusal(
      await send('POST', '/v1/test/checkout/cs_unknown/simulate', json, '{"outcome":"success"}'),
      'resource_not_found',
    );
  });

  test('a key in query or body is never read', async () => {
    expectRefusal(await galla.nobody.get(`/v1/payments?key=${galla.keys.secretKey}`), 'api_key_missing');
  });
});

test('row 92: a body with three errors lists three, in the order of the field table', async () => {
  const answer = await shop.api.post('/v1/checkout', {
    expiresInMinutes: 4,
    amount: 1.5,
    customer: { email: 'asha' },
  });
  expectRefusal(answer, 'validation_failed', [
    'amount amount_must_be_integer',
    'returnUrl required',
    'customer.email invalid_format',
    'expiresInMinutes too_small',
  ]);
  expect(answer.body.at('error.message')).toBe('amount must be an integer in paisa.');
});

test('row 94: fields and parameters nobody knows are ignored and named', async () => {
  const answer = await shop.api.send('POST', '/v1/checkout?dry=1', {
    body: { ...order, retrunUrl: 'x', customer: { nmae: 'Asha' }, नाम: 1, 'a,b\r\nX: y': 2 },
  });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('x-ignored-params')).toBe(
    `retrunUrl,customer.nmae,${encodeURIComponent('नाम')},a%2Cb%0D%0AX:%20y,dry`,
  );
  expect(answer.headers.get('x')).toBeNull();
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, n]));
  const named = (await shop.api.post('/v1/checkout', { ...order, ...many })).headers.get('x-ignored-params');
  expect(named?.split(',')).toHaveLength(20);
  expect((await shop.api.get('/v1/payments?stauts=success')).headers.get('x-ignored-params')).toBe('stauts');
});

test('a live project without a provider cannot take payments, nor can a redirect to a provider nobody has', async () => {
  const live = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'live' }));
  expectRefusal(await live.post('/v1/checkout', order), 'provider_not_configured');
  expectRefusal(
    await live.post('/v1/checkout', { ...order, returnUrl: 'http://shop.example' }),
    'validation_failed',
    ['returnUrl url_not_allowed'],
  );
  expectRefusal(
    await shop.api.post('/v1/checkout', { ...order, flow: 'redirect', provider: 'wallet_a' }),
    'provider_not_configured',
  );
  expectRefusal(await shop.api.post('/v1/checkout', { ...order, flow: 'redirect' }), 'validation_failed', [
    'provider required',
  ]);
  expect(
    (await shop.api.post('/v1/checkout', { ...order, flow: 'redirect', provider: 'wallet_b' })).status,
  ).toBe(201);
});

describe('lists', () => {
  let mine: Merchant;
  let made: readonly string[];
  beforeAll(async () => {
    mine = await galla.merchant();
    const sessions: string[] = [];
    for (const n of [0, 1, 2, 3, 4]) {
      const metadata = { order_id: `o-${n}`, lane: n % 2 === 0 ? 'even' : 'odd', $where: n, 'a.b': true };
      sessions.push((await mine.checkout({ metadata })).text('id'));
    }
    made = sessions;
    await mine.api.must('POST', `/v1/checkout/${made[4]}/expire`);
  });
  const list = (query: string): Promise<Answer> => mine.api.must('GET', `/v1/checkout?${query}`);

  test('are newest first, in pages with an exact total', async () => {
    const newestFirst = made.toReversed();
    expect(ids(await list(''))).toEqual(newestFirst);
    const page = await list('page=2&limit=2');
    expect(ids(page)).toEqual(newestFirst.slice(2, 4));
    expect([page.body.at('total'), page.body.at('page'), page.body.at('limit')]).toEqual([5, 2, 2]);
    expect(ids(await list('page=9'))).toEqual([]);
  });

  test('of sessions are filtered by status, order, source and metadata', async () => {
    expect(ids(await list('status=expired'))).toEqual([made[4]]);
    expect(ids(await list('orderId=o-2'))).toEqual([made[2]]);
    expect(ids(await list('metadata.lane=odd'))).toEqual([made[3], made[1]]);
    expect(ids(await list('metadata.lane=odd&metadata.$where=1&metadata.a.b=true'))).toEqual([made[1]]);
    expect(ids(await list('metadata.lane=odd&orderId=o-2'))).toEqual([]);
    expect(ids(await list('source=checkout&limit=1'))).toEqual([made[4]]);
    expect(ids(await list('source=payment_link'))).toEqual([]);
    expect(ids(await list('source=invoice'))).toEqual([]);
    expect(ids(await list('provider=wallet_b'))).toEqual([]);
  });

  test('are cut by time: from inclusive, to exclusive', async () => {
    const at = (await mine.session(made[2] ?? '')).text('createdAt');
    expect(ids(await list(`createdTo=${at}`))).toEqual([made[1], made[0]]);
    expect(ids(await list(`createdFrom=${at}`))).toEqual([made[4], made[3], made[2]]);
  });

  test.each([
    ['page=0', ['page too_small']],
    ['page=1.5', ['page wrong_type']],
    ['page=one', ['page wrong_type']],
    ['limit=101&page=0', ['page too_small', 'limit too_large']],
    ['limit=', ['limit wrong_type']],
    ['status=paid', ['status not_in_enum']],
    ['createdFrom=2026-11-20', ['createdFrom invalid_format']],
    ['page=1&page=2', ['page wrong_type']],
    ['metadata.a=1&metadata.b=2&metadata.c=3&metadata.d=4', ['metadata metadata_too_many_keys']],
  ])('?%s is refused', async (query, errors) => {
    expectRefusal(await mine.api.get(`/v1/checkout?${query}`), 'validation_failed', errors);
  });

  test('are not read deeper than 10000 entries', async () => {
    expect((await mine.api.get('/v1/checkout?page=100&limit=100')).status).toBe(200);
    expectRefusal(await mine.api.get('/v1/checkout?page=101&limit=100'), 'page_too_deep');
    expectRefusal(await mine.api.get('/v1/payments?page=201'), 'page_too_deep');
  });
});

describe('payments', () => {
  let payer: Merchant;
  let payment: string;
  let session: string;
  beforeAll(async () => {
    payer = await galla.merchant();
    session = (await payer.checkout({ metadata: { order_id: '1001' } })).text('id');
    await payer.simulate(session, 'success');
    payment = (await payer.untilStatus(session, 'success')).text('paymentId');
  });
  const list = (query: string): Promise<Answer> => payer.api.must('GET', `/v1/payments?${query}`);

  test('are filtered by every field of the table', async () => {
    const { value } = (await payer.payment(payment)) as { value: { [key: string]: unknown } };
    const hits = [
      'status=success',
      'provider=wallet_b',
      `sessionId=${session}`,
      'orderId=1001',
      `providerRef=${String(value['providerRef'])}`,
      'needsReview=false',
      'amountMin=125050',
      'amountMax=125050',
      'metadata.order_id=1001',
      `createdFrom=${String(value['createdAt'])}`,
      'status=success&provider=wallet_b&needsReview=false&amountMin=1&amountMax=200000',
    ];
    for (const query of hits) expect(ids(await list(query)), query).toEqual([payment]);
    const misses = [
      'status=failed',
      'provider=wallet_a',
      'sessionId=cs_x',
      'orderId=1002',
      'providerRef=x',
      'needsReview=true',
      'amountMin=125051',
      'amountMax=125049',
      'invoiceId=inv_x',
      'customerId=bc_x',
      `createdTo=${String(value['createdAt'])}`,
    ];
    for (const query of misses) expect(ids(await list(query)), query).toEqual([]);
  });

  test('tell their story from its beginning', async () => {
    const timeline = await payer.api.must('GET', `/v1/payments/${payment}/timeline`);
    const entries = timeline.body.list('data');
    expect(timeline.body.at('total')).toBe(entries.length);
    expect(Object.keys(entries[0]?.value ?? {})).toEqual([
      'at',
      'kind',
      'summary',
      'from',
      'to',
      'cause',
      'durationMs',
      'detail',
    ]);
    const times = entries.map((entry) => entry.text('at'));
    expect(times).toEqual(times.toSorted());
    expect(
      entries
        .map((entry) => entry.at('to'))
        .filter((to) => to !== null)
        .at(-1),
    ).toBe('success');
    const second = await payer.api.must('GET', `/v1/payments/${payment}/timeline?page=2&limit=1`);
    expect(second.body.list('data').map(({ value }) => value)).toEqual([entries[1]?.value]);
  });

  test('and events are found by kind and object', async () => {
    await payer.untilEvents(1, 'payment.succeeded');
    const events = await payer.api.must('GET', '/v1/events?type=payment.succeeded,checkout.created');
    expect(events.body.list('data').map((one) => one.at('type'))).toEqual([
      'payment.succeeded',
      'checkout.created',
    ]);
    expect(
      (await payer.api.must('GET', `/v1/events?objectId=${session}`)).body
        .list('data')
        .map((one) => one.at('type')),
    ).toEqual(['checkout.created']);
    const [event] = events.body.list('data');
    const single = await payer.api.must('GET', `/v1/events/${event?.text('id')}`);
    expect(single.body.value).toEqual(event?.value);
    expectRefusal(await payer.api.get('/v1/events?type=payment.eaten'), 'validation_failed', [
      'type unknown_event_type',
    ]);
    expectRefusal(await payer.api.get('/v1/events/evt_m339g1s03anfq6rgyzmhk9e5'), 'resource_not_found');
  });
});

describe('webhook endpoints', () => {
  test('are created with a secret that is never shown again, listed, read and deleted', async () => {
    const mine = await galla.merchant();
    const { body } = await mine.api.must('POST', '/v1/webhooks', {
      url: 'https://shop.example/hooks',
      events: ['payment.failed', 'payment.failed'],
    });
    const id = body.text('id');
    expect(Object.keys(body.value as object)).toEqual([
      'id',
      'livemode',
      'url',
      'events',
      'enabled',
      'description',
      'disabledReason',
      'apiVersion',
      'sequence',
      'signing_secret',
      'createdAt',
      'updatedAt',
    ]);
    expect(Buffer.from(body.text('signing_secret').slice('whsec_'.length), 'base64')).toHaveLength(32);
    const { signing_secret: _secret, ...view } = body.value as { [key: string]: unknown };
    expect(view).toMatchObject({ events: ['payment.failed'], enabled: true, description: null });
    expect((await mine.api.must('GET', `/v1/webhooks/${id}`)).body.value).toEqual(view);
    expect((await mine.api.must('GET', '/v1/webhooks')).body.value).toEqual({ data: [view] });
    const deleted = await mine.api.send('DELETE', `/v1/webhooks/${id}`);
    expect([deleted.status, deleted.text]).toEqual([200, `{"id":"${id}","deleted":true}`]);
    expectRefusal(await mine.api.send('DELETE', `/v1/webhooks/${id}`), 'resource_not_found');
    expectRefusal(await mine.api.get(`/v1/webhooks/${id}`), 'resource_not_found');
  });

  test('hear everything unless told, and are ten at most, of which a deleted one frees a seat', async () => {
    const mine = await galla.merchant();
    const add = (events?: readonly string[]): Promise<Answer> =>
      mine.api.post('/v1/webhooks', {
        url: 'https://shop.example/hooks',
        ...(events === undefined ? {} : { events }),
      });
    const made: Answer[] = [];
    for (const events of [undefined, [], ['*'], ['*', 'payment.failed']]) made.push(await add(events));
    expect(made.map(({ body }) => body.at('events'))).toEqual([['*'], ['*'], ['*'], ['*']]);
    for (let n = 0; n < 6; n++) expect((await add()).status).toBe(201);
    expectRefusal(await add(), 'webhook_endpoint_limit_reached');
    await mine.api.send('DELETE', `/v1/webhooks/${made[0]?.body.text('id')}`);
    await expect.poll(async () => (await add()).status).toBe(201);
    expectRefusal(await add(), 'webhook_endpoint_limit_reached');
  });
});

describe('the test clock', () => {
  test('shows what it shows, and moves on by one of two ways', async () => {
    const mine = await galla.merchant();
    await mine.checkout();
    const before = (await mine.clock()).value as { [key: string]: unknown };
    expect(Object.keys(before)).toEqual([
      'projectId',
      'livemode',
      'now',
      'offsetSeconds',
      'status',
      'fired',
      'pendingTimers',
      'nextTimerAt',
    ]);
    expect(before).toMatchObject({
      projectId: mine.projectId,
      livemode: false,
      offsetSeconds: 0,
      status: 'ready',
      fired: 0,
      pendingTimers: 1,
    });
    const after = await mine.api.must('POST', '/v1/test/clock/advance', { bySeconds: 3600 });
    expect(after.body.value).toMatchObject({
      offsetSeconds: 3600,
      status: 'ready',
      fired: 1,
      pendingTimers: 0,
      nextTimerAt: null,
    });
    expectRefusal(
      await mine.api.post('/v1/test/clock/advance', { to: '2020-01-01T00:00:00Z' }),
      'validation_failed',
      ['to must_be_later'],
    );
    expectRefusal(await mine.api.post('/v1/test/clock/advance', {}), 'validation_failed', [
      'to mutually_exclusive',
    ]);
    expectRefusal(
      await mine.api.post('/v1/test/clock/advance', { to: '2036-01-01T00:00:00Z', bySeconds: 1 }),
      'validation_failed',
      ['to mutually_exclusive'],
    );
  });
});

describe('the end of the test clock', () => {
  const advance = (mine: Merchant, body: object): Promise<Answer> =>
    mine.api.post('/v1/test/clock/advance', body);

  test('is 2100: neither way passes it, and one reaches it', async () => {
    const mine = await galla.merchant();
    const end = '2100-01-01T00:00:00.000Z';
    for (const to of ['2100-01-01T00:00:00.001Z', '2100-01-01T00:00:00-00:15', '9999-12-31T23:59:59Z']) {
      const answer = await advance(mine, { to });
      expectRefusal(answer, 'validation_failed', ['to too_large']);
      expect(answer.body.at('error.message')).toBe(`to must be at most ${end}.`);
    }
    expect((await mine.clock()).at('offsetSeconds')).toBe(0);
    expect((await advance(mine, { to: '2099-12-31T23:00:00Z' })).status).toBe(200);
    const answer = await advance(mine, { bySeconds: 31_622_400 });
    expectRefusal(answer, 'validation_failed', ['bySeconds too_large']);
    const left = Number(/at most (\d+)\./.exec(answer.body.text('error.message'))?.[1]);
    expect(left).toBeGreaterThan(3000);
    expect(left).toBeLessThanOrEqual(3600);
    expectRefusal(await advance(mine, { to: end, bySeconds: 'x' }), 'validation_failed', [
      'to mutually_exclusive',
      'bySeconds wrong_type',
    ]);
    expectRefusal(await advance(mine, { to: 5, bySeconds: 1 }), 'validation_failed', ['to wrong_type']);
    expect((await advance(mine, { to: end })).status).toBe(200);
    expect((await mine.checkout()).text('createdAt')).toMatch(/^2100-01-01T00:/);
  });
});

describe('simulate, where the provider fails the start', () => {
  test('answers the session as it stands, and the same again for the same key', async () => {
    const mine = await galla.merchant();
    const id = (await mine.checkout()).text('id');
    await mine.faults([{ call: 'start', kind: 'http_502' }]);
    const simulate = (session: string, key: string): Promise<Answer> =>
      mine.api.send('POST', `/v1/test/checkout/${session}/simulate`, {
        body: { outcome: 'success', provider: 'wallet_b' },
        headers: { 'idempotency-key': key },
      });
    const [one, again] = [await simulate(id, 'k1'), await simulate(id, 'k1')];
    expect([one.status, again.status, again.text]).toEqual([200, 200, one.text]);
    expect(one.body.at('status')).toBe('pending');
    expect(
      (await mine.api.must('GET', '/v1/payments')).body.list('data').map((each) => each.at('status')),
    ).toEqual(['failed']);
    for (const key of ['k2', 'k3', 'k4']) expect((await simulate(id, key)).status).toBe(200);
    expect((await simulate(id, 'k5')).body.at('status')).toBe('failed');
    const next = (await mine.checkout()).text('id');
    expectRefusal(await simulate(next, 'k6'), 'provider_unavailable');
    expect((await mine.session(next)).at('status')).toBe('pending');
    expect((await mine.api.must('GET', '/v1/payments')).body.at('total')).toBe(5);
  });
});

test('/health needs no key and is a plain yes', async () => {
  const answer = await galla.nobody.get('/health');
  expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}']);
});
