/** One plan: what it bills, what becomes of unpaid invoices, its switch, and its subscriptions. */
import { detailScreen, type DetailProps } from '../../detail-screen.tsx';
import { useState } from 'preact/hooks';
import {
  billingEntry,
  newSubscriptionRoute,
  planRoute,
  plansRoute,
  subscriptionsRoute,
} from '../../places.ts';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { shownSubscriptions } from '../../lists/billing-rows.ts';
import { ActionForm } from '../../parts/request-form.tsx';
import { FirstRows } from '../../parts/first-rows.tsx';
import { Effects } from '../../parts/effects.tsx';
import { FactList, Glyph, UserText, Tag } from '../../parts/marks.tsx';
import { EditPlanForm } from '../../parts/plan-form.tsx';
import { SubscriptionRows } from '../../parts/subscription-row.tsx';
import { When } from '../../parts/when.tsx';
import type { Plan } from '../../wire/billing-types.ts';
import { planState, priceText } from '../../words/billing.ts';
import { daysText } from '../../words/time.ts';
import { planTermsText } from '../../words/plan-terms.ts';
import { providerWord } from '../../words/words.ts';

export const plan = detailScreen<Plan>({
  route: planRoute,
  navigation: billingEntry,
  follows: ['plan', 'customer', 'subscription'],
  kind: 'Plan',
  idWord: 'plan id',
  back: ['Plans', plansRoute.at({})],
  load: ({ api, place }, { id }) => ({
    key: `plan ${id}`,
    ask: () => api.call('GET /v1/billing/plans/{id}', place, { id }),
  }),
  name: ({ name }) => name,
  action: ({ active }, { id }) =>
    active ? ['New subscription', newSubscriptionRoute.at({ filters: { planId: id } })] : null,
  view: Whole,
});

function Whole({ known: value, again }: DetailProps<Plan>) {
  return (
    <>
      <div class="columns even">
        <section class="slip lone act" aria-labelledby="bills">
          <h2 id="bills" tabIndex={-1}>
            What it bills
          </h2>
          <Facts plan={value} />
          <Actions plan={value} onChanged={again} />
        </section>
        <section class="slip lone act" aria-labelledby="terms">
          <h2 id="terms">An invoice that nobody pays</h2>
          <ul class="effects terms">
            {planTermsText({ ...value.dunningSettings, gracePeriodDays: value.gracePeriodDays }).map(
              (text) => (
                <li key={text}>{text}</li>
              ),
            )}
          </ul>
        </section>
      </div>
      <Subscriptions plan={value} />
    </>
  );
}

function Facts({ plan }: { readonly plan: Plan }) {
  const { now } = useScreenContext();
  return (
    <FactList
      of={[
        ['State', <Tag words={planState(plan)} />],
        ['Price', priceText(plan)],
        ['Trial', plan.trialDays === 0 ? 'None' : daysText(plan.trialDays)],
        plan.description !== null && ['Description', <UserText text={plan.description} />],
        plan.defaultProvider !== null && ['Offered first', providerWord(plan.defaultProvider)],
        ['Created', <When at={plan.createdAt} now={now} />],
      ]}
    />
  );
}

interface ActionsProps {
  readonly plan: Plan;
  readonly onChanged: () => void;
}

function Actions({ plan, onChanged }: ActionsProps) {
  const [way, setWay] = useState<'edit' | 'switch' | null>(null);
  const close = (): void => setWay(null);
  const done = (): void => {
    close();
    onChanged();
  };
  if (way === 'edit') return <EditPlanForm plan={plan} onDone={done} onBack={close} />;
  if (way === 'switch') return <Switch plan={plan} onDone={done} onBack={close} />;
  return (
    <div class="buttons">
      <button type="button" class="step" onClick={() => setWay('edit')}>
        <Glyph name="list" />
        Edit
      </button>
      <button type="button" class="step" onClick={() => setWay('switch')}>
        <Glyph name={plan.active ? 'halt' : 'check'} />
        {plan.active ? 'Switch off' : 'Switch on'}
      </button>
    </div>
  );
}

interface SwitchProps {
  readonly plan: Plan;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

const offEffects = [
  'It takes no new subscriptions, and no subscription can be changed to it.',
  'Subscriptions that have it go on and renew as before.',
  'You can switch it on again.',
];
const onEffects = ['It takes new subscriptions again.'];

function Switch({ plan, onDone, onBack }: SwitchProps) {
  const { api, place, announce } = useScreenContext();
  // as it was when the form was opened
  const [isOn] = useState(plan.active);
  return (
    <ActionForm
      isDanger={isOn}
      word={isOn ? 'Switch it off' : 'Switch it on'}
      send={() => api.call('PATCH /v1/billing/plans/{id}', place, { id: plan.id, body: { active: !isOn } })}
      onDone={() => {
        announce(isOn ? 'The plan is switched off.' : 'The plan is switched on.');
        onDone();
      }}
      onBack={onBack}
    >
      <Effects effects={isOn ? offEffects : onEffects} />
    </ActionForm>
  );
}

const shownMax = 10;

function Subscriptions({ plan: { id } }: { readonly plan: Plan }) {
  const { api, place, liveState } = useScreenContext();
  const query = new URLSearchParams({ planId: id, limit: String(shownMax) });
  const asked = useAsked(`subscriptions of ${query}`, () =>
    api.call('GET /v1/billing/subscriptions', place, { query }),
  );
  const of = { status: '', planId: id, customerId: '' };
  return (
    <FirstRows
      title="Its subscriptions"
      many="subscriptions"
      asked={asked}
      rows={asked.value === null ? [] : shownSubscriptions(asked.value, liveState, of).rows}
      shownMax={shownMax}
      all={subscriptionsRoute.at({ filters: { planId: id } })}
      empty={{
        sign: 'turn',
        title: 'Nobody has it yet',
        text: 'Start a subscription for a customer: its invoices open by themselves.',
      }}
      linesLoading={3}
    >
      {(rows) => <SubscriptionRows rows={rows} />}
    </FirstRows>
  );
}
