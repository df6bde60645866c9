import { describe, expect, test } from 'vitest';
import { refundsMax } from '../../../actors/checkout-session/refund.ts';
import { unansweredRefund } from '../../../actors/checkout-session/refunds.ts';
import {
  comesBack,
  lastEvents,
  learns,
  lookupsInFlight,
  minutes,
  opens,
  pay,
  paymentIn,
  pendingOf,
  picks,
  created,
  says,
  seconds,
  type SessionStory,
} from './buyer.ts';
import {
  amount,
  answers,
  asksRefund,
  ends,
  hours,
  learnsByHint,
  looks,
  paidBy,
  ref,
  refundIn,
  refundTexts,
  waitsInVain,
} from './refunding.ts';

const calls = (story: SessionStory): number =>
  story.pending.filter(({ kind }) => kind === 'provider.refund').length;
const refused = (story: SessionStory) => story.last.outcome;

describe('a refund by a call', () => {
  test('is recorded with its call in one commit, and the call is asked for once', () => {
    const story = asksRefund(paidBy(), 1, 25_050, { notes: 'Returned one item', mobileNumber: '9800000000' });
    expect(refundIn(story)).toMatchObject({ status: 'processing', sequence: 1, providerRefundId: null });
    expect(lastEvents(story)).toEqual(['refund.created']);
    expect(story.last.effects.map(({ kind }) => kind)).toEqual(['provider.refund']);
    expect(pendingOf(story, 'provider.refund')).toEqual({
      refundId: ref(1),
      paymentId: pay(1),
      provider: 'wallet_b',
      amount: 25_050,
      full: false,
      providerRef: 'TXN7Q2M9',
      lookupReference: `px_${pay(1)}`,
      mobileNumber: '9800000000',
    });
    // a repeat finds it made, whatever it asks for
    expect(refused(asksRefund(story, 1, amount))).toMatchObject({ is: 'ok' });
    expect([calls(story), story.state.refunds.length]).toEqual([1, 1]);
    expect(story.timer(`refund/${pay(1)}`)).toBeNull();
  });

  test('of everything that was paid is sent as full', () => {
    expect(pendingOf(asksRefund(paidBy()), 'provider.refund')).toMatchObject({ full: true, amount });
  });

  test('that is done succeeds: the events in their order, the totals with them', () => {
    const story = answers(asksRefund(paidBy()), 'done');
    expect(lastEvents(story)).toEqual(['refund.succeeded', 'payment.refunded']);
    expect(refundIn(story)).toMatchObject({ status: 'succeeded', providerRefundId: 'TXN7Q2M9-r1' });
    expect(paymentIn(story)).toMatchObject({
      status: 'refunded',
      refundedAmount: amount,
      needsReview: false,
    });
    const [succeeded, refunded] = story.last.events;
    expect(refunded?.data).toMatchObject({ id: pay(1), status: 'refunded', refundedAmount: amount });
    expect(refunded?.data['refund']).toEqual(succeeded?.data);
    expect(story.rows('refund')).toEqual([succeeded?.data]);
    expect(story.view).toMatchObject({ status: 'success', paymentId: pay(1) });
    expect(story.doc?.timers).toEqual([]);
  });

  test('carries the id of the provider, if it names one', () => {
    const story = answers(asksRefund(paidBy()), 'done', { providerRefundId: 'RF-88' });
    expect(refundIn(story).providerRefundId).toBe('RF-88');
  });

  test('that is refused fails in the words of the provider, and its amount is free again', () => {
    const story = answers(asksRefund(paidBy()), 'refused', { message: 'Balance too low.', httpStatus: 400 });
    expect(lastEvents(story)).toEqual(['refund.failed']);
    expect(refundIn(story)).toMatchObject({ status: 'failed', failureReason: 'Balance too low.' });
    expect(paymentIn(story)).toMatchObject({ status: 'success', refundedAmount: 0 });
    answers(asksRefund(story, 2), 'done');
    expect(refundIn(story, 2)).toMatchObject({ status: 'succeeded', providerRefundId: 'TXN7Q2M9-r2' });
  });

  test('whose fate nobody knows is looked up on a schedule of its own, and never called again', () => {
    const story = asksRefund(paidBy());
    const { refundId } = pendingOf(story, 'provider.refund');
    story.settle('provider.refund', unansweredRefund({ refundId }));
    const since = story.now;
    expect(refundIn(story)).toMatchObject({ status: 'processing', failureReason: null });
    const at: number[] = [];
    for (let n = 0; n < 8; n++) {
      at.push((story.timer(`refund/${pay(1)}`) ?? 0) - since);
      looks(story, 'paid');
      expect(lastEvents(story)).toEqual([]);
    }
    expect(at).toEqual([...[10, 30].map(seconds), ...[1, 5, 15, 60].map(minutes), ...[2, 3].map(hours)]);
    waitsInVain(story);
    expect(story.now - since).toBe(hours(72));
    expect(refundIn(story)).toMatchObject({
      status: 'requires_action',
      failureReason: refundTexts.unconfirmed,
    });
    expect(lastEvents(story)).toEqual(['refund.requires_action']);
    expect(story.last.effects).toEqual([]);
    expect(calls(story)).toBe(0);
    expect(ends(story, 'complete').rows('refund')[0]).toMatchObject({
      status: 'succeeded',
      providerRefundId: 'TXN7Q2M9-r1',
      failureReason: null,
    });
  });

  test('is proven by a look-up, at the instant it is found', () => {
    const story = looks(answers(asksRefund(paidBy()), 'unknown'), 'refunded');
    expect(lastEvents(story)).toEqual(['refund.succeeded', 'payment.refunded']);
    expect(refundIn(story)).toMatchObject({ status: 'succeeded', providerRefundId: 'TXN7Q2M9-r1' });
    expect(paymentIn(story)).toMatchObject({ status: 'refunded', needsReview: false });
    expect(story.timer(`refund/${pay(1)}`)).toBeNull();
  });

  test('is not concluded from a look-up while its call is in progress', () => {
    const story = asksRefund(paidBy());
    learnsByHint(story, 'refunded');
    expect(lastEvents(story)).toEqual([]);
    expect(paymentIn(story)).toMatchObject({ needsReview: false, refundedAmount: 0 });
    answers(story, 'refused');
    expect(refundIn(story)).toMatchObject({ status: 'failed', failureReason: refundTexts.refused });
    // now nothing explains it
    expect(lastEvents(learnsByHint(story, 'refunded'))).toEqual(['reconciliation.mismatch']);
  });

  test('is answered once: a late second answer changes nothing', () => {
    const story = answers(asksRefund(paidBy()), 'unknown');
    story.when('refundAnswered', unansweredRefund({ refundId: ref(1) }));
    const late = { ...unansweredRefund({ refundId: ref(1) }).answer, outcome: 'refused' } as const;
    story.when('refundAnswered', { refundId: ref(1), answer: late });
    expect(refundIn(story).status).toBe('processing');
    looks(story, 'refunded');
    story.when('refundAnswered', { refundId: ref(1), answer: late });
    expect(refundIn(story).status).toBe('succeeded');
  });

  test('shares a look-up that is in flight already', () => {
    const story = comesBack(answers(asksRefund(paidBy()), 'unknown').wait(seconds(9)));
    story.wait(seconds(2));
    expect(lookupsInFlight(story)).toHaveLength(1);
    expect(refundIn(says(story, 'refunded')).status).toBe('succeeded');
  });

  test('keeps its schedule when a clock jumps over several of its look-ups', () => {
    const story = answers(asksRefund(paidBy()), 'unknown');
    const since = story.now;
    story.now += minutes(20);
    says(story.fire(`refund/${pay(1)}`), 'paid');
    expect((story.timer(`refund/${pay(1)}`) ?? 0) - since).toBe(minutes(60));
  });

  test('whose look-ups bring nothing readable ends, too: a person must look after 72 hours', () => {
    const story = answers(asksRefund(paidBy()), 'unknown');
    for (let n = 0; n < 100 && refundIn(story).status === 'processing'; n++) {
      story.wait((story.timer(`refund/${pay(1)}`) ?? story.now) - story.now);
      says(story, 'pending', { answered: false, reference: null, amountPaisa: null });
    }
    expect(refundIn(story).status).toBe('requires_action');
  });
});

describe('a refund in the portal', () => {
  test.each(['wallet_a', 'qr_a'] as const)('of %s requires action at once', (provider) => {
    const story = asksRefund(paidBy(provider), 1, 25_050);
    expect(lastEvents(story)).toEqual(['refund.created', 'refund.requires_action']);
    expect(refundIn(story)).toMatchObject({
      status: 'requires_action',
      failureReason: refundTexts.noRefundApi,
      sequence: 1,
    });
    expect(story.last.effects).toEqual([]);
  });

  test('is completed by the merchant, whose notes are added on a new line', () => {
    const story = asksRefund(paidBy('wallet_a'), 1, 25_050, { notes: 'Returned one item' });
    ends(story, 'complete', 1, 'Paid out in the portal');
    expect(lastEvents(story)).toEqual(['refund.succeeded', 'payment.refunded']);
    expect(refundIn(story)).toMatchObject({
      status: 'succeeded',
      failureReason: null,
      notes: 'Returned one item\nPaid out in the portal',
      providerRefundId: null,
      sequence: 2,
    });
    expect(paymentIn(story)).toMatchObject({ status: 'success', refundedAmount: 25_050 });
  });

  test('is cancelled by the merchant, and its amount is free again', () => {
    const story = ends(asksRefund(paidBy('wallet_a')), 'cancel', 1, 'He kept it');
    expect(lastEvents(story)).toEqual(['refund.failed']);
    expect(refundIn(story)).toMatchObject({
      status: 'failed',
      failureReason: 'Cancelled by the merchant.',
      notes: 'He kept it',
    });
    expect(refused(asksRefund(story, 2))).toMatchObject({ is: 'ok' });
  });

  test('closes by itself when the provider shows it, and is looked for a month at most', () => {
    const waiting = asksRefund(paidBy('wallet_a'), 1, 25_050);
    const since = waiting.now;
    for (let n = 0; n < 4; n++) looks(waiting, 'paid');
    looks(waiting, 'partially_refunded');
    expect(refundIn(waiting)).toMatchObject({ status: 'succeeded', failureReason: null });
    expect(waiting.now - since).toBe(hours(48));

    const never = asksRefund(paidBy('wallet_a'), 1, 25_050);
    let looked = 0;
    for (; looked < 100 && never.timer(`refund/${pay(1)}`) !== null; looked++) looks(never, 'paid');
    expect([looked, never.now - since]).toEqual([33, hours(30 * 24)]);
    expect(refundIn(never).status).toBe('requires_action');
    expect(ends(never, 'complete').last.outcome).toMatchObject({ is: 'ok' });
  });
});

describe('what is refused', () => {
  test('one paisa more than is left', () => {
    const story = answers(asksRefund(paidBy(), 1, amount - 100), 'done');
    expect(refused(asksRefund(story, 2, 101))).toEqual({
      is: 'refused',
      code: 'amount_exceeds_refundable',
      detail: { remaining: 100 },
    });
    expect(refused(asksRefund(story, 2, 100))).toMatchObject({ is: 'ok' });
    expect(refused(asksRefund(answers(story, 'done'), 3, 1))).toMatchObject({
      code: 'amount_exceeds_refundable',
      detail: { remaining: 0 },
    });
    expect(paymentIn(story).status).toBe('refunded');
  });

  test('more than is left beside what is open: processing and waiting amounts are held', () => {
    const story = asksRefund(paidBy('wallet_a'), 1, amount - 100);
    expect(refused(asksRefund(story, 2, 101))).toMatchObject({ code: 'amount_exceeds_refundable' });
    const called = asksRefund(paidBy('wallet_b'), 1, amount - 100);
    expect(refused(asksRefund(called, 2, 101))).toMatchObject({ code: 'amount_exceeds_refundable' });
  });

  test('ten of 3,000 on 10,000 in any order: exactly three are accepted', () => {
    const story = paidBy();
    const of = Math.floor((amount * 3) / 10);
    const accepted = Array.from({ length: 10 }, (_, n) => asksRefund(story, n + 1, of).last.outcome.is);
    expect(accepted.filter((is) => is === 'ok')).toHaveLength(3);
  });

  test.each([
    ['unpaid', () => opens(picks(created(), 1))],
    ['cancelled', () => opens(picks(created(), 1)).when('expire', {})],
  ])('a refund of a payment that is %s', (_what, story) => {
    expect(refused(asksRefund(story()))).toMatchObject({ code: 'payment_not_refundable' });
  });

  test('a refund of a payment of another session, and the end of one nobody opened', () => {
    const story = paidBy();
    expect(refused(asksRefund(story, 1, 100, { paymentId: pay(7) }))).toMatchObject({ code: 'not_found' });
    expect(refused(ends(story, 'complete'))).toMatchObject({ code: 'not_found' });
  });

  test('one refund more than a payment may have; failed ones count, and duplicates are never in the way', () => {
    const story = paidBy();
    for (let n = 1; n <= refundsMax; n++) answers(asksRefund(story, n, 100), 'refused');
    expect(story.state.refunds).toHaveLength(refundsMax);
    expect(refused(asksRefund(story, 90, 100))).toMatchObject({ code: 'refund_limit_reached' });
    expect(calls(story)).toBe(0);
  });
});

describe('money that came twice', () => {
  const twice = (provider: 'wallet_a' | 'wallet_b'): SessionStory => {
    const first = opens(picks(created(), 1, provider));
    const story = opens(says(picks(first, 2, 'qr_a'), 'pending'));
    learns(story, 2, 'paid');
    return learns(story, 1, 'paid');
  };

  test('is sent back in full, in the commit that finds it, by a call where there is one', () => {
    const story = twice('wallet_b');
    expect(lastEvents(story)).toEqual(['payment.duplicate', 'refund.created']);
    expect(refundIn(story)).toMatchObject({
      paymentId: pay(1),
      amount,
      reason: 'duplicate',
      status: 'processing',
    });
    expect(pendingOf(story, 'provider.refund')).toMatchObject({ paymentId: pay(1), full: true });
    answers(story, 'done');
    expect(paymentIn(story, 1)).toMatchObject({ status: 'refunded', duplicate: true });
    expect(paymentIn(story, 2)).toMatchObject({ status: 'success', refundedAmount: 0 });
  });

  test('waits for the merchant where there is none', () => {
    const story = twice('wallet_a');
    expect(lastEvents(story)).toEqual(['payment.duplicate', 'refund.created', 'refund.requires_action']);
    expect(story.pending.filter(({ kind }) => kind === 'provider.refund')).toEqual([]);
  });

  test('is sent back once, however often it is found', () => {
    const story = answers(twice('wallet_b'), 'refused');
    says(comesBack(story.wait(seconds(2)), 1), 'paid', {}, 1);
    expect(story.state.refunds).toHaveLength(1);
    expect(calls(story)).toBe(0);
  });
});

test("the timeline shows each step of a refund, and the provider's answer", () => {
  const story = paidBy();
  const before = story.notes.length;
  answers(asksRefund(story, 1, 25_050), 'refused', { message: 'No.' });
  const notes = story.notes.slice(before);
  expect(notes.map(({ about, kind, from, to }) => [about, kind, from ?? null, to ?? null])).toEqual([
    [pay(1), 'refund', null, 'processing'],
    [pay(1), 'provider_call', null, null],
    [pay(1), 'refund', 'processing', 'failed'],
  ]);
  const portal = ends(asksRefund(paidBy('wallet_a'), 1, 12_500), 'complete');
  expect(
    [...notes, ...portal.notes].filter(({ kind }) => kind === 'refund').map(({ summary }) => summary),
  ).toEqual([
    'Refund of NPR 250.50 in progress',
    'Refund of NPR 250.50 failed',
    'Refund of NPR 125.00 requires action',
    'Refund of NPR 125.00 succeeded',
  ]);
});
