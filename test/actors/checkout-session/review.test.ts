import { describe, expect, test } from 'vitest';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import {
  allEvents,
  comesBack,
  created,
  inStatus,
  lastEvents,
  learns,
  minutes,
  order,
  pay,
  paymentIn,
  picks,
  pollsNow,
  refusesStart,
  running,
  says,
  seconds,
  staysSilent,
  type SessionStory,
} from './buyer.ts';

const statuses: readonly SessionState['status'][] = [
  'pending',
  'initiated',
  'success',
  'failed',
  'cancelled',
  'expired',
];
/** A look-up of attempt 1, now. */
const asks = (story: SessionStory): SessionStory => comesBack(story.wait(seconds(1.5)));

describe('a look-up with unexpected content leaves the status and requests a review', () => {
  for (const status of statuses) {
    test(`another amount, session ${status}`, () => {
      const story = says(asks(inStatus[status]()), 'paid', { amountPaisa: order.amount - 100 });
      expect(story.view).toMatchObject({ status, needsReview: true });
      expect(paymentIn(story)).toMatchObject({ needsReview: true, failure: { code: 'amount_mismatch' } });
      expect(lastEvents(story)).toEqual([]);
    });

    test(`another reference, session ${status}`, () => {
      const story = says(asks(inStatus[status]()), 'paid', { reference: 'somebody-elses' });
      expect(story.view).toMatchObject({ status, needsReview: true });
    });

    test(`no amount, no reference or an ambiguous text, session ${status}`, () => {
      expect(says(asks(inStatus[status]()), 'paid', { amountPaisa: null }).view).toMatchObject({
        status,
        needsReview: true,
      });
      expect(says(asks(inStatus[status]()), 'paid', { reference: null }).view).toMatchObject({
        status,
        needsReview: true,
      });
      expect(says(asks(inStatus[status]()), 'ambiguous').view).toMatchObject({ status, needsReview: true });
    });

    test(`refunded, whole or in part, session ${status}`, () => {
      for (const outcome of ['refunded', 'partially_refunded'] as const) {
        const story = says(asks(inStatus[status]()), outcome);
        expect(story.view).toMatchObject({ status, needsReview: true });
        expect(lastEvents(story)).toEqual(status === 'success' ? ['reconciliation.mismatch'] : []);
      }
    });
  }

  test('and look-ups continue while the attempt runs', () => {
    const story = learns(running(created()), 1, 'ambiguous');
    expect(paymentIn(story)).toMatchObject({ status: 'pending', failure: null });
    expect(story.timer(`poll/${pay(1)}`)).toBeGreaterThan(story.now);
  });

  test('and an unknown status keeps the reason of a closed attempt', () => {
    const story = learns(inStatus.expired(), 1, 'ambiguous');
    expect(paymentIn(story)).toMatchObject({ needsReview: true, failure: { code: 'session_expired' } });
  });

  test('a result for another reference closes nothing', () => {
    for (const outcome of ['failed', 'cancelled', 'expired'] as const) {
      const story = learns(running(created()), 1, outcome, { reference: 'somebody-elses' });
      expect(story.view).toMatchObject({ status: 'initiated', needsReview: true });
    }
  });
});

describe("our success and the provider's denial", () => {
  test.each(['failed', 'cancelled'] as const)('%s: unchanged, under review, reported once', (outcome) => {
    const story = says(asks(inStatus.success()), outcome);
    expect(story.view).toMatchObject({ status: 'success', needsReview: true });
    expect(paymentIn(story)).toMatchObject({ status: 'success', needsReview: true });
    expect(lastEvents(story)).toEqual(['reconciliation.mismatch']);
    expect(story.last.events[0]?.data).toEqual({
      paymentId: pay(1),
      provider: 'wallet_b',
      field: 'status',
      ours: 'success',
      theirs: outcome,
      amountOurs: order.amount,
      amountProvider: order.amount,
      source: 'lookup',
      detectedAt: new Date(story.now).toISOString(),
    });
    const row = story.doc?.out.find((out) => out.type === 'event' && out.event === 'reconciliation.mismatch');
    expect(row).toMatchObject({ objectId: pay(1) });
    expect(lastEvents(says(asks(story), outcome))).toEqual([]);
  });

  test.each(['expired', 'pending', 'not_found'] as const)('%s: no effect', (outcome) => {
    const story = asks(inStatus.success());
    const before = story.view;
    says(story, outcome);
    expect(story.view).toEqual(before);
    expect(lastEvents(story)).toEqual([]);
  });

  test('a later equal look-up ends the review', () => {
    const story = says(asks(says(asks(inStatus.success()), 'failed')), 'paid');
    expect(story.view).toMatchObject({ status: 'success', needsReview: false });
    expect(allEvents(story).filter((type) => type === 'payment.succeeded')).toHaveLength(1);
  });
});

describe('a review ends with a definite look-up', () => {
  test('paid, equal: success, nothing left to review', () => {
    const story = learns(learns(running(created()), 1, 'paid', { amountPaisa: 1000 }), 1, 'paid');
    expect(story.view).toMatchObject({ status: 'success', needsReview: false });
    expect(paymentIn(story).failure).toBeNull();
  });

  test('declined: failed, nothing left to review', () => {
    const story = learns(learns(running(created()), 1, 'ambiguous'), 1, 'failed');
    expect(paymentIn(story)).toMatchObject({
      status: 'failed',
      needsReview: false,
      failure: { code: 'declined' },
    });
  });

  test('of a closed attempt: its first failure code is restored', () => {
    const story = learns(inStatus.expired(), 1, 'paid', { amountPaisa: 1000 });
    expect(paymentIn(story).failure?.code).toBe('amount_mismatch');
    learns(story, 1, 'expired');
    expect(paymentIn(story)).toMatchObject({
      status: 'cancelled',
      needsReview: false,
      failure: { code: 'session_expired' },
    });
    expect(story.view['needsReview']).toBe(false);
  });

  test('but not with one that has no result', () => {
    const story = learns(running(created()), 1, 'paid', { amountPaisa: 1000 });
    for (const outcome of ['pending', 'not_found'] as const) learns(story, 1, outcome);
    staysSilent(pollsNow(story));
    expect(story.view).toMatchObject({ status: 'initiated', needsReview: true });
  });

  test('and stays open when we close the attempt ourselves', () => {
    const story = learns(running(created()), 1, 'paid', { amountPaisa: 1000 }).when('expire', {});
    expect(paymentIn(story)).toMatchObject({
      status: 'cancelled',
      needsReview: true,
      failure: { code: 'session_expired' },
    });
  });
});

describe('24 hours without a definite answer', () => {
  const throughTheDay = (story: SessionStory, last: (story: SessionStory) => SessionStory): SessionStory => {
    for (let looks = 0; looks < 4; looks++) staysSilent(pollsNow(story));
    expect(paymentIn(story).needsReview).toBe(false);
    return last(pollsNow(story));
  };

  test('ask for a review', () => {
    const story = throughTheDay(inStatus.expired(), staysSilent);
    expect(story.now - paymentIn(story).createdAt).toBeGreaterThan(minutes(21 * 60));
    expect(story.view).toMatchObject({ status: 'expired', needsReview: true });
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'provider_timeout' } });
  });

  test('request a review when the provider still reports pending for an attempt that it should have ended', () => {
    expect(paymentIn(throughTheDay(inStatus.expired(), (story) => says(story, 'pending'))).needsReview).toBe(
      true,
    );
  });

  test('request none when the last answer is definite', () => {
    for (const outcome of ['expired', 'not_found', 'cancelled'] as const) {
      expect(paymentIn(throughTheDay(inStatus.expired(), (story) => says(story, outcome))).needsReview).toBe(
        false,
      );
    }
  });

  test('request a review although the provider did not know the attempt while the session was open', () => {
    const story = says(picks(running(created()), 2, 'qr_a'), 'pending');
    learns(refusesStart(story), 1, 'not_found').when('expire', {});
    expect(paymentIn(throughTheDay(story, staysSilent))).toMatchObject({
      needsReview: true,
      failure: { code: 'provider_timeout' },
    });
  });

  test('request none when the provider had denied it before', () => {
    expect(paymentIn(throughTheDay(inStatus.failed(), staysSilent)).needsReview).toBe(false);
  });

  test('end as success when the money is found after all', () => {
    const story = throughTheDay(inStatus.expired(), staysSilent);
    says(comesBack(story.wait(seconds(2))), 'paid');
    expect(story.view).toMatchObject({ status: 'success', late: true, needsReview: false });
  });
});
