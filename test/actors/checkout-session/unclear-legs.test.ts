/** One leg of a payment says nothing clear for a day: a person looks at it, whatever the other leg has brought. */
import { describe, expect, test } from 'vitest';
import type { LookupAnswer } from '../../../src/providers/answers.ts';
import { allEvents, hours, paymentIn, type SessionStory } from './buyer.ts';
import { learns, legIsAsked, legTimer, twoLegs } from './in-app.ts';

describe('a leg that its provider never speaks of clearly', () => {
  const silent = { answered: false } as const;
  /** Every look-up that is left of the other leg says this. */
  const untilTheEnd = (
    story: SessionStory,
    leg: 'intent' | 'web',
    change: Partial<LookupAnswer>,
  ): SessionStory => {
    while (legIsAsked(story, leg) || legTimer(story, leg) !== null) learns(story, leg, 'pending', change);
    return story;
  };

  test.each([
    ['intent', 'web'],
    ['web', 'intent'],
  ] as const)(
    '%s paid, %s silent for 24 h: a person looks at it, and the payment stays paid',
    (first, other) => {
      const story = learns(twoLegs(), first, 'paid');
      untilTheEnd(story, other, silent);
      expect(story.now - story.state.createdAt).toBeGreaterThan(hours(23));
      expect(paymentIn(story)).toMatchObject({
        status: 'success',
        failure: null,
        needsReview: true,
        review: { doubt: 'no clear answer', dismissed: false },
      });
      expect(allEvents(story).filter((type) => type.startsWith('payment.'))).toEqual(['payment.succeeded']);
    },
  );

  test('an unpaid payment is asked about as well, if only one of its legs was clear', () => {
    const story = learns(learns(twoLegs(), 'web', 'failed'), 'intent', 'pending', silent);
    story.when('cancel', {});
    untilTheEnd(story, 'intent', silent);
    expect(paymentIn(story)).toMatchObject({ needsReview: true, failure: { code: 'provider_timeout' } });
  });

  test('one clear answer after the end of the session is enough', () => {
    const story = learns(twoLegs(), 'intent', 'paid');
    learns(story, 'web', 'not_found');
    untilTheEnd(story, 'web', silent);
    expect(paymentIn(story)).toMatchObject({ status: 'success', needsReview: false });
  });
});
