/** The form of a customer, to create one and to change one. */
import {
  emailCharactersMax,
  nameCharactersMax,
  phoneCharactersMax,
  referenceCharactersMax,
} from '../../../../src/kernel/text-bounds.ts';
import { customerRequestFrom } from '../wire/billing-forms.ts';
import type { Customer, CustomerRequest } from '../wire/billing-types.ts';
import type { Result } from '../wire/failure.ts';
import type { Fields } from './form-fields.tsx';
import { RequestForm } from './request-form.tsx';

export interface CustomerFormProps {
  /** null: a new one. */
  readonly customer: Customer | null;
  readonly send: (request: CustomerRequest, key: string) => Promise<Result<Customer>>;
  readonly onDone: (customer: Customer) => void;
  readonly onBack?: () => void;
}

export const CustomerForm = ({ customer, ...rest }: CustomerFormProps) => (
  <RequestForm
    name={customer === null ? 'New customer' : 'Edit the customer'}
    word={customer === null ? 'Add the customer' : 'Save the changes'}
    busyWord={customer === null ? 'Adding' : 'Saving'}
    fields={fieldsOf(customer)}
    read={customerRequestFrom}
    {...rest}
  />
);

const fieldsOf = (customer: Customer | null): Fields => [
  {
    name: 'name',
    label: 'Name',
    maxLength: nameCharactersMax,
    initial: customer?.name,
    note: 'Of the person or the company that pays.',
  },
  {
    name: 'email',
    label: 'E-mail',
    inputMode: 'email',
    maxLength: emailCharactersMax,
    initial: customer?.email ?? '',
    note: 'Invoices and reminders are mailed there. Empty: you send the links yourself.',
  },
  [
    {
      name: 'phone',
      label: 'Phone',
      inputMode: 'tel',
      maxLength: phoneCharactersMax,
      initial: customer?.phone ?? '',
    },
    {
      name: 'externalCustomerId',
      label: 'Your id',
      maxLength: referenceCharactersMax,
      initial: customer?.externalCustomerId ?? '',
      note: 'As your own system names them.',
    },
  ],
];
