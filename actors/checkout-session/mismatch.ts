/** Differences between our records and a provider's: what `reconciliation.mismatch` reports.
 *  1. A difference is reported once while it lasts; after the provider has confirmed our records, it would be a
 *     new one.
 *  2. Of the leg of a payment that does not decide, the daily look-up alone reports. */
import type { Note } from '../../src/runtime/model/actor.ts';
import { iso, type Instant } from '../../src/kernel/time.ts';
import type { LookupAnswer } from '../../src/providers/answers.ts';
import type { Leg } from './attempt.ts';
import { legNamed, withLeg } from './legs.ts';
import type { Looked } from './looked.ts';
import { amountOf, isPaid } from './payment.ts';
import type { ExtraEvent } from './rules/rule.ts';
import type { SessionState } from './state.ts';
import { paymentOf, withPayment } from './steps.ts';

/** Whether the merchant is notified. */
function isDifference({ payment, leg, decides, cause, finding, answer, doubt }: Looked): boolean {
  if (doubt === null || (!decides && cause !== 'daily_lookup')) return false;
  // each refund outside is another difference, whatever is under review already; refunds are not of the other leg
  if (finding.is === 'refunded' && isPaid(payment) && decides) return true;
  if (leg.differenceReported === doubt) return false;
  if (cause === 'daily_lookup')
    return isPaid(payment) || finding.is === 'refunded' || answer.outcome === 'paid';
  return isPaid(payment) && finding.is !== 'disputed' && !payment.needsReview;
}

/** The session in which the leg remembers what was reported about it. */
export function withDifferenceKept(session: SessionState, looked: Looked): SessionState {
  const payment = paymentOf(session, looked.payment.id);
  const leg = payment === null ? null : legNamed(payment, looked.leg.name);
  if (payment === null || leg === null) return session;
  if (isDifference(looked) && looked.doubt !== null)
    return withPayment(session, withLeg(payment, { ...leg, differenceReported: looked.doubt }));
  if (looked.finding.is !== 'paid' || leg.differenceReported === undefined) return session;
  const { differenceReported: _ended, ...rest } = leg;
  return withPayment(session, withLeg(payment, rest));
}

/** What is reported, and a line of the timeline; null: there is no difference, or it was reported before. */
export function differenceOf(
  looked: Looked,
  { order }: SessionState,
  now: Instant,
): { readonly event: ExtraEvent; readonly note: Note } | null {
  if (!isDifference(looked)) return null;
  const { payment, leg, cause, answer } = looked;
  const { id: paymentId, provider, status: ours } = payment;
  const { outcome: theirs, amountPaisa: amountProvider } = answer;
  const data = {
    paymentId,
    provider,
    field: fieldOf(leg, answer),
    ours,
    theirs,
    amountOurs: amountOf(payment, order),
    amountProvider,
    source: cause === 'daily_lookup' ? 'daily_lookup' : 'lookup',
    detectedAt: iso(now),
  };
  const summary = `Our records differ: ${ours} here, ${theirs} at the provider`;
  return {
    event: { type: 'reconciliation.mismatch', paymentId, data },
    note: { about: paymentId, kind: 'note', summary, cause },
  };
}

/** What differs. */
function fieldOf({ lookupReference }: Leg, { outcome, reference }: LookupAnswer): string {
  if (outcome === 'ambiguous') return 'status';
  if (reference !== null && reference !== lookupReference) return 'reference';
  if (outcome !== 'paid') return 'status';
  return reference === null ? 'reference' : 'amount';
}
