/** Every command has an answer in every status, and payment x trigger as data. What a session does is driven from its page:
 *  session-table.test.ts. */
import { describe, expect, test } from 'vitest';
import type { Payment, PaymentStatus } from '../../../actors/checkout-session/attempt.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import {
  failure,
  newPayment,
  paymentAfter,
  type PaymentTriggers,
} from '../../../actors/checkout-session/payment.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { unansweredRefund } from '../../../actors/checkout-session/refunds.ts';
import { keyedRequest } from './keyed-request.ts';
import { inStatus, pay, pidx, saying } from './buyer.ts';

const sessionStatuses: readonly SessionState['status'][] = [
  'pending',
  'initiated',
  'success',
  'failed',
  'cancelled',
  'expired',
];

describe('session x trigger', () => {
  const commands = {
    open: { order: inStatus.pending().state.order, lifeMs: 0 },
    openKeyed: { order: inStatus.pending().state.order, lifeMs: 0, key: keyedRequest() },
    openByLink: {
      order: {
        ...inStatus.pending().state.order,
        link: { id: 'lnk_x', referenceId: 'PL-7K2M9Q4X', held: 0 },
      },
      lifeMs: 0,
    },
    openDirectQr: { order: inStatus.pending().state.order, paymentId: pay(7), lifeMs: 0 },
    start: { paymentId: pay(7), provider: 'qr_a', variant: null },
    hint: { paymentId: pay(1), from: 'return', says: 'unknown', verified: false, summary: 'back' },
    cancel: {},
    expire: {},
    endReview: { paymentId: pay(1), how: 'dismiss', reason: 'seen to' },
    lookUpNow: { paymentId: pay(1), who: 'asha@example.com' },
    reconcile: { paymentId: pay(1), run: 1 },
    recordFee: { paymentId: pay(1), fee: 1250 },
    claimed: { paymentId: pay(1), duplicate: false },
    claimRefused: {
      to: 'subscription/sub_x',
      command: 'claim',
      data: { paymentId: pay(1) },
      code: 'not_found',
      detail: {},
    },
    startAnswered: { paymentId: pay(1), answer: { outcome: 'failed', message: '' }, durationMs: 0 },
    bookingCancelled: { paymentId: pay(1), done: true, durationMs: 0 },
    listening: { paymentId: pay(1) },
    lookupAnswered: { paymentId: pay(1), cause: 'poll', answer: saying('pending', pidx(pay(1))) },
    pollDue: { key: pay(1) },
    expiryReached: { key: '' },
    attemptOver: { key: pay(1) },
    lookupTimedOut: { key: '' },
    refund: {
      id: 'ref_n5zwhtr4dz3e8j7wc7qbkk0s',
      paymentId: pay(1),
      amount: 100,
      reason: 'other',
      notes: null,
      mobileNumber: null,
    },
    completeRefund: { refundId: 'ref_n5zwhtr4dz3e8j7wc7qbkk0s', notes: null },
    cancelRefund: { refundId: 'ref_n5zwhtr4dz3e8j7wc7qbkk0s', notes: null },
    refundAnswered: unansweredRefund({ refundId: 'ref_n5zwhtr4dz3e8j7wc7qbkk0s' }),
    refundLookupDue: { key: pay(1) },
  } as const;

  test('has a row for every declared command, and no other', () => {
    expect(Object.keys(checkoutSession.on).sort()).toEqual(Object.keys(commands).sort());
  });

  test.each(
    sessionStatuses.flatMap((status) => Object.keys(commands).map((command) => [status, command] as const)),
  )('a session that is %s has an answer to %s', (status, command) => {
    const name = command as keyof typeof commands;
    const story = inStatus[status]();
    expect(story.state.status).toBe(status);
    story.when(name, commands[name] as never);
    expect(['ok', 'refused']).toContain(story.last.outcome.is);
  });

  test('only the refund call is never repeated', () => {
    const once = Object.entries(checkoutSession.effects).filter(([, { mode }]) => mode === 'atMostOnce');
    expect(once.map(([kind]) => kind)).toEqual(['provider.refund']);
  });

  test('every timer and every effect returns as a command', () => {
    for (const command of Object.values(checkoutSession.timers))
      expect(checkoutSession.on).toHaveProperty(command);
    for (const effect of Object.values(checkoutSession.effects)) {
      expect(checkoutSession.on).toHaveProperty(effect.result);
    }
  });
});

describe('payment x trigger', () => {
  const now = 5000;
  const fresh = newPayment('pay_1', 'wallet_b', 1000);
  const paidAnswer = saying('paid', 'px');
  const pay1 = paymentAfter(fresh, 'paid', { answer: paidAnswer, duplicate: false, now: 2000 });
  const payments: { readonly [S in PaymentStatus]: Payment } = {
    pending: fresh,
    processing: paymentAfter(fresh, 'activity', null),
    success: pay1,
    failed: paymentAfter(fresh, 'declined', failure('declined')),
    cancelled: paymentAfter(fresh, 'sessionExpired', null),
    refunded: paymentAfter(pay1, 'refundSucceeded', { amount: 500, total: 500 }),
  };
  const triggers: { readonly [T in keyof PaymentTriggers]: PaymentTriggers[T] } = {
    activity: null,
    paid: { answer: paidAnswer, duplicate: false, now },
    disputed: failure('amount_mismatch'),
    dismissed: null,
    startFailed: { code: 'provider_error', reason: 'no' },
    declined: failure('declined'),
    buyerCancelled: null,
    providerExpired: null,
    attemptTimedOut: null,
    superseded: null,
    sessionCancelled: null,
    sessionExpired: null,
    refundSucceeded: { amount: 100, total: 500 },
  };
  /** What each cell ends as: status, failure code, and `!` when it is under review. */
  const told = ({ status, failure: why, late, needsReview }: Payment): string =>
    `${status}${why === null ? '' : ` ${why.code}`}${late ? ' late' : ''}${needsReview ? ' !' : ''}`;
  const failed = 'failed declined';
  const cancelled = 'cancelled session_expired';
  const expected: {
    readonly [T in keyof PaymentTriggers]: readonly [string, string, string, string, string, string];
  } = {
    // pending, processing, success, failed, cancelled, refunded
    activity: ['processing', 'processing', 'success', failed, cancelled, 'refunded'],
    paid: ['success', 'success', 'success', 'success late', 'success late', 'refunded'],
    disputed: [
      'pending amount_mismatch !',
      'processing amount_mismatch !',
      'success amount_mismatch !',
      'failed amount_mismatch !',
      'cancelled amount_mismatch !',
      'refunded amount_mismatch !',
    ],
    dismissed: ['pending', 'processing', 'success', failed, cancelled, 'refunded'],
    startFailed: ['failed provider_error', 'failed provider_error', 'success', failed, cancelled, 'refunded'],
    declined: [failed, failed, 'success !', failed, cancelled, 'refunded'],
    buyerCancelled: [
      'cancelled user_cancelled',
      'cancelled user_cancelled',
      'success !',
      failed,
      cancelled,
      'refunded',
    ],
    providerExpired: [
      'cancelled attempt_expired',
      'cancelled attempt_expired',
      'success',
      failed,
      cancelled,
      'refunded',
    ],
    attemptTimedOut: [
      'cancelled attempt_expired',
      'cancelled attempt_expired',
      'success',
      failed,
      cancelled,
      'refunded',
    ],
    superseded: ['cancelled superseded', 'cancelled superseded', 'success', failed, cancelled, 'refunded'],
    sessionCancelled: [
      'cancelled user_cancelled',
      'cancelled user_cancelled',
      'success',
      failed,
      cancelled,
      'refunded',
    ],
    sessionExpired: [
      'cancelled session_expired',
      'cancelled session_expired',
      'success',
      failed,
      cancelled,
      'refunded',
    ],
    refundSucceeded: ['pending', 'processing', 'success', failed, cancelled, 'refunded'],
  };

  for (const trigger of Object.keys(expected) as (keyof PaymentTriggers)[]) {
    test(`${trigger} ends in every status as expected`, () => {
      const ends = Object.values(payments).map((payment) =>
        told(paymentAfter(payment, trigger, triggers[trigger])),
      );
      expect(ends).toEqual(expected[trigger]);
    });
  }

  test('a dismissed review leaves every payment as it was before it', () => {
    for (const payment of Object.values(payments)) {
      const doubted = paymentAfter(payment, 'disputed', failure('amount_mismatch'));
      expect(told(paymentAfter(doubted, 'dismissed', null))).toBe(told(payment));
    }
  });

  test('a payment paid after another one is a duplicate', () => {
    const twice = paymentAfter(payments.cancelled, 'paid', { answer: paidAnswer, duplicate: true, now });
    expect(twice).toMatchObject({ status: 'success', duplicate: true, late: true, paidAt: now });
  });

  test('a payment that is paid stays as it was paid', () => {
    expect(
      paymentAfter(pay1, 'paid', {
        answer: saying('paid', 'px', { providerRef: 'other' }),
        duplicate: true,
        now,
      }),
    ).toBe(pay1);
  });
});
