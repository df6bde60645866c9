/** What the review queue asks for, and its data. */
import { pathOf, type Asked } from './asked.ts';
import type { Result } from './failure.ts';
import type { Payment, Place } from './types.ts';

export type ReviewStatus = 'open' | 'ended';

/** Amounts in paisa; times as ISO texts. */
export interface Review {
  readonly since: string;
  /** What was found. */
  readonly doubt: string;
  /** The provider's own text, where the service does not know it. */
  readonly word: string | null;
  /** null: it named none. */
  readonly amountProvider: number | null;
  /** How a person may end it, in the order of the buttons; `keep` and `refund` take `amountProvider`. */
  readonly ways: readonly ReviewWay[];
  /** null: it is open. */
  readonly endedAt: string | null;
  /** `answered`: by a clear answer of the provider. */
  readonly how: 'accepted' | 'kept' | 'refunded' | 'dismissed' | 'answered' | null;
  /** The login that ended it, `operator` for the operator's token; null: no person. */
  readonly by: string | null;
  readonly reason: string | null;
}

export interface ReviewItem {
  readonly payment: Payment;
  readonly review: Review;
}

/** What waits for a person, in numbers. */
export interface Attention {
  readonly reviews: number;
  readonly refunds: number;
  readonly endpoints: number;
}

export type ReviewWay = 'accept' | 'keep' | 'refund' | 'dismiss';

export interface ReviewEnding {
  readonly way: ReviewWay;
  readonly reason: string;
  /** Of `keep` and `refund`: what the person has seen. */
  readonly amount?: number;
}

export interface ReviewApi {
  /** Asks the provider once more, whatever it says. */
  lookUpNow(place: Place, paymentId: string): Promise<Result<ReviewItem>>;
  /** Sent again, it is executed once. */
  endReview(place: Place, paymentId: string, ending: ReviewEnding): Promise<Result<ReviewItem>>;
  attention(place: Place): Promise<Result<Attention>>;
}

export const reviewCallsOf = (asked: Asked): ReviewApi => ({
  lookUpNow: (place, id) => asked('POST', `${reviewOf(place, id)}/look-up`),
  endReview: (place, id, { way, ...body }) => asked('POST', `${reviewOf(place, id)}/${way}`, body),
  attention: (place) => asked('GET', `${pathOf(place)}/attention`),
});

const reviewOf = (place: Place, paymentId: string): string =>
  `${pathOf(place)}/reviews/${encodeURIComponent(paymentId)}`;
