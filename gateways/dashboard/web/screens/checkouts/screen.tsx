/** The list of checkouts, also of those that no buyer has begun to pay: they have no payment yet. */
import { listScreen } from '../../list-screen.tsx';
import { queryOf } from '../../lists/filters.ts';
import { checkoutsRoute, paymentsEntry } from '../../places.ts';
import { shownCheckouts } from './checkout-rows.ts';
import { CheckoutRow } from './checkout-row.tsx';

export const checkouts = listScreen({
  route: checkoutsRoute,
  title: 'Checkouts',
  navigation: paymentsEntry,
  back: paymentsEntry,
  follows: [],
  from: ({ status }) => (status === 'open' ? 'GET open-checkouts' : 'GET /v1/checkout'),
  query: (filters) => queryOf(filters.status === 'open' ? { page: filters.page } : filters),
  what: ['checkout', 'checkouts'],
  controls: {
    chips: {
      name: 'State',
      of: 'status',
      choices: [
        ['', 'All'],
        ['open', 'Open now'],
        ['success', 'Paid'],
        ['failed', 'Failed'],
        ['cancelled', 'Cancelled'],
        ['expired', 'Expired'],
      ],
    },
  },
  shown: (listed, { filters: { status } }, { liveState }) => shownCheckouts(listed, liveState, status),
  rows: { columns: 'billed', row: CheckoutRow },
  empty: {
    sign: 'till',
    title: 'No checkout yet',
    text: 'Each one that your shop opens is listed here, whether a buyer begins to pay or not.',
  },
  noMatch: ({ status }) => ({
    title: status === 'open' ? 'No checkout is open' : 'No checkout is like that',
  }),
});
