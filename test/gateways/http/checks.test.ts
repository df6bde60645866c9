import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/cli/demo/api.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import type { Merchant } from '../../support/merchant.ts';
import { expectRefusal } from '../../support/refusal.ts';

const galla = gallaOfFile();
let shop: Merchant;
beforeAll(async () => {
  shop = await galla.merchant();
});

const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };

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

test.each([
  ['/v1/checkout', { ...order, amount: 500 }, 'amount must be at least 1000 paisa (NPR 10).'],
  ['/v1/checkout', { ...order, amount: '125050' }, 'amount must be an integer in paisa.'],
  ['/v1/checkout', { ...order, amount: 1.5 }, 'amount must be an integer in paisa.'],
  ['/v1/webhooks', { url: 'ftp://shop.example' }, 'url must be a URL we may use: it must be http or https.'],
  [
    '/v1/webhooks',
    { url: 'https://shop.example:9/hooks' },
    'url must be a URL we may use: its port must be 80, 443 or at least 1024.',
  ],
  [
    '/v1/webhooks',
    { url: 'https://shop.example', events: ['payment.success'] },
    'events[0] is not a kind of event. Did you mean payment.succeeded?',
  ],
  ['/v1/webhooks', { url: 'https://shop.example', events: ['x'] }, 'events[0] is not a kind of event.'],
])('%s with %j is answered with advice: %s', async (path, body, message) => {
  const answer = await shop.api.post(path, body);
  expect([answer.status, answer.body.at('error.message')]).toEqual([400, message]);
});

test('row 94: unknown fields and parameters are ignored and named', async () => {
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

test('a live project without a provider cannot take payments, nor can a redirect to a provider that is not configured', async () => {
  const live = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'live' }));
  expectRefusal(await live.post('/v1/checkout', order), 'provider_not_configured');
  expectRefusal(
    await live.post('/v1/checkout', { ...order, returnUrl: 'http://shop.example' }),
    'validation_failed',
    ['returnUrl url_not_allowed'],
  );
  expectRefusal(
    await live.post('/v1/checkout', { ...order, flow: 'redirect', provider: 'wallet_a' }),
    'provider_not_configured',
  );
  expectRefusal(await shop.api.post('/v1/checkout', { ...order, flow: 'redirect' }), 'validation_failed', [
    'provider required',
  ]);
  expect(
    (await shop.api.post('/v1/checkout', { ...order, flow: 'redirect', provider: 'wallet_b' })).status,
  ).toBe(201);
});

test('/health needs no key and answers ok', async () => {
  const answer = await galla.nobody.get('/health');
  expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}']);
});

test('/live needs no key and says that the process works', async () => {
  const answer = await galla.nobody.get('/live');
  expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}']);
});
