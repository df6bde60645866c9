/** What a session does for the books: the daily look-up of its payments, and the fee that a statement names. */
import { describe, expect, test } from 'vitest';
import type { LookupAnswer, LookupOutcome } from '../../../src/providers/answers.ts';
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
  running,
  says,
  staysSilent,
  type SessionStory,
} from './buyer.ts';
import { callback, learns as learnsLeg, legIsAsked, legSays, legTimer, twoLegs } from './in-app.ts';

const day = hours(24);

/** The daily run of the n-th day after now asks about attempt 1. */
function reconciled(story: SessionStory): SessionStory {
  story.wait(day);
  return story.when('reconcile', { paymentId: pay(1), run: story.now });
}

/** A session that ended a day ago; its provider has never been clear. */
function unclear(story: SessionStory): SessionStory {
  while (story.timer(`poll/${pay(1)}`) !== null) learns(story, 1, 'pending');
  return story;
}

const mismatches = (story: SessionStory): number =>
  allEvents(story).filter((type) => type === 'reconciliation.mismatch').length;

describe('the daily look-up of a successful payment', () => {
  test('the provider agrees: nothing changes', () => {
    const story = inStatus.success();
    const { view } = story;
    reconciled(story);
    expect(lookupsInFlight(story)).toMatchObject([{ paymentId: pay(1), cause: 'daily_lookup' }]);
    says(story, 'paid');
    expect(story.view).toEqual(view);
    expect(mismatches(story)).toBe(0);
    expect(story.notes.at(-1)).toMatchObject({ kind: 'poll', cause: 'daily_lookup' });
  });

  test.each<LookupOutcome>(['failed', 'cancelled', 'expired', 'pending', 'not_found'])(
    '%s: unchanged, under review, reported with both sides',
    (outcome) => {
      const story = says(reconciled(inStatus.success()), outcome);
      expect(story.view).toMatchObject({ status: 'success', needsReview: true });
      expect(paymentIn(story)).toMatchObject({ status: 'success', needsReview: true });
      expect(story.last.events.at(-1)?.data).toEqual({
        paymentId: pay(1),
        provider: 'wallet_b',
        field: 'status',
        ours: 'success',
        theirs: outcome,
        amountOurs: order.amount,
        amountProvider: order.amount,
        source: 'daily_lookup',
        detectedAt: new Date(story.now).toISOString(),
      });
      expect(story.notes.at(-1)).toMatchObject({ kind: 'note', cause: 'daily_lookup' });
    },
  );

  test('another amount and another reference are named', () => {
    const amount = says(reconciled(inStatus.success()), 'paid', { amountPaisa: order.amount - 100 });
    expect(amount.last.events.at(-1)?.data).toMatchObject({
      field: 'amount',
      theirs: 'paid',
      amountProvider: order.amount - 100,
    });
    const other = says(reconciled(inStatus.success()), 'paid', { reference: 'somebody-elses' });
    expect(other.last.events.at(-1)?.data).toMatchObject({ field: 'reference' });
    expect(paymentIn(other)).toMatchObject({ status: 'success', needsReview: true });
  });

  test('no readable answer is no difference', () => {
    const story = staysSilent(reconciled(inStatus.success()));
    expect(story.view).toMatchObject({ needsReview: false });
    expect(mismatches(story)).toBe(0);
  });

  test('a difference is reported once while it lasts, and again when it comes back', () => {
    const story = says(reconciled(inStatus.success()), 'not_found');
    says(reconciled(story), 'not_found');
    expect(mismatches(story)).toBe(1);
    says(reconciled(story), 'failed');
    expect(mismatches(story)).toBe(2);
    says(reconciled(story), 'paid');
    expect(story.view).toMatchObject({ status: 'success', needsReview: false });
    says(reconciled(story), 'failed');
    expect(mismatches(story)).toBe(3);
  });

  test('a dismissed difference is not reported again', () => {
    const story = says(reconciled(inStatus.success()), 'not_found');
    story.when('endReview', { paymentId: pay(1), how: 'dismiss', reason: 'settled' }, { by: 'operator' });
    says(reconciled(story), 'not_found');
    expect(story.view).toMatchObject({ needsReview: false });
    expect(mismatches(story)).toBe(1);
  });

  test('a refund outside is evidence as in every look-up', () => {
    const story = says(reconciled(inStatus.success()), 'refunded');
    expect(story.last.events.at(-1)?.data).toMatchObject({ theirs: 'refunded', source: 'daily_lookup' });
    expect(story.view).toMatchObject({ status: 'success', needsReview: true });
    says(reconciled(story), 'refunded');
    expect(mismatches(story)).toBe(1);
  });
});

describe('the daily look-up of an unclear payment', () => {
  test('verified money makes it paid, late', () => {
    const story = says(reconciled(unclear(inStatus.expired())), 'paid');
    expect(story.view).toMatchObject({ status: 'success', late: true });
    expect(lastEvents(story)).toContain('payment.succeeded');
    expect(mismatches(story)).toBe(0);
  });

  test('money with another amount is a difference, and stays unpaid', () => {
    const story = says(reconciled(unclear(inStatus.cancelled())), 'paid', { amountPaisa: 1000 });
    expect(story.view).toMatchObject({ status: 'cancelled', needsReview: true });
    expect(story.last.events.at(-1)?.data).toMatchObject({
      field: 'amount',
      ours: 'cancelled',
      theirs: 'paid',
    });
    says(reconciled(story), 'paid', { amountPaisa: 1000 });
    expect(mismatches(story)).toBe(1);
  });

  test.each<LookupOutcome>(['not_found', 'pending', 'failed', 'ambiguous'])(
    '%s is no difference',
    (outcome) => {
      const story = says(reconciled(unclear(inStatus.cancelled())), outcome);
      expect(story.view).toMatchObject({ status: 'cancelled' });
      expect(mismatches(story)).toBe(0);
    },
  );
});

describe('a payment with two legs', () => {
  /** The look-ups after the end of the session are over. */
  const paidOnTheWeb = (): SessionStory => {
    const story = learnsLeg(twoLegs(), 'web', 'paid');
    while (legIsAsked(story, 'intent') || legTimer(story, 'intent') !== null)
      learnsLeg(story, 'intent', 'not_found');
    return story;
  };
  /** The daily run asks about both legs; `web` and `intent` say so. */
  const asked = (story: SessionStory, intent: LookupOutcome, change: Partial<LookupAnswer> = {}) => {
    legSays(reconciled(story), 'web', 'paid');
    return legSays(story, 'intent', intent, change);
  };

  test.each<[LookupOutcome, Partial<LookupAnswer>, string]>([
    ['refunded', {}, 'status'],
    ['ambiguous', {}, 'status'],
    ['paid', { reference: 'BK-9 CR-9' }, 'reference'],
  ])('what its other leg says is reported, once while it lasts: %s', (outcome, change, field) => {
    const story = asked(paidOnTheWeb(), outcome, change);
    expect(story.last.events.at(-1)?.data).toMatchObject({
      paymentId: pay(1),
      field,
      ours: 'success',
      theirs: outcome,
      source: 'daily_lookup',
    });
    expect(paymentIn(story)).toMatchObject({ status: 'success', needsReview: true });
    expect(story.notes.at(-1)).toMatchObject({ kind: 'note', cause: 'daily_lookup' });
    asked(story, outcome, change);
    expect(mismatches(story)).toBe(1);
  });

  test('that the other leg brings no money is none, and neither is what an ordinary look-up finds', () => {
    expect(mismatches(asked(paidOnTheWeb(), 'cancelled'))).toBe(0);
    const story = legSays(callback(paidOnTheWeb().wait(hours(1))), 'intent', 'refunded');
    expect([mismatches(story), paymentIn(story).needsReview]).toEqual([0, true]);
  });

  test('money of the other leg is a duplicate, which says it all', () => {
    const story = asked(paidOnTheWeb(), 'paid');
    expect(story.state.payments).toMatchObject([{ duplicate: false }, { duplicate: true }]);
    expect(mismatches(story)).toBe(0);
  });
});

describe('beside other reasons for a look-up', () => {
  /** A late look-up is on its way. */
  const lookedUp = (): SessionStory => comesBack(inStatus.success().wait(day));
  const run = (story: SessionStory): SessionStory =>
    story.when('reconcile', { paymentId: pay(1), run: story.now });

  test.each([
    ['before', (story: SessionStory) => run(comesBack(story))],
    ['after', (story: SessionStory) => comesBack(run(story))],
  ])('a hint %s it takes nothing from it: the difference is reported', (_when, both) => {
    const story = says(both(lookedUp()), 'not_found');
    expect(mismatches(story)).toBe(0);
    story.wait(hours(1));
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'daily_lookup' }]);
    expect(mismatches(says(story, 'not_found'))).toBe(1);
  });

  test('a person who accepts meanwhile is answered by it', () => {
    const story = says(reconciled(inStatus.success()), 'not_found');
    comesBack(story.wait(day));
    run(story);
    story.when('endReview', { paymentId: pay(1), how: 'accept', reason: 'It is there.', who: 'asha' });
    says(story, 'not_found');
    story.wait(hours(1));
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'daily_lookup' }]);
    says(story, 'paid');
    expect(paymentIn(story)).toMatchObject({
      needsReview: false,
      reviewed: { ended: { how: 'accepted', by: 'asha' } },
    });
  });

  test('the acceptance ends with its answer, if the doubt is still there', () => {
    const story = says(reconciled(inStatus.success()), 'not_found');
    comesBack(story.wait(day));
    run(story);
    story.when('endReview', { paymentId: pay(1), how: 'accept', reason: 'It is there.', who: 'asha' });
    says(story, 'not_found');
    says(story.wait(hours(1)), 'not_found');
    expect(paymentIn(story)).toMatchObject({ needsReview: true });
    expect(paymentIn(story).reviewed?.accepting).toBeUndefined();
  });
});

test('a run looks up a payment once, and a running attempt not at all', () => {
  const story = says(reconciled(inStatus.success()), 'paid');
  const run = story.now;
  const { count } = legIn(story).look;
  story.when('reconcile', { paymentId: pay(1), run });
  story.wait(hours(1)).when('reconcile', { paymentId: pay(1), run: run - day });
  expect(legIn(story).look.count).toBe(count);
  const open = running(created());
  open.when('reconcile', { paymentId: pay(1), run: open.now });
  expect(lookupsInFlight(open)).toEqual([]);
  expect(open.when('reconcile', { paymentId: pay(9), run }).last.outcome).toMatchObject({
    code: 'not_found',
  });
});

test('the fee of a statement is stored on a paid payment alone, and changes nothing else', () => {
  const story = inStatus.success();
  const { sequence } = paymentIn(story);
  story.when('recordFee', { paymentId: pay(1), fee: 1250 });
  expect(paymentIn(story)).toMatchObject({ fee: 1250, status: 'success', sequence: sequence + 1 });
  expect(story.last.events).toEqual([]);
  expect(story.notes.at(-1)).toMatchObject({ about: pay(1), summary: 'Fee of NPR 12.50, from a statement' });
  story.when('recordFee', { paymentId: pay(1), fee: 1250 });
  expect(paymentIn(story).sequence).toBe(sequence + 1);
  const unpaid = inStatus.expired();
  const before = unpaid.state;
  expect(unpaid.when('recordFee', { paymentId: pay(1), fee: 1250 }).state).toEqual(before);
});
