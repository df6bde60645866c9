/** The list of checkouts, also of those that no buyer has begun to pay: they have no payment yet. */
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { shownCheckouts } from '../../lists/checkout-rows.ts';
import { isUnfiltered, statusQuery, unfiltered } from '../../lists/status-filters.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { CheckoutRow } from '../../parts/checkout-row.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Checkout, Listed } from '../../wire/types.ts';
import { paymentsEntry } from '../payments/route.ts';
import { checkoutsRoute, type CheckoutFilters } from './route.ts';

export const checkouts = screen({
  route: checkoutsRoute,
  title: 'Checkouts',
  navigation: paymentsEntry,
  follows: [],
  load: ({ api, place }, { filters }) => {
    const { status, page } = filters;
    const ofOpen = statusQuery({ status: '', page });
    return status === 'open'
      ? { key: `open checkouts ${ofOpen}`, ask: () => api.openCheckouts(place, ofOpen) }
      : {
          key: `checkouts ${statusQuery(filters)}`,
          ask: () => api.checkouts(place, statusQuery(filters)),
        };
  },
  view: Checkouts,
});

interface ListProps {
  readonly filters: CheckoutFilters;
  readonly asked: Asked<Listed<Checkout>>;
}

function Checkouts({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: CheckoutFilters }, Listed<Checkout>>) {
  const { to } = useScreenContext();
  return (
    <main class="page" id="main">
      <BackLink to={to(paymentsEntry.link)}>Payments</BackLink>
      <h1 tabIndex={-1}>Checkouts</h1>
      <section class="slip lone list" aria-label="List of checkouts">
        <div class="filters">
          <Chips
            name="State"
            value={filters.status}
            choices={states}
            addressOf={(status) => to(checkoutsRoute.at({ filters: { status, page: 1 } }))}
          />
        </div>
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

const states: readonly (readonly [CheckoutFilters['status'], string])[] = [
  ['', 'All'],
  ['open', 'Open now'],
  ['success', 'Paid'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
  ['expired', 'Expired'],
];

function List({ filters, asked }: ListProps) {
  const { liveState, to } = useScreenContext();
  const { status, page } = filters;
  return (
    <PagedList
      asked={asked}
      what={['checkout', 'checkouts']}
      page={page}
      addressOf={(at) => to(checkoutsRoute.at({ filters: { status, page: at } }))}
      shown={(listed) => shownCheckouts(listed, liveState, status)}
      empty={<Nothing filters={filters} />}
    >
      {(rows) => (
        <ul class="billed">
          {rows.map((checkout) => (
            <CheckoutRow key={checkout.id} checkout={checkout} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function Nothing({ filters }: { readonly filters: CheckoutFilters }) {
  const { to } = useScreenContext();
  if (isUnfiltered(filters))
    return (
      <Empty sign="till" title="No checkout yet">
        <p class="soft">
          Each one that your shop opens is listed here, whether a buyer begins to pay or not.
        </p>
      </Empty>
    );
  return (
    <NoMatch
      title={filters.status === 'open' ? 'No checkout is open' : 'No checkout is like that'}
      answerTo={filters}
      many="checkouts"
      all={to(checkoutsRoute.at({ filters: unfiltered }))}
    />
  );
}
