/** The list of payments, with the day's totals above it, updated live. */
import { useEffect, useRef } from 'preact/hooks';
import { useEvery, type Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { addressQuery, apiQuery, isFiltered, type Filters } from '../../lists/filters.ts';
import { rowsOf } from '../../lists/payment-rows.ts';
import { Code } from '../../parts/copy.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Empty, Failed, Loading } from '../../parts/notices.tsx';
import { Pager } from '../../parts/pager.tsx';
import { PaymentTable } from '../../parts/payment-table.tsx';
import { TodaySummary } from '../../parts/today.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Listed, Payment } from '../../wire/types.ts';
import { counted } from '../../words/money.ts';
import { paymentsEntry, paymentsRoute } from './route.ts';

/** Polling interval of the list while the socket is disconnected. */
const pollMs = 10_000;

export const payments = screen({
  route: paymentsRoute,
  title: 'Payments',
  navigation: paymentsEntry,
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
      <section class="slip lone list" aria-label="List of payments">
        <FilterBar filters={filters} />
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

function List({ filters, asked }: ListProps) {
  const { liveState, now, to } = useScreenContext();
  useEvery(liveState.connection.is === 'connected' ? null : pollMs, asked.poll);
  const { value } = asked;
  const live = value === null ? null : rowsOf(value, filters, { ...liveState, now });
  useAnnouncedCount(addressQuery(filters), live?.total ?? null);
  if (value === null || live === null) {
    if (asked.failure === null) return <Loading lines={6} what="payments" />;
    return <Failed failure={asked.failure} again={asked.again} whole />;
  }
  const addressOf = (page: number): string => to(paymentsRoute.at({ filters: { ...filters, page } }));
  return (
    <>
      {asked.failure !== null && <Failed failure={asked.failure} again={asked.again} />}
      {live.rows.length === 0 ? <Nothing filters={filters} /> : <PaymentTable rows={live.rows} />}
      <Pager
        page={filters.page}
        limit={value.limit}
        total={live.total}
        addressOf={addressOf}
        what="payments"
      />
    </>
  );
}

/** The result of a chosen filter is announced here; live changes are announced elsewhere. */
function useAnnouncedCount(query: string, total: number | null): void {
  const { announce } = useScreenContext();
  const said = useRef<string | null>(null);
  useEffect(() => {
    if (total === null) return;
    if (said.current !== null && said.current !== query) announce(`${counted(total, 'payment')}.`);
    said.current = query;
  }, [query, total === null]);
}

function Nothing({ filters }: { readonly filters: Filters }) {
  const { place, to } = useScreenContext();
  if (filters.page > 1 || isFiltered(filters)) {
    return (
      <Empty sign="search" title="No payment matches" answerTo={filters}>
        {filters.find !== '' && (
          <p class="soft">Every word must be there, and whole: no beginnings of words.</p>
        )}
        <p class="soft">Take a filter away, or look at all of them.</p>
        <a class="button second" href={to(paymentsEntry.link)}>
          Show all payments
        </a>
      </Empty>
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
