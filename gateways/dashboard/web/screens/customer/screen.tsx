/** One customer: what is known, the subscriptions, and the invoices. */
import { FirstRows } from '../../parts/first-rows.tsx';
import { detailScreen, type DetailProps } from '../../detail-screen.tsx';
import { useState } from 'preact/hooks';
import {
  billingEntry,
  customerRoute,
  customersRoute,
  invoicesRoute,
  newSubscriptionRoute,
  subscriptionsRoute,
} from '../../places.ts';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { invoicesKnown, shownSubscriptions } from '../../lists/billing-rows.ts';
import { CustomerForm } from '../../parts/customer-form.tsx';
import { InvoiceRows } from '../../parts/invoice-row.tsx';
import { Fact, Glyph, UserText } from '../../parts/marks.tsx';
import { SubscriptionRows } from '../../parts/subscription-row.tsx';
import { When } from '../../parts/when.tsx';
import type { Customer } from '../../wire/billing-types.ts';

export const customer = detailScreen<Customer>({
  route: customerRoute,
  navigation: billingEntry,
  follows: ['customer', 'plan', 'subscription'],
  kind: 'Customer',
  idWord: 'customer id',
  back: ['Customers', customersRoute.at({})],
  load: ({ api, place }, { id }) => ({
    key: `customer ${id}`,
    ask: () => api.call('GET /v1/billing/customers/{id}', place, { id }),
  }),
  name: ({ name }) => name,
  action: (_known, { id }) => ['New subscription', newSubscriptionRoute.at({ filters: { customerId: id } })],
  view: Whole,
});

function Whole({ known, params: { id }, again }: DetailProps<Customer>) {
  return (
    <>
      <div class="columns of-customer">
        <Known customer={known} onChanged={again} />
        <Subscriptions id={id} />
      </div>
      <Invoices id={id} />
    </>
  );
}

interface KnownProps {
  readonly customer: Customer;
  readonly onChanged: () => void;
}

function Known({ customer, onChanged }: KnownProps) {
  const { api, place, announce, now } = useScreenContext();
  const [isOpen, setOpen] = useState(false);
  const { id, name, email, phone, externalCustomerId, createdAt, metadata } = customer;
  const close = (): void => setOpen(false);
  return (
    <section class="slip lone act" aria-labelledby="known">
      <h2 id="known" tabIndex={-1}>
        What is known
      </h2>
      <dl class="facts">
        <Fact name="Name">
          <UserText text={name} />
        </Fact>
        <Fact name="E-mail">{email === null ? 'None: nobody is mailed' : <UserText text={email} />}</Fact>
        {phone !== null && (
          <Fact name="Phone">
            <UserText text={phone} />
          </Fact>
        )}
        {externalCustomerId !== null && (
          <Fact name="Your id">
            <UserText text={externalCustomerId} />
          </Fact>
        )}
        <Fact name="Added">
          <When at={createdAt} now={now} />
        </Fact>
        {Object.entries(metadata).map(([key, value]) => (
          <Fact key={key} name={key}>
            <UserText text={typeof value === 'string' ? value : JSON.stringify(value)} />
          </Fact>
        ))}
      </dl>
      {isOpen ? (
        <>
          <p class="soft">Invoices that are open are mailed to the new address, too, the next time.</p>
          <CustomerForm
            customer={customer}
            send={(change) => api.call('PATCH /v1/billing/customers/{id}', place, { id, body: change })}
            onDone={() => {
              announce('The customer was changed.');
              close();
              onChanged();
            }}
            onBack={close}
          />
        </>
      ) : (
        <div class="buttons">
          <button type="button" class="step" onClick={() => setOpen(true)}>
            <Glyph name="list" />
            Edit
          </button>
        </div>
      )}
    </section>
  );
}

const shownMax = 10;

function Subscriptions({ id }: { readonly id: string }) {
  const { api, place, liveState } = useScreenContext();
  const query = new URLSearchParams({ customerId: id, limit: String(shownMax) });
  const asked = useAsked(`subscriptions of ${query}`, () =>
    api.call('GET /v1/billing/subscriptions', place, { query }),
  );
  const of = { status: '', planId: '', customerId: id };
  return (
    <FirstRows
      title="Subscriptions"
      many="subscriptions"
      asked={asked}
      rows={asked.value === null ? [] : shownSubscriptions(asked.value, liveState, of).rows}
      shownMax={shownMax}
      all={subscriptionsRoute.at({ filters: { customerId: id } })}
      empty={{ sign: 'turn', title: 'None yet', text: 'Start one, and its invoices open by themselves.' }}
    >
      {(rows) => <SubscriptionRows rows={rows} isOfCustomer />}
    </FirstRows>
  );
}

function Invoices({ id }: { readonly id: string }) {
  const { api, place, liveState } = useScreenContext();
  const query = new URLSearchParams({ customerId: id, limit: String(shownMax) });
  const asked = useAsked(`invoices of ${query}`, () =>
    api.call('GET /v1/billing/invoices', place, { query }),
  );
  const of = { status: '', customerId: id, subscriptionId: '' };
  return (
    <FirstRows
      title="Invoices"
      many="invoices"
      asked={asked}
      rows={asked.value === null ? [] : invoicesKnown(asked.value, liveState, of)}
      shownMax={shownMax}
      all={invoicesRoute.at({ filters: { customerId: id } })}
      empty={{
        sign: 'list',
        title: 'No invoice yet',
        text: 'Invoices of all subscriptions appear here as they open.',
      }}
    >
      {(rows) => <InvoiceRows rows={rows} />}
    </FirstRows>
  );
}
