/** Who is told of a payment: the buyer, once for each session that is paid. */
import { expect, test } from 'vitest';
import type { ReceiptNotice } from '../../../actors/message/messages.ts';
import {
  created,
  declines,
  lastEvents,
  learns,
  opens,
  order,
  pay,
  running,
  type SessionStory,
} from './buyer.ts';
import { asked, paid as paidByBank, polled, shown } from './qr-code.ts';

const noticesOf = ({ tells }: SessionStory): readonly ReceiptNotice[] =>
  tells
    .filter(({ to }) => to.startsWith('message/msg_'))
    .map(({ data }) => (data as unknown as { notice: ReceiptNotice }).notice);
const paid = (story: SessionStory): SessionStory => learns(running(story), 1, 'paid');

test('a buyer with an e-mail address gets one receipt when the payment succeeds', () => {
  const story = paid(created());
  expect(noticesOf(story)).toEqual([
    {
      is: 'receipt',
      channel: 'email',
      to: 'asha@example.com',
      language: 'en',
      paymentId: pay(1),
      amount: order.amount,
      description: order.description,
      provider: 'wallet_b',
      providerRef: 'TXN7Q2M9',
      paidAt: story.now,
    },
  ]);
});

test('nobody is told of a payment that did not succeed, nor without an address', () => {
  expect(noticesOf(declines(running(created())))).toEqual([]);
  expect(noticesOf(paid(created({ customer: null })))).toEqual([]);
  const customer = { name: 'Asha Rai', email: null, phone: '9800000000', address: null };
  expect(noticesOf(paid(created({ customer })))).toEqual([]);
});

test('the second payment of a session has no receipt: it is paid back', () => {
  const story = learns(running(declines(running(created())), 2), 2, 'paid');
  expect(noticesOf(story)).toHaveLength(1);
  learns(story, 1, 'paid');
  expect(lastEvents(story)).toContain('payment.duplicate');
  expect(noticesOf(story).map(({ paymentId }) => paymentId)).toEqual([pay(2)]);
});

test('the language is that of the browser in which the buyer started', () => {
  const story = created().when('start', {
    paymentId: pay(1),
    provider: 'wallet_b',
    variant: 'web',
    language: 'ne',
  });
  expect(story.view).not.toHaveProperty('language');
  expect(noticesOf(learns(opens(story), 1, 'paid'))).toMatchObject([{ language: 'ne' }]);
});

test('after a Direct-QR the buyer also gets an SMS', () => {
  expect(noticesOf(asked())).toEqual([]);
  const story = polled(shown(), 'paid', paidByBank);
  expect(noticesOf(story).map(({ channel, to }) => [channel, to])).toEqual([
    ['email', 'asha@example.com'],
    ['sms', '9800000000'],
  ]);
});
