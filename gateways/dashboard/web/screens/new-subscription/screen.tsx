/** The form of a new subscription. It says what will happen before it is sent. */
import { referenceCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { useEffect, useState } from 'preact/hooks';
import { billingEntry, newPlanRoute, newSubscriptionRoute, subscriptionRoute } from '../../places.ts';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { CustomerPicker } from './customer-picker.tsx';
import { Effects } from '../../parts/effects.tsx';
import { Empty, Failed, Loading } from '../../parts/notices.tsx';
import type { Fields } from '../../parts/form-fields.tsx';
import { RequestForm } from '../../parts/request-form.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import { subscriptionRequestFrom } from '../../wire/billing-forms.ts';
import type { Customer, Plan } from '../../wire/billing-types.ts';
import type { TextOf } from '../../wire/form-reading.ts';
import type { Listed } from '../../wire/types.ts';
import { priceText } from '../../words/billing.ts';
import { createEffects } from '../../words/billing-effects.ts';
import { preferenceChoices } from '../../words/billing-providers.ts';
import { daysText, nepalInstant, nepalText } from '../../words/time.ts';

const plansQuery = new URLSearchParams({ active: 'true', limit: '100' });

export const newSubscription = screen({
  route: newSubscriptionRoute,
  title: 'New subscription',
  navigation: billingEntry,
  follows: ['plan', 'customer'],
  load: ({ api, place }) => ({
    key: 'active plans',
    ask: () => api.call('GET /v1/billing/plans', place, { query: plansQuery }),
  }),
  view: NewSubscription,
});

type Chosen = (typeof newSubscriptionRoute)['none'];
type Props = Viewed<{ readonly filters: Chosen }, Listed<Plan>>;

function NewSubscription({ params: { filters }, asked: { value, failure, again } }: Props) {
  const { to } = useScreenContext();
  return (
    <main class="page narrow" id="main">
      <BackLink to={to(billingEntry.link)}>Subscriptions</BackLink>
      <h1 tabIndex={-1}>New subscription</h1>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      {value === null && failure === null && <Loading lines={5} what="the plans" />}
      {value !== null && (
        <section class="slip lone act" aria-label="New subscription">
          {value.data.length === 0 ? <NoPlan /> : <Form chosen={filters} plans={value.data} />}
        </section>
      )}
    </main>
  );
}

function NoPlan() {
  const { to } = useScreenContext();
  return (
    <Empty sign="list" title="First a plan">
      <p class="soft">A plan says what is billed and how often. There is none that takes subscriptions.</p>
      <a class="button" href={to(newPlanRoute.at({}))}>
        Create a plan
      </a>
    </Empty>
  );
}

interface FormProps {
  readonly chosen: Chosen;
  readonly plans: readonly Plan[];
}

function Form({ chosen, plans }: FormProps) {
  const { api, place, to, go, announce, now } = useScreenContext();
  const [customer, setCustomer] = useChosenCustomer(chosen.customerId);
  const [planId, setPlanId] = useState(
    plans.find(({ id }) => id === chosen.planId)?.id ?? plans[0]?.id ?? '',
  );
  const [typed, setTyped] = useState<TextOf>(() => () => '');
  const plan = plans.find(({ id }) => id === planId);
  return (
    <RequestForm
      name="New subscription"
      word="Start the subscription"
      busyWord="Starting it"
      read={(text) => subscriptionRequestFrom(text, now)}
      send={(request, key) => api.call('POST /v1/billing/subscriptions', place, { body: request, key })}
      onDone={({ id, customer: { name } }) => {
        announce(`The subscription of ${name} was created.`);
        go(to(subscriptionRoute.at({ id })));
      }}
      onTyped={(text) => {
        setPlanId(text('planId'));
        setTyped(() => text);
      }}
      fields={[
        (errors) => <CustomerPicker chosen={customer} onChosen={setCustomer} error={errors['customerId']} />,
        {
          name: 'planId',
          label: 'Plan',
          options: plans.map((each) => [each.id, `${each.name}, ${priceText(each)}`] as const),
          initial: planId,
        },
        ...timesAndMore(plan, now),
      ]}
    >
      {plan !== undefined && (
        <Effects
          title="What happens then"
          effects={createEffects(plan, { ...timesOf(typed), customerEmail: emailOf(customer) }, now)}
        />
      )}
    </RequestForm>
  );
}

/** Nobody is chosen: nothing is said about mails. */
const emailOf = (customer: Customer | null): string | null => (customer === null ? '' : customer.email);

/** As far as they can be read. */
function timesOf(text: TextOf) {
  const number = (name: string): number | null => (/^\d{1,4}$/.test(text(name)) ? Number(text(name)) : null);
  return {
    startDate: nepalInstant(text('startDate')),
    trialDays: number('trialDays'),
    trialEndsAt: nepalInstant(text('trialEndsAt')),
    totalCycles: number('totalCycles'),
  };
}

/** The one in the address, until another one is chosen. */
function useChosenCustomer(id: string): [Customer | null, (customer: Customer | null) => void] {
  const { api, place } = useScreenContext();
  const [customer, setCustomer] = useState<Customer | null>(null);
  const asked = useAsked(`customer ${id}`, () =>
    id === ''
      ? Promise.resolve({ ok: true, value: null } as const)
      : api.call('GET /v1/billing/customers/{id}', place, { id }),
  );
  useEffect(() => setCustomer(asked.value), [asked.value?.id]);
  return [customer, setCustomer];
}

const trialText = (plan: Plan | undefined): string =>
  plan === undefined || plan.trialDays === 0 ? 'none' : daysText(plan.trialDays);

const timesAndMore = (plan: Plan | undefined, now: number): Fields => [
  {
    name: 'startDate',
    label: 'Starts',
    type: 'datetime-local',
    min: nepalText(now),
    note: 'Nepal time. Empty: now.',
  },
  [
    {
      name: 'trialDays',
      label: 'Trial days',
      inputMode: 'numeric',
      maxLength: 4,
      note: `Empty: as the plan says (${trialText(plan)}).`,
    },
    { name: 'trialEndsAt', label: 'Or a trial until', type: 'datetime-local', min: nepalText(now) },
  ],
  {
    name: 'providerPreference',
    label: 'Offered first on its invoices',
    options: preferenceChoices('As the plan says'),
  },
  [
    {
      name: 'totalCycles',
      label: 'Invoices in all',
      inputMode: 'numeric',
      maxLength: 5,
      note: 'Empty: without end.',
    },
    {
      name: 'referenceId',
      label: 'Your reference',
      maxLength: referenceCharactersMax,
      note: 'A contract or member number.',
    },
  ],
];
