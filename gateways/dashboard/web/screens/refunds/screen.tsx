/** The list of refunds, with those that require action one chip away. */
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { refundRows, unlistedRefunds } from '../../lists/refund-rows.ts';
import { isUnfiltered, statusQuery } from '../../lists/status-filters.ts';
import { Chips } from '../../parts/chips.tsx';
import { CsvButton } from '../../parts/csv-button.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { RefundItem } from '../../parts/refund-item.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Listed, Refund } from '../../wire/types.ts';
import { paymentRoute } from '../payment/route.ts';
import { refundsEntry, refundsRoute, type RefundFilters } from './route.ts';

export const refunds = screen({
  route: refundsRoute,
  title: 'Refunds',
  navigation: refundsEntry,
  follows: [],
  load: ({ api, place }, { filters }) => {
    const query = statusQuery(filters);
    return { key: `refunds ${query}`, ask: () => api.refunds(place, query) };
  },
  view: Refunds,
});

interface ListProps {
  readonly filters: RefundFilters;
  readonly asked: Asked<Listed<Refund>>;
}

function Refunds({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: RefundFilters }, Listed<Refund>>) {
  const { to } = useScreenContext();
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Refunds</h1>
      <p class="lead soft">
        Some providers have no refund call: refund those in the provider’s portal, then mark them here.
      </p>
      <section class="slip lone list" aria-label="List of refunds">
        <div class="filters">
          <div class="filter-line">
            <Chips
              name="State"
              value={filters.status}
              choices={states}
              addressOf={(status) => to(refundsRoute.at({ filters: { status, page: 1 } }))}
            />
            <CsvButton list="refunds" query={statusQuery(filters)} />
          </div>
        </div>
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

function List({ filters, asked }: ListProps) {
  const { liveState, to } = useScreenContext();
  const { status, page } = filters;
  return (
    <PagedList
      asked={asked}
      what={['refund', 'refunds']}
      page={page}
      addressOf={(at) => to(refundsRoute.at({ filters: { status, page: at } }))}
      shown={(listed) => ({
        rows: refundRows(listed, liveState.refunds),
        unlisted: unlistedRefunds(listed, liveState.refunds, status, liveState.epoch),
      })}
      empty={<Nothing filters={filters} />}
    >
      {(rows) => (
        <ul class="refunds listed">
          {rows.map((refund) => (
            <RefundItem key={refund.id} refund={refund} onSettled={asked.again}>
              <a href={to(paymentRoute.at({ id: refund.paymentId }))}>
                Payment {refund.paymentId.slice(4, 10)}
              </a>
            </RefundItem>
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function Nothing({ filters }: { readonly filters: RefundFilters }) {
  const { to } = useScreenContext();
  if (isUnfiltered(filters)) {
    return (
      <Empty sign="back" title="Nothing was refunded yet">
        <p class="soft">Open a paid payment to give it back in whole or in part.</p>
      </Empty>
    );
  }
  const waits = filters.status === 'requires_action';
  return (
    <NoMatch
      sign={waits ? 'check' : 'search'}
      title={waits ? 'Nothing waits for you' : 'No refund is like that'}
      answerTo={filters}
      many="refunds"
      all={to(refundsEntry.link)}
    />
  );
}
