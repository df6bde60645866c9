/** How often and until when a payment link can be paid by. */
import { useScreenContext } from '../context.ts';
import type { PaymentLink } from '../wire/types.ts';
import { limitsFrom } from '../wire/link-request.ts';
import { nepalText } from '../words/time.ts';
import type { Field } from './form-fields.tsx';
import { RequestForm } from './request-form.tsx';

/** As texts; `now`: on the project's clock. */
export const limitFields = (now: number, before = { maxUses: '', expiresAt: '' }): readonly Field[] => [
  {
    name: 'maxUses',
    label: 'Uses',
    inputMode: 'numeric',
    maxLength: 8,
    initial: before.maxUses,
    note: 'How many payments it takes. Empty: no limit.',
  },
  {
    name: 'expiresAt',
    label: 'Open until',
    type: 'datetime-local',
    initial: before.expiresAt,
    min: nepalText(now),
    note: 'Nepal time. Empty: without end.',
  },
];

export interface LinkLimitsProps {
  readonly link: PaymentLink;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

export function LinkLimits({ link, onDone, onBack }: LinkLimitsProps) {
  const { api, place, announce, now } = useScreenContext();
  const { id, status, usedCount, maxUses, expiresAt } = link;
  const before = {
    maxUses: maxUses === null ? '' : String(maxUses),
    expiresAt: expiresAt === null ? '' : nepalText(Date.parse(expiresAt)),
  };
  return (
    <RequestForm
      name="Limits"
      word="Save"
      fields={[limitFields(now, before)]}
      read={(text) => limitsFrom(text, before.expiresAt, now)}
      send={(change) => api.call('PATCH /v1/payment-links/{id}', place, { id, body: change })}
      onDone={() => {
        announce('The limits are changed.');
        onDone();
      }}
      onBack={onBack}
    >
      {status === 'completed' && (
        <p class="soft">It is used up: with more uses than {usedCount} it is active again.</p>
      )}
      {status === 'expired' && <p class="soft">It has ended: with a later time it is active again.</p>}
    </RequestForm>
  );
}
