/** The list of refunds, with those that require action one chip away. */
import { useEvery, type Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { refundRows, unlistedRefunds } from '../../lists/refund-rows.ts';
import { rowsPerPage } from '../../lists/filters.ts';
import { Glyph } from '../../parts/marks.tsx';
import { Empty, Failed, Loading } from '../../parts/notices.tsx';
import { Pager } from '../../parts/pager.tsx';
import { RefundItem } from '../../parts/refund-item.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Listed, Refund } from '../../wire/types.ts';
import { counted } from '../../words/money.ts';
import { paymentRoute } from '../payment/route.ts';
import { allRefunds, refundsEntry, refundsRoute, type RefundFilters } from './route.ts';

const pollMs = 10_000;

export const refunds = screen({
  route: refundsRoute,
  title: 'Refunds',
  navigation: refundsEntry,
  load: ({ api, place }, { filters }) => {
    const query = queryOf(filters);
    return { key: `refunds ${query}`, ask: () => api.refunds(place, query) };
  },
  view: Refunds,
});

function queryOf({ status, page }: RefundFilters): URLSearchParams {
  const query = new URLSearchParams({ page: String(page), limit: String(rowsPerPage) });
  if (status !== '') query.set('status', status);
  return query;
}

interface ListProps {
  readonly filters: RefundFilters;
  readonly asked: Asked<Listed<Refund>>;
}

function Refunds({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: RefundFilters }, Listed<Refund>>) {
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Refunds</h1>
      <p class="lead soft">
        Some providers have no refund call: refund those in the provider’s portal, then mark them here.
      </p>
      <section class="slip lone list" aria-label="List of refunds">
        <States filters={filters} />
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

const states: readonly (readonly [RefundFilters['status'], string])[] = [
  ['', 'All'],
  ['requires_action', 'Requires action'],
  ['processing', 'Processing'],
  ['succeeded', 'Refunded'],
  ['failed', 'Failed'],
];

function States({ filters }: { readonly filters: RefundFilters }) {
  const { to } = useScreenContext();
  return (
    <div class="filters">
      <nav class="chips" aria-label="State">
        {states.map(([status, word]) => (
          <a
            key={status}
            class="chip"
            href={to(refundsRoute.at({ filters: { status, page: 1 } }))}
            aria-current={filters.status === status ? 'true' : undefined}
          >
            {word}
          </a>
        ))}
      </nav>
    </div>
  );
}

function List({ filters, asked }: ListProps) {
  const { liveState, to } = useScreenContext();
  useEvery(liveState.connection.is === 'connected' ? null : pollMs, asked.poll);
  const { value } = asked;
  if (value === null) {
    if (asked.failure === null) return <Loading lines={5} what="refunds" />;
    return <Failed failure={asked.failure} again={asked.again} whole />;
  }
  const { status, page } = filters;
  const count = page === 1 ? unlistedRefunds(value, liveState.refunds, status, liveState.epoch) : 0;
  return (
    <>
      {asked.failure !== null && <Failed failure={asked.failure} again={asked.again} />}
      {count > 0 && (
        <button type="button" class="more" onClick={asked.again}>
          <Glyph name="down" />
          Show {counted(count, 'new refund')}
        </button>
      )}
      {value.data.length === 0 ? (
        <Nothing filters={filters} />
      ) : (
        <ul class="refunds listed">
          {refundRows(value, liveState.refunds).map((refund) => (
            <RefundItem key={refund.id} refund={refund} onSettled={asked.again}>
              <a href={to(paymentRoute.at({ id: refund.paymentId }))}>
                Payment {refund.paymentId.slice(4, 10)}
              </a>
            </RefundItem>
          ))}
        </ul>
      )}
      <Pager
        page={page}
        limit={value.limit}
        total={value.total}
        addressOf={(at) => to(refundsRoute.at({ filters: { status, page: at } }))}
        what="refunds"
      />
    </>
  );
}

function Nothing({ filters }: { readonly filters: RefundFilters }) {
  const { to } = useScreenContext();
  if (filters.status === '' && filters.page === 1) {
    return (
      <Empty sign="back" title="Nothing was refunded yet">
        <p class="soft">Open a paid payment to give it back in whole or in part.</p>
      </Empty>
    );
  }
  if (filters.status === 'requires_action') {
    return (
      <Empty sign="check" title="Nothing waits for you" answerTo={filters}>
        <a class="button second" href={to(refundsRoute.at({ filters: allRefunds }))}>
          Show all refunds
        </a>
      </Empty>
    );
  }
  return (
    <Empty sign="search" title="No refund is like that" answerTo={filters}>
      <a class="button second" href={to(refundsRoute.at({ filters: allRefunds }))}>
        Show all refunds
      </a>
    </Empty>
  );
}
