/** What a refund may not be: fields and their bounds, keys, limits, settings. Whatever is refused changes nothing. */
import { beforeAll, describe, expect, test } from 'vitest';
import { refundsMax } from '../../actors/checkout-session/refund.ts';
import type { Answer } from '../../src/cli/demo/api.ts';
import { startGalla } from '../support/galla.ts';
import { gallaOfFile } from '../support/of-file.ts';
import type { Merchant } from '../support/merchant.ts';
import { ledgerOf, paidPayment } from '../support/refunds.ts';
import { expectRefusal } from '../support/refusal.ts';

const galla = gallaOfFile();
let shop: Merchant;
let paymentId: string;
beforeAll(async () => {
  shop = await galla.merchant();
  paymentId = (await paidPayment(shop)).text('id');
});

const ask = (body: object, by = shop): Promise<Answer> =>
  by.api.post('/v1/refunds', { paymentId, amount: 1000, reason: 'other', ...body });
const total = async (by = shop): Promise<unknown> =>
  (await by.api.must('GET', '/v1/refunds')).body.at('total');
/** Devanagari text of exactly so many characters. */
const words = (characters: number): string => 'क'.repeat(characters);
const nobody = 'ref_00000000000000000000zzzz';

describe('a refund with wrong fields is refused', () => {
  test.each<[string, object, readonly string[]]>([
    [
      'nothing',
      { paymentId: null, amount: null, reason: null },
      ['paymentId required', 'amount required', 'reason required'],
    ],
    ['another type', { paymentId: 7 }, ['paymentId wrong_type']],
    ['no amount at all', { amount: 0 }, ['amount too_small']],
    ['less than nothing', { amount: -1 }, ['amount too_small']],
    ['a fraction', { amount: 10.5 }, ['amount amount_must_be_integer']],
    ['a text for an amount', { amount: '1000' }, ['amount wrong_type']],
    ['an unknown reason', { reason: 'regret' }, ['reason not_in_enum']],
    ['too long notes', { notes: words(1001) }, ['notes too_long']],
    ['nine digits', { mobileNumber: '980000000' }, ['mobileNumber invalid_format']],
    ['eleven digits', { mobileNumber: '98000000000' }, ['mobileNumber invalid_format']],
    ['a number with a sign', { mobileNumber: '+977980000' }, ['mobileNumber invalid_format']],
    ['digits of another script', { mobileNumber: '९८००००००००' }, ['mobileNumber invalid_format']],
  ])('%s', async (_name, body, fields) => {
    const before = await total();
    expectRefusal(await ask(body), 'validation_failed', fields);
    expect(await total()).toBe(before);
  });

  test('more than was ever paid by anybody is a business rule, not a field', async () => {
    for (const amount of [125_051, 1e15, 1e300])
      expectRefusal(await ask({ amount }), 'amount_exceeds_refundable');
  });

  test('at the limits it is accepted: one paisa, notes of 1000 characters', async () => {
    const { body, status } = await ask({ amount: 1, notes: words(1000), mobileNumber: '9800000000' });
    expect(status).toBe(201);
    expect(body.value).toMatchObject({ amount: 1, notes: words(1000), mobileNumber: '9800000000' });
  });
});

describe('a refund is refused', () => {
  test('of a payment nobody knows, of another merchant, or in the other mode', async () => {
    const other = (await paidPayment(await galla.merchant())).text('id');
    const live = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'live' }));
    for (const answer of [
      await ask({ paymentId: 'pay_000000000000zzzz' }),
      await ask({ paymentId: 'anything' }),
      await ask({ paymentId: other }),
      await live.post('/v1/refunds', { paymentId, amount: 1000, reason: 'other' }),
    ]) {
      expectRefusal(answer, 'resource_not_found');
      expect(answer.body.at('error.param')).toBe('paymentId');
    }
    const mine = (await ask({})).body.text('id');
    for (const [method, path] of [
      ['GET', `/v1/refunds/${mine}`],
      ['POST', `/v1/refunds/${mine}/complete`],
      ['POST', `/v1/refunds/${mine}/cancel`],
    ] as const)
      expectRefusal(await live.send(method, path), 'resource_not_found');
    for (const path of [nobody, 'anything']) {
      const answer = await shop.api.get(`/v1/refunds/${path}`);
      expectRefusal(answer, 'resource_not_found');
      expect(answer.body.at('error.param')).toBe('id');
      for (const how of ['complete', 'cancel'])
        expectRefusal(await shop.api.post(`/v1/refunds/${path}/${how}`), 'resource_not_found');
    }
  });

  test('of a payment that is not paid', async () => {
    const session = await shop.checkout();
    await shop.start(session);
    const { body } = await shop.api.must('GET', `/v1/payments?sessionId=${session.text('id')}`);
    const answer = await ask({ paymentId: body.text('data.0.id') });
    expectRefusal(answer, 'payment_not_refundable');
    expect(answer.body.at('error.param')).toBe('paymentId');
  });

  test('to a key that may only read, and to a publishable one', async () => {
    const reader = galla.with(
      await galla.key(shop.projectId, { kind: 'secret', mode: 'sandbox', access: 'read' }),
    );
    const body = { paymentId, amount: 1000, reason: 'other' };
    expectRefusal(await reader.post('/v1/refunds', body), 'key_access_insufficient');
    for (const how of ['complete', 'cancel'])
      expectRefusal(await reader.post(`/v1/refunds/${nobody}/${how}`), 'key_access_insufficient');
    expect((await reader.get('/v1/refunds')).status).toBe(200);
    expectRefusal(await shop.publishable.post('/v1/refunds', body), 'api_key_must_be_secret');
    expectRefusal(await shop.publishable.get('/v1/refunds'), 'api_key_must_be_secret');
  });

  test('when the payment has as many as it may have, all of them with the longest notes', async () => {
    const id = (await paidPayment(shop)).text('id');
    await shop.faults([{ call: 'refund', kind: 'refund_reject' }]);
    for (let n = 0; n < refundsMax; n++) {
      const { body } = await ask({ paymentId: id, notes: words(1000) });
      expect(body.at('status')).toBe('failed');
    }
    await shop.faults([]);
    const answer = await ask({ paymentId: id });
    expectRefusal(answer, 'refund_limit_reached');
    expect(answer.body.text('error.message')).toContain(String(refundsMax));
    expect(await ledgerOf(shop, id)).toMatchObject({ refunded: 0, refundCalls: refundsMax });
  });
});

describe('the setting "refunds need a mobile number"', () => {
  const set = (projectId: string, provider: string, body: object): Promise<Answer> =>
    galla.admin.send('PUT', `/admin/v1/projects/${projectId}/providers/${provider}`, { body });

  test('holds for its provider and mode alone, and can be taken back', async () => {
    const mine = await galla.merchant();
    const [b, a] = [await paidPayment(mine), await paidPayment(mine, {}, 'wallet_a')];
    const on = await set(mine.projectId, 'wallet_b', { mode: 'sandbox', refundsNeedMobile: true });
    expect(on.status).toBe(200);
    expect(on.body.value).toMatchObject({ provider: 'wallet_b', mode: 'sandbox', refundsNeedMobile: true });
    const refused = await ask({ paymentId: b.text('id') }, mine);
    expectRefusal(refused, 'validation_failed', ['mobileNumber required']);
    expect(await total(mine)).toBe(0);
    expect((await ask({ paymentId: a.text('id') }, mine)).status).toBe(201);
    const given = await ask({ paymentId: b.text('id'), mobileNumber: '9800000000' }, mine);
    expect(given.body.at('status')).toBe('succeeded');
    await set(mine.projectId, 'wallet_b', { mode: 'sandbox', refundsNeedMobile: false });
    expect((await ask({ paymentId: b.text('id') }, mine)).body.at('status')).toBe('succeeded');
  });

  test('a disabled provider starts nothing, and still refunds', async () => {
    const mine = await galla.merchant();
    const paid = (await paidPayment(mine)).text('id');
    await set(mine.projectId, 'wallet_b', { mode: 'sandbox', enabled: false });
    const body = { amount: 1000, returnUrl: 'https://shop.example/', flow: 'redirect', provider: 'wallet_b' };
    expectRefusal(await mine.api.post('/v1/checkout', body), 'provider_not_configured');
    expect((await ask({ paymentId: paid }, mine)).body.at('status')).toBe('succeeded');
  });

  test('is refused where it means nothing', async () => {
    const mine = await galla.merchant();
    const on = { mode: 'sandbox', refundsNeedMobile: true };
    expectRefusal(await set(mine.projectId, 'wallet_a', on), 'validation_failed');
    expectRefusal(await set(mine.projectId, 'wallet_z', on), 'resource_not_found');
    expectRefusal(await set('prj_00000000000000000000zzzz', 'wallet_b', on), 'resource_not_found');
    expectRefusal(await set(mine.projectId, 'wallet_b', {}), 'validation_failed', ['mode required']);
    const answer = await mine.api.send('PUT', `/admin/v1/projects/${mine.projectId}/providers/wallet_b`, {
      body: on,
    });
    expectRefusal(answer, 'admin_token_invalid');
  });
});

test('refunds share the limit of creations with checkouts', async () => {
  const limited = await startGalla({ GALLA_RATE_LIMITS: 'on' });
  try {
    const { api } = await limited.merchant();
    const body = { paymentId: nobody, amount: 1, reason: 'other' };
    const answers = await Promise.all(Array.from({ length: 30 }, () => api.post('/v1/refunds', body)));
    expect(answers.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(20);
    const late = answers.find(({ status }) => status === 429);
    expect(late?.headers.get('ratelimit-limit')).toBe('20');
    expectRefusal(
      await api.post('/v1/checkout', { amount: 1000, returnUrl: 'https://shop.example/' }),
      'rate_limit_exceeded',
    );
  } finally {
    await limited.stop();
  }
});
