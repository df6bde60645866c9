/** A leg of which its provider has said that it brings no money, while the other leg of its payment decides. */
import { expect, test } from 'vitest';
import { paymentIn, pay, saying, seconds } from './buyer.ts';
import { callback, inApp, learns, legIsAsked, legSays, legTimer, twoLegs } from './in-app.ts';

const settled = () => learns(twoLegs(), 'intent', 'failed');

test('is left out of the daily look-up of its payment', () => {
  const story = learns(settled(), 'web', 'paid');
  story.when('reconcile', { paymentId: pay(1), run: 1 }).wait(seconds(1));
  expect([legIsAsked(story, 'web'), legIsAsked(story, 'intent')]).toEqual([true, false]);
});

test('is looked up again for a hint, and from then on if its provider has taken it back', () => {
  const story = callback(settled());
  expect(paymentIn(story).legs[1]).not.toHaveProperty('settled');
  story.wait(seconds(1));
  legSays(story, 'intent', 'pending');
  expect(legTimer(story, 'intent')).not.toBeNull();
});

test('an answer that comes twice speaks for itself: the later one says that it may bring money', () => {
  const story = settled();
  expect(legTimer(story, 'intent')).toBeNull();
  const answer = saying('pending', inApp, { amountPaisa: null });
  story.when('lookupAnswered', { paymentId: pay(1), leg: 'intent', cause: 'poll', answer });
  expect(legTimer(story, 'intent')).not.toBeNull();
});
