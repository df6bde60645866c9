/** The record of a review: what people see of it, while it is open and after its end. */
import { describe, expect, test } from 'vitest';
import type { ReviewRecord } from '../../../actors/checkout-session/attempt.ts';
import { recordOf } from '../../../actors/checkout-session/review-record.ts';
import {
  legIn,
  comesBack,
  inStatus,
  learns,
  lookupsInFlight,
  order,
  pay,
  paymentIn,
  says,
  seconds,
  staysSilent,
  type SessionStory,
} from './buyer.ts';

const who = 'asha@example.com';
const reason = 'The buyer has shown his receipt.';
const less = { amountPaisa: order.amount - 100 };
const person = { paymentId: pay(1), reason, who };
const ends = (story: SessionStory, how: 'accept' | 'dismiss'): SessionStory =>
  story.when('endReview', { ...person, how }, { by: 'merchant' });
const doubted = (): SessionStory => learns(inStatus.expired(), 1, 'paid', less);
const later = (story: SessionStory): SessionStory => story.wait(seconds(2));
const recordIn = (story: SessionStory): ReviewRecord | undefined => paymentIn(story).reviewed;
const endedRow = (story: SessionStory) => story.rows('ended_review');

describe('the record of a review', () => {
  test('says what is doubtful, since when, and the amount that the provider names', () => {
    const story = doubted();
    const since = story.now;
    expect(recordIn(story)).toEqual({
      since,
      doubt: 'paid, but NPR 1,249.50 instead of NPR 1,250.50',
      word: null,
      amountProvider: order.amount - 100,
      otherAmount: order.amount - 100,
    });
    // another doubt in the same review
    says(comesBack(later(story)), 'ambiguous', { word: 'HELD', amountPaisa: null });
    expect(recordIn(story)).toMatchObject({ since, word: 'HELD', amountProvider: null });
    // an answer that cannot be read says nothing new
    staysSilent(comesBack(later(story)));
    expect(recordIn(story)).toMatchObject({ since, word: 'HELD' });
    expect(endedRow(story)).toEqual([]);
  });

  test('names who has dismissed it, when and why; a new doubt opens a new one', () => {
    const story = ends(later(doubted()), 'dismiss');
    const ended = { how: 'dismissed', by: who, reason, at: story.now };
    expect(recordIn(story)).toMatchObject({ amountProvider: order.amount - 100, ended });
    expect(endedRow(story)).toMatchObject([{ id: pay(1), ended }]);
    expect(story.notes.at(-1)).toMatchObject({
      kind: 'operator',
      summary: `${who}: review dismissed`,
      detail: { reason, by: who },
    });
    says(comesBack(later(story)), 'ambiguous', { word: 'HELD' });
    expect(recordIn(story)).toEqual({
      since: story.now,
      doubt: 'an answer that is not clear: HELD',
      word: 'HELD',
      amountProvider: order.amount,
    });
    expect(endedRow(story)).toEqual([]);
  });

  test('names who has accepted it only once the provider has confirmed the payment', () => {
    const story = ends(later(doubted()), 'accept');
    expect(recordIn(story)).toMatchObject({ accepting: { by: who, reason } });
    expect(recordIn(story)).not.toHaveProperty('ended');
    says(story, 'paid');
    expect(recordIn(story)).toMatchObject({
      ended: { how: 'accepted', by: who, reason, at: story.now },
    });
    expect(recordIn(story)).not.toHaveProperty('accepting');
  });

  test('an acceptance that the provider does not confirm is over: a later answer ends the review by itself', () => {
    const story = says(ends(later(doubted()), 'accept'), 'paid', less);
    expect(recordIn(story)).not.toHaveProperty('accepting');
    says(comesBack(later(story)), 'paid');
    expect(recordIn(story)).toMatchObject({ ended: { how: 'answered', at: story.now } });
  });

  test('an accepted payment that the provider declines was not accepted', () => {
    const story = says(ends(later(doubted()), 'accept'), 'failed');
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', needsReview: false });
    expect(recordIn(story)?.ended).toEqual({ how: 'answered', at: story.now });
  });

  test('of a review that an older version opened is its doubt, since the last change of its payment', () => {
    const { reviewed: _none, ...old } = paymentIn(doubted());
    expect(recordOf(old)).toEqual({
      since: old.updatedAt,
      doubt: 'paid, but NPR 1,249.50 instead of NPR 1,250.50',
      word: null,
      amountProvider: null,
    });
  });
});

describe('looked up now', () => {
  const looks = (story: SessionStory): SessionStory =>
    story.when('lookUpNow', { paymentId: pay(1), who }, { by: 'merchant' });

  test('a payment under review is looked up at once, and its timeline says who asked', () => {
    const story = looks(later(doubted()));
    expect(story.last.outcome).toMatchObject({
      is: 'ok',
      detail: { lookupCount: legIn(story).look.count },
    });
    expect(lookupsInFlight(story)).toMatchObject([{ paymentId: pay(1), cause: 'operator' }]);
    expect(story.notes.at(-1)).toMatchObject({
      kind: 'operator',
      summary: `${who}: look up now`,
      cause: 'look_up',
    });
    says(story, 'paid');
    expect(story.view).toMatchObject({ status: 'success', late: true, needsReview: false });
    expect(recordIn(story)?.ended).toEqual({ how: 'answered', at: story.now });
  });

  test('no other payment is, and nobody but the merchant may', () => {
    expect(looks(inStatus.success()).last.outcome).toMatchObject({
      code: 'invalid_state',
      detail: { currentStatus: 'success' },
    });
    for (const by of ['buyer', 'provider', 'system'] as const) {
      const story = doubted().when('lookUpNow', { paymentId: pay(1), who }, { by });
      expect(story.last.outcome).toMatchObject({ code: 'not_found' });
    }
  });
});
