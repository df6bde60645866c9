/** The list of invoices. */
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { isUnfilteredBy, textQuery } from '../../lists/billing-filters.ts';
import { shownInvoices } from '../../lists/billing-rows.ts';
import { BillingTabs } from '../../parts/billing-tabs.tsx';
import { Chips } from '../../parts/chips.tsx';
import { CsvButton } from '../../parts/csv-button.tsx';
import { InvoiceRows, useCustomerNames } from '../../parts/invoice-row.tsx';
import { Said } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Invoice } from '../../wire/billing-types.ts';
import type { Listed } from '../../wire/types.ts';
import { invoiceStates } from '../../words/billing.ts';
import { billingEntry } from '../subscriptions/route.ts';
import { invoicesLink, invoicesRoute, type InvoiceFilters } from './route.ts';

export const invoices = screen({
  route: invoicesRoute,
  title: 'Invoices',
  navigation: billingEntry,
  follows: ['customer'],
  load: ({ api, place }, { filters }) => {
    const query = textQuery(filters);
    return { key: `invoices ${query}`, ask: () => api.invoices(place, query) };
  },
  view: Invoices,
});

interface ListProps {
  readonly filters: InvoiceFilters;
  readonly asked: Asked<Listed<Invoice>>;
}

const states: readonly (readonly [string, string])[] = [
  ['', 'All'],
  ...(['past_due', 'open', 'draft', 'paid', 'voided'] as const).map(
    (status) => [status, invoiceStates[status].word] as const,
  ),
];

function Invoices({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: InvoiceFilters }, Listed<Invoice>>) {
  const { to } = useScreenContext();
  const addressWith = (changed: Partial<InvoiceFilters>): string =>
    to(invoicesRoute.at({ filters: { ...filters, page: 1, ...changed } }));
  return (
    <main class="page" id="main">
      <BillingTabs current="invoices" />
      <h1 tabIndex={-1}>Invoices</h1>
      <section class="slip lone list" aria-label="List of invoices">
        <div class="filters">
          <div class="filter-line">
            <Chips
              name="State"
              value={filters.status}
              choices={states}
              addressOf={(status) => addressWith({ status })}
            />
            <CsvButton list="billing/invoices" query={textQuery(filters)} />
          </div>
          <Narrowed filters={filters} all={addressWith({ customerId: '', subscriptionId: '' })} />
        </div>
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

/** Of one customer or subscription only, which is said. */
function Narrowed({ filters, all }: { readonly filters: InvoiceFilters; readonly all: string }) {
  const { customerId, subscriptionId } = filters;
  const names = useCustomerNames(customerId === '' ? [] : [customerId]);
  if (customerId === '' && subscriptionId === '') return null;
  const of = customerId === '' ? 'one subscription' : (names.get(customerId) ?? customerId);
  return (
    <span class="filtered">
      Of <Said text={of} />{' '}
      <a class="link" href={all}>
        Show all
      </a>
    </span>
  );
}

function List({ filters, asked }: ListProps) {
  const { liveState, to } = useScreenContext();
  return (
    <PagedList
      asked={asked}
      what={['invoice', 'invoices']}
      page={filters.page}
      addressOf={(page) => to(invoicesRoute.at({ filters: { ...filters, page } }))}
      shown={(listed) => shownInvoices(listed, liveState, filters)}
      empty={<Nothing filters={filters} />}
    >
      {(rows) => <InvoiceRows rows={rows} isNamed />}
    </PagedList>
  );
}

function Nothing({ filters }: { readonly filters: InvoiceFilters }) {
  const { to } = useScreenContext();
  if (!isUnfilteredBy(filters))
    return (
      <NoMatch
        sign={filters.status === 'past_due' ? 'check' : 'search'}
        title={filters.status === 'past_due' ? 'Nothing is past due' : 'No invoice is like that'}
        answerTo={filters}
        many="invoices"
        all={to(invoicesLink)}
      />
    );
  return (
    <Empty sign="list" title="No invoice yet">
      <p class="soft">
        Invoices are never written by hand: a subscription opens one for each of its periods. It has a number,
        a page to pay on, and reminders until it is paid.
      </p>
      <a class="button" href={to(billingEntry.link)}>
        Go to the subscriptions
      </a>
    </Empty>
  );
}
