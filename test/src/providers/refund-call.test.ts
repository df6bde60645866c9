/** What the one call of a refund becomes: done, refused, or unknown. */
import { describe, expect, test } from 'vitest';
import type { RefundCall } from '../../../actors/checkout-session/commands.ts';
import { Breakers, circuitOf, failuresInRowMax, openMs } from '../../../src/providers/breaker.ts';
import { providerRefund, type ProviderDeps } from '../../../src/providers/call.ts';
import { providers } from '../../../src/providers/registry.ts';
import type { Sent } from '../../../src/providers/sender.ts';
import { samplesOf } from './samples.ts';

const samples = samplesOf('wallet-b');
const refund: RefundCall = {
  refundId: 'ref_1',
  paymentId: 'pay_4t8z1m6q3x9k2v7b',
  provider: 'wallet_b',
  amount: 25050,
  full: false,
  providerRef: 'TXN7Q2M9',
  lookupReference: 'px7Rk2Wm9QzT4vLc8HbN3d',
  mobileNumber: null,
};
const context = (at = 0) => ({ scope: 'prj_a:sandbox' as const, now: () => at });
const replied = (status: number, text: string): Sent => ({
  is: 'replied',
  reply: { status, headers: {}, text },
  durationMs: 7,
});

function world(sent: Sent, more: Partial<ProviderDeps> = {}) {
  const requests: string[] = [];
  const logged: string[] = [];
  const log = (fields: object, message: string): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const deps: ProviderDeps = {
    adapter: (provider) => providers.get(provider)?.adapter ?? null,
    settings: () => Promise.resolve({ credentials: { secretKey: 'live_secret_1' }, enabled: true }),
    pageRoot: () => null,
    root: () => 'https://wallet-b.example',
    returnBase: 'https://pay.example',
    breakers: new Breakers(),
    onAnswer: () => undefined,
    send: ({ method, url, body }) => {
      requests.push(`${method} ${url} ${body ?? ''}`);
      return Promise.resolve(sent);
    },
    log: { warn: log, error: log },
    ...more,
  };
  return { deps, requests, logged };
}

test.each([
  [{}, samples.text('refund-part-request')],
  [{ full: true }, samples.text('refund-full-request')],
  [{ full: true, mobileNumber: '9800000001' }, '{"mobile":"9800000001"}'],
])('%j sends one request: %s', async (more, body) => {
  const { deps, requests } = world({ is: 'replied', reply: samples.reply('refund'), durationMs: 7 });
  expect(await providerRefund(deps)({ ...refund, ...more }, context())).toEqual({
    refundId: 'ref_1',
    answer: {
      outcome: 'done',
      providerRefundId: null,
      message: null,
      httpStatus: 200,
      durationMs: 7,
      raw: samples.reply('refund').text,
    },
  });
  const address = 'https://wallet-b.example/api/merchant-transaction/TXN7Q2M9/refund/';
  expect(requests).toEqual([`POST ${address} ${body}`]);
});

test.each<[string, Sent, string, number | null]>([
  ['a timeout', { is: 'unanswered', why: 'timeout', durationMs: 10_000 }, 'unknown', null],
  ['a cut connection', { is: 'unanswered', why: 'connection', durationMs: 9 }, 'unknown', null],
  ['a huge body', { is: 'unanswered', why: 'too_large', durationMs: 9 }, 'unknown', null],
  ['a page of 500', replied(500, '<h1>500</h1>'), 'unknown', 500],
  ['a readable 503', replied(503, samples.reply('refund').text), 'unknown', 503],
  ['a 200 that says nothing', replied(200, '{}'), 'unknown', 200],
  ['a 429 without a word', replied(429, ''), 'unknown', 429],
  ['a redirect', replied(302, samples.reply('refund').text), 'unknown', 302],
  ['a refusal', replied(400, samples.reply('refund-mobile-required').text), 'refused', 400],
])('%s is %s', async (_what, sent, outcome, httpStatus) => {
  const { deps, requests } = world(sent);
  const { answer } = await providerRefund(deps)(refund, context());
  expect(answer).toMatchObject({ outcome, httpStatus, durationMs: sent.durationMs });
  expect(answer.message).toBe(outcome === 'refused' ? 'Mobile number is required.' : null);
  expect(requests).toHaveLength(1);
});

test("the provider's text is kept printable, without our key, at most 500 characters of it", async () => {
  const detail = `Key live_secret_1\u0007 refuses: ${'रु'.repeat(500)}`;
  const { deps, logged } = world(replied(401, JSON.stringify({ detail, status_code: 401 })));
  const { answer } = await providerRefund(deps)(refund, context());
  expect(answer.message).toMatch(/^Key \*\*\*\s+refuses: रु/u);
  expect(Array.from(answer.message ?? '').length).toBeLessThanOrEqual(500);
  expect(JSON.stringify([answer, logged])).not.toContain('live_secret_1');
  expect(logged).toHaveLength(1);
});

describe('a call that is certainly not made is refused, so that its amount is free at once', () => {
  const done = replied(200, samples.reply('refund').text);
  test.each<[string, Partial<RefundCall>, Partial<ProviderDeps>]>([
    ['a provider without a refund call', { provider: 'wallet_a' }, {}],
    ['a provider without an adapter', { provider: 'bank_a' }, {}],
    ['a payment without an id of the provider', { providerRef: null }, {}],
    ['credentials taken away', {}, { settings: () => Promise.resolve(null) }],
    ['settings that cannot be read', {}, { settings: () => Promise.reject(new Error('store away')) }],
    ['no live address', {}, { root: () => null }],
  ])('%s', async (_which, data, more) => {
    const { deps, requests } = world(done, more);
    const { answer } = await providerRefund(deps)({ ...refund, ...data }, context());
    expect(answer).toMatchObject({ outcome: 'refused', httpStatus: null, raw: null });
    expect(answer.message).toMatch(/^The provider was not called, so nothing was refunded\. \S/);
    expect(requests).toEqual([]);
  });

  test('an open circuit; the first call after it is let through and closes it', async () => {
    const breakers = new Breakers();
    const { deps, requests } = world(done, { breakers });
    const circuit = circuitOf('wallet_b', 'prj_a:sandbox');
    for (let i = 0; i < failuresInRowMax; i++)
      breakers.report(circuit, 'free', 0, { call: 'lookup', why: 'timeout' });
    expect((await providerRefund(deps)(refund, context(openMs - 1))).answer).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('not answering at the moment') as string,
    });
    expect(requests).toEqual([]);
    expect((await providerRefund(deps)(refund, context(openMs))).answer.outcome).toBe('done');
    expect(breakers.isOpen(circuit, openMs)).toBe(false);
  });
});

test('a disabled provider still gives back what was paid while it was enabled', async () => {
  const { deps, requests } = world(replied(200, samples.reply('refund').text), {
    settings: () => Promise.resolve({ credentials: { secretKey: 'k' }, enabled: false }),
  });
  expect((await providerRefund(deps)(refund, context())).answer.outcome).toBe('done');
  expect(requests).toHaveLength(1);
});

test('refunds without an answer open the circuit; a refusal does not', async () => {
  const circuit = circuitOf('wallet_b', 'prj_a:sandbox');
  for (const [status, opens] of [
    [500, true],
    [400, false],
  ] as const) {
    const { deps } = world(replied(status, '{"detail":"No."}'));
    for (let i = 0; i < failuresInRowMax; i++) await providerRefund(deps)(refund, context());
    expect(deps.breakers.isOpen(circuit, 0)).toBe(opens);
  }
});
