/** The form of a customer, to create one and to change one. */
import { emailCharactersMax, nameCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import { customerRequestFrom, phoneCharactersMax, referenceCharactersMax } from '../wire/billing-forms.ts';
import type { Customer, CustomerRequest } from '../wire/billing-types.ts';
import type { Result } from '../wire/failure.ts';
import { RequestForm } from './request-form.tsx';
import { TextField } from './text-field.tsx';

export interface CustomerFormProps {
  /** null: a new one. */
  readonly customer: Customer | null;
  readonly send: (request: CustomerRequest, key: string) => Promise<Result<Customer>>;
  readonly onDone: (customer: Customer) => void;
  readonly onBack?: () => void;
}

export const CustomerForm = ({ customer, send, onDone, onBack }: CustomerFormProps) => (
  <RequestForm
    name={customer === null ? 'New customer' : 'Edit the customer'}
    word={customer === null ? 'Add the customer' : 'Save the changes'}
    busyWord={customer === null ? 'Adding' : 'Saving'}
    read={customerRequestFrom}
    send={send}
    onDone={onDone}
    {...(onBack === undefined ? {} : { onBack })}
  >
    {(errors) => (
      <>
        <TextField
          label="Name"
          name="name"
          maxLength={nameCharactersMax}
          defaultValue={customer?.name ?? ''}
          note="Of the person or the company that pays."
          error={errors['name']}
        />
        <TextField
          label="E-mail"
          name="email"
          inputMode="email"
          maxLength={emailCharactersMax}
          defaultValue={customer?.email ?? ''}
          note="Invoices and reminders are mailed there. Empty: you send the links yourself."
          error={errors['email']}
        />
        <div class="pair">
          <TextField
            label="Phone"
            name="phone"
            inputMode="tel"
            maxLength={phoneCharactersMax}
            defaultValue={customer?.phone ?? ''}
            error={errors['phone']}
          />
          <TextField
            label="Your id"
            name="externalCustomerId"
            maxLength={referenceCharactersMax}
            defaultValue={customer?.externalCustomerId ?? ''}
            note="As your own system names them."
            error={errors['externalCustomerId']}
          />
        </div>
      </>
    )}
  </RequestForm>
);
