/** The form of a new customer. */
import { useScreenContext } from '../../context.ts';
import { billingEntry, customerRoute, customersRoute, newCustomerRoute } from '../../places.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { CustomerForm } from '../../parts/customer-form.tsx';
import { screen } from '../../screen.tsx';

export const newCustomer = screen({
  route: newCustomerRoute,
  title: 'New customer',
  navigation: billingEntry,
  follows: [],
  // the form needs nothing
  load: () => ({ key: 'new customer', ask: () => Promise.resolve({ ok: true, value: null }) }),
  view: NewCustomer,
});

function NewCustomer() {
  const { api, place, to, go, announce } = useScreenContext();
  return (
    <main class="page narrow" id="main">
      <BackLink to={to(customersRoute.at({}))}>Customers</BackLink>
      <h1 tabIndex={-1}>New customer</h1>
      <section class="slip lone act" aria-label="New customer">
        <CustomerForm
          customer={null}
          send={(request, key) => api.newCustomer(place, request, key)}
          onDone={({ id, name }) => {
            announce(`${name} was added.`);
            go(to(customerRoute.at({ id })));
          }}
        />
      </section>
    </main>
  );
}
