/** The form that gives back a payment in whole or in part. */
import { useState } from 'preact/hooks';
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { notesCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../../context.ts';
import { good, optionalText, readForm, wrong, type ReadField } from '../../wire/form-reading.ts';
import type { Payment, RefundReason } from '../../wire/types.ts';
import { refundCallIds } from '../../words/providers.ts';
import { paisaFrom, rupeesText } from '../../words/rupees.ts';
import { refundReasons } from '../../words/words.ts';
import type { Field, Fields } from '../../parts/form-fields.tsx';
import { RequestForm } from '../../parts/request-form.tsx';

export interface RefundFormProps {
  readonly payment: Payment;
  /** Paisa. */
  readonly left: number;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

const reasons = Object.entries(refundReasons) as readonly [RefundReason, string][];
const mobileNumberDigits = 10;

const mobileNumber: Field = {
  name: 'mobileNumber',
  label: 'Buyer’s mobile number',
  inputMode: 'tel',
  maxLength: mobileNumberDigits,
  note: '10 digits. Needed only if your agreement with the provider says so.',
};

const fieldsOf = ({ provider }: Payment, left: number): Fields => [
  {
    name: 'amount',
    label: 'Amount in rupees',
    inputMode: 'decimal',
    maxLength: 20,
    initial: rupeesText(left),
    note: `At most ${displayNpr(left)}`,
  },
  { name: 'reason', label: 'Reason', options: reasons, initial: 'customer_request' },
  ...(refundCallIds.includes(provider) ? [mobileNumber] : []),
  {
    name: 'notes',
    label: 'Notes',
    rows: 2,
    maxLength: notesCharactersMax,
    note: 'For you; the buyer does not see them.',
  },
];

export function RefundForm({ payment, left, onDone, onCancel }: RefundFormProps) {
  const { api, place, announce } = useScreenContext();
  const [amount, setAmount] = useState<number | null>(left);
  return (
    <RequestForm
      name="Refund"
      word={amount === null ? 'Refund' : `Refund ${displayNpr(amount)}`}
      busyWord="Refunding"
      sign="back"
      fields={fieldsOf(payment, left)}
      read={(text) =>
        readForm(
          {
            amount: amountFrom(text('amount'), left),
            reason: good(reasons.find(([each]) => each === text('reason'))?.[0] ?? 'customer_request'),
            notes: optionalText(text('notes'), notesCharactersMax),
            mobileNumber: optionalText(text('mobileNumber'), mobileNumberDigits),
          },
          (values) => ({ ...values, paymentId: payment.id }),
        )
      }
      live={{}}
      send={(request, key) => api.call('POST /v1/refunds', place, { body: request, key })}
      onDone={() => {
        announce(`A refund of ${displayNpr(amount ?? 0)} was opened.`);
        onDone();
      }}
      onBack={onCancel}
      backWord="Keep it"
      onTyped={(text) => setAmount(paisaFrom(text('amount')))}
    />
  );
}

function amountFrom(typed: string, left: number): ReadField<number> {
  const amount = paisaFrom(typed);
  if (amount === null) return wrong('Write an amount like 250 or 250.50.');
  if (amount < 1) return wrong('At least NPR 0.01.');
  return amount > left ? wrong(`Only ${displayNpr(left)} can still be refunded.`) : good(amount);
}
