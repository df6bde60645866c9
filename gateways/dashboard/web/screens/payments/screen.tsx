/** The list of payments, with the day's totals above it, updated live. */
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { addressQuery, apiQuery, isByPaid, isFiltered, type Filters } from '../../lists/filters.ts';
import { rowsOf } from '../../lists/payment-rows.ts';
import { Code } from '../../parts/copy.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { NeedsAttention } from '../../parts/needs-attention.tsx';
import { ProvidersInTrouble } from '../../parts/incidents.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { PaymentTable } from '../../parts/payment-table.tsx';
import { TodaySummary } from '../../parts/today.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Listed, Payment } from '../../wire/types.ts';
import { paymentsEntry, paymentsRoute } from './route.ts';

export const payments = screen({
  route: paymentsRoute,
  title: 'Payments',
  navigation: paymentsEntry,
  follows: [],
  load: ({ api, place, now }, { filters }) => ({
    key: `payments ${addressQuery(filters)}`,
    ask: () => api.payments(place, apiQuery(filters, now)),
  }),
  view: Payments,
});

interface ListProps {
  readonly filters: Filters;
  readonly asked: Asked<Listed<Payment>>;
}

function Payments({ params: { filters }, asked }: Viewed<{ readonly filters: Filters }, Listed<Payment>>) {
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Payments</h1>
      <TodaySummary />
      <ProvidersInTrouble />
      <NeedsAttention />
      <section class="slip lone list" aria-label="List of payments">
        <FilterBar filters={filters} />
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

function List({ filters, asked }: ListProps) {
  const { liveState, now, to } = useScreenContext();
  return (
    <PagedList
      asked={asked}
      what={['payment', 'payments']}
      page={filters.page}
      addressOf={(page) => to(paymentsRoute.at({ filters: { ...filters, page } }))}
      shown={(listed) => rowsOf(listed, filters, { ...liveState, now })}
      empty={<Nothing filters={filters} />}
    >
      {(rows) => <PaymentTable rows={rows} by={isByPaid(filters) ? 'paid' : 'begun'} />}
    </PagedList>
  );
}

function Nothing({ filters }: { readonly filters: Filters }) {
  const { place, to } = useScreenContext();
  if (filters.page > 1 || isFiltered(filters)) {
    return (
      <NoMatch title="No payment matches" answerTo={filters} many="payments" all={to(paymentsEntry.link)}>
        {filters.find !== '' && (
          <p class="soft">Every word must be there, and whole: no beginnings of words.</p>
        )}
        <p class="soft">Take a filter away, or look at all of them.</p>
      </NoMatch>
    );
  }
  if (place.mode === 'live') {
    return (
      <Empty sign="till" title="No live payment yet">
        <p class="soft">
          The first one appears here the moment a buyer begins to pay. Nothing to load again.
        </p>
      </Empty>
    );
  }
  return (
    <Empty sign="till" title="No payment yet">
      <p class="soft">
        Open a checkout with your sandbox key, then its <code>checkout_url</code>. The payment appears here
        the moment you pick a provider.
      </p>
      <Code what="Command that opens a checkout" text={firstCheckout(location.origin)} />
    </Empty>
  );
}

const firstCheckout = (origin: string): string => `curl ${origin}/v1/checkout \\
  -H 'Authorization: Bearer sk_test_...' \\
  -H 'Content-Type: application/json' \\
  -d '{"amount": 125050, "returnUrl": "https://shop.example/return"}'`;
