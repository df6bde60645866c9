/** Why a payment is under review, in words, and when the queue is asked for again. */
import { expect, test } from 'vitest';
import { attentionMarks } from '../../../../gateways/dashboard/web/live/attention-marks.ts';
import { emptyLiveState, liveStateAfter } from '../../../../gateways/dashboard/web/live/live-state.ts';
import {
  doubtText,
  endWords,
  personText,
  wayWords,
} from '../../../../gateways/dashboard/web/screens/reviews/reviews.ts';
import { noon, paymentOf } from './samples.ts';

test.each([
  ['paid, but NPR 1,249.50 instead of NPR 1,250.50', 'The provider says: paid, but another amount.'],
  ['paid, but the reference is not ours', 'The provider says: paid, but the reference is not ours.'],
  ['an answer that is not clear: On Hold', 'The provider says: something that we do not know.'],
  ['an answer that is not clear', 'The provider says: something that we do not know.'],
  ['refunded in part', 'The provider says: refunded in part.'],
  ['paid before, now: declined', 'It was paid. Asked again, the provider says: declined.'],
  [
    'paid before, now: an answer that is not clear: On Hold',
    'It was paid. Asked again, the provider says: something that we do not know.',
  ],
  ['no clear answer', 'The provider has given no clear answer for 24 hours.'],
  ['', 'The provider’s answer was not clear.'],
])('%s', (doubt, text) => {
  expect(doubtText({ doubt })).toBe(text);
});

test('money of another amount is named on its button, in its form, and after it', () => {
  const review = {
    since: '2026-11-20T06:15:00.000Z',
    doubt: 'paid, but NPR 1,249.50 instead of NPR 1,250.50',
    word: null,
    amountProvider: 124_950,
    ways: ['keep', 'refund'],
    endedAt: null,
    how: null,
    by: null,
    reason: null,
  } as const;
  const words = (way: 'keep' | 'refund', duplicate = false) => {
    const { word, ask, announced } = wayWords(way, { payment: paymentOf({ duplicate }), review });
    return [word, ask, announced].map((text) => text.replaceAll('\u00a0', ' '));
  };
  const once = 'The provider is asked once more. If it still says that NPR 1,249.50 was paid, ';
  expect(words('keep')).toEqual([
    'Keep NPR 1,249.50',
    `${once}you keep it: the order is paid with that amount, although it asked for NPR 1,250.50.`,
    'is paid, and you have kept the NPR 1,249.50',
  ]);
  expect(words('keep', true)[2]).toBe('was paid already: the NPR 1,249.50 is refunded');
  expect(words('refund')).toEqual([
    'Refund NPR 1,249.50',
    `${once}all of it is refunded, and the order is not paid by it.`,
    'is not under review any more: a refund of NPR 1,249.50 was opened',
  ]);
  expect(endWords({ how: 'kept' })).toMatchObject({ word: 'Kept', tone: 'good' });
  expect(endWords({ how: 'refunded' })).toMatchObject({ word: 'Refunded' });
});

test('an end is told with its person; an open review has none', () => {
  expect(endWords({ how: null })).toBeNull();
  expect(endWords({ how: 'accepted' })).toMatchObject({ word: 'Accepted as paid', tone: 'good' });
  expect([personText('operator'), personText('asha@example.com')]).toEqual([
    'The operator',
    'asha@example.com',
  ]);
});

test('what waits is asked for again when a payment comes under review or leaves it, and not otherwise', () => {
  const after = (fields: Parameters<typeof paymentOf>[0], sequence: number) => {
    const data = paymentOf({ ...fields, sequence });
    const change = { object: 'payment', id: data.id, sequence, data } as const;
    return { is: 'changes', changes: [change], at: noon } as const;
  };
  const begun = liveStateAfter(emptyLiveState, after({}, 1));
  const doubted = liveStateAfter(begun, after({ needsReview: true }, 2));
  const still = liveStateAfter(doubted, after({ needsReview: true, status: 'cancelled' }, 3));
  const ended = liveStateAfter(still, after({ status: 'cancelled' }, 4));
  expect(attentionMarks(begun)).toBe(attentionMarks(emptyLiveState));
  expect(attentionMarks(doubted)).not.toBe(attentionMarks(begun));
  expect(attentionMarks(still)).toBe(attentionMarks(doubted));
  expect(attentionMarks(ended)).toBe(attentionMarks(begun));
});
