/** The Customer object of the billing. */
import { shown } from '../route/description.ts';
import { flag, object, sequence, text, textOrNull, time } from './parts.ts';
import { metadataShown } from './metadata.ts';

export const customer = shown(
  object('BillingCustomer', 'Whom subscriptions bill.', {
    id: text('Id of the customer, `bc_...`.'),
    livemode: flag('Whether real money moves: false in the sandbox.'),
    name: text('Name.'),
    email: textOrNull('Where mails about invoices go. null: none are sent.'),
    phone: textOrNull('Phone number.'),
    externalCustomerId: textOrNull('Your own id of the customer. Several may have the same.'),
    metadata: metadataShown,
    sequence,
    createdAt: time('When you created it.'),
    updatedAt: time('When it last changed.'),
  }),
  {
    id: 'bc_4hb3anpsq6g635dy35q0jc0h',
    livemode: false,
    name: 'Asha Rai',
    email: 'asha@example.com',
    phone: '9800000000',
    externalCustomerId: 'u-77',
    metadata: {},
    sequence: 1,
    createdAt: '2026-11-21T15:33:10.858Z',
    updatedAt: '2026-11-21T15:33:10.858Z',
  },
);

/** With another number. */
export const changedCustomer = shown(customer.schema, {
  ...customer.example,
  phone: '9811111111',
  sequence: 2,
});
