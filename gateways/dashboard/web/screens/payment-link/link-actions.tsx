/** What a merchant can do with a payment link: switch it off and on, and change its limits. */
import { useState } from 'preact/hooks';
import { useScreenContext } from '../../context.ts';
import type { PaymentLink } from '../../wire/types.ts';
import { ActionForm } from '../../parts/request-form.tsx';
import { Effects } from '../../parts/effects.tsx';
import { LinkLimits } from '../../parts/link-limits.tsx';
import { Glyph } from '../../parts/marks.tsx';

type Way = 'switch' | 'limits';

export interface LinkActionsProps {
  readonly link: PaymentLink;
  readonly onChanged: () => void;
}

const limitWords: Readonly<Record<PaymentLink['status'], string>> = {
  active: 'Change the limits',
  inactive: 'Change the limits',
  expired: 'Open it longer',
  completed: 'Allow more uses',
};

export function LinkActions({ link, onChanged }: LinkActionsProps) {
  const [way, setWay] = useState<Way | null>(null);
  const close = (): void => setWay(null);
  const done = (): void => {
    close();
    onChanged();
  };
  if (way === 'switch') return <Switch link={link} onDone={done} onBack={close} />;
  if (way === 'limits') return <LinkLimits link={link} onDone={done} onBack={close} />;
  const { status } = link;
  return (
    <div class="buttons">
      {/* at its limit it is switched on by raising the limit */}
      {(status === 'active' || status === 'inactive') && (
        <button type="button" class="step" onClick={() => setWay('switch')}>
          <Glyph name={status === 'active' ? 'halt' : 'check'} />
          {status === 'active' ? 'Switch off' : 'Switch on'}
        </button>
      )}
      <button type="button" class="step" onClick={() => setWay('limits')}>
        {limitWords[status]}
      </button>
    </div>
  );
}

interface SwitchProps {
  readonly link: PaymentLink;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

const offEffects = [
  'Whoever opens the link is told that it is not available.',
  'A buyer who is paying already can finish, and the payment is counted.',
  'You can switch it on again.',
];
const onEffects = ['Buyers can pay by the link again, at the same address.'];

function Switch({ link, onDone, onBack }: SwitchProps) {
  const { api, place, announce } = useScreenContext();
  // as it was when the form was opened
  const [isOn] = useState(link.status === 'active');
  return (
    <ActionForm
      isDanger={isOn}
      word={isOn ? 'Switch it off' : 'Switch it on'}
      send={() => api.call('PATCH /v1/payment-links/{id}', place, { id: link.id, body: { active: !isOn } })}
      onDone={() => {
        announce(isOn ? 'The link is switched off.' : 'The link is switched on.');
        onDone();
      }}
      onBack={onBack}
    >
      <Effects title="What this does, at once" effects={isOn ? offEffects : onEffects} />
    </ActionForm>
  );
}
