/** The form that gives back a payment in whole or in part.
 *  1. One form is one refund. After an unclear answer it stays as it was sent, so that sent again it is the same
 *     refund; after a refusal it may be changed, and begins another one. */
import { useRef, useState } from 'preact/hooks';
import { displayNpr } from '../../../../src/kernel/money.ts';
import { refundNotesCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../context.ts';
import type { Payment, RefundReason, RefundRequest } from '../wire/types.ts';
import { refundCallIds } from '../words/providers.ts';
import { paisaFrom, rupeesText } from '../words/rupees.ts';
import { refundReasons } from '../words/words.ts';
import { Glyph } from './marks.tsx';
import { FormFailure } from './notices.tsx';
import { useCreation } from './use-submit.ts';

export interface RefundFormProps {
  readonly payment: Payment;
  /** Paisa. */
  readonly left: number;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

export function RefundForm({ payment, left, onDone, onCancel }: RefundFormProps) {
  const { api, place, announce } = useScreenContext();
  const [typed, setTyped] = useState(rupeesText(left));
  const [reason, setReason] = useState<RefundReason>('customer_request');
  const form = useRef<HTMLFormElement>(null);
  const amount = paisaFrom(typed);
  const { isBusy, isFixed, failure, create } = useCreation(
    (request: RefundRequest, key) => api.refund(place, request, key),
    () => {
      announce(`A refund of ${displayNpr(amount ?? 0)} was opened.`);
      onDone();
    },
  );
  // once it was sent, what is left may be without it already
  const wrong = isFixed ? null : amountError(amount, left);

  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (amount === null || wrong !== null || form.current === null) return;
    create(refundRequestFrom(new FormData(form.current), { paymentId: payment.id, amount, reason }));
  };

  return (
    <form class="form" ref={form} onSubmit={send} noValidate>
      <Amount typed={typed} left={left} wrong={wrong} isFixed={isFixed} onTyped={setTyped} />
      <Reason reason={reason} isFixed={isFixed} onReason={setReason} />
      {refundCallIds.includes(payment.provider) && <MobileNumber isFixed={isFixed} />}
      <label class="field">
        Notes
        <textarea name="notes" rows={2} maxLength={refundNotesCharactersMax} readOnly={isFixed} />
        <span class="soft">For you; the buyer does not see them.</span>
      </label>
      {failure !== null && <FormFailure failure={failure} />}
      <div class="buttons">
        <button class="button fit" type="submit" aria-busy={isBusy} disabled={wrong !== null}>
          <Glyph name="back" />
          {isBusy ? 'Refunding' : amount === null ? 'Refund' : `Refund ${displayNpr(amount)}`}
        </button>
        <button class="button second fit" type="button" onClick={onCancel}>
          Keep it
        </button>
      </div>
    </form>
  );
}

interface AmountProps {
  readonly typed: string;
  readonly left: number;
  readonly wrong: string | null;
  readonly isFixed: boolean;
  readonly onTyped: (text: string) => void;
}

const Amount = ({ typed, left, wrong, isFixed, onTyped }: AmountProps) => (
  <label class="field">
    Amount in rupees
    <input
      name="amount"
      inputMode="decimal"
      autocomplete="off"
      value={typed}
      maxLength={20}
      readOnly={isFixed}
      aria-invalid={wrong !== null}
      aria-describedby="refund-left"
      onInput={({ currentTarget }) => onTyped(currentTarget.value)}
    />
    <span id="refund-left" class={wrong === null ? 'soft' : 'wrong'}>
      {wrong ?? `At most ${displayNpr(left)}`}
    </span>
  </label>
);

const MobileNumber = ({ isFixed }: { readonly isFixed: boolean }) => (
  <label class="field">
    Buyer’s mobile number
    <input
      name="mobileNumber"
      inputMode="tel"
      autocomplete="off"
      maxLength={10}
      pattern="[0-9]{10}"
      readOnly={isFixed}
    />
    <span class="soft">10 digits. Needed only if your agreement with the provider says so.</span>
  </label>
);

interface ReasonProps {
  readonly reason: RefundReason;
  readonly isFixed: boolean;
  readonly onReason: (reason: RefundReason) => void;
}

function Reason(of: ReasonProps) {
  const reasons = Object.entries(refundReasons) as [RefundReason, string][];
  return (
    <label class="field">
      Reason
      <select
        value={of.reason}
        disabled={of.isFixed}
        onChange={({ currentTarget }) =>
          of.onReason(reasons[currentTarget.selectedIndex]?.[0] ?? 'customer_request')
        }
      >
        {reasons.map(([reason, word]) => (
          <option key={reason} value={reason}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

/** null: it can be refunded. */
function amountError(amount: number | null, left: number): string | null {
  if (amount === null) return 'Write an amount like 250 or 250.50.';
  if (amount < 1) return 'At least NPR 0.01.';
  return amount > left ? `Only ${displayNpr(left)} can still be refunded.` : null;
}

function refundRequestFrom(
  fields: FormData,
  request: Pick<RefundRequest, 'paymentId' | 'amount' | 'reason'>,
): RefundRequest {
  const text = (name: string): string | null => {
    const value = fields.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  return { ...request, notes: text('notes'), mobileNumber: text('mobileNumber') };
}
