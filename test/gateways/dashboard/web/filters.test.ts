import { describe, expect, test } from 'vitest';
import {
  atStart,
  emptied,
  filterText,
  idOf,
  isFiltered,
  isUnfiltered,
  oneOf,
  queryOf,
} from '../../../../gateways/dashboard/web/lists/filters.ts';
import {
  apiQuery,
  matches,
  paymentNamedBy,
  type PaymentFilters,
} from '../../../../gateways/dashboard/web/lists/payment-filters.ts';
import {
  deliveryRoute,
  endpointRoute,
  paymentRoute,
  paymentsRoute,
  requestsRoute,
  webhooksRoute,
} from '../../../../gateways/dashboard/web/places.ts';
import { addressOf, whereOf, type Link, type Route } from '../../../../gateways/dashboard/web/route.ts';
import { iso } from '../../../../src/kernel/time.ts';
import { noon, paymentAt, paymentOf } from './samples.ts';

const noFilters = paymentsRoute.none;
const filters = (fields: Partial<typeof noFilters>): typeof noFilters => ({ ...noFilters, ...fields });
/** What the route reads from the query that it writes, or that is given. */
const filtersFrom = (query: string) =>
  paymentsRoute.read({ path: 'payments', query: new URLSearchParams(query) })?.filters;
const addressQuery = (of: Partial<typeof noFilters>): string =>
  paymentsRoute.at({ filters: of }).below.replace(/^payments\??/, '');

describe('filters of the list', () => {
  test('are written to the address, and read back from it', () => {
    const all = filters({ status: 'review', provider: 'qr_a', period: 'week', find: 'A 1/2&3', page: 4 });
    expect(filtersFrom(addressQuery(all))).toEqual(all);
    expect(addressQuery(noFilters)).toBe('');
  });

  test('with invalid values filter nothing', () => {
    const query = 'status=nonsense&provider=%3Cb%3E&period=ever&page=-1&find=%20%20';
    expect(filtersFrom(query)).toEqual(noFilters);
  });

  test('become API parameters, with days of Nepal', () => {
    const asked = apiQuery(filters({ status: 'success', provider: 'wallet_a', period: 'yesterday' }), noon);
    expect(Object.fromEntries(asked)).toEqual({
      page: '1',
      limit: '25',
      status: 'success',
      provider: 'wallet_a',
      createdFrom: '2026-11-18T18:15:00.000Z',
      createdTo: '2026-11-19T18:15:00.000Z',
    });
    const paidYesterday = apiQuery(filters({ period: 'paid_yesterday' }), noon);
    expect(Object.fromEntries(paidYesterday)).toEqual({
      page: '1',
      limit: '25',
      paidFrom: '2026-11-18T18:15:00.000Z',
      paidTo: '2026-11-19T18:15:00.000Z',
    });
    expect(apiQuery(filters({ status: 'review' }), noon).get('needsReview')).toBe('true');
    expect(apiQuery(filters({ find: 'cs_1' }), noon).get('sessionId')).toBe('cs_1');
    expect(apiQuery(filters({ find: 'Asha A-1' }), noon).get('search')).toBe('Asha A-1');
  });

  test.each<[Partial<PaymentFilters>, boolean]>([
    [{}, true],
    [{ status: 'pending' }, true],
    [{ status: 'success' }, false],
    [{ status: 'review' }, false],
    [{ provider: 'wallet_b' }, true],
    [{ provider: 'wallet_a' }, false],
    [{ period: 'today' }, true],
    [{ period: 'yesterday' }, false],
    [{ period: 'week' }, true],
    [{ find: '1001' }, true],
    [{ find: '100' }, false],
    [{ find: 'ASHA  rai' }, true],
    [{ find: 'asha thapa' }, false],
    [{ find: 'asha@example.com' }, true],
    [{ find: 'apron' }, true],
    [{ find: '...' }, false],
    [{ find: 'cs_000000000000000000000001' }, true],
    [{ find: 'cs_0' }, false],
  ])('let through what the API would list: %o, %s', (fields, expected) => {
    expect(matches({ ...noFilters, ...fields }, paymentOf(), 'Cookbook and apron', noon)).toBe(expected);
  });

  test('a day in Nepal begins at 18:15 UTC', () => {
    const midnight = Date.parse('2026-11-19T18:15:00.000Z');
    const minutes = (midnight - noon) / 60_000;
    expect(matches(filters({ period: 'today' }), paymentAt(minutes), null, noon)).toBe(true);
    expect(matches(filters({ period: 'today' }), paymentAt(minutes - 1), null, noon)).toBe(false);
    expect(matches(filters({ period: 'yesterday' }), paymentAt(minutes - 1), null, noon)).toBe(true);
  });

  test('money counts on the day on which it is paid, whenever its payment began', () => {
    const midnight = Date.parse('2026-11-19T18:15:00.000Z');
    const paidAt = (at: number) =>
      paymentOf({ status: 'success', createdAt: iso(midnight - 1), paidAt: iso(at) });
    const isIn = (period: PaymentFilters['period'], at: number): boolean =>
      matches(filters({ period }), paidAt(at), null, noon);
    expect([isIn('paid_today', midnight), isIn('paid_yesterday', midnight)]).toEqual([true, false]);
    expect([isIn('paid_today', midnight - 1), isIn('paid_yesterday', midnight - 1)]).toEqual([false, true]);
    expect(isIn('paid_week', midnight - 1)).toBe(true);
    expect(matches(filters({ period: 'paid_week' }), paymentOf(), null, noon)).toBe(false);
  });

  test('a payment id names its page', () => {
    expect(paymentNamedBy('pay_4t8z1m6q3x9k2v7b')).toBe('pay_4t8z1m6q3x9k2v7b');
    expect(paymentNamedBy('pay_4t8z')).toBeNull();
  });
});

describe('addresses', () => {
  const place = { projectId: 'prj_pjc0e83mhrawse3s6h8bhrbw', mode: 'live' } as const;
  const routes = { paymentsRoute, paymentRoute, webhooksRoute, endpointRoute, deliveryRoute };
  /** Each route that takes an address for its own, with what it reads there. */
  const readAt = (address: string): readonly (readonly [string, unknown])[] => {
    const [path = '', search = ''] = address.split('?');
    const where = whereOf(path, search);
    if (where.is !== 'place') return [];
    return Object.entries(routes)
      .map(([name, { read }]) => [name, read(where.below)] as const)
      .filter(([, params]) => params !== null);
  };
  const made = <Params>(name: keyof typeof routes, route: Route<Params>, params: NoInfer<Params>) =>
    [name, route.at(params), params] as const;

  test.each<readonly [string, Link, unknown]>([
    made('paymentsRoute', paymentsRoute, { filters: noFilters }),
    made('paymentsRoute', paymentsRoute, { filters: filters({ status: 'failed', page: 2 }) }),
    made('paymentRoute', paymentRoute, { id: 'pay_4t8z1m6q3x9k2v7b' }),
    made('webhooksRoute', webhooksRoute, {}),
    made('endpointRoute', endpointRoute, { id: 'we_1', filters: { status: 'retrying', page: 3 } }),
    made('deliveryRoute', deliveryRoute, { endpointId: 'we_1', eventId: 'evt_1' }),
  ])('are read back to the same place, and nothing else: %s', (name, link, params) => {
    expect(readAt(addressOf(place, link))).toEqual([[name, params]]);
  });

  test.each(['/dashboard/prj_1/test/payments', '/dashboard/x/live', '/dashboard/<b>/live/payments'])(
    '%s is no place',
    (path) => {
      expect(whereOf(path, '')).toEqual({ is: 'not_found' });
    },
  );

  test('without a place lead to the home screen, and too deep ones show nothing', () => {
    expect(whereOf('/dashboard', '')).toEqual({ is: 'home' });
    expect(whereOf('/dashboard/prj_1/live/', '')).toMatchObject({ is: 'place', below: { path: '' } });
    expect(readAt('/dashboard/prj_1/live/payments/a/b')).toEqual([]);
    expect(readAt('/dashboard/prj_1/live/webhooks/a/events')).toEqual([]);
    expect(readAt('/dashboard/prj_1/live/nowhere')).toEqual([]);
  });
});

test('filters are read from an address as they are written, and anything else does not filter', () => {
  const text = filterText({ status: oneOf('open', 'paid'), customerId: idOf('bc') });
  const filters = { status: 'open', customerId: 'bc_1', page: 3 } as const;
  expect(text.read(new URLSearchParams(text.write(filters)))).toEqual(filters);
  expect(text.read(new URLSearchParams('status=lost&customerId=inv_1&page=x'))).toEqual(text.none);
  expect(queryOf(filters).toString()).toBe('page=3&limit=25&status=open&customerId=bc_1');
});

test('a list that goes on from a place begins anew when its filters change, and says what is not filtered', () => {
  const { none } = requestsRoute;
  const filters = { ...none, status: '422', after: 'cur_1', page: 1 };
  expect(requestsRoute.at({ filters }).below).toBe('requests?status=422&after=cur_1');
  expect(atStart(filters)).toEqual({ ...filters, after: '' });
  expect(emptied({ ...filters, page: 4 })).toEqual(none);
  expect([isUnfiltered(none), isUnfiltered({ ...none, page: 2 }), isFiltered({ ...none, page: 2 })]).toEqual([
    true,
    false,
    false,
  ]);
});
