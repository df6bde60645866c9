/** POST /v1/qr/qr_a at its door: who may, and every field at its bounds. What follows is test/journeys/direct-qr. */
import { beforeAll, describe, expect, test } from 'vitest';
import { Api, type Answer } from '../../../src/cli/demo/api.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import { expectRefusal } from '../../support/refusal.ts';

const galla = gallaOfFile();
let premium: Api;
let live: Api;
let publishable: Api;

beforeAll(async () => {
  const made = { name: 'Qr Pasal', email: 'door@example.com', plan: 'premium' };
  const projectId = (await galla.admin.must('POST', '/admin/v1/merchants', made)).body.text('project.id');
  const key = async (kind: 'secret' | 'publishable', mode: 'sandbox' | 'live') =>
    new Api(galla.url, await galla.key(projectId, { kind, mode }));
  premium = await key('secret', 'sandbox');
  live = await key('secret', 'live');
  publishable = await key('publishable', 'sandbox');
}, 20_000);

const customer = { name: 'Asha Rai', email: 'asha@example.com' };
const address = { line1: 'Ward 4', city: 'Patan' };
const whole = { amount: 1000, customer };
const post = (body: object): Promise<Answer> => premium.post('/v1/qr/qr_a', body);
const line = (length: number): string => 'x'.repeat(length);

describe('row 72: the fields of a Direct-QR, at their bounds', () => {
  test.each<[string, object]>([
    ['the least', { ...whole, amount: 1000 }],
    ['the most', { ...whole, amount: 100_000_000 }],
    ['a currency', { ...whole, currency: 'NPR' }],
    ['the longest texts', { ...whole, customer: { ...customer, name: line(100), phone: line(30) } }],
    ['an address', { ...whole, customer: { ...customer, address } }],
    [
      'the longest address',
      {
        ...whole,
        customer: {
          ...customer,
          address: {
            line1: line(120),
            line2: line(120),
            city: line(120),
            state: line(120),
            postalCode: line(120),
            country: line(120),
          },
        },
      },
    ],
    [
      'what is null',
      { ...whole, currency: null, metadata: null, customer: { ...customer, phone: null, address: null } },
    ],
  ])('%s is taken', async (_what, body) => {
    expect((await post(body)).status).toBe(201);
  });

  test.each<[object, readonly string[]]>([
    [{}, ['amount required', 'customer required']],
    [{ ...whole, amount: 999 }, ['amount too_small']],
    [{ ...whole, amount: 100_000_001 }, ['amount too_large']],
    [{ ...whole, amount: 1000.5 }, ['amount amount_must_be_integer']],
    [{ ...whole, amount: '1000' }, ['amount wrong_type']],
    [{ ...whole, currency: 'USD' }, ['currency currency_not_supported']],
    [{ ...whole, customer: 'Asha' }, ['customer wrong_type']],
    [{ ...whole, customer: {} }, ['customer.name required', 'customer.email required']],
    [{ ...whole, customer: { ...customer, name: '' } }, ['customer.name too_short']],
    [{ ...whole, customer: { ...customer, name: line(101) } }, ['customer.name too_long']],
    [{ ...whole, customer: { ...customer, email: 'asha' } }, ['customer.email invalid_format']],
    [{ ...whole, customer: { ...customer, phone: line(31) } }, ['customer.phone too_long']],
    [
      { ...whole, customer: { ...customer, address: {} } },
      ['customer.address.line1 required', 'customer.address.city required'],
    ],
    [
      { ...whole, customer: { ...customer, address: { ...address, line2: line(121) } } },
      ['customer.address.line2 too_long'],
    ],
    [{ ...whole, metadata: { wallet_a_intent: 1 } }, ['metadata.wallet_a_intent metadata_key_reserved']],
  ])('%j is refused', async (body, fields) => {
    expectRefusal(await post(body), 'validation_failed', fields);
  });
});

describe('permissions', () => {
  test('a publishable key may not, whatever the plan', async () => {
    expectRefusal(await publishable.post('/v1/qr/qr_a', whole), 'api_key_must_be_secret');
  });

  test('the free plan may not, in either mode, whatever the body is', async () => {
    const free = (
      await galla.admin.must('POST', '/admin/v1/merchants', { name: 'Free', email: 'f@example.com' })
    ).body;
    for (const mode of ['sandbox', 'live'] as const) {
      const key = await galla.key(free.text('project.id'), { kind: 'secret', mode });
      const refused = await new Api(galla.url, key).post('/v1/qr/qr_a', undefined, { body: '{"broken' });
      expectRefusal(refused, 'entitlement_required');
      expect(Object.keys(refused.body.value as object)).toEqual(['error', 'entitlement']);
      expect(refused.body.at('error.message')).toBe('Direct-QR is not part of your plan.');
    }
  });

  test('without the provider configured it is refused', async () => {
    expectRefusal(await live.post('/v1/qr/qr_a', whole), 'provider_not_configured');
  });
});

test('it counts as a creation of the project, and its idempotency key belongs to its own path', async () => {
  const sent = { idempotencyKey: 'one-key' };
  const qr = await premium.post('/v1/qr/qr_a', whole, sent);
  const checkout = await premium.post(
    '/v1/checkout',
    { amount: 1000, returnUrl: 'https://shop.example/' },
    sent,
  );
  expect([qr.status, checkout.status]).toEqual([201, 201]);
  expectRefusal(
    await premium.post('/v1/qr/qr_a', { ...whole, amount: 2000 }, sent),
    'idempotency_key_reused',
  );
});
