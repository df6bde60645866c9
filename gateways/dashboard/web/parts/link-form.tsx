/** The form that creates a payment link.
 *  1. One form is one link. After an unclear answer it stays as it was sent, so that sent again it is the same
 *     link; after a refusal it may be changed, and begins another one. */
import { useRef, useState } from 'preact/hooks';
import { useScreenContext } from '../context.ts';
import { afterEdit, isUnclear, type Failure } from '../wire/failure.ts';
import type { LinkRequest, PaymentLink } from '../wire/link-api.ts';
import { linkRequestFrom, type LinkErrors, type LinkField, type LinkTexts } from '../wire/link-request.ts';
import { nepalText } from '../words/time.ts';
import { Glyph } from './marks.tsx';
import { FormFailure } from './notices.tsx';
import { focusFirstWrong, TextField, withoutErrorAt } from './text-field.tsx';

/** What was sent and has no clear answer yet. */
interface Sent {
  readonly request: LinkRequest;
  readonly key: string;
}

const nothingWrong: LinkErrors = {};

export function LinkForm({ onDone }: { readonly onDone: (link: PaymentLink) => void }) {
  const { api, place, announce, now } = useScreenContext();
  const [isFixed, setFixed] = useState(true);
  const [errors, setErrors] = useState(nothingWrong);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const sent = useRef<Sent | null>(null);
  const isKept = isBusy || (failure !== null && isUnclear(failure));

  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || form.current === null) return;
    const read = linkRequestFrom(textsIn(new FormData(form.current), isFixed), now);
    if (sent.current === null && read.request === null) {
      setErrors(read.errors);
      setFailure(null);
      return focusFirstWrong(form.current);
    }
    setErrors(nothingWrong);
    const sending =
      sent.current ?? (read.request === null ? null : { request: read.request, key: crypto.randomUUID() });
    if (sending === null) return;
    sent.current = sending;
    setBusy(true);
    setFailure(null);
    const result = await api.newLink(place, sending.request, sending.key);
    setBusy(false);
    if (!result.ok) {
      if (!isUnclear(result.failure)) sent.current = null;
      return setFailure(result.failure);
    }
    announce(`${result.value.name}: the link was created.`);
    onDone(result.value);
  };

  return (
    <form
      class="form bare"
      ref={form}
      onSubmit={(event) => void send(event)}
      onInput={({ target }) => {
        setErrors(withoutErrorAt(errors, target));
        setFailure(afterEdit);
      }}
      noValidate
    >
      <fieldset disabled={isKept} class="whole-form">
        <legend class="unseen">The link</legend>
        <TextField
          label="Name"
          name="name"
          maxLength={100}
          note="Buyers see it on the page."
          error={errors.name}
        />
        <AmountFields isFixed={isFixed} errors={errors} onFixed={setFixed} />
        <LimitFields errors={errors} now={now} />
        <DetailFields errors={errors} />
      </fieldset>
      {failure !== null && <FormFailure failure={failure} />}
      <div class="buttons">
        <button class="button fit" type="submit" aria-busy={isBusy}>
          {isBusy ? 'Creating it' : 'Create the link'}
          <Glyph name="arrow" />
        </button>
      </div>
    </form>
  );
}

const DetailFields = ({ errors }: { readonly errors: LinkErrors }) => (
  <>
    <label class="field">
      Description
      <textarea name="description" rows={2} maxLength={500} />
      <span class="soft">More about it; buyers see it, too.</span>
    </label>
    <TextField
      label="Return address"
      name="returnUrl"
      inputMode="url"
      maxLength={2048}
      placeholder="https://"
      note="Where buyers go after they have paid. Empty: our thank-you page."
      error={errors.returnUrl}
    />
    <label class="check">
      <input type="checkbox" name="collectAddress" />
      <span>
        <b>Ask for an address</b>
        <span class="soft">For what is sent to the buyer.</span>
      </span>
    </label>
  </>
);

interface AmountFieldsProps {
  readonly isFixed: boolean;
  readonly errors: LinkErrors;
  readonly onFixed: (isFixed: boolean) => void;
}

const AmountFields = ({ isFixed, errors, onFixed }: AmountFieldsProps) => (
  <>
    <fieldset>
      <legend>Amount</legend>
      <label class="check">
        <input type="radio" name="kind" checked={isFixed} onChange={() => onFixed(true)} />
        <span>
          <b>Fixed</b>
          <span class="soft">Every buyer pays the same.</span>
        </span>
      </label>
      <label class="check">
        <input type="radio" name="kind" checked={!isFixed} onChange={() => onFixed(false)} />
        <span>
          <b>The buyer enters it</b>
          <span class="soft">Between bounds that you set.</span>
        </span>
      </label>
    </fieldset>
    {isFixed ? (
      <RupeeField label="Amount in rupees" name="amount" note="At least NPR 10.00." errors={errors} />
    ) : (
      <div class="pair">
        <RupeeField label="At least, in rupees" name="minAmount" note="Empty: NPR 10.00." errors={errors} />
        <RupeeField
          label="At most, in rupees"
          name="maxAmount"
          note="Empty: NPR 10,00,000.00."
          errors={errors}
        />
      </div>
    )}
  </>
);

interface RupeeFieldProps {
  readonly label: string;
  readonly name: Extract<LinkField, 'amount' | 'minAmount' | 'maxAmount'>;
  readonly note: string;
  readonly errors: LinkErrors;
}

const RupeeField = ({ label, name, note, errors }: RupeeFieldProps) => (
  <TextField label={label} name={name} inputMode="decimal" maxLength={20} note={note} error={errors[name]} />
);

export interface LimitFieldsProps {
  readonly errors: Pick<LinkErrors, 'maxUses' | 'expiresAt'>;
  readonly now: number;
  readonly maxUses?: string;
  readonly expiresAt?: string;
}

/** How often and until when it can be paid by. */
export const LimitFields = ({ errors, now, maxUses = '', expiresAt = '' }: LimitFieldsProps) => (
  <div class="pair">
    <TextField
      label="Uses"
      name="maxUses"
      inputMode="numeric"
      maxLength={8}
      defaultValue={maxUses}
      note="How many payments it takes. Empty: no limit."
      error={errors.maxUses}
    />
    <TextField
      label="Open until"
      name="expiresAt"
      isTime
      defaultValue={expiresAt}
      min={nepalText(now)}
      note="Nepal time. Empty: without end."
      error={errors.expiresAt}
    />
  </div>
);

function textsIn(fields: FormData, isFixed: boolean): LinkTexts {
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
  return {
    name: text('name'),
    isFixed,
    amount: text('amount'),
    minAmount: text('minAmount'),
    maxAmount: text('maxAmount'),
    maxUses: text('maxUses'),
    expiresAt: text('expiresAt'),
    description: text('description'),
    returnUrl: text('returnUrl'),
    collectAddress: fields.has('collectAddress'),
  };
}
