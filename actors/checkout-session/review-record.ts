/** The record of a payment's latest review, for the people who end it: what was doubtful and since when, who
 *  ended it, when and why.
 *  Boundary: nothing here decides about a payment; review.ts and payment.ts do. */
import type { ViewRow } from '../../src/runtime/model/actor.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { LookupAnswer } from '../../src/providers/answers.ts';
import type { Leg, LookupCause, Payment, ReviewEnd, ReviewRecord } from './attempt.ts';
import { isPaid } from './payment.ts';
import type { SessionState } from './state.ts';
import { paymentOf, withPayment } from './steps.ts';

type Accepting = NonNullable<ReviewRecord['accepting']>;
type Person = Omit<Accepting, 'money'>;

/** A look-up, and the doubt in its answer. */
interface Looked {
  /** `invoice`: what the subscription of an invoice has said of it. */
  readonly cause: LookupCause | 'invoice';
  readonly answer: Pick<LookupAnswer, 'word' | 'amountPaisa'>;
  readonly doubt: string | null;
  /** What the doubt is about, when it is money of another amount. */
  readonly otherAmount?: Paisa;
}

/** The session with the record as it is after a look-up. `before`: the payment before its answer. */
export function withReviewRecorded(
  session: SessionState,
  before: Payment,
  looked: Looked,
  now: Instant,
): SessionState {
  const payment = paymentOf(session, before.id);
  if (payment === null || (!before.needsReview && !payment.needsReview)) return session;
  const reviewed = payment.needsReview
    ? openRecord(before, payment, looked, now)
    : withEnd(recordOf(before), endAfter(payment, now));
  return withPayment(session, { ...payment, reviewed });
}

function openRecord(
  before: Payment,
  payment: Payment,
  { cause, answer, doubt, otherAmount }: Looked,
  now: Instant,
): ReviewRecord {
  const { accepting, ...known } = recordOf(before);
  // the last answer to the person's own look-ups that leaves the doubt ends the acceptance
  const isOver = isOwn(cause) && !payment.legs.some(isAsked);
  const kept = accepting === undefined || isOver ? known : { ...known, accepting };
  if (before.needsReview && doubt === null) return kept;
  const found = {
    doubt: payment.review?.doubt ?? '',
    word: answer.word ?? null,
    amountProvider: answer.amountPaisa,
    ...(otherAmount === undefined ? {} : { otherAmount }),
  };
  const { otherAmount: _before, ...rest } = kept;
  return before.needsReview ? { ...rest, ...found } : { since: now, ...found };
}

/** A daily look-up may have taken the place of a person's. */
const isOwn = (cause: Looked['cause'] | null): boolean => cause === 'operator' || cause === 'daily_lookup';

const isAsked = ({ look }: Leg): boolean => isOwn(look.asked) || isOwn(look.again);

function endAfter(payment: Payment, at: Instant): ReviewEnd {
  const accepting = payment.reviewed?.accepting;
  if (accepting === undefined || !isPaid(payment)) return { how: 'answered', at };
  const { money, ...person } = accepting;
  if (money === undefined) return { how: 'accepted', ...person, at };
  // the provider has said meanwhile that it was paid as asked
  return payment.amountPaid === money.amount
    ? { how: endedBy[money.how], ...person, at }
    : { how: 'answered', at };
}

/** How a review has ended, by what was done with its money. */
export const endedBy = { keep: 'kept', refund: 'refunded' } as const;

export const withAcceptance = (payment: Payment, accepting: Accepting): Payment => ({
  ...payment,
  reviewed: { ...recordOf(payment), accepting },
});

/** `payment`: as it was dismissed. */
export const withDismissal = (payment: Payment, person: Person, at: Instant): Payment => ({
  ...payment,
  reviewed: withEnd(recordOf(payment), { how: 'dismissed', ...person, at }),
});

function withEnd({ accepting: _over, ...record }: ReviewRecord, ended: ReviewEnd): ReviewRecord {
  return { ...record, ended };
}

/** The record of a payment under review. An older version has kept none: it was opened with the payment's
 *  last change, at the latest. */
export const recordOf = ({ reviewed, review, updatedAt }: Payment): ReviewRecord =>
  reviewed === undefined || reviewed.ended !== undefined
    ? { since: updatedAt, doubt: review?.doubt ?? '', word: null, amountProvider: null }
    : reviewed;

/** One row for each payment whose latest review has ended; the newest end comes first in a list. */
export const endedReviewRows = ({ payments }: SessionState): readonly ViewRow[] =>
  payments.flatMap(({ id, reviewed }) => {
    if (reviewed?.ended === undefined) return [];
    const { at } = reviewed.ended;
    return [{ kind: 'ended_review', id, sequence: at, createdAt: at, tags: [], body: { id, ...reviewed } }];
  });
