/** The list of invoices. */
import { listScreen } from '../../list-screen.tsx';
import { shownInvoices } from '../../lists/billing-rows.ts';
import { InvoiceRows, useCustomerNames } from '../../parts/invoice-row.tsx';
import type { Filtering, RowsProps } from '../../parts/list-section.tsx';
import { UserText } from '../../parts/marks.tsx';
import { billingEntry, billingTabs, invoicesRoute } from '../../places.ts';
import type { Invoice } from '../../wire/billing-types.ts';
import { invoiceStates } from '../../words/billing.ts';
import { choicesOf } from '../../words/words.ts';

type InvoiceFilters = (typeof invoicesRoute)['none'];

export const invoices = listScreen({
  route: invoicesRoute,
  title: 'Invoices',
  navigation: billingEntry,
  tabs: billingTabs,
  follows: ['customer'],
  from: 'GET /v1/billing/invoices',
  what: ['invoice', 'invoices'],
  controls: {
    chips: {
      name: 'State',
      of: 'status',
      choices: [['', 'All'], ...choicesOf(invoiceStates)],
    },
    csv: 'billing/invoices',
    own: Narrowed,
  },
  shown: (listed, { filters }, { liveState }) => shownInvoices(listed, liveState, filters),
  rows: NamedInvoices,
  empty: {
    sign: 'list',
    title: 'No invoice yet',
    text: (
      <>
        Invoices are never written by hand: a subscription opens one for each of its periods. It has a number,
        a page to pay on, and reminders until it is paid.
      </>
    ),
    next: ['Go to the subscriptions', billingEntry.link],
  },
  noMatch: ({ status }) =>
    status === 'past_due'
      ? { sign: 'check', title: 'Nothing is past due' }
      : { title: 'No invoice is like that' },
});

/** Of one customer or subscription only, which is said. */
function Narrowed({ filters, addressWith }: Filtering<InvoiceFilters>) {
  const { customerId, subscriptionId } = filters;
  const names = useCustomerNames(customerId === '' ? [] : [customerId]);
  if (customerId === '' && subscriptionId === '') return null;
  const of = customerId === '' ? 'one subscription' : (names.get(customerId) ?? customerId);
  return (
    <span class="filtered">
      Of <UserText text={of} />{' '}
      <a class="link" href={addressWith({ customerId: '', subscriptionId: '' })}>
        Show all
      </a>
    </span>
  );
}

function NamedInvoices({ rows }: Pick<RowsProps<Invoice, InvoiceFilters>, 'rows'>) {
  return <InvoiceRows rows={rows} isNamed />;
}
