import { describe, expect, test } from 'vitest';
import {
  liveStateAfter,
  emptyLiveState,
  type LiveState,
} from '../../../../gateways/dashboard/web/live/live-state.ts';
import { rowsPerPage } from '../../../../gateways/dashboard/web/lists/filters.ts';
import type { PaymentFilters } from '../../../../gateways/dashboard/web/lists/payment-filters.ts';
import { paymentsRoute } from '../../../../gateways/dashboard/web/places.ts';
import { rowsOf } from '../../../../gateways/dashboard/web/lists/payment-rows.ts';
import type { Listed, Payment } from '../../../../gateways/dashboard/web/wire/types.ts';
import { iso } from '../../../../src/kernel/time.ts';
import { checkoutOf, noon, paid, paymentAt, snapshotOf } from './samples.ts';

const listed = (data: readonly Payment[], total = data.length, page = 1): Listed<Payment> => ({
  data,
  total,
  page,
  limit: rowsPerPage,
});
const connected: LiveState = liveStateAfter(emptyLiveState, {
  is: 'snapshot',
  snapshot: snapshotOf([]),
  at: noon,
});
const heard = (...payments: readonly Payment[]): LiveState =>
  liveStateAfter(connected, {
    is: 'changes',
    at: noon,
    changes: payments.map((data) => ({ object: 'payment', id: data.id, sequence: data.sequence, data })),
  });
const now = noon + 60_000;
const rows = (of: Listed<Payment>, liveState: LiveState, filters: Partial<PaymentFilters> = {}) =>
  rowsOf(of, { ...paymentsRoute.none, ...filters }, { ...liveState, now });
const ids = ({ rows: shown }: { readonly rows: readonly Payment[] }): readonly string[] =>
  shown.map(({ id }) => id);

const [one, two, three] = [paymentAt(1), paymentAt(2), paymentAt(3)];

describe('the list of payments during updates', () => {
  test('a row shows the copy with the higher sequence, from either source', () => {
    const changed = paid(one);
    expect(rows(listed([one]), heard(changed)).rows).toEqual([changed]);
    expect(rows(listed([changed]), heard(one)).rows).toEqual([changed]);
  });

  test('a new payment is inserted at its place, and is counted', () => {
    const shown = rows(listed([three, one], 2), heard(two));
    expect(ids(shown)).toEqual([three.id, two.id, one.id]);
    expect(shown.total).toBe(3);
  });

  test('where the day of paying is chosen, what is paid last comes first, and it comes when it is paid', () => {
    const paidAt = (payment: Payment, minutes: number): Payment => ({
      ...paid(payment),
      paidAt: iso(noon + minutes * 60_000),
    });
    const [early, late] = [paidAt(one, 9), paidAt(two, 4)];
    const answer = listed([early, late], 2);
    expect(ids(rows(answer, heard(three), { period: 'paid_today' }))).toEqual([early.id, late.id]);
    const shown = rows(answer, heard(paidAt(three, 6)), { period: 'paid_today' });
    expect(ids(shown)).toEqual([early.id, three.id, late.id]);
    expect(shown.total).toBe(3);
  });

  test('a row that no longer matches is removed, and not counted', () => {
    const shown = rows(listed([two, one], 9), heard(paid(two)), { status: 'pending' });
    expect(ids(shown)).toEqual([one.id]);
    expect(shown.total).toBe(8);
  });

  test('a payment that does not match is not inserted', () => {
    expect(rows(listed([]), heard(two), { status: 'success' }).rows).toEqual([]);
    expect(rows(listed([]), heard(two), { provider: 'wallet_a' }).rows).toEqual([]);
  });

  test('a search inserts what it finds, by the description of its session, too', () => {
    const atlas = checkoutOf({ id: 'cs_000000000000000000000002', description: 'Atlas of Nepal' });
    const sold = paymentAt(4, { sessionId: atlas.id });
    const live = liveStateAfter(heard(two, sold), {
      is: 'changes',
      at: noon,
      changes: [{ object: 'checkout', id: atlas.id, sequence: 1, data: atlas }],
    });
    expect(ids(rows(listed([]), live, { find: 'atlas' }))).toEqual([sold.id]);
    expect(ids(rows(listed([]), live, { find: 'asha 1001' }))).toEqual([sold.id, two.id]);
  });

  test('a listed row stays found, although the description of its session is not known here', () => {
    expect(rows(listed([one]), heard(paid(one)), { find: 'apron' }).rows).toEqual([paid(one)]);
  });

  test('a full page keeps its size, and older payments are not inserted', () => {
    const full = Array.from({ length: rowsPerPage }, (_, at) => paymentAt(100 - at));
    const shown = rows(listed(full, 60), heard(paymentAt(101), paymentAt(5)));
    expect(shown.rows).toHaveLength(rowsPerPage);
    expect(shown.rows[0]?.id).toBe(paymentAt(101).id);
    expect(ids(shown)).not.toContain(paymentAt(5).id);
    expect(shown.total).toBe(61);
  });

  test('on a later page nothing is inserted, but rows are updated', () => {
    const shown = rows(listed([one], 30, 2), heard(two, paid(one)), { page: 2 });
    expect(shown.rows).toEqual([paid(one)]);
  });

  test('a message from before the last snapshot updates a row, and is never inserted', () => {
    const before = heard(paid(one), two);
    const after = liveStateAfter(before, { is: 'snapshot', snapshot: snapshotOf([]), at: noon });
    expect(rows(listed([one]), after).rows).toEqual([paid(one)]);
  });

  test("two payments of one instant keep the API's order", () => {
    const [a, b] = [
      paymentAt(1, { id: 'pay_a000000000000000' }),
      paymentAt(1, { id: 'pay_b000000000000000' }),
    ];
    expect(ids(rows(listed([a]), heard(b)))).toEqual([b.id, a.id]);
  });
});
