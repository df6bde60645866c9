/** The list of customers, with a search. */
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { isUnfilteredBy, textQuery } from '../../lists/billing-filters.ts';
import { BillingTabs } from '../../parts/billing-tabs.tsx';
import { Finder } from '../../parts/finder.tsx';
import { Glyph, Said } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { Ago } from '../../parts/when.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Customer } from '../../wire/billing-types.ts';
import type { Listed } from '../../wire/types.ts';
import { customerRoute } from '../customer/route.ts';
import { newCustomerRoute } from '../new-customer/route.ts';
import { billingEntry } from '../subscriptions/route.ts';
import { customersLink, customersRoute, type CustomerFilters } from './route.ts';

export const customers = screen({
  route: customersRoute,
  title: 'Customers',
  navigation: billingEntry,
  follows: ['customer'],
  load: ({ api, place }, { filters }) => {
    const query = textQuery(filters);
    return { key: `customers ${query}`, ask: () => api.customers(place, query) };
  },
  view: Customers,
});

interface ListProps {
  readonly filters: CustomerFilters;
  readonly asked: Asked<Listed<Customer>>;
}

function Customers({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: CustomerFilters }, Listed<Customer>>) {
  const { to } = useScreenContext();
  return (
    <main class="page" id="main">
      <BillingTabs current="customers" />
      <div class="heading">
        <h1 tabIndex={-1}>Customers</h1>
        <a class="button fit begin" href={to(newCustomerRoute.at({}))}>
          <Glyph name="plus" />
          New customer
        </a>
      </div>
      <section class="slip lone list" aria-label="List of customers">
        <div class="filters">
          <div class="choices">
            <Finder
              value={filters.search}
              label="Find by the beginning of the name, e-mail, phone or your id"
              placeholder="Name, e-mail, phone or your id"
              addressOf={(search) => to(customersRoute.at({ filters: { search, page: 1 } }))}
            />
            {filters.search !== '' && (
              <a class="link" href={to(customersLink)}>
                Clear
              </a>
            )}
          </div>
        </div>
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

function List({ filters, asked }: ListProps) {
  const { to } = useScreenContext();
  return (
    <PagedList
      asked={asked}
      what={['customer', 'customers']}
      page={filters.page}
      addressOf={(page) => to(customersRoute.at({ filters: { ...filters, page } }))}
      shown={({ data }) => ({ rows: data })}
      empty={<Nothing filters={filters} />}
    >
      {(rows) => (
        <ul class="billed people">
          {rows.map((customer) => (
            <CustomerRow key={customer.id} customer={customer} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function CustomerRow({ customer }: { readonly customer: Customer }) {
  const { to, now } = useScreenContext();
  const { id, name, email, phone, externalCustomerId, createdAt } = customer;
  return (
    <li class="row">
      <div class="words">
        <a class="whole" href={to(customerRoute.at({ id }))}>
          <Said text={name} />
        </a>
        <span class="soft">
          <Said text={email ?? 'No e-mail'} />
        </span>
      </div>
      <span class="soft phone">
        <Said text={phone ?? ''} />
      </span>
      <span class="soft own">
        <Said text={externalCustomerId ?? ''} />
      </span>
      <span class="soft end">
        Added <Ago at={createdAt} now={now} />
      </span>
    </li>
  );
}

function Nothing({ filters }: { readonly filters: CustomerFilters }) {
  const { to } = useScreenContext();
  if (!isUnfilteredBy(filters))
    return (
      <NoMatch title="Nobody is like that" answerTo={filters} many="customers" all={to(customersLink)}>
        <p class="soft">The search compares the beginning of the name, e-mail, phone and your id.</p>
      </NoMatch>
    );
  return (
    <Empty sign="person" title="No customer yet">
      <p class="soft">
        A customer is who subscriptions bill. With an e-mail address their invoices and reminders are mailed
        to them.
      </p>
      <a class="button" href={to(newCustomerRoute.at({}))}>
        Add the first one
        <Glyph name="arrow" />
      </a>
    </Empty>
  );
}
