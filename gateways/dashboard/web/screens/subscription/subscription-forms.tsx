/** The forms of the actions on a subscription that need little: each shows what it will do. */
import { useState } from 'preact/hooks';
import { reasonCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../../context.ts';
import { given, isoOf, momentFrom } from '../../wire/billing-forms.ts';
import type { Subscription, SubscriptionAction } from '../../wire/billing-types.ts';
import type { Result } from '../../wire/failure.ts';
import { optionalText, readForm, wrong } from '../../wire/form-reading.ts';
import type { Affected } from '../../words/billing-effects.ts';
import type { Way } from './subscription-ways.ts';
import { dayMs, momentText, nepalText } from '../../words/time.ts';
import type { Field } from '../../parts/form-fields.tsx';
import { ActionForm, RequestForm } from '../../parts/request-form.tsx';
import { Previewed } from './previewed.tsx';

export interface ActionProps extends Affected {
  readonly done: (news: string) => void;
  readonly back: () => void;
}

/** Sends an action; with the same key it is one action. */
function useAction({
  id,
}: Subscription): (action: SubscriptionAction, body: object, key: string) => Promise<Result<Subscription>> {
  const { api, place } = useScreenContext();
  return (action, body, key) =>
    api.call(`POST /v1/billing/subscriptions/{id}/${action}`, place, { id, body, key });
}

interface PlainAction {
  readonly action: SubscriptionAction;
  readonly body?: (of: Subscription) => Readonly<Record<string, string>>;
  readonly word: (of: Subscription) => string;
  readonly news: string;
}

/** The actions without a field. */
const plainActions = {
  resume: {
    action: 'resume',
    word: () => 'Resume it now',
    news: 'The subscription is resumed.',
  },
  'take-back': {
    action: 'resume',
    word: () => 'Let it go on',
    news: 'The subscription goes on.',
  },
  'end-trial': {
    action: 'end-trial',
    word: () => 'End the trial now',
    news: 'The trial has ended.',
  },
  'keep-plan': {
    action: 'change-plan',
    body: ({ plan }) => ({ planId: plan.id }),
    word: ({ plan }) => `Keep ${plan.name}`,
    news: 'The change of plan is dropped.',
  },
} as const satisfies { readonly [Each in Way]?: PlainAction };

export function PlainForm({
  way,
  done,
  back,
  ...affected
}: ActionProps & { readonly way: keyof typeof plainActions }) {
  const { subscription } = affected;
  const act = useAction(subscription);
  const { action, body, word, news }: PlainAction = plainActions[way];
  const fields = body?.(subscription) ?? {};
  return (
    <ActionForm
      word={word(subscription)}
      send={(key) => act(action, fields, key)}
      onDone={() => done(news)}
      onBack={back}
    >
      <Previewed of={affected} action={action} fields={fields} />
    </ActionForm>
  );
}

const reasonField = (name: string): Field => ({
  name,
  label: 'Reason',
  maxLength: reasonCharactersMax,
  note: 'For you; it is in the API and in webhooks. Empty: none.',
});

export function ExtendTrialForm({ done, back, ...affected }: ActionProps) {
  const { subscription, now } = affected;
  const act = useAction(subscription);
  const before = Date.parse(subscription.trialEndsAt ?? subscription.currentPeriodEnd);
  const usual = nepalText(before + 7 * dayMs);
  const [typed, setTyped] = useState(usual);
  const endFrom = (text: string) =>
    momentFrom(text, before, `Write a time after ${momentText(before, now)}.`);
  const typedEnd = isoOf(endFrom(typed).value);
  return (
    <RequestForm
      name="Extend the trial"
      word="Extend the trial"
      fields={[
        {
          name: 'trialEndsAt',
          label: 'The trial ends',
          type: 'datetime-local',
          initial: usual,
          min: nepalText(before),
          note: 'Nepal time. Later than before, at most a year from now.',
        },
      ]}
      read={(text) => {
        const end = text('trialEndsAt');
        const trialEndsAt = end === '' ? wrong('Write the day and the time of its end.') : endFrom(end);
        return readForm({ trialEndsAt }, (values) => ({ trialEndsAt: isoOf(values.trialEndsAt) }));
      }}
      send={(body, key) => act('extend-trial', body, key)}
      onDone={() => done('The trial is extended.')}
      onBack={back}
      onTyped={(text) => setTyped(text('trialEndsAt'))}
    >
      {typedEnd !== null && (
        <Previewed of={affected} action="extend-trial" fields={{ trialEndsAt: typedEnd }} />
      )}
    </RequestForm>
  );
}

export function PauseForm({ done, back, ...affected }: ActionProps) {
  const { subscription, now } = affected;
  const act = useAction(subscription);
  const [typed, setTyped] = useState('');
  const endFrom = (text: string) => momentFrom(text, now, 'Write a time that is still to come, or nothing.');
  return (
    <RequestForm
      name="Pause it now"
      word="Pause it now"
      fields={[
        {
          name: 'resumeAt',
          label: 'Resume by itself',
          type: 'datetime-local',
          min: nepalText(now),
          note: 'Nepal time. Empty: only when you resume it.',
        },
        reasonField('pauseReason'),
      ]}
      read={(text) =>
        readForm(
          {
            resumeAt: endFrom(text('resumeAt')),
            pauseReason: optionalText(text('pauseReason'), reasonCharactersMax),
          },
          ({ resumeAt, pauseReason }) => given({ resumeAt: isoOf(resumeAt), pauseReason }),
        )
      }
      send={(body, key) => act('pause', body, key)}
      onDone={() => done('The subscription is paused.')}
      onBack={back}
      onTyped={(text) => setTyped(text('resumeAt'))}
    >
      <Previewed of={affected} action="pause" fields={given({ resumeAt: isoOf(endFrom(typed).value) })} />
    </RequestForm>
  );
}

const atOnce: ReadonlySet<string> = new Set(['draft', 'paused']);

export function CancelForm({ done, back, ...affected }: ActionProps) {
  const { subscription, now } = affected;
  const { displayStatus, cancelAtPeriodEnd, currentPeriodEnd } = subscription;
  const act = useAction(subscription);
  const hasChoice = !cancelAtPeriodEnd && !atOnce.has(displayStatus);
  const [atPeriodEnd, setAtPeriodEnd] = useState(hasChoice);
  const end = `the end of its ${displayStatus === 'trialing' ? 'trial' : 'period'}`;
  const when: Field = {
    name: 'when',
    label: 'When it ends',
    radios: [
      ['end', `At ${end}`, momentText(Date.parse(currentPeriodEnd), now)],
      ['now', 'Now', 'Its unpaid invoices are voided.'],
    ],
    initial: 'end',
    isStacked: true,
  };
  const word = atPeriodEnd ? `Cancel it at ${end}` : 'Cancel it now';
  return (
    <RequestForm
      isDanger={!atPeriodEnd}
      name={word}
      word={word}
      fields={[...(hasChoice ? [when] : []), reasonField('cancelReason')]}
      read={(text) =>
        readForm(
          { cancelReason: optionalText(text('cancelReason'), reasonCharactersMax) },
          ({ cancelReason }) => ({ ...given({ cancelReason }), atPeriodEnd }),
        )
      }
      send={(body, key) => act('cancel', body, key)}
      onDone={() => done(atPeriodEnd ? 'The subscription will end.' : 'The subscription is cancelled.')}
      onBack={back}
      onTyped={(text) => setAtPeriodEnd(text('when') === 'end')}
    >
      <Previewed of={affected} action="cancel" fields={{ atPeriodEnd: String(atPeriodEnd) }} />
    </RequestForm>
  );
}
