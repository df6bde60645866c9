/** Compares rows of a statement with our payments. Pure; the rules are in docs/guides/reconcile.md.
 *  1. A payment, and a refund, agrees with one row at most: a second row for it is a row without a payment. */
import type { StatementItem } from '../../actors/statement/messages.ts';
import type { StatementRow } from './statement-check.ts';
import type { FoundPayment, FoundRefund } from './statement-payments.ts';

/** Characters of a reference that are kept. */
export const referenceCharactersMax = 120;

/** What earlier rows have been compared with. */
export interface Taken {
  readonly payments: Marks;
  readonly refunds: Marks;
}

type Marks = Pick<Set<string>, 'has' | 'add'>;

/** What is taken from now on is not noted in `before`. */
export const onTopOf = (before: Taken): Taken => ({
  payments: layer(before.payments),
  refunds: layer(before.refunds),
});

function layer(below: Marks): Marks {
  const own = new Set<string>();
  return { has: (id) => own.has(id) || below.has(id), add: (id) => own.add(id) };
}

export interface Known {
  readonly payments: ReadonlyMap<string, readonly FoundPayment[]>;
  readonly refunds: readonly FoundRefund[];
}

export interface RowAtLine extends StatementRow {
  readonly line: number;
  readonly fee: number | null;
}

/** Marks what it takes. */
export function compared(row: RowAtLine, known: Known, taken: Taken): StatementItem {
  const payment = bestOf(known.payments.get(row.reference) ?? [], row, taken);
  if (payment === null) return item(row, 'unmatched_statement', null, null);
  if (row.amount !== null && row.amount < 0) return refundCompared(row, payment, known, taken);
  if (!isPaid(payment) || taken.payments.has(payment.id))
    return item(row, 'unmatched_statement', payment, null);
  taken.payments.add(payment.id);
  const result = row.amount === payment.amount ? 'matched' : 'amount_differs';
  return item(row, result, payment, payment.amount);
}

function refundCompared(row: RowAtLine, payment: FoundPayment, known: Known, taken: Taken): StatementItem {
  const open = known.refunds.filter(
    ({ id, paymentId }) => paymentId === payment.id && !taken.refunds.has(id),
  );
  const same = open.find(({ amount }) => amount === -(row.amount ?? 0));
  if (same !== undefined) {
    taken.refunds.add(same.id);
    return { ...item(row, 'matched', payment, -same.amount), refundId: same.id };
  }
  const total = open.reduce((sum, { amount }) => sum + amount, 0);
  return total === 0
    ? item(row, 'unmatched_statement', payment, null)
    : item(row, 'amount_differs', payment, -total);
}

const isPaid = ({ status }: FoundPayment): boolean => status === 'success' || status === 'refunded';

/** Of several payments with one reference: a paid one, that no row has yet, of this amount. */
function bestOf(payments: readonly FoundPayment[], { amount }: RowAtLine, taken: Taken): FoundPayment | null {
  const rank = (payment: FoundPayment): number =>
    (isPaid(payment) ? 4 : 0) +
    (taken.payments.has(payment.id) ? 0 : 2) +
    (payment.amount === Math.abs(amount ?? 0) ? 1 : 0);
  return payments.toSorted((a, b) => rank(b) - rank(a))[0] ?? null;
}

const item = (
  { line, reference, amount, fee, date }: RowAtLine,
  result: StatementItem['result'],
  payment: FoundPayment | null,
  paymentAmount: number | null,
): StatementItem => ({
  line,
  result,
  reference: reference === '' ? null : reference.slice(0, referenceCharactersMax),
  statementAmount: amount,
  fee,
  paymentId: payment?.id ?? null,
  paymentAmount,
  date,
  ...(payment === null ? {} : { sessionId: payment.sessionId }),
});
