import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  callbackOf,
  formProblem,
  handleOf,
  loginProblem,
  lookupReply,
  notFoundReply,
  parseForm,
  parseLookup,
  parseSession,
  paymentOf,
  returnAddress,
  sessionReply,
  trackingIdOf,
  unknownStatus,
  type Keys,
  type Shown,
} from '../../../../src/providers/wallet-c/simulator.ts';
import { isUnpaid, type Neutral, type SimulatedReply } from '../../../../src/providers/simulated-wire.ts';
import { samplesOf } from '../samples.ts';
import { vectors } from './vectors.ts';

const samples = samplesOf('wallet-c');
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const reference = 'pay-4t8z1m6q3x9k2v7b';
const shown = (status: Neutral, more: Partial<Shown> = {}): Shown => ({
  reference,
  trackingId: 'TRK9',
  amount: 10_000,
  status,
  remarks: 'INV-000001',
  ...more,
});
const text = ({ status, body }: SimulatedReply): string => `${status} ${body}`;
const keys = (signature: string, more: Partial<Keys> = {}): Keys => ({
  clientId: 'client_1',
  apiKey: 'apikey_1',
  signature,
  ...more,
});
const hmac = (...values: readonly string[]): string =>
  createHmac('sha512', 'test_client_secret').update(values.join(',')).digest('base64');

describe('every documented sample is produced byte for byte', () => {
  test.each<[Neutral, string]>([
    ['created', 'lookup-not-initiated'],
    ['opened', 'lookup-pending'],
    ['paid', 'lookup-completed'],
    ['declined', 'lookup-failed'],
    ['cancelled', 'lookup-failed'],
    ['ended', 'lookup-not-initiated'],
    ['partly_refunded', 'lookup-completed'],
    ['refunded', 'lookup-completed'],
  ])('%s', (status, sample) => {
    expect(text(lookupReply(shown(status)))).toBe(samples.text(sample));
  });
  test('the live name, a buyer without money, an unknown status, a session, a call', () => {
    expect(text(lookupReply(shown('paid'), true))).toBe(samples.text('lookup-completed-live'));
    expect(text(lookupReply(shown('declined', { poor: true })))).toBe(samples.text('lookup-insufficient'));
    const unclear = shown('paid', { statusText: unknownStatus });
    expect(text(lookupReply(unclear))).toBe(samples.text('lookup-unclear'));
    expect(text(sessionReply('SESS-77'))).toBe(samples.text('session'));
    expect(callbackOf(shown('paid'), false).body).toBe(samples.text('webhook'));
    expect(text(notFoundReply('x'))).toContain('"status":"NOT_INITIATED"');
  });
});

test('row 100: the published signatures of wallet_c are what its own side expects and sends', () => {
  expect(parseSession(keys(vectors.session), samples.text('session-request'))).toMatchObject({
    is: 'command',
    command: { reference, amount: 10_000, remarks: 'INV-000001' },
  });
  expect(parseLookup(keys(vectors.transaction), samples.text('lookup-request'))).toEqual({
    is: 'command',
    command: { reference },
  });
  const form = new URLSearchParams({
    merchant_id: 'MRC100',
    session_id: 'SESS-77',
    merchant_transaction_id: reference,
    remarks: 'INV-000001',
    token: vectors.form,
  });
  expect(parseForm(form)).toMatchObject({ is: 'form', handle: 'SESS-77' });
  expect(formProblem(form, { handle: 'SESS-77', reference, amount: 10_000 })).toBeNull();
  expect(formProblem(form, { handle: 'SESS-77', reference, amount: 10_001 })).toMatch(/token/);
  expect(formProblem(form, { handle: 'SESS-77', reference: 'pay-x', amount: 10_000 })).toMatch(/transaction/);
  expect(callbackOf(shown('paid'), false).signature).toBe(vectors.webhook);
  expect(callbackOf(shown('paid', { amountText: '1000.00' }), false).signature).toBe(vectors.webhookDecimals);
  expect(callbackOf(shown('paid'), true).signature).not.toBe(vectors.webhook);
});

describe('a session call', () => {
  const body = JSON.parse(samples.text('session-request')) as Record<string, unknown>;
  /** Signed as it stands. */
  const heard = (more: Record<string, unknown>): string => {
    const all = { ...body, ...more };
    const signature = hmac(
      String(all['merchantTxnId']),
      String(all['transactionAmount']),
      String(all['merchantId']),
      'client_1',
      'apikey_1',
    );
    const parsed = parseSession(keys(signature), JSON.stringify(all));
    return parsed.is === 'command' ? parsed.is : text(parsed.reply);
  };
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['an amount below ten rupees', { transactionAmount: '999' }, /^400 .*range/],
    ['an amount above fifty thousand', { transactionAmount: '5000001' }, /^400 .*range/],
    ['an amount that is a number', { transactionAmount: 10_000 }, /^401/],
    ['a long reference', { merchantTxnId: 'x'.repeat(26) }, /^400 .*too long/],
    ['a URL that is none', { successRedirectionUrl: 'x' }, /^400 .*redirection/],
    ['no remarks', { remarks: '' }, /^400 .*remarks/],
    ['a price that is not the amount', { productList: [{ price: 99 }] }, /^400 .*add up/],
    ['another merchant', { merchantId: 'MRC101' }, /^400 .*merchant/],
  ])('with %s is refused', (_how, more, says) => {
    expect(heard(more)).toMatch(says);
  });
  test('with another client or signature is refused, and what is no JSON too', () => {
    const sent = samples.text('session-request');
    const status = (of: Keys, as = sent): number => {
      const parsed = parseSession(of, as);
      return parsed.is === 'reply' ? parsed.reply.status : 200;
    };
    expect(status(keys(vectors.session))).toBe(200);
    expect(status(keys(vectors.form))).toBe(401);
    expect(status(keys(vectors.session, { clientId: 'x' }))).toBe(401);
    expect(status(keys(vectors.session, { apiKey: '' }))).toBe(401);
    for (const as of ['', '{', '[]', 'null']) expect(status(keys(vectors.session), as)).toBe(401);
    const refused = parseLookup(keys('x'), samples.text('lookup-request'));
    expect(refused.is === 'reply' ? text(refused.reply) : '').toBe(samples.text('signature-refused'));
  });
});

test('ids, log-in and returns', () => {
  expect(paymentOf('session', handleOf(paymentId))).toBe(paymentId);
  expect(paymentOf('reference', reference)).toBe(paymentId);
  for (const foreign of ['', 'SESS-', 'SESS-77', '__proto__'])
    expect(paymentOf('session', foreign)).toBeNull();
  expect(trackingIdOf(paymentId)).toBe('TRK4T8Z1M6Q3X9K2V7B');
  expect(loginProblem('9841414141', '0000', '000000')).toBeNull();
  expect(loginProblem('9841414142', '0000', '000000')).toMatch(/wallet/);
  expect(loginProblem('9841414141', '1', '000000')).toMatch(/PIN/);
  expect(loginProblem('9841414141', '0000', '1')).toMatch(/OTP/);
  expect(returnAddress('https://pay.example/r?a=1', 'pay-1')).toBe(
    'https://pay.example/r?a=1&MerchantTxnId=pay-1',
  );
  const unpaid = (['created', 'opened', 'paid', 'declined', 'cancelled', 'ended'] as const).filter(isUnpaid);
  expect(unpaid).toEqual(['declined', 'cancelled', 'ended']);
});
