import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import type { Answer } from '../../src/cli/demo/api.ts';
import { expectRefusal } from '../support/refusal.ts';
import { order, Unchanged } from './unchanged.ts';

let unchanged: Unchanged;
beforeAll(async () => {
  unchanged = await Unchanged.start();
});
afterAll(() => unchanged.galla.stop());
afterEach(() => unchanged.check());

describe('fields', () => {
  const cases: readonly [title: string, body: object, fields: readonly string[]][] = [
    ['nothing', {}, ['amount required', 'returnUrl required']],
    ['nulls', { amount: null, returnUrl: null }, ['amount required', 'returnUrl required']],
    ['a fraction', { ...order, amount: 1250.5 }, ['amount amount_must_be_integer']],
    ['text for an amount', { ...order, amount: '125050' }, ['amount wrong_type']],
    ['too little', { ...order, amount: 999 }, ['amount too_small']],
    ['less than nothing', { ...order, amount: -125_050 }, ['amount too_small']],
    ['too much', { ...order, amount: 1e21 }, ['amount too_large']],
    ['another currency', { ...order, currency: 'USD' }, ['currency currency_not_supported']],
    ['no address', { ...order, returnUrl: 'not a url' }, ['returnUrl invalid_format']],
    ['a script for an address', { ...order, returnUrl: 'javascript:alert(1)' }, ['returnUrl invalid_format']],
    ['an unknown flow', { ...order, flow: 'popup' }, ['flow not_in_enum']],
    ['a redirect to nobody', { ...order, flow: 'redirect' }, ['provider required']],
    ['an unknown provider', { ...order, provider: 'wallet_z' }, ['provider not_in_enum']],
    ['a customer of the wrong kind', { ...order, customer: 'Asha' }, ['customer wrong_type']],
    [
      'wrong things in a customer',
      { ...order, customer: { email: 'at home', address: { line2: 'x' } } },
      ['customer.email invalid_format', 'customer.address.line1 required', 'customer.address.city required'],
    ],
    ['metadata that is none', { ...order, metadata: [] }, ['metadata wrong_type']],
    [
      'too deep metadata',
      { ...order, metadata: { a: { b: { c: { d: 1 } } } } },
      ['metadata.a metadata_too_deep'],
    ],
    [
      'our own metadata key',
      { ...order, metadata: { wallet_a_intent: {} } },
      ['metadata.wallet_a_intent metadata_key_reserved'],
    ],
    [
      '51 metadata keys',
      { ...order, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, at])) },
      ['metadata metadata_too_many_keys'],
    ],
    [
      'a number in metadata that would become another one',
      { ...order, metadata: { id: 2 ** 53 } },
      ['metadata.id wrong_type'],
    ],
    ['too short a life', { ...order, expiresInMinutes: 4 }, ['expiresInMinutes too_small']],
    [
      'three things at once',
      { amount: 'x', returnUrl: 7, collectAddress: 'yes' },
      ['amount wrong_type', 'returnUrl wrong_type', 'collectAddress wrong_type'],
    ],
  ];
  test.each(cases)('a checkout with %s', async (_title, body, fields) => {
    expectRefusal(await unchanged.post(body), 'validation_failed', fields);
  });

  test('webhook endpoints, the clock, simulation and lists have checks of their own', async () => {
    const cases: readonly [
      method: string,
      path: string,
      body: object | undefined,
      fields: readonly string[],
    ][] = [
      ['POST', '/v1/webhooks', {}, ['url required']],
      ['POST', '/v1/webhooks', { url: 'ftp://shop.example' }, ['url url_not_allowed']],
      ['POST', '/v1/webhooks', { url: 'http://user:secret@shop.example' }, ['url url_not_allowed']],
      [
        'POST',
        '/v1/checkout',
        { amount: 1000, returnUrl: 'https://user:secret@shop.example', cancelUrl: 'https://me@shop.example' },
        ['returnUrl url_not_allowed', 'cancelUrl url_not_allowed'],
      ],
      [
        'POST',
        '/v1/payment-links',
        { name: 'A seat', amount: 1000, returnUrl: 'https://user:secret@shop.example' },
        ['returnUrl url_not_allowed'],
      ],
      [
        'POST',
        '/v1/webhooks',
        { url: 'http://shop.example', events: ['payment.exploded'] },
        ['events[0] unknown_event_type'],
      ],
      ['POST', '/v1/test/clock/advance', { bySeconds: 0 }, ['bySeconds too_small']],
      ['POST', '/v1/test/clock/advance', { to: '2020-01-01T00:00:00.000Z' }, ['to must_be_later']],
      ['POST', '/v1/test/clock/advance', { to: '2126-01-01' }, ['to invalid_format']],
      [
        'POST',
        `/v1/test/checkout/${unchanged.sessionId}/simulate`,
        { outcome: 'explode', provider: 'wallet_b' },
        ['outcome not_in_enum'],
      ],
      [
        'POST',
        `/v1/test/checkout/${unchanged.sessionId}/simulate`,
        { outcome: 'success' },
        ['provider required'],
      ],
      ['GET', '/v1/checkout?page=0', undefined, ['page too_small']],
      ['GET', '/v1/checkout?limit=abc', undefined, ['limit wrong_type']],
      ['GET', '/v1/checkout?status=asleep', undefined, ['status not_in_enum']],
      ['GET', '/v1/payments?amountMin=x', undefined, ['amountMin wrong_type']],
      ['GET', '/v1/events?type=payment.exploded', undefined, ['type unknown_event_type']],
    ];
    for (const [method, path, body, fields] of cases) {
      expectRefusal(
        await unchanged.shop.api.send(method, path, body === undefined ? {} : { body }),
        'validation_failed',
        fields,
      );
    }
    for (const body of [{}, { bySeconds: 5, to: '2126-01-01T00:00:00Z' }]) {
      const refused = await unchanged.shop.api.post('/v1/test/clock/advance', body);
      expectRefusal(refused, 'validation_failed');
      expect(refused.body.at('error.errors.0.code')).toBe('mutually_exclusive');
    }
    expectRefusal(await unchanged.shop.api.get('/v1/checkout?page=101&limit=100'), 'page_too_deep');
  });

  test('refunds, made-up events, public status, messages and CSV have checks of their own', async () => {
    const { shop, galla, paymentId, refundId } = unchanged;
    const refund = { paymentId, amount: 100, reason: 'other' };
    const status = '/v1/public/payment-status?query=';
    const loss = { type: 'test.ping', data: { order: { id: 2 ** 53 } } };
    const csv = { headers: { accept: 'text/csv' } };
    const cases: readonly (readonly [Promise<Answer>, ErrorCode, (readonly string[])?])[] = [
      [shop.api.post('/v1/refunds', { ...refund, amount: 0 }), 'validation_failed', ['amount too_small']],
      [shop.api.post('/v1/refunds', { ...refund, amount: 100_001 }), 'amount_exceeds_refundable'],
      [shop.api.post('/v1/refunds', { ...refund, amount: 2 ** 53 }), 'amount_exceeds_refundable'],
      [shop.api.post('/v1/refunds', { ...refund, amount: 1e300 }), 'amount_exceeds_refundable'],
      [shop.api.post('/v1/refunds', { ...refund, paymentId: 'pay_unknown' }), 'resource_not_found'],
      [shop.api.post('/v1/refunds', { ...refund, paymentId: refundId }), 'resource_not_found'],
      [shop.api.post('/v1/refunds/ref_unknown/complete'), 'resource_not_found'],
      [shop.api.post('/v1/refunds/ref_unknown/cancel'), 'resource_not_found'],
      [shop.api.post('/v1/test/events', loss), 'validation_failed', ['data wrong_type']],
      [galla.nobody.get(`${status}ab`), 'validation_failed', ['query too_short']],
      [galla.nobody.get(`${status}%20%20ab%20%20`), 'validation_failed', ['query too_short']],
      [galla.nobody.get(`${status}${'a'.repeat(121)}`), 'validation_failed', ['query too_long']],
      [galla.nobody.get(`${status}${'a'.repeat(120)}`), 'payment_not_found'],
      [shop.api.get('/v1/payments?limit=0', csv), 'validation_failed', ['limit too_small']],
      [
        shop.api.get('/v1/payments?metadata.a=1&metadata.b=1&metadata.c=1&metadata.d=1', csv),
        'validation_failed',
        ['metadata metadata_too_many_keys'],
      ],
      [
        shop.api.get('/v1/refunds?createdFrom=today', csv),
        'validation_failed',
        ['createdFrom invalid_format'],
      ],
      [shop.api.get('/v1/test/messages?channel=fax'), 'validation_failed', ['channel not_in_enum']],
      [shop.api.get('/v1/test/messages?page=101&limit=100'), 'page_too_deep'],
      [shop.api.get('/v1/payments/pay_unknown/receipt'), 'resource_not_found'],
    ];
    for (const [answer, code, fields] of cases) expectRefusal(await answer, code, fields);
  });

  test('unknown names are accepted, ignored and named', async () => {
    const answer = await unchanged.shop.api.get('/v1/checkout?colour=red');
    expect([answer.status, answer.headers.get('x-ignored-params')]).toEqual([200, 'colour']);
    const refused = await unchanged.post({ ...order, amount: 1, customer: { nick: 'A' }, colour: 'red' });
    expectRefusal(refused, 'validation_failed', ['amount too_small']);
  });

  test('field names with special meanings are plain text', async () => {
    expectRefusal(
      await unchanged.post(
        '{"__proto__":{"amount":125050},"constructor":{"prototype":{}},"returnUrl":"https://shop.example"}',
      ),
      'validation_failed',
      ['amount required'],
    );
    expect(
      (await unchanged.shop.api.get('/v1/checkout?metadata.__proto__=x&metadata.%24where=1')).status,
    ).toBe(200);
  });
});

test('thousands of unknown event kinds are refused with a short answer, and block no other request', async () => {
  const events = Array.from({ length: 4_900 }, () => 'x');
  const url = 'https://shop.example/hooks';
  const asked = Array.from({ length: 6 }, () => unchanged.shop.api.post('/v1/webhooks', { url, events }));
  const health = await unchanged.galla.nobody.get('/health');
  expect(health.tookMs).toBeLessThan(2000);
  for (const answer of await Promise.all(asked)) {
    expectRefusal(answer, 'validation_failed');
    expect(answer.text.length).toBeLessThan(32 * 1024);
    expect(answer.body.list('error.errors').length).toBe(100);
    expect(answer.body.text('error.message')).toBe('events must have at most 100 entries.');
  }
});
