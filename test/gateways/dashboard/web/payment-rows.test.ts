import { describe, expect, test } from 'vitest';
import {
  liveStateAfter,
  emptyLiveState,
  type LiveState,
} from '../../../../gateways/dashboard/web/live/live-state.ts';
import { noFilters, rowsPerPage, type Filters } from '../../../../gateways/dashboard/web/lists/filters.ts';
import { rowsOf } from '../../../../gateways/dashboard/web/lists/payment-rows.ts';
import type { Listed, Payment } from '../../../../gateways/dashboard/web/wire/types.ts';
import { noon, paid, paymentAt, snapshotOf } from './samples.ts';

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
const rows = (of: Listed<Payment>, liveState: LiveState, filters: Partial<Filters> = {}) =>
  rowsOf(of, { ...noFilters, ...filters }, { ...liveState, now });
const ids = ({ rows: shown }: { readonly rows: readonly Payment[] }): readonly string[] =>
  shown.map(({ id }) => id);

const [one, two, three] = [paymentAt(1), paymentAt(2), paymentAt(3)];

describe('the list of payments while it moves', () => {
  test('a row shows the copy that knows more, from wherever it came', () => {
    const changed = paid(one);
    expect(rows(listed([one]), heard(changed)).rows).toEqual([changed]);
    expect(rows(listed([changed]), heard(one)).rows).toEqual([changed]);
  });

  test('a new payment comes in at its place, and is counted', () => {
    const shown = rows(listed([three, one], 2), heard(two));
    expect(ids(shown)).toEqual([three.id, two.id, one.id]);
    expect(shown.total).toBe(3);
  });

  test('a row that matches no more leaves, and is not counted any more', () => {
    const shown = rows(listed([two, one], 9), heard(paid(two)), { status: 'pending' });
    expect(ids(shown)).toEqual([one.id]);
    expect(shown.total).toBe(8);
  });

  test('what does not match stays out', () => {
    expect(rows(listed([]), heard(two), { status: 'success' }).rows).toEqual([]);
    expect(rows(listed([]), heard(two), { provider: 'wallet_a' }).rows).toEqual([]);
  });

  test('a full page keeps its size, and what is older than it stays out', () => {
    const full = Array.from({ length: rowsPerPage }, (_, at) => paymentAt(100 - at));
    const shown = rows(listed(full, 60), heard(paymentAt(101), paymentAt(5)));
    expect(shown.rows).toHaveLength(rowsPerPage);
    expect(shown.rows[0]?.id).toBe(paymentAt(101).id);
    expect(ids(shown)).not.toContain(paymentAt(5).id);
    expect(shown.total).toBe(61);
  });

  test('on a page further back nothing comes in, and rows are mended', () => {
    const shown = rows(listed([one], 30, 2), heard(two, paid(one)), { page: 2 });
    expect(shown.rows).toEqual([paid(one)]);
  });

  test('what was heard before the last snapshot mends a row, and never comes in as a new one', () => {
    const before = heard(paid(one), two);
    const after = liveStateAfter(before, { is: 'snapshot', snapshot: snapshotOf([]), at: noon });
    expect(rows(listed([one]), after).rows).toEqual([paid(one)]);
  });

  test('two payments of one instant stand in the order the API gives them', () => {
    const [a, b] = [
      paymentAt(1, { id: 'pay_a000000000000000' }),
      paymentAt(1, { id: 'pay_b000000000000000' }),
    ];
    expect(ids(rows(listed([a]), heard(b)))).toEqual([b.id, a.id]);
  });
});
