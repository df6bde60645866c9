/** The form of a new payment link. */
import { useState } from 'preact/hooks';
import {
  descriptionCharactersMax,
  nameCharactersMax,
  urlCharactersMax,
} from '../../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../../context.ts';
import { formScreen } from '../../form-screen.tsx';
import type { Field, Fields } from '../../parts/form-fields.tsx';
import { limitFields } from '../../parts/link-limits.tsx';
import { RequestForm } from '../../parts/request-form.tsx';
import { newPaymentLinkRoute, paymentLinkRoute, paymentLinksEntry } from '../../places.ts';
import { isOpenAmount, linkRequestFrom } from '../../wire/link-request.ts';

export const newPaymentLink = formScreen({
  route: newPaymentLinkRoute,
  title: 'New payment link',
  navigation: paymentLinksEntry,
  back: ['Payment links', paymentLinksEntry.link],
  form: LinkForm,
});

function LinkForm() {
  const { api, place, to, go, announce, now } = useScreenContext();
  const [isOpen, setOpen] = useState(false);
  return (
    <RequestForm
      name="The link"
      word="Create the link"
      busyWord="Creating it"
      glyph="arrow"
      fields={[
        {
          name: 'name',
          label: 'Name',
          maxLength: nameCharactersMax,
          note: 'Buyers see it on the page.',
        },
        ...amountFields(isOpen),
        limitFields(now),
        ...detailFields,
      ]}
      read={(text) => linkRequestFrom(text, now)}
      send={(request, key) => api.call('POST /v1/payment-links', place, { body: request, key })}
      onDone={({ id, name }) => {
        announce(`${name}: the link was created.`);
        go(to(paymentLinkRoute.at({ id })));
      }}
      onTyped={(text) => setOpen(isOpenAmount(text))}
    />
  );
}

const rupees = (name: string, label: string, note: string): Field => ({
  name,
  label,
  inputMode: 'decimal',
  maxLength: 20,
  note,
});

const amountFields = (isOpen: boolean): Fields => [
  {
    name: 'kind',
    label: 'Amount',
    radios: [
      ['fixed', 'Fixed', 'Every buyer pays the same.'],
      ['open', 'The buyer enters it', 'Between bounds that you set.'],
    ],
    initial: 'fixed',
  },
  isOpen
    ? [
        rupees('minAmount', 'At least, in rupees', 'Empty: NPR 10.00.'),
        rupees('maxAmount', 'At most, in rupees', 'Empty: NPR 10,00,000.00.'),
      ]
    : rupees('amount', 'Amount in rupees', 'At least NPR 10.00.'),
];

const detailFields: Fields = [
  {
    name: 'description',
    label: 'Description',
    rows: 2,
    maxLength: descriptionCharactersMax,
    note: 'More about it; buyers see it, too.',
  },
  {
    name: 'returnUrl',
    label: 'Return address',
    inputMode: 'url',
    maxLength: urlCharactersMax,
    placeholder: 'https://',
    note: 'Where buyers go after they have paid. Empty: our thank-you page.',
  },
  {
    name: 'collectAddress',
    label: 'Ask for an address',
    box: true,
    note: 'For what is sent to the buyer.',
  },
];
