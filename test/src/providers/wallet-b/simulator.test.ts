import { describe, expect, test } from 'vitest';
import {
  handleOf,
  parseLookup,
  parseRefund,
  parseStart,
  lifeMs,
  loginProblem,
  lookupReply,
  mobileRequiredReply,
  notFoundReply,
  paymentOf,
  refundedReply,
  returnAddress,
  simulatorCredentials,
  startReply,
  transactionOf,
  type Shown,
} from '../../../../src/providers/wallet-b/simulator.ts';
import type { Neutral, SimulatedReply } from '../../../../src/providers/simulated-wire.ts';
import { samplesOf } from '../samples.ts';

const samples = samplesOf('wallet-b');
const key = `Key ${simulatorCredentials.secretKey}`;
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const shown = (status: Neutral, more: Partial<Shown> = {}): Shown => ({
  handle: 'px7Rk2Wm9QzT4vLc8HbN3d',
  transactionId: 'TXN7Q2M9',
  amount: 125050,
  status,
  lookupsShown: 0,
  ...more,
});
const text = ({ status, body }: SimulatedReply): string => `${status} ${body}`;
const replyOf = (heard: { is: string; reply?: SimulatedReply }): string =>
  heard.reply === undefined ? heard.is : text(heard.reply);

describe('every documented sample is produced byte for byte', () => {
  test('start', () => {
    const now = Date.parse('2026-11-20T09:15:00.000Z');
    expect(text(startReply(shown('created'), now + lifeMs, now, 'https://wallet-b.example'))).toBe(
      samples.text('start'),
    );
  });
  test.each<[Neutral, number, string]>([
    ['created', 0, 'lookup-initiated'],
    ['opened', 3, 'lookup-pending'],
    ['paid', 0, 'lookup-completed'],
    ['declined', 0, 'lookup-pending'],
    ['declined', 1, 'lookup-user-canceled'],
    ['cancelled', 0, 'lookup-user-canceled'],
    ['ended', 0, 'lookup-expired'],
    ['partly_refunded', 0, 'lookup-partially-refunded'],
    ['refunded', 0, 'lookup-refunded'],
  ])('%s after %i look-ups', (status, lookupsShown, sample) => {
    expect(text(lookupReply(shown(status, { lookupsShown })))).toBe(samples.text(sample));
  });
  test('errors and refunds', () => {
    expect(text(notFoundReply())).toBe(samples.text('lookup-not-found'));
    expect(text(refundedReply())).toBe(samples.text('refund'));
    expect(text(mobileRequiredReply())).toBe(samples.text('refund-mobile-required'));
    expect(replyOf(parseLookup('Key wrong', samples.text('lookup-request')))).toBe(
      samples.text('key-refused'),
    );
    const tooSmall = samples.text('start-request').replace('125050', '999');
    expect(replyOf(parseStart(key, tooSmall))).toBe(samples.text('amount-too-small'));
  });
});

describe('requests', () => {
  test('the documented start, look-up and refunds', () => {
    expect(parseStart(key, samples.text('start-request'))).toEqual({
      is: 'command',
      command: {
        reference: 'pay-4t8z1m6q3x9k2v7b',
        amount: 125050,
        title: 'Order 1001',
        returnUrl: 'https://pay.example/return/wallet_b/pay_4t8z1m6q3x9k2v7b/web/done',
      },
    });
    expect(parseLookup(key, samples.text('lookup-request'))).toEqual({
      is: 'command',
      command: { handle: 'px7Rk2Wm9QzT4vLc8HbN3d' },
    });
    const transaction = transactionOf(paymentId);
    expect(parseRefund(key, transaction, samples.text('refund-full-request'))).toEqual({
      is: 'command',
      command: { paymentId, amount: null, mobile: null },
    });
    expect(parseRefund(key, transaction, '{"amount":25050,"mobile":"9800000001"}')).toEqual({
      is: 'command',
      command: { paymentId, amount: 25050, mobile: '9800000001' },
    });
  });

  test('fields that we do not send are accepted, and must add up', () => {
    const body = {
      ...(JSON.parse(samples.text('start-request')) as object),
      merchant_extra: 'x',
      product_details: [{ identity: '1' }],
    };
    const broken = {
      ...body,
      amount_breakdown: [
        { label: 'Goods', amount: 100_000 },
        { label: 'Tax', amount: 25_000 },
      ],
    };
    expect(replyOf(parseStart(key, JSON.stringify(broken)))).toMatch(/^400 .*amount_breakdown/);
    const whole = {
      ...body,
      amount_breakdown: [
        { label: 'Goods', amount: 100_050 },
        { label: 'Tax', amount: 25_000 },
      ],
    };
    expect(parseStart(key, JSON.stringify(whole)).is).toBe('command');
  });

  test('with missing fields get all of them at once', () => {
    const reply = replyOf(parseStart(key, '{}'));
    for (const field of [
      'return_url',
      'website_url',
      'amount',
      'purchase_order_id',
      'purchase_order_name',
      'error_key',
    ]) {
      expect(reply).toContain(`"${field}"`);
    }
  });

  test.each([
    '',
    'Bearer x',
    `Key ${simulatorCredentials.secretKey}x`,
    'Key',
    simulatorCredentials.secretKey,
  ])('with the header "%s" are refused', (header) => {
    expect(replyOf(parseStart(header, samples.text('start-request')))).toMatch(/^401 /);
    expect(replyOf(parseLookup(header, '{}'))).toMatch(/^401 /);
    expect(replyOf(parseRefund(header, 'x', '{}'))).toMatch(/^401 /);
  });

  test('without a JSON object are refused without an exception', () => {
    for (const body of ['', '{', '[]', 'null', '"x"'])
      expect(replyOf(parseLookup(key, body))).toMatch(/^400 /);
    expect(replyOf(parseLookup(key, '{"pidx":7}'))).toMatch(/^400 .*pidx/);
    expect(replyOf(parseRefund(key, transactionOf(paymentId), '{"amount":"25050"}'))).toMatch(
      /^400 .*amount/,
    );
    expect(replyOf(parseRefund(key, 'TXunknown', '{}'))).toMatch(/^404 /);
  });
});

test('every id it issues contains the payment', () => {
  expect(paymentOf('pidx', handleOf(paymentId))).toBe(paymentId);
  expect(paymentOf('transaction', transactionOf(paymentId))).toBe(paymentId);
  expect(paymentOf('reference', 'pay-4t8z1m6q3x9k2v7b')).toBe(paymentId);
  for (const foreign of ['', 'px', 'px4t8z1m6q3x9k2v7', 'pxIlou0000000000', 'constructor']) {
    expect(paymentOf('pidx', foreign)).toBeNull();
  }
});

test('only the test buyers can log in', () => {
  expect(loginProblem('9800000003', '1111', '987654')).toBeNull();
  expect(loginProblem('9800000009', '1111', '987654')).toMatch(/mobile/);
  expect(loginProblem('9800000003', '1112', '987654')).toMatch(/MPIN/);
  expect(loginProblem('9800000003', '1111', '0')).toMatch(/OTP/);
});

describe('the return', () => {
  const order = { reference: 'pay-4t8z1m6q3x9k2v7b', title: 'Order & more', mobile: '9800000000' };
  const query = (status: Neutral, more: Partial<Shown> = {}): URLSearchParams =>
    new URL(returnAddress(shown(status, more), 'https://pay.example/return/x?kept=1', order)).searchParams;
  test("has all ten fields and keeps the address's own", () => {
    expect([...query('paid').keys()]).toEqual([
      'kept',
      'pidx',
      'txnId',
      'amount',
      'total_amount',
      'status',
      'mobile',
      'tidx',
      'purchase_order_id',
      'purchase_order_name',
      'transaction_id',
    ]);
    expect(Object.fromEntries(query('paid'))).toMatchObject({
      status: 'Completed',
      transaction_id: 'TXN7Q2M9',
      tidx: 'TXN7Q2M9',
      amount: '125050',
      purchase_order_name: 'Order & more',
    });
  });
  test.each<[Neutral, string]>([
    ['opened', 'Pending'],
    ['created', 'Pending'],
    ['cancelled', 'User canceled'],
    ['declined', 'User canceled'],
  ])('%s returns as %s, without a transaction', (status, says) => {
    expect(Object.fromEntries(query(status))).toMatchObject({
      status: says,
      transaction_id: '',
      tidx: '',
      txnId: '',
    });
  });
});
