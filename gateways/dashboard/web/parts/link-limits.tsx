/** Changes how often and until when a payment link can be paid by. */
import { useRef, useState } from 'preact/hooks';
import { useScreenContext } from '../context.ts';
import type { Failure } from '../wire/failure.ts';
import type { PaymentLink } from '../wire/link-api.ts';
import { endFrom, usesFrom, type LinkErrors } from '../wire/link-wish.ts';
import { nepalText } from '../words/time.ts';
import { LimitFields, useFocusOnWrong } from './link-form.tsx';
import { FormFailure } from './notices.tsx';

export interface LinkLimitsProps {
  readonly link: PaymentLink;
  readonly onChanged: () => void;
}

const words: Readonly<Record<PaymentLink['status'], string>> = {
  active: 'Change the limits',
  inactive: 'Change the limits',
  expired: 'Open it longer',
  completed: 'Allow more uses',
};

export function LinkLimits({ link, onChanged }: LinkLimitsProps) {
  const [isOpen, setOpen] = useState(false);
  const word = words[link.status];
  if (!isOpen) {
    return (
      <div class="buttons">
        <button type="button" class="step" onClick={() => setOpen(true)}>
          {word}
        </button>
      </div>
    );
  }
  return (
    <LimitsForm
      link={link}
      onDone={() => {
        setOpen(false);
        onChanged();
      }}
      onBack={() => setOpen(false)}
    />
  );
}

interface LimitsFormProps {
  readonly link: PaymentLink;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

const nothingWrong: LinkErrors = {};

function LimitsForm({ link, onDone, onBack }: LimitsFormProps) {
  const { api, place, announce, now } = useScreenContext();
  const [errors, setErrors] = useState(nothingWrong);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useFocusOnWrong(form, errors);
  const before = {
    maxUses: link.maxUses === null ? '' : String(link.maxUses),
    expiresAt: link.expiresAt === null ? '' : nepalText(Date.parse(link.expiresAt)),
  };
  const send = async (event: SubmitEvent): Promise<void> => {
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
    if (uses.error !== null || end.error !== null) {
      return setErrors({
        ...(uses.error === null ? {} : { maxUses: uses.error }),
        ...(end.error === null ? {} : { expiresAt: end.error }),
      });
    }
    setErrors(nothingWrong);
    setBusy(true);
    setFailure(null);
    const change = { maxUses: uses.value, ...(isEndChanged ? { expiresAt: end.value } : {}) };
    const result = await api.changeLink(place, link.id, change);
    setBusy(false);
    if (!result.ok) return setFailure(result.failure);
    announce('The limits are changed.');
    onDone();
  };
  return (
    <form class="form" ref={form} onSubmit={(event) => void send(event)} noValidate aria-label="Limits">
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
