/** Switches a payment link off and on. */
import { useState } from 'preact/hooks';
import { useScreenContext } from '../context.ts';
import type { PaymentLink } from '../wire/link-api.ts';
import { ActionForm } from './action-form.tsx';
import { Glyph } from './marks.tsx';

export interface LinkSwitchProps {
  readonly link: PaymentLink;
  readonly onChanged: () => void;
}

export function LinkSwitch({ link, onChanged }: LinkSwitchProps) {
  const { api, place, announce } = useScreenContext();
  const [isAsked, setAsked] = useState(false);
  const isOn = link.status === 'active';
  // at its limit it is switched on by raising the limit
  if (link.status !== 'active' && link.status !== 'inactive') return null;
  if (!isAsked) {
    return (
      <div class="buttons">
        <button type="button" class="step" onClick={() => setAsked(true)}>
          <Glyph name={isOn ? 'halt' : 'check'} />
          {isOn ? 'Switch off' : 'Switch on'}
        </button>
      </div>
    );
  }
  return (
    <ActionForm
      isDanger={isOn}
      word={isOn ? 'Switch it off' : 'Switch it on'}
      send={() => api.changeLink(place, link.id, { active: !isOn })}
      onDone={() => {
        announce(isOn ? 'The link is switched off.' : 'The link is switched on.');
        setAsked(false);
        onChanged();
      }}
      onBack={() => setAsked(false)}
    >
      <h3>What this does, at once</h3>
      <ul class="effects">
        {(isOn ? offEffects : onEffects).map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </ActionForm>
  );
}

const offEffects = [
  'Whoever opens the link is told that it is not available.',
  'A buyer who is paying already can finish, and the payment is counted.',
  'You can switch it on again.',
];
const onEffects = ['Buyers can pay by the link again, at the same address.'];
