/** The form that creates a payment link.
 *  1. One form is one link. After an unclear answer it stays as it was sent, so that sent again it is the same
 *     link; after a refusal it may be changed, and begins another one. */
import { useRef, useState } from 'preact/hooks';
import {
  descriptionCharactersMax,
  nameCharactersMax,
  urlCharactersMax,
} from '../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../context.ts';
import type { LinkRequest, PaymentLink } from '../wire/link-api.ts';
import { linkRequestFrom, type LinkErrors, type LinkField, type LinkTexts } from '../wire/link-request.ts';
import { nepalText } from '../words/time.ts';
import { Glyph } from './marks.tsx';
import { FormFailure } from './notices.tsx';
import { focusFirstWrong, TextField, withoutErrorAt } from './text-field.tsx';
import { useCreation } from './use-submit.ts';

const nothingWrong: LinkErrors = {};

export function LinkForm({ onDone }: { readonly onDone: (link: PaymentLink) => void }) {
  const { api, place, announce, now } = useScreenContext();
  const [isFixed, setFixed] = useState(true);
  const [errors, setErrors] = useState(nothingWrong);
  const form = useRef<HTMLFormElement>(null);
  const creation = useCreation(
    (request: LinkRequest, key) => api.newLink(place, request, key),
    (link) => {
      announce(`${link.name}: the link was created.`);
      onDone(link);
    },
  );
  const { isBusy, failure } = creation;

  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isBusy || form.current === null) return;
    const read = linkRequestFrom(textsIn(new FormData(form.current), isFixed), now);
    if (!creation.isSent() && read.request === null) {
      setErrors(read.errors);
      creation.show(null);
      return focusFirstWrong(form.current);
    }
    setErrors(nothingWrong);
    creation.create(read.request);
  };

  return (
    <form
      class="form bare"
      ref={form}
      onSubmit={send}
      onInput={({ target }) => {
        setErrors(withoutErrorAt(errors, target));
        creation.edited();
      }}
      noValidate
    >
      <fieldset disabled={creation.isFixed} class="whole-form">
        <legend class="unseen">The link</legend>
        <TextField
          label="Name"
          name="name"
          maxLength={nameCharactersMax}
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
      <textarea name="description" rows={2} maxLength={descriptionCharactersMax} />
      <span class="soft">More about it; buyers see it, too.</span>
    </label>
    <TextField
      label="Return address"
      name="returnUrl"
      inputMode="url"
      maxLength={urlCharactersMax}
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
