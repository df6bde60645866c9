/** The list of customers, with a search. */
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import type { RowProps } from '../../parts/list-section.tsx';
import { UserText } from '../../parts/marks.tsx';
import { Ago } from '../../parts/when.tsx';
import { billingEntry, billingTabs, customerRoute, customersRoute, newCustomerRoute } from '../../places.ts';
import type { Customer } from '../../wire/billing-types.ts';

export const customers = listScreen({
  route: customersRoute,
  title: 'Customers',
  navigation: billingEntry,
  tabs: billingTabs,
  follows: ['customer'],
  from: 'GET /v1/billing/customers',
  what: ['customer', 'customers'],
  action: ['New customer', newCustomerRoute.at({})],
  controls: {
    find: {
      words: {
        label: 'Find by the beginning of the name, e-mail, phone or your id',
        placeholder: 'Name, e-mail, phone or your id',
      },
      shows: ({ search }) => search,
      means: (search) => ({ search }),
    },
    canClear: true,
  },
  rows: { columns: 'billed people', row: CustomerRow },
  empty: {
    sign: 'person',
    title: 'No customer yet',
    text: (
      <>
        A customer is who subscriptions bill. With an e-mail address their invoices and reminders are mailed
        to them.
      </>
    ),
    next: ['Add the first one', newCustomerRoute.at({})],
  },
  noMatch: {
    title: 'Nobody is like that',
    text: 'The search compares the beginning of the name, e-mail, phone and your id.',
  },
});

function CustomerRow({ row }: RowProps<Customer>) {
  const { to, now } = useScreenContext();
  const { id, name, email, phone, externalCustomerId, createdAt } = row;
  return (
    <li class="row">
      <div class="words">
        <a class="whole" href={to(customerRoute.at({ id }))}>
          <UserText text={name} />
        </a>
        <span class="soft">
          <UserText text={email ?? 'No e-mail'} />
        </span>
      </div>
      <span class="soft phone">
        <UserText text={phone ?? ''} />
      </span>
      <span class="soft own">
        <UserText text={externalCustomerId ?? ''} />
      </span>
      <span class="soft end">
        Added <Ago at={createdAt} now={now} />
      </span>
    </li>
  );
}
