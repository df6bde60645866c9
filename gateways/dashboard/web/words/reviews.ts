/** Why a payment is under review, and how a review ended, in words. Pure. */
import type { Review, ReviewItem } from '../wire/review-api.ts';
import type { StateWords } from './words.ts';

const paidBefore = 'paid before, now: ';
const otherAmount = /NPR [\d,.]+ instead of NPR [\d,.]+$/;
const unknownWord = /^an answer that is not clear(?:: |$)/;

/** What the provider said, in one sentence; its amount and its own word are shown beside it. */
export function doubtText({ doubt }: Pick<Review, 'doubt'>): string {
  if (doubt.startsWith(paidBefore))
    return `It was paid. Asked again, the provider says: ${told(doubt.slice(paidBefore.length))}.`;
  if (doubt === '') return 'The provider’s answer was not clear.';
  if (doubt === 'no clear answer') return 'The provider has given no clear answer for 24 hours.';
  return `The provider says: ${told(doubt)}.`;
}

/** The provider names another amount, or takes back that it was paid: money is not where it is thought to be. */
export const isMismatch = ({ payment, review }: ReviewItem): boolean =>
  review.doubt.startsWith(paidBefore) ||
  (review.amountProvider !== null && review.amountProvider !== payment.amount);

/** The amounts, and `REVERSED` of `an answer that is not clear: REVERSED`, are shown by themselves. */
const told = (doubt: string): string =>
  unknownWord.test(doubt) ? 'something that we do not know' : doubt.replace(otherAmount, 'another amount');

const ends: Readonly<Record<NonNullable<Review['how']>, StateWords>> = {
  accepted: { word: 'Accepted as paid', tone: 'good', sign: 'check' },
  dismissed: { word: 'Dismissed', tone: 'plain', sign: 'cross' },
  answered: { word: 'Answered', tone: 'plain', sign: 'turn' },
};

/** null: it is open. */
export const endWords = ({ how }: Pick<Review, 'how'>): StateWords | null =>
  how === null ? null : ends[how];

/** `asha@example.com`; the operator's token is nobody's e-mail. */
export const personText = (by: string): string => (by === 'operator' ? 'The operator' : by);
