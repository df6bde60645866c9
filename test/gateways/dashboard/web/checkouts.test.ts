import { describe, expect, test } from 'vitest';
import { shownCheckouts } from '../../../../gateways/dashboard/web/screens/checkouts/checkout-rows.ts';
import { emptyLiveState, liveStateAfter } from '../../../../gateways/dashboard/web/live/live-state.ts';
import { newestOf } from '../../../../gateways/dashboard/web/lists/received.ts';
import { checkoutsRoute } from '../../../../gateways/dashboard/web/places.ts';
import type { Checkout, Listed } from '../../../../gateways/dashboard/web/wire/types.ts';
import { checkoutOf, noon, snapshotOf } from './samples.ts';

const at = (minutes: number): string => new Date(noon + minutes * 60_000).toISOString();
const checkoutAt = (minutes: number, fields: Partial<Checkout> = {}): Checkout =>
  checkoutOf({
    id: `cs_${String(minutes).padStart(24, '0')}`,
    status: 'pending',
    source: 'checkout',
    sequence: 1,
    createdAt: at(minutes),
    ...fields,
  });
const listed = (...data: readonly Checkout[]): Listed<Checkout> => ({
  data,
  total: data.length,
  page: 1,
  limit: 25,
});
const received = (...checkouts: readonly Checkout[]) =>
  liveStateAfter(liveStateAfter(emptyLiveState, { is: 'snapshot', snapshot: snapshotOf([]), at: noon }), {
    is: 'changes',
    at: noon,
    changes: checkouts.map((data) => ({
      object: 'checkout',
      id: data.id,
      sequence: data.sequence,
      data,
    })),
  });

describe('checkouts on the dashboard', () => {
  const one = checkoutAt(1);

  test('a listed one that ends stays in its row, and says that it has ended', () => {
    const over = { ...one, status: 'expired' as const, sequence: 2 };
    expect(shownCheckouts(listed(one), received(over), 'open')).toEqual({
      rows: [over],
      unlisted: 0,
    });
    expect(shownCheckouts(listed(over), received(one), 'open').rows).toEqual([over]);
  });

  test('a new one is counted where it belongs, and one of an invoice nowhere', () => {
    const live = received(
      checkoutAt(2),
      checkoutAt(3, { status: 'initiated' }),
      checkoutAt(4, { status: 'success' }),
      checkoutAt(5, { source: 'invoice' }),
    );
    const unlisted = (status: Parameters<typeof shownCheckouts>[2]): number =>
      shownCheckouts(listed(one), live, status).unlisted;
    expect([unlisted(''), unlisted('open'), unlisted('success'), unlisted('failed')]).toEqual([3, 2, 1, 0]);
  });

  test('the address of the open ones is read as it is written; a state that there is not filters nothing', () => {
    const { below } = checkoutsRoute.at({ filters: { status: 'open', page: 2 } });
    expect(below).toBe('checkouts?status=open&page=2');
    const read = (text: string) =>
      checkoutsRoute.read({ path: 'checkouts', query: new URLSearchParams(text) });
    expect(read('status=open&page=2')).toEqual({ filters: { status: 'open', page: 2 } });
    expect(read('status=odd')).toEqual({ filters: { status: '', page: 1 } });
  });

  test('before the API has answered, an object is what the socket has brought', () => {
    const kept = received(one).checkouts.get(one.id);
    expect([newestOf(null, kept), newestOf<Checkout>(null, undefined)]).toEqual([one, null]);
  });
});
