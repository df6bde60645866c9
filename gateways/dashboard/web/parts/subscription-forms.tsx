/** The forms of the actions on a subscription that need little: each shows what it will do. */
import { useState } from 'preact/hooks';
import { useScreenContext } from '../context.ts';
import type { Subscription } from '../wire/billing-types.ts';
import type { SubscriptionAction } from '../wire/billing-api.ts';
import { momentFrom } from '../wire/billing-forms.ts';
import type { Result } from '../wire/failure.ts';
import { reasonCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import {
  cancelAtEndEffects,
  cancelNowEffects,
  endTrialEffects,
  extendTrialEffects,
  keepPlanEffects,
  pauseEffects,
  resumeEffects,
  takeBackEffects,
  type Affected,
} from '../words/billing-effects.ts';
import { dayMs, momentText, nepalText } from '../words/time.ts';
import { ActionForm } from './action-form.tsx';
import { Effects } from './effects.tsx';
import { useKeys } from './use-keys.ts';

export interface ActionProps extends Affected {
  readonly done: (said: string) => void;
  readonly back: () => void;
}

/** Sends an action; the same body twice is one action. */
export function useAction({
  id,
}: Subscription): (action: SubscriptionAction, body?: object) => Promise<Result<Subscription>> {
  const { api, place } = useScreenContext();
  const keyOf = useKeys();
  return (action, body = {}) => api.actOnSubscription(place, id, action, body, keyOf({ action, ...body }));
}

export function ResumeForm({ done, back, ...affected }: ActionProps) {
  const act = useAction(affected.subscription);
  return (
    <ActionForm
      word="Resume it now"
      send={() => act('resume')}
      onDone={() => done('The subscription is resumed.')}
      onBack={back}
    >
      <Effects effects={resumeEffects(affected)} />
    </ActionForm>
  );
}

export function TakeBackForm({ done, back, ...affected }: ActionProps) {
  const act = useAction(affected.subscription);
  return (
    <ActionForm
      word="Let it go on"
      send={() => act('resume')}
      onDone={() => done('The subscription goes on.')}
      onBack={back}
    >
      <Effects effects={takeBackEffects(affected)} />
    </ActionForm>
  );
}

export function EndTrialForm({ done, back, ...affected }: ActionProps) {
  const act = useAction(affected.subscription);
  return (
    <ActionForm
      word="End the trial now"
      send={() => act('end-trial')}
      onDone={() => done('The trial has ended.')}
      onBack={back}
    >
      <Effects effects={endTrialEffects(affected)} />
    </ActionForm>
  );
}

export function KeepPlanForm({ done, back, ...affected }: ActionProps) {
  const act = useAction(affected.subscription);
  const { plan } = affected.subscription;
  return (
    <ActionForm
      word={`Keep ${plan.name}`}
      send={() => act('change-plan', { planId: plan.id })}
      onDone={() => done('The change of plan is dropped.')}
      onBack={back}
    >
      <Effects effects={keepPlanEffects(affected)} />
    </ActionForm>
  );
}

/** What is not an instant, or not late enough, is refused before it is sent. */
const notSent = (message: string, param: string): Result<never> => ({
  ok: false,
  failure: {
    status: 400,
    code: 'validation_failed',
    message,
    param,
    requestId: null,
    retryAfterSeconds: null,
  },
});

interface TimeFieldProps {
  readonly label: string;
  readonly name: string;
  readonly note: string;
  readonly value: string;
  readonly min: number;
  readonly onTyped: (typed: string) => void;
}

const TimeField = ({ label, name, note, value, min, onTyped }: TimeFieldProps) => (
  <label class="field">
    {label}
    <input
      type="datetime-local"
      name={name}
      value={value}
      min={nepalText(min)}
      aria-describedby={`${name}-note`}
      onInput={({ currentTarget }) => onTyped(currentTarget.value)}
    />
    <span id={`${name}-note`} class="soft">
      {note}
    </span>
  </label>
);

interface ReasonFieldProps {
  readonly value: string;
  readonly onTyped: (typed: string) => void;
}

const ReasonField = ({ value, onTyped }: ReasonFieldProps) => (
  <label class="field">
    Reason
    <input
      type="text"
      name="reason"
      value={value}
      maxLength={reasonCharactersMax}
      autocomplete="off"
      onInput={({ currentTarget }) => onTyped(currentTarget.value)}
    />
    <span class="soft">For you; it is in the API and in webhooks. Empty: none.</span>
  </label>
);

/** An empty text is not sent. */
const withReason = (name: string, reason: string): object =>
  reason.trim() === '' ? {} : { [name]: reason.trim() };

export function ExtendTrialForm({ done, back, ...affected }: ActionProps) {
  const { subscription, now } = affected;
  const act = useAction(subscription);
  const before = Date.parse(subscription.trialEndsAt ?? subscription.currentPeriodEnd);
  const [typed, setTyped] = useState(() => nepalText(before + 7 * dayMs));
  const read = momentFrom(typed, before, `Write a time after ${momentText(before, now)}.`);
  return (
    <ActionForm
      word="Extend the trial"
      send={async () =>
        read.value === null
          ? notSent(read.error ?? 'Write the day and the time of its end.', 'trialEndsAt')
          : act('extend-trial', { trialEndsAt: new Date(read.value).toISOString() })
      }
      onDone={() => done('The trial is extended.')}
      onBack={back}
    >
      <TimeField
        label="The trial ends"
        name="trialEndsAt"
        note="Nepal time. Later than before, at most a year from now."
        value={typed}
        min={before}
        onTyped={setTyped}
      />
      <Effects effects={extendTrialEffects(affected, read.value)} />
    </ActionForm>
  );
}

export function PauseForm({ done, back, ...affected }: ActionProps) {
  const act = useAction(affected.subscription);
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const read = momentFrom(typed, affected.now, 'Write a time that is still to come, or nothing.');
  return (
    <ActionForm
      word="Pause it now"
      send={async () =>
        read.error !== null
          ? notSent(read.error, 'resumeAt')
          : act('pause', {
              ...withReason('pauseReason', reason),
              ...(read.value === null ? {} : { resumeAt: new Date(read.value).toISOString() }),
            })
      }
      onDone={() => done('The subscription is paused.')}
      onBack={back}
    >
      <TimeField
        label="Resume by itself"
        name="resumeAt"
        note="Nepal time. Empty: only when you resume it."
        value={typed}
        min={affected.now}
        onTyped={setTyped}
      />
      <ReasonField value={reason} onTyped={setReason} />
      <Effects effects={pauseEffects(affected, read.value)} />
    </ActionForm>
  );
}

const atOnce: ReadonlySet<string> = new Set(['draft', 'paused']);

export function CancelForm({ done, back, ...affected }: ActionProps) {
  const { subscription, now } = affected;
  const { displayStatus, cancelAtPeriodEnd, currentPeriodEnd } = subscription;
  const act = useAction(subscription);
  const hasChoice = !cancelAtPeriodEnd && !atOnce.has(displayStatus);
  const [atPeriodEnd, setAtPeriodEnd] = useState(hasChoice);
  const [reason, setReason] = useState('');
  const isTrial = displayStatus === 'trialing';
  return (
    <ActionForm
      isDanger={!atPeriodEnd}
      word={atPeriodEnd ? `Cancel it at the end of its ${isTrial ? 'trial' : 'period'}` : 'Cancel it now'}
      send={() => act('cancel', { ...withReason('cancelReason', reason), atPeriodEnd })}
      onDone={() => done(atPeriodEnd ? 'The subscription will end.' : 'The subscription is cancelled.')}
      onBack={back}
    >
      {hasChoice && (
        <fieldset class="stacked">
          <legend>When it ends</legend>
          <label class="check">
            <input type="radio" name="when" checked={atPeriodEnd} onChange={() => setAtPeriodEnd(true)} />
            <span>
              <b>At the end of its {isTrial ? 'trial' : 'period'}</b>
              <span class="soft">{momentText(Date.parse(currentPeriodEnd), now)}</span>
            </span>
          </label>
          <label class="check">
            <input type="radio" name="when" checked={!atPeriodEnd} onChange={() => setAtPeriodEnd(false)} />
            <span>
              <b>Now</b>
              <span class="soft">Its unpaid invoices are voided.</span>
            </span>
          </label>
        </fieldset>
      )}
      <ReasonField value={reason} onTyped={setReason} />
      <Effects effects={atPeriodEnd ? cancelAtEndEffects(affected) : cancelNowEffects(affected)} />
    </ActionForm>
  );
}
