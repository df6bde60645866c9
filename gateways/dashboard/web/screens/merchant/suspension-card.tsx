/** Suspends a merchant, changes the reason, or lifts the suspension; each says what it does before it does it. */
import { reasonCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { useState } from 'preact/hooks';
import { usePageContext } from '../../context.ts';
import { good, readForm, requiredText } from '../../wire/form-reading.ts';
import type { Merchant } from '../../wire/types.ts';
import { Effects } from '../../parts/effects.tsx';
import type { Field } from '../../parts/form-fields.tsx';
import { FactList, Glyph, UserText } from '../../parts/marks.tsx';
import { RequestForm } from '../../parts/request-form.tsx';
import { When } from '../../parts/when.tsx';

type Way = 'suspend' | 'reason' | 'lift';

export interface SuspensionCardProps {
  readonly merchant: Merchant;
  readonly onChanged: () => void;
}

export function SuspensionCard({ merchant, onChanged }: SuspensionCardProps) {
  const { now } = usePageContext();
  const [way, setWay] = useState<Way | null>(null);
  const { suspension } = merchant;
  return (
    <section class="slip lone act" aria-labelledby="suspension">
      <h2 id="suspension" tabIndex={-1}>
        {suspension === null ? 'Taking payments' : 'Suspended'}
      </h2>
      {suspension === null ? (
        <p class="soft">It may take payments. Suspend it to stop new ones.</p>
      ) : (
        <FactList
          of={[
            ['Since', <When at={suspension.suspended_at} now={now} />],
            ['Reason', <UserText text={suspension.reason} />],
          ]}
        />
      )}
      {way === null ? (
        <Ways isSuspended={suspension !== null} onWay={setWay} />
      ) : (
        <WayForm
          way={way}
          merchant={merchant}
          onDone={() => {
            setWay(null);
            onChanged();
          }}
          onBack={() => setWay(null)}
        />
      )}
    </section>
  );
}

const Ways = ({
  isSuspended,
  onWay,
}: {
  readonly isSuspended: boolean;
  readonly onWay: (way: Way) => void;
}) => (
  <div class="buttons">
    {isSuspended ? (
      <>
        <button type="button" class="step" onClick={() => onWay('lift')}>
          <Glyph name="check" />
          Lift the suspension
        </button>
        <button type="button" class="step" onClick={() => onWay('reason')}>
          Change the reason
        </button>
      </>
    ) : (
      <button type="button" class="step" onClick={() => onWay('suspend')}>
        <Glyph name="halt" />
        Suspend
      </button>
    )}
  </div>
);

interface WayWords {
  readonly title: string;
  readonly button: (name: string) => string;
  readonly announced: (name: string) => string;
  readonly effects: readonly string[];
}

const words: Readonly<Record<Way, WayWords>> = {
  suspend: {
    title: 'What this does, within 5 seconds',
    button: (name) => `Suspend ${name}`,
    announced: (name) => `${name} is suspended.`,
    effects: [
      'Every request with its API keys is answered 403, with your reason.',
      'Its payment pages say “This shop cannot take payments now”, and nobody can begin to pay.',
      'Payments under way still land: they are looked up, recorded and sent to its webhooks.',
      'It can log in and read its dashboard, and change nothing.',
    ],
  },
  reason: {
    title: 'What this does',
    button: () => 'Change the reason',
    announced: (name) => `${name} is told the new reason.`,
    effects: ['The new reason replaces the old one. The suspension goes on as before, since the same time.'],
  },
  lift: {
    title: 'What this does, at once',
    button: (name) => `Lift the suspension of ${name}`,
    announced: (name) => `${name} takes payments again.`,
    effects: [
      'Its API keys and its payment pages work again, and buyers can pay.',
      'Nothing has to be repeated: what landed in the meantime is there.',
    ],
  },
};

interface WayFormProps {
  readonly way: Way;
  readonly merchant: Merchant;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

function WayForm({ way, merchant, onDone, onBack }: WayFormProps) {
  const { api, announce } = usePageContext();
  const { id, name, suspension } = merchant;
  const { title, button, announced, effects } = words[way];
  const reasonField: Field = {
    name: 'reason',
    label: 'Reason',
    rows: 2,
    maxLength: reasonCharactersMax,
    initial: way === 'reason' ? suspension?.reason : '',
    note: 'The merchant is told, in the answer to its requests.',
  };
  return (
    <RequestForm
      isDanger={way === 'suspend'}
      name={button(name)}
      word={button(name)}
      fields={[() => <Effects title={title} effects={effects} />, ...(way === 'lift' ? [] : [reasonField])]}
      read={(text) =>
        readForm(
          {
            reason:
              way === 'lift'
                ? good('')
                : requiredText(text('reason'), reasonCharactersMax, 'Write a reason; the merchant is told.'),
          },
          (values) => values,
        )
      }
      send={({ reason }) =>
        way === 'lift'
          ? api.call('POST /admin/v1/merchants/{id}/unsuspend', null, { id })
          : api.call('POST /admin/v1/merchants/{id}/suspend', null, { id, body: { reason } })
      }
      onDone={() => {
        announce(announced(name));
        onDone();
      }}
      onBack={onBack}
    />
  );
}
