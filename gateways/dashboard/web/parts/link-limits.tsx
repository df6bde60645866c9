/** Changes how often and until when a payment link can be paid by. */
import { useRef, useState } from 'preact/hooks';
import { useScreenContext } from '../context.ts';
import type { PaymentLink } from '../wire/link-api.ts';
import { endFrom, usesFrom, type LinkErrors } from '../wire/link-request.ts';
import { nepalText } from '../words/time.ts';
import { useFocusWithin } from './action-form.tsx';
import { LimitFields } from './link-form.tsx';
import { FormFailure } from './notices.tsx';
import { focusFirstWrong, withoutErrorAt } from './text-field.tsx';
import { useSubmit } from './use-submit.ts';

export interface LinkLimitsProps {
  readonly link: PaymentLink;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

const nothingWrong: LinkErrors = {};

export function LinkLimits({ link, onDone, onBack }: LinkLimitsProps) {
  const { api, place, announce, now } = useScreenContext();
  const [errors, setErrors] = useState(nothingWrong);
  const { isBusy, failure, edited, show, submit } = useSubmit();
  const form = useRef<HTMLFormElement>(null);
  useFocusWithin(form);
  const before = {
    maxUses: link.maxUses === null ? '' : String(link.maxUses),
    expiresAt: link.expiresAt === null ? '' : nepalText(Date.parse(link.expiresAt)),
  };
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isBusy || form.current === null) return;
    const fields = new FormData(form.current);
    const typed = (name: keyof typeof before): string => {
      const value = fields.get(name);
      return typeof value === 'string' ? value : '';
    };
    const uses = usesFrom(typed('maxUses'));
    // an end that was not touched is not sent: it may be over, or have seconds
    const isEndChanged = typed('expiresAt') !== before.expiresAt;
    const end = isEndChanged ? endFrom(typed('expiresAt'), now) : { value: null, error: null };
    show(null);
    if (uses.error !== null || end.error !== null) {
      setErrors({
        ...(uses.error === null ? {} : { maxUses: uses.error }),
        ...(end.error === null ? {} : { expiresAt: end.error }),
      });
      return focusFirstWrong(form.current);
    }
    setErrors(nothingWrong);
    const change = { maxUses: uses.value, ...(isEndChanged ? { expiresAt: end.value } : {}) };
    submit(
      () => api.changeLink(place, link.id, change),
      () => {
        announce('The limits are changed.');
        onDone();
      },
    );
  };
  return (
    <form
      class="form"
      ref={form}
      onSubmit={send}
      onInput={({ target }) => {
        setErrors(withoutErrorAt(errors, target));
        edited();
      }}
      noValidate
      tabIndex={-1}
      aria-label="Limits"
    >
      <LimitFields errors={errors} now={now} {...before} />
      {link.status === 'completed' && (
        <p class="soft">It is used up: with more uses than {link.usedCount} it is active again.</p>
      )}
      {link.status === 'expired' && <p class="soft">It has ended: with a later time it is active again.</p>}
      {failure !== null && <FormFailure failure={failure} />}
      <div class="buttons">
        <button class="button fit" type="submit" aria-busy={isBusy}>
          Save
        </button>
        <button class="button second fit" type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}
