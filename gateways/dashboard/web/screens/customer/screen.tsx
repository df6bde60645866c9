/** One customer: what is known, the subscriptions, and the invoices. */
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
import { Fact, Glyph, Said } from '../../parts/marks.tsx';
import { Empty, Failed, Loading } from '../../parts/notices.tsx';
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
  load: ({ api, place }, { id }) => ({ key: `customer ${id}`, ask: () => api.customer(place, id) }),
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
          <Said text={name} />
        </Fact>
        <Fact name="E-mail">{email === null ? 'None: nobody is mailed' : <Said text={email} />}</Fact>
        {phone !== null && (
          <Fact name="Phone">
            <Said text={phone} />
          </Fact>
        )}
        {externalCustomerId !== null && (
          <Fact name="Your id">
            <Said text={externalCustomerId} />
          </Fact>
        )}
        <Fact name="Added">
          <When at={createdAt} now={now} />
        </Fact>
        {Object.entries(metadata).map(([key, value]) => (
          <Fact key={key} name={key}>
            <Said text={typeof value === 'string' ? value : JSON.stringify(value)} />
          </Fact>
        ))}
      </dl>
      {isOpen ? (
        <>
          <p class="soft">Invoices that are open are mailed to the new address, too, the next time.</p>
          <CustomerForm
            customer={customer}
            send={(change) => api.changeCustomer(place, id, change)}
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
  const { api, place, liveState, to } = useScreenContext();
  const query = new URLSearchParams({ customerId: id, limit: String(shownMax) });
  const asked = useAsked(`subscriptions of ${query}`, () => api.subscriptions(place, query));
  const { value, failure, again } = asked;
  const of = { status: '', planId: '', customerId: id };
  return (
    <section class="slip lone list" aria-labelledby="subscriptions-of">
      <h2 id="subscriptions-of" class="of-list">
        Subscriptions
      </h2>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      {value === null && failure === null && <Loading lines={2} what="the subscriptions" />}
      {value?.total === 0 && (
        <Empty sign="turn" title="None yet">
          <p class="soft">Start one, and its invoices open by themselves.</p>
        </Empty>
      )}
      {value !== null && value.total > 0 && (
        <SubscriptionRows rows={shownSubscriptions(value, liveState, of).rows} isOfCustomer />
      )}
      {value !== null && value.total > shownMax && (
        <p class="list-foot">
          <a href={to(subscriptionsRoute.at({ filters: { customerId: id } }))}>
            All {value.total} subscriptions
          </a>
        </p>
      )}
    </section>
  );
}

function Invoices({ id }: { readonly id: string }) {
  const { api, place, liveState, to } = useScreenContext();
  const query = new URLSearchParams({ customerId: id, limit: String(shownMax) });
  const asked = useAsked(`invoices of ${query}`, () => api.invoices(place, query));
  const { value, failure, again } = asked;
  const known =
    value === null ? [] : invoicesKnown(value, liveState, { status: '', customerId: id, subscriptionId: '' });
  return (
    <section class="slip lone list" aria-labelledby="invoices-of">
      <h2 id="invoices-of" class="of-list">
        Invoices
      </h2>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      {value === null && failure === null && <Loading lines={2} what="the invoices" />}
      {value !== null && known.length === 0 && (
        <Empty sign="list" title="No invoice yet">
          <p class="soft">Invoices of all subscriptions appear here as they open.</p>
        </Empty>
      )}
      <InvoiceRows rows={known.slice(0, shownMax)} />
      {value !== null && value.total > shownMax && (
        <p class="list-foot">
          <a href={to(invoicesRoute.at({ filters: { customerId: id } }))}>All {value.total} invoices</a>
        </p>
      )}
    </section>
  );
}
