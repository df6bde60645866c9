/** A row of a statement beside our payments. */
import { describe, expect, test } from 'vitest';
import { compared, onTopOf, type RowAtLine, type Taken } from '../../../src/books/statement-matching.ts';
import type { FoundPayment, FoundRefund } from '../../../src/books/statement-payments.ts';

const paid: FoundPayment = {
  id: 'pay_4t8z1m6q3x9k2v7b',
  sessionId: 'cs_n5y5kc7txbgmy7rz22b0c1r5',
  provider: 'wallet_b',
  providerRef: 'TX1',
  status: 'success',
  amount: 125_050,
  paidAt: '2026-11-20T09:16:40.000Z',
};
const row = (change: Partial<RowAtLine> = {}): RowAtLine => ({
  reference: 'TX1',
  amount: 125_050,
  unit: 'rupees',
  date: null,
  line: 2,
  fee: null,
  ...change,
});
const none = (): Taken => ({ payments: new Set(), refunds: new Set() });

function compare(
  rows: readonly Partial<RowAtLine>[],
  payments: readonly FoundPayment[] = [paid],
  refunds: readonly FoundRefund[] = [],
) {
  const taken = none();
  const known = { payments: new Map([['TX1', payments]]), refunds };
  return rows.map((one) => {
    const { result, paymentId, paymentAmount } = compared(row(one), known, taken);
    return [result, paymentId, paymentAmount];
  });
}

describe('a row', () => {
  test('agrees, differs, or is unknown', () => {
    expect(compare([{}])).toEqual([['matched', paid.id, 125_050]]);
    expect(compare([{ amount: 125_000 }])).toEqual([['amount_differs', paid.id, 125_050]]);
    expect(compare([{ amount: null }])).toEqual([['amount_differs', paid.id, 125_050]]);
    expect(compare([{ reference: 'TX2' }])).toEqual([['unmatched_statement', null, null]]);
    expect(compare([{ reference: '' }])).toEqual([['unmatched_statement', null, null]]);
  });

  test('is without a payment where its payment did not succeed, and names it', () => {
    for (const status of ['pending', 'processing', 'failed', 'cancelled'] as const)
      expect(compare([{}], [{ ...paid, status }])).toEqual([['unmatched_statement', paid.id, null]]);
    expect(compare([{}], [{ ...paid, status: 'refunded' }])).toEqual([['matched', paid.id, 125_050]]);
  });

  test('is without a payment where another row has it', () => {
    expect(compare([{}, { line: 3 }])).toEqual([
      ['matched', paid.id, 125_050],
      ['unmatched_statement', paid.id, null],
    ]);
  });

  test('takes the paid one of several payments with its reference, and of paid ones the right amount', () => {
    const other = { ...paid, id: 'pay_000000000000samp' };
    const open: FoundPayment = { ...other, status: 'cancelled' };
    expect(compare([{}], [open, paid])).toEqual([['matched', paid.id, 125_050]]);
    expect(compare([{ amount: 5 }], [paid, { ...other, amount: 5 }])).toEqual([['matched', other.id, 5]]);
    expect(compare([{}, {}], [paid, other]).map(([result]) => result)).toEqual(['matched', 'matched']);
  });

  test('keeps so much of a long reference', () => {
    const known = { payments: new Map(), refunds: [] };
    expect(compared(row({ reference: 'x'.repeat(500) }), known, none()).reference).toHaveLength(120);
  });
});

describe('a negative row', () => {
  const refund = (id: string, amount: number): FoundRefund => ({
    id,
    paymentId: paid.id,
    status: 'succeeded',
    amount,
  });

  test('agrees with a refund of its amount, each refund once, and leaves the payment to its own row', () => {
    const refunds = [refund('ref_1', 5_000), refund('ref_2', 7_000)];
    const rows = [{ amount: -7_000 }, {}, { amount: -5_000 }, { amount: -5_000 }];
    expect(compare(rows, [paid], refunds)).toEqual([
      ['matched', paid.id, -7_000],
      ['matched', paid.id, 125_050],
      ['matched', paid.id, -5_000],
      ['unmatched_statement', paid.id, null],
    ]);
  });

  test('differs from refunds of other amounts, and is unknown without one', () => {
    const refunds = [refund('ref_1', 5_000), refund('ref_2', 7_000)];
    expect(compare([{ amount: -1 }], [paid], refunds)).toEqual([['amount_differs', paid.id, -12_000]]);
    expect(compare([{ amount: -1 }])).toEqual([['unmatched_statement', paid.id, null]]);
  });
});

test('what is only tried is not taken', () => {
  const taken = none();
  const known = { payments: new Map([['TX1', [paid]]]), refunds: [] };
  compared(row(), known, onTopOf(taken));
  expect(taken.payments.has(paid.id)).toBe(false);
  taken.payments.add(paid.id);
  expect(onTopOf(taken).payments.has(paid.id)).toBe(true);
});
