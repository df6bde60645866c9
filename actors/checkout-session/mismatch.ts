/** Differences between our records and a provider's: what `reconciliation.mismatch` reports.
 *  1. A difference is reported once while it lasts; after the provider has confirmed our records, it would be a
 *     new one.
 *  2. Of the leg of a payment that does not decide, the daily look-up alone reports.
 *  3. Only the daily look-up doubts a paid payment that its provider no longer knows, or calls unpaid: at other
 *     times it may just be slow. */
import type { Note } from '../../src/runtime/model/actor.ts';
import { iso, type Instant } from '../../src/kernel/time.ts';
import type { LookupAnswer } from '../../src/providers/answers.ts';
import type { LookupCause, Payment } from './attempt.ts';
import type { Finding } from './finding.ts';
import { asLeg, fromLeg, legOf } from './legs.ts';
import { amountOf, isPaid } from './payment.ts';
import type { ExtraEvent } from './rules/rule.ts';
import type { SessionState } from './state.ts';
import { paymentOf, withPayment } from './steps.ts';

/** A look-up, as it was made and as it ended. `payment`: before this answer. */
export interface Looked {
  readonly payment: Payment;
  readonly cause: LookupCause;
  readonly finding: Finding;
  readonly answer: LookupAnswer;
  readonly doubt: string | null;
  /** Of the leg that does not decide. */
  readonly isOther?: true;
}

/** The provider of a successful payment does not have its money any more. */
export const isMissing = ({ status }: Payment, finding: Finding, cause: LookupCause): boolean =>
  cause === 'daily_lookup' &&
  status === 'success' &&
  (finding.is === 'providerExpired' || (finding.is === 'open' && (finding.active || finding.clear)));

/** Whether the merchant is notified. */
export function isDifference({ payment, cause, finding, answer, doubt, isOther }: Looked): boolean {
  if (doubt === null || (isOther === true && cause !== 'daily_lookup')) return false;
  // each refund outside is another difference, whatever is under review already; refunds are not of the other leg
  if (finding.is === 'refunded' && isPaid(payment) && isOther !== true) return true;
  if (payment.differenceReported === doubt) return false;
  if (cause === 'daily_lookup')
    return isPaid(payment) || finding.is === 'refunded' || answer.outcome === 'paid';
  return isPaid(payment) && finding.is !== 'disputed' && !payment.needsReview;
}

/** The session in which the payment remembers what was reported about it. */
export function withDifferenceNoted(session: SessionState, looked: Looked): SessionState {
  const whole = paymentOf(session, looked.payment.id);
  const payment = whole === null ? null : asLeg(whole, legOf(looked.payment));
  if (whole === null || payment === null) return session;
  if (isDifference(looked) && looked.doubt !== null)
    return withPayment(session, fromLeg({ ...payment, differenceReported: looked.doubt }, whole));
  if (looked.finding.is !== 'paid' || payment.differenceReported === undefined) return session;
  const { differenceReported: _ended, ...rest } = payment;
  return withPayment(session, fromLeg(rest, whole));
}

export function mismatchOf(looked: Looked, { order }: SessionState, now: Instant): ExtraEvent | null {
  if (!isDifference(looked)) return null;
  const { payment, cause, answer } = looked;
  return {
    type: 'reconciliation.mismatch',
    paymentId: payment.id,
    data: {
      paymentId: payment.id,
      provider: payment.provider,
      field: fieldOf(payment, answer),
      ours: payment.status,
      theirs: answer.outcome,
      amountOurs: amountOf(payment, order),
      amountProvider: answer.amountPaisa,
      source: cause === 'daily_lookup' ? 'daily_lookup' : 'lookup',
      detectedAt: iso(now),
    },
  };
}

/** What differs. */
function fieldOf({ lookupReference }: Payment, { outcome, reference }: LookupAnswer): string {
  if (outcome === 'ambiguous') return 'status';
  if (reference !== null && reference !== lookupReference) return 'reference';
  if (outcome !== 'paid') return 'status';
  return reference === null ? 'reference' : 'amount';
}

/** A line of the timeline. */
export const noteOfDifference = (looked: Looked): readonly Note[] =>
  isDifference(looked)
    ? [
        {
          about: looked.payment.id,
          kind: 'note',
          summary: `Our records differ: ${looked.payment.status} here, ${looked.answer.outcome} at the provider`,
          cause: looked.cause,
        },
      ]
    : [];
