/** Why a payment is under review, and how a review ended, in words. Pure. */
import { displayNpr } from '../../../../../src/kernel/money.ts';
import type { Review, ReviewItem, ReviewWay } from '../../wire/types.ts';
import type { StateWords } from '../../words/words.ts';

const paidBefore = 'paid before, now: ';
const otherAmount = /NPR [\d,.]+ instead of NPR [\d,.]+$/;
const unknownWord = /^an answer that is not clear(?:: |$)/;

/** What the provider said, in one sentence; its amount and its own word are shown beside it. */
export function doubtText({ doubt }: Pick<Review, 'doubt'>): string {
  if (doubt.startsWith(paidBefore))
    return `It was paid. Asked again, the provider says: ${doubtWords(doubt.slice(paidBefore.length))}.`;
  if (doubt === '') return 'The provider’s answer was not clear.';
  if (doubt === 'no clear answer') return 'The provider has given no clear answer for 24 hours.';
  return `The provider says: ${doubtWords(doubt)}.`;
}

/** The provider names another amount, or takes back that it was paid: money is not where it is thought to be. */
export const isMismatch = ({ payment, review }: ReviewItem): boolean =>
  review.doubt.startsWith(paidBefore) ||
  (review.amountProvider !== null && review.amountProvider !== payment.amount);

/** The amounts, and `REVERSED` of `an answer that is not clear: REVERSED`, are shown by themselves. */
const doubtWords = (doubt: string): string =>
  unknownWord.test(doubt) ? 'something that we do not know' : doubt.replace(otherAmount, 'another amount');

const ends: Readonly<Record<NonNullable<Review['how']>, StateWords>> = {
  accepted: { word: 'Accepted as paid', tone: 'good', sign: 'check' },
  kept: { word: 'Kept', tone: 'good', sign: 'check' },
  refunded: { word: 'Refunded', tone: 'plain', sign: 'back' },
  dismissed: { word: 'Dismissed', tone: 'plain', sign: 'cross' },
  answered: { word: 'Answered', tone: 'plain', sign: 'turn' },
};

interface WayWords {
  readonly word: string;
  readonly sign: 'check' | 'till' | 'back' | 'cross';
  /** Over the form. */
  readonly ask: string;
  readonly busy: string;
  /** Announced: `The payment of NPR 1,250.50 ...`. */
  readonly announced: string;
}

/** A way to end a review, on its button and in its form. */
export function wayWords(way: ReviewWay, { payment, review }: ReviewItem): WayWords {
  // a narrow button breaks before its amount, not inside it
  const paid = displayNpr(review.amountProvider ?? 0).replace(' ', '\u00a0');
  const asked = displayNpr(payment.amount);
  const still = `The provider is asked once more. If it still says that ${paid} was paid, `;
  const busy = 'Asking the provider';
  switch (way) {
    case 'accept':
      return {
        word: 'Accept as paid',
        sign: 'check',
        ask:
          'The provider is asked once more. The payment becomes paid only if it confirms our amount and our ' +
          'reference.',
        busy,
        announced: 'was confirmed by the provider and is paid',
      };
    case 'keep':
      return {
        word: `Keep ${paid}`,
        sign: 'till',
        ask: `${still}you keep it: the order is paid with that amount, although it asked for ${asked}.`,
        busy,
        announced: payment.duplicate
          ? `was paid already: the ${paid} is refunded`
          : `is paid, and you have kept the ${paid}`,
      };
    case 'refund':
      return {
        word: `Refund ${paid}`,
        sign: 'back',
        ask: `${still}all of it is refunded, and the order is not paid by it.`,
        busy,
        announced: `is not under review any more: a refund of ${paid} was opened`,
      };
    case 'dismiss':
      return {
        word: 'Dismiss',
        sign: 'cross',
        ask: 'The review ends and the payment stays as it is. The same doubt opens no other review; a new one does.',
        busy: 'Dismissing',
        announced: 'is no longer under review',
      };
  }
}

/** null: it is open. */
export const endWords = ({ how }: Pick<Review, 'how'>): StateWords | null =>
  how === null ? null : ends[how];

/** `asha@example.com`; the operator's token is nobody's e-mail. */
export const personText = (by: string): string => (by === 'operator' ? 'The operator' : by);
