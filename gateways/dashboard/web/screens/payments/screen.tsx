/** The list of payments, with the day's totals above it, updated live. */
import { searchCharactersMax } from '../../../../../src/kernel/search-words.ts';
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import {
  apiQuery,
  isByPaid,
  paymentNamedBy,
  type PaymentFilters,
  type Period,
} from '../../lists/payment-filters.ts';
import { rowsOf } from '../../lists/payment-rows.ts';
import type { Choices } from '../../parts/chips.tsx';
import { Code } from '../../parts/copy.tsx';
import { ProvidersInTrouble } from '../../parts/incidents.tsx';
import { type RowsProps } from '../../parts/list-section.tsx';
import { EmptyList } from '../../parts/notices.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { PaymentTable } from '../../parts/payment-table.tsx';
import { TodaySummary } from './today.tsx';
import { paymentRoute, paymentsEntry, paymentsRoute } from '../../places.ts';
import type { Payment } from '../../wire/types.ts';
import { providerIds } from '../../words/providers.ts';
import { choicesOf, needsReviewWords, paymentStates, providerWord } from '../../words/words.ts';

const states: Choices = [['', 'All'], ...choicesOf({ ...paymentStates, review: needsReviewWords })];

const days: Choices<Period | ''> = [
  ['', 'All days'],
  ['today', 'Begun today'],
  ['yesterday', 'Begun yesterday'],
  ['week', 'Begun in the last 7 days'],
  ['paid_today', 'Paid today'],
  ['paid_yesterday', 'Paid yesterday'],
  ['paid_week', 'Paid in the last 7 days'],
];

/** Includes the value in the address, whatever it is: an active filter is always visible. */
const providerChoices = (named: string): Choices => [
  ['', 'All providers'],
  ...[...new Set(named === '' ? providerIds : [...providerIds, named])].map(
    (id) => [id, providerWord(id)] as const,
  ),
];

export const payments = listScreen({
  route: paymentsRoute,
  title: 'Payments',
  navigation: paymentsEntry,
  follows: [],
  from: 'GET /v1/payments',
  query: (filters, { now }) => apiQuery(filters, now),
  what: ['payment', 'payments'],
  above: () => (
    <>
      <TodaySummary />
      <ProvidersInTrouble />
      <NeedsAttention />
    </>
  ),
  controls: {
    chips: { name: 'State', of: 'status', choices: states },
    csv: 'payments',
    selects: [
      { name: 'Provider', of: 'provider', choices: providerChoices },
      { name: 'Days', of: 'period', choices: days },
    ],
    find: {
      words: {
        label: 'Find by name, e-mail, phone, description, order number, reference or id',
        placeholder: 'Name, e-mail, phone, order number ...',
        title:
          'Words of the name or description, an e-mail, a phone, a provider reference, an order number or an id',
        maxLength: searchCharactersMax,
      },
      shows: ({ find }) => find,
      means: (find) => {
        const id = paymentNamedBy(find);
        return id === null ? { find } : paymentRoute.at({ id });
      },
    },
    canClear: true,
  },
  shown: (listed, { filters }, { liveState, now }) => rowsOf(listed, filters, { ...liveState, now }),
  rows: Rows,
  empty: NoPayment,
  noMatch: ({ find }) => ({
    title: 'No payment matches',
    text: find === '' ? undefined : 'Every word must be there, and whole: no beginnings of words.',
    children: <p class="soft">Take a filter away, or look at all of them.</p>,
  }),
});

function Rows({ rows, filters }: RowsProps<Payment, PaymentFilters>) {
  return <PaymentTable rows={rows} by={isByPaid(filters) ? 'paid' : 'begun'} />;
}

function NoPayment() {
  const { place } = useScreenContext();
  if (place.mode === 'live') {
    const text = 'The first one appears here the moment a buyer begins to pay. Nothing to load again.';
    return <EmptyList words={{ sign: 'till', title: 'No live payment yet', text }} />;
  }
  const text = (
    <>
      Open a checkout with your sandbox key, then its <code>checkout_url</code>. The payment appears here the
      moment you pick a provider.
    </>
  );
  const children = <Code what="Command that opens a checkout" text={firstCheckout(location.origin)} />;
  return <EmptyList words={{ sign: 'till', title: 'No payment yet', text, children }} />;
}

const firstCheckout = (origin: string): string => `curl ${origin}/v1/checkout \\
  -H 'Authorization: Bearer sk_test_...' \\
  -H 'Content-Type: application/json' \\
  -d '{"amount": 125050, "returnUrl": "https://shop.example/return"}'`;
