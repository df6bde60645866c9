/** What a merchant can do with a subscription. Each action says what it will do before it does it. */
import type { Affected } from '../../words/billing-effects.ts';
import { waysOf, type Way } from './subscription-ways.ts';
import { Glyph, type GlyphName } from '../../parts/marks.tsx';
import {
  CancelForm,
  ExtendTrialForm,
  PauseForm,
  PlainForm,
  type ActionProps,
} from './subscription-forms.tsx';
import { useActions } from '../../parts/use-actions.ts';
import { ChangePlanForm } from './change-plan-form.tsx';
import { EditSubscriptionForm } from './edit-subscription-form.tsx';

const words: Readonly<Record<Way, readonly [sign: GlyphName, word: string]>> = {
  resume: ['turn', 'Resume'],
  'take-back': ['back', 'Let it go on'],
  pause: ['halt', 'Pause'],
  'end-trial': ['flag', 'End the trial'],
  'extend-trial': ['clock', 'Extend the trial'],
  'change-plan': ['turn', 'Change the plan'],
  'keep-plan': ['back', 'Keep the plan'],
  edit: ['list', 'Edit'],
  cancel: ['cross', 'Cancel'],
};

export interface SubscriptionActionsProps {
  readonly affected: Affected;
  readonly onChanged: () => void;
}

export function SubscriptionActions({ affected, onChanged }: SubscriptionActionsProps) {
  const { way, choose, back, done } = useActions<Way>(onChanged);
  const props = { ...affected, done, back };
  if (way !== null) return <Form way={way} {...props} />;
  return (
    <div class="buttons actions">
      {waysOf(affected.subscription).map((each) => {
        const [sign, word] = words[each];
        return (
          <button key={each} type="button" class="step" onClick={() => choose(each)}>
            <Glyph name={sign} />
            {word}
          </button>
        );
      })}
    </div>
  );
}

function Form({ way, ...props }: ActionProps & { readonly way: Way }) {
  switch (way) {
    case 'pause':
      return <PauseForm {...props} />;
    case 'extend-trial':
      return <ExtendTrialForm {...props} />;
    case 'change-plan':
      return <ChangePlanForm {...props} />;
    case 'edit':
      return <EditSubscriptionForm {...props} />;
    case 'cancel':
      return <CancelForm {...props} />;
    default:
      return <PlainForm way={way} {...props} />;
  }
}
