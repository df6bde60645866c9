/** How an operator ends a review: by one more look-up, or by leaving the payment as it is. */
import { describe, expect, test } from 'vitest';
import {
  legIn,
  allEvents,
  comesBack,
  created,
  hours,
  inStatus,
  lastEvents,
  learns,
  lookupsInFlight,
  order,
  pay,
  paymentIn,
  pollsNow,
  running,
  says,
  seconds,
  staysSilent,
  type SessionStory,
} from './buyer.ts';

const ends = (story: SessionStory, how: 'accept' | 'dismiss', n = 1): SessionStory =>
  story.when('endReview', { paymentId: pay(n), how, reason: 'The buyer has shown his receipt.' });
const less = { amountPaisa: order.amount - 100 };
/** A closed attempt whose provider reports another amount. */
const doubted = (): SessionStory => learns(inStatus.expired(), 1, 'paid', less);
/** The answer of the last look-up during the wait arrives a while later. */
const later = (story: SessionStory): SessionStory => story.wait(seconds(2));

describe('accepted', () => {
  test('it is looked up once more, at once, and an equal answer makes it paid, with all that follows', () => {
    const story = ends(later(doubted()), 'accept');
    expect(story.last.outcome).toMatchObject({
      is: 'ok',
      detail: { lookupCount: legIn(story).look.count },
    });
    expect(lookupsInFlight(story)).toMatchObject([{ paymentId: pay(1), cause: 'operator' }]);
    // nothing is believed before the answer
    expect(story.view).toMatchObject({ status: 'expired', needsReview: true });
    says(story, 'paid');
    expect(story.view).toMatchObject({ status: 'success', late: true, needsReview: false });
    expect(paymentIn(story)).toMatchObject({ status: 'success', failure: null });
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
  });

  test.each([
    ['the same other amount', 'paid', less],
    ['nothing readable', 'pending', { answered: false }],
    ['a word that is not clear', 'ambiguous', {}],
  ] as const)('with %s it stays under review', (_what, outcome, change) => {
    const story = says(ends(later(doubted()), 'accept'), outcome, change);
    expect(story.view).toMatchObject({ status: 'expired', needsReview: true });
    expect(allEvents(story)).not.toContain('payment.succeeded');
  });

  test('while another look-up is under way, its own look-up follows that one', () => {
    const story = ends(comesBack(later(doubted())), 'accept');
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'buyer_return' }]);
    expect(story.last.outcome).toMatchObject({ detail: { lookupCount: legIn(story).look.count + 1 } });
    says(story, 'ambiguous');
    later(story);
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'operator' }]);
  });

  test('accepted twice, it is paid once', () => {
    const story = says(ends(later(doubted()), 'accept'), 'paid');
    const before = story.doc;
    ends(story, 'accept');
    expect(story.last.outcome).toMatchObject({ is: 'ok', detail: {} });
    expect(story.doc).toEqual(before);
    expect(allEvents(story).filter((type) => type === 'payment.succeeded')).toHaveLength(1);
  });

  test('a success that the provider denied is confirmed when the provider says so', () => {
    const story = says(comesBack(later(inStatus.success())), 'failed');
    expect(story.view).toMatchObject({ status: 'success', needsReview: true });
    says(ends(later(story), 'accept'), 'paid');
    expect(story.view).toMatchObject({ status: 'success', needsReview: false });
    expect(allEvents(story).filter((type) => type === 'payment.succeeded')).toHaveLength(1);
  });
});

describe('dismissed', () => {
  test('it is as it was before the doubt, and no outcome is reported', () => {
    const story = ends(doubted(), 'dismiss');
    expect(story.view).toMatchObject({ status: 'expired', needsReview: false });
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'session_expired' } });
    expect(lastEvents(story)).toEqual([]);
    expect(story.notes.at(-1)).toMatchObject({
      about: pay(1),
      kind: 'operator',
      cause: 'dismiss',
      detail: { reason: 'The buyer has shown his receipt.' },
    });
  });

  test('the same doubt opens no second review during all look-ups', () => {
    const story = ends(doubted(), 'dismiss');
    for (let looks = 0; looks < 4; looks++) learns(story, 1, 'paid', less);
    expect(story.timer(`poll/${pay(1)}`)).toBeNull();
    expect(story.now - paymentIn(story).createdAt).toBeGreaterThan(hours(20));
    expect(story.view).toMatchObject({ status: 'expired', needsReview: false });
  });

  test('another doubt opens a second review', () => {
    const story = learns(ends(doubted(), 'dismiss'), 1, 'ambiguous');
    expect(paymentIn(story)).toMatchObject({ needsReview: true });
    expect(ends(story, 'dismiss').view).toMatchObject({ needsReview: false });
  });

  test('money found later is accepted, and its refund after that is a new doubt', () => {
    const story = ends(learns(inStatus.expired(), 1, 'refunded'), 'dismiss');
    says(comesBack(later(story)), 'paid');
    expect(story.view).toMatchObject({ status: 'success', late: true, needsReview: false });
    expect(ends(story, 'dismiss').last.outcome).toMatchObject({ is: 'ok' });
    says(comesBack(later(story)), 'refunded');
    expect(story.view).toMatchObject({ status: 'success', needsReview: true });
    expect(lastEvents(story)).toEqual(['reconciliation.mismatch']);
  });

  test.each(['paid', 'failed'] as const)('the same doubt counts as new after a definite "%s"', (plain) => {
    const inDoubt = () => says(comesBack(later(inStatus.success())), 'refunded');
    const story = ends(inDoubt(), 'dismiss');
    says(comesBack(later(story)), 'refunded');
    expect(story.view).toMatchObject({ needsReview: false });
    ends(says(comesBack(later(story)), plain), 'dismiss');
    says(comesBack(later(story)), 'refunded');
    expect(story.view).toMatchObject({ status: 'success', needsReview: true });
    expect(lastEvents(story)).toEqual(['reconciliation.mismatch']);
  });

  test('another unknown status opens another review, the same status does not', () => {
    const story = ends(learns(inStatus.expired(), 1, 'ambiguous', { word: 'HELD' }), 'dismiss');
    says(comesBack(later(story)), 'ambiguous', { word: 'HELD' });
    expect(story.view).toMatchObject({ needsReview: false });
    says(comesBack(later(story)), 'ambiguous', { word: 'CHARGEBACK_OPEN' });
    expect(story.view).toMatchObject({ needsReview: true });
    expect(paymentIn(story).review?.doubt).toContain('CHARGEBACK_OPEN');
  });

  test('a running attempt continues, and ends like any other', () => {
    const story = ends(learns(running(created()), 1, 'ambiguous'), 'dismiss');
    expect(story.view).toMatchObject({ status: 'initiated', needsReview: false });
    learns(story, 1, 'ambiguous');
    expect(story.view).toMatchObject({ status: 'initiated', needsReview: false });
    learns(story, 1, 'paid');
    expect(story.view).toMatchObject({ status: 'success', needsReview: false });
  });

  test('a session that waits for its last look-up ends after it, even with the same doubtful answer', () => {
    const story = ends(learns(running(created()), 1, 'ambiguous'), 'dismiss');
    while (lookupsInFlight(story)[0]?.cause !== 'lastLook') {
      if (lookupsInFlight(story).length > 0) says(story, 'ambiguous');
      story.wait(seconds(31));
    }
    says(story, 'ambiguous');
    expect(story.view).toMatchObject({ status: 'expired', needsReview: false });
  });

  test('after 24 hours without a definite answer nothing more is requested or reopened', () => {
    const story = inStatus.expired();
    for (let looks = 0; looks < 5; looks++) staysSilent(pollsNow(story));
    expect(paymentIn(story)).toMatchObject({ needsReview: true, review: { doubt: 'no clear answer' } });
    ends(story, 'dismiss');
    staysSilent(comesBack(later(story)));
    expect(story.view).toMatchObject({ status: 'expired', needsReview: false });
  });

  test("a provider's denial of our success is reported once, and not again after it was dismissed", () => {
    const story = says(comesBack(later(inStatus.success())), 'failed');
    expect(lastEvents(story)).toEqual(['reconciliation.mismatch']);
    ends(story, 'dismiss');
    says(comesBack(later(story)), 'failed');
    expect(lastEvents(story)).toEqual([]);
    expect(story.view).toMatchObject({ status: 'success', needsReview: false });
  });

  test('dismissed twice, it is dismissed once', () => {
    const story = ends(doubted(), 'dismiss');
    const before = story.doc;
    expect(ends(story, 'dismiss').last.outcome).toMatchObject({ is: 'ok' });
    expect(story.doc).toEqual(before);
  });
});

describe('refused', () => {
  test.each(['accept', 'dismiss'] as const)('%s of what is not under review', (how) => {
    for (const story of [inStatus.success(), inStatus.expired(), running(created())]) {
      const { status } = paymentIn(story);
      expect(ends(story, how).last.outcome).toMatchObject({
        is: 'refused',
        code: 'invalid_state',
        detail: { currentStatus: status },
      });
    }
  });

  test('accept of what was dismissed, and dismiss of what was accepted', () => {
    expect(ends(ends(doubted(), 'dismiss'), 'accept').last.outcome).toMatchObject({ code: 'invalid_state' });
    const accepted = says(ends(later(doubted()), 'accept'), 'paid');
    expect(ends(accepted, 'dismiss').last.outcome).toMatchObject({ code: 'invalid_state' });
  });

  test('of an attempt that does not exist, and by anyone but the operator and the merchant', () => {
    expect(ends(doubted(), 'dismiss', 7).last.outcome).toMatchObject({ code: 'not_found' });
    for (const by of ['buyer', 'provider', 'system'] as const) {
      const story = doubted().when('endReview', { paymentId: pay(1), how: 'dismiss', reason: 'x' }, { by });
      expect(story.last.outcome).toMatchObject({ code: 'not_found' });
      expect(story.view).toMatchObject({ needsReview: true });
    }
  });
});
