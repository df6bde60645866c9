/** Money of another amount than was asked for: a person ends its review by keeping it, or by refunding it.
 *  1. Only the look-up that the decision has requested counts, and only if it says paid, our reference and exactly
 *     the amount that the person has named. Anything else changes nothing.
 *  2. Kept, it pays the session as any verified money does: of a session or an invoice that is paid already it is a
 *     duplicate. An invoice takes no less than it asks for.
 *  3. Refunded, it is recorded as a duplicate, whose refund is opened in the same commit, and the session stays. */
import { displayNpr, type Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { LookupAnswer } from '../../src/providers/answers.ts';
import type { MoneyAnswer, Leg, MoneyEnding, Payment, ReviewRecord } from './attempt.ts';
import type { Finding } from './finding.ts';
import { isPaid, paymentAfter } from './payment.ts';
import type { SessionState } from './state.ts';
import { paid, withPayment } from './steps.ts';

/** The ways in which a person may end the review of a payment. */
export type WayOut = 'accept' | 'keep' | 'refund' | 'dismiss';

/** Empty: it is not under review. */
export function waysOut({ order }: SessionState, payment: Payment): readonly WayOut[] {
  if (!payment.needsReview) return [];
  const otherAmount = isOpenTo(payment) ? payment.reviewed?.otherAmount : undefined;
  if (otherAmount === undefined) return ['accept', 'dismiss'];
  return isTooLittle(order, otherAmount)
    ? ['accept', 'refund', 'dismiss']
    : ['accept', 'keep', 'refund', 'dismiss'];
}

/** Money that is taken already keeps its amount, whatever the provider says of it later. */
export const isOpenTo = (payment: Payment): boolean => !isPaid(payment) && payment.claim === undefined;

/** An invoice is paid whole or not at all. */
export const isTooLittle = ({ invoiceId, amount }: SessionState['order'], paidAmount: Paisa): boolean =>
  invoiceId !== undefined && paidAmount < amount;

/** The decision, with the number that the next look-up of each leg will have. */
export function moneyEnding(
  payment: Payment,
  { how, amount }: Pick<MoneyEnding, 'how' | 'amount'>,
): MoneyEnding {
  const looks = payment.legs.map(({ name, look }) => [name, look.count + 1] as const);
  return { how, amount, looks: Object.fromEntries(looks) };
}

/** An answer about a leg, as it counts. */
export interface Taken {
  readonly finding: Finding;
  /** What the answer says of the money that counts. */
  readonly moneyAnswer: LookupAnswer & MoneyAnswer;
  /** Absent: what is found is paid, or nothing is. */
  readonly isRefunded?: true;
}

/** The answer with the decision of a person that it confirms; as it is when it confirms none. */
export function asDecided(payment: Payment, leg: Leg, finding: Finding, answer: LookupAnswer): Taken {
  const money = isOpenTo(payment) && payment.needsReview ? moneyIn(payment.reviewed) : undefined;
  const isIt = finding.is === 'disputed' && finding.otherAmount !== undefined;
  if (money === undefined || !isIt || finding.otherAmount !== money.amount)
    return { finding, moneyAnswer: answer };
  if (money.looks[leg.name] !== leg.look.count) return { finding, moneyAnswer: answer };
  const summary = `paid, ${displayNpr(money.amount)}, ${decided[money.how]}`;
  return {
    finding: { is: 'paid', summary },
    moneyAnswer: { ...answer, otherAmount: money.amount },
    ...(money.how === 'refund' ? { isRefunded: true as const } : {}),
  };
}

const decided = { keep: 'which is kept', refund: 'which is refunded' };

const moneyIn = (record: ReviewRecord | undefined): MoneyEnding | undefined =>
  record?.ended === undefined ? record?.accepting?.money : undefined;

/** The session after money that counts, of the leg that decides. */
export function withMoney(
  session: SessionState,
  payment: Payment,
  { moneyAnswer: answer, isRefunded }: Taken,
  now: Instant,
): SessionState {
  if (isRefunded === undefined) return paid(session, payment, answer, now);
  return withPayment(session, paymentAfter(payment, 'paid', { answer, duplicate: true, now }));
}

/** Of an answer that is doubtful; none when it names no other amount. */
export const otherAmountIn = (finding: Finding): Pick<ReviewRecord, 'otherAmount'> =>
  finding.is === 'disputed' && finding.otherAmount !== undefined ? { otherAmount: finding.otherAmount } : {};

/** The leg whose look-ups were counted starts anew: nothing that is found later was decided about. */
export function withoutDecision(payment: Payment): Payment {
  const { reviewed } = payment;
  if (reviewed?.accepting?.money === undefined) return payment;
  const { accepting: _dropped, ...rest } = reviewed;
  return { ...payment, reviewed: rest };
}
