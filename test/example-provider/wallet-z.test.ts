import { expect, test } from 'vitest';
import type { Order } from '../../src/providers/provider.ts';
import {
  findReply,
  hearFind,
  hearPay,
  idOf,
  paymentOf,
  payReply,
  simulatorCredentials,
} from './simulator.ts';
import { walletZ } from './wallet-z.ts';

const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const root = 'https://wallet-z.example';
const order: Order = {
  amount: 125050,
  currency: 'NPR',
  description: null,
  returnUrl: 'https://shop.example/return',
  cancelUrl: null,
  collectAddress: false,
  customer: null,
  metadata: {},
  flow: 'hosted',
  preselected: null,
  referenceId: null,
  source: 'checkout',
  checkoutUrl: null,
};
const start = { paymentId, amount: 125050, order, returnUrl: 'https://pay.example/return', now: 0 };
const lookup = { paymentId, amount: 125050, lookupReference: 'z1' };
const wire = ({ status, body }: { status: number; body: string }) => ({ status, headers: {}, text: body });

test('the wallet reads exactly what we send', () => {
  const { url, headers, body } = walletZ.start.build(start, simulatorCredentials, root);
  expect(url).toBe('https://wallet-z.example/pay');
  expect(hearPay(headers['authorization'] ?? '', body ?? '')).toEqual({
    ref: 'pay-4t8z1m6q3x9k2v7b',
    amount: 125050,
    back: 'https://pay.example/return',
  });
});

test('we read exactly what the wallet answers', () => {
  expect(walletZ.start.read(wire(payReply('z1', root)), start)?.answer).toMatchObject({
    outcome: 'started',
    lookupReference: 'z1',
    instructions: { url: 'https://wallet-z.example/?id=z1' },
  });
  const read = (state: 'opened' | 'paid' | 'declined') =>
    walletZ.lookup.read(wire(findReply({ id: 'z1', amount: 125050, state })), lookup)?.answer;
  expect(read('paid')).toMatchObject({
    outcome: 'paid',
    amountPaisa: 125050,
    reference: 'z1',
    providerRef: 'Z-z1',
  });
  expect([read('opened')?.outcome, read('declined')?.outcome]).toEqual(['pending', 'failed']);
});

test('the wallet finds a payment by our reference and by the id it issued', () => {
  const sent = hearPay(
    `Token ${simulatorCredentials.token}`,
    walletZ.start.build(start, simulatorCredentials, root).body ?? '',
  );
  expect(paymentOf(sent?.ref ?? '')).toBe(paymentId);
  expect(paymentOf(idOf(paymentId))).toBe(paymentId);
  const { headers, body } = walletZ.lookup.build(lookup, simulatorCredentials, root);
  expect(hearFind(headers['authorization'] ?? '', body ?? '')).toBe('z1');
  expect(hearFind('Token another', body ?? '')).toBeNull();
});

test('an unknown status is ambiguous, and an unreadable answer is no answer', () => {
  const said = (text: string, status = 200) => walletZ.lookup.read({ status, headers: {}, text }, lookup);
  expect(said('{"id":"z1","state":"MAYBE","amount":125050}')?.answer.outcome).toBe('ambiguous');
  expect([said('<html>'), said('{}'), said('{"state":"PAID"}', 500)]).toEqual([null, null, null]);
});
