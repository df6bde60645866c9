/** The form of a new customer. */
import { useScreenContext } from '../../context.ts';
import { formScreen } from '../../form-screen.tsx';
import { CustomerForm } from '../../parts/customer-form.tsx';
import { billingEntry, customerRoute, customersRoute, newCustomerRoute } from '../../places.ts';

export const newCustomer = formScreen({
  route: newCustomerRoute,
  title: 'New customer',
  navigation: billingEntry,
  back: ['Customers', customersRoute.at({})],
  form: () => {
    const { api, place, to, go, announce } = useScreenContext();
    return (
      <CustomerForm
        customer={null}
        send={(request, key) => api.call('POST /v1/billing/customers', place, { body: request, key })}
        onDone={({ id, name }) => {
          announce(`${name} was added.`);
          go(to(customerRoute.at({ id })));
        }}
      />
    );
  },
});
