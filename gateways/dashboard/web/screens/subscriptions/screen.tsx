/** The list of subscriptions; for a merchant without any, the three steps to the first one. */
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import { shownSubscriptions } from '../../lists/billing-rows.ts';
import type { Choices } from '../../parts/chips.tsx';
import { Choice } from '../../parts/choice.tsx';
import type { Filtering, RowProps } from '../../parts/list-section.tsx';
import { Glyph, UserText } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { SubscriptionRow } from '../../parts/subscription-row.tsx';
import {
  billingEntry,
  billingTabs,
  newCustomerRoute,
  newPlanRoute,
  newSubscriptionRoute,
  subscriptionsRoute,
} from '../../places.ts';
import type { Link } from '../../route.ts';
import type { Plan, Subscription } from '../../wire/billing-types.ts';
import { subscriptionStates } from '../../words/billing.ts';
import { choicesOf } from '../../words/words.ts';

type SubscriptionFilters = (typeof subscriptionsRoute)['none'];

export const subscriptions = listScreen({
  route: subscriptionsRoute,
  title: 'Subscriptions',
  navigation: billingEntry,
  tabs: billingTabs,
  follows: ['plan', 'customer'],
  from: 'GET /v1/billing/subscriptions',
  what: ['subscription', 'subscriptions'],
  action: ['New subscription', newSubscriptionRoute.at({})],
  controls: {
    chips: {
      name: 'State',
      of: 'status',
      choices: [['', 'All'], ...choicesOf(subscriptionStates)],
    },
    own: PlanAndCustomer,
  },
  shown: (listed, { filters }, { liveState }) => shownSubscriptions(listed, liveState, filters),
  rows: { columns: 'billed', row: Row },
  empty: FirstSteps,
  noMatch: { title: 'No subscription is like that' },
});

/** Named in the filter. */
const plansMax = 100;
const plansQuery = new URLSearchParams({ limit: String(plansMax) });

function PlanAndCustomer({ filters, addressWith }: Filtering<SubscriptionFilters>) {
  const { api, place, go } = useScreenContext();
  const asked = useAsked('plans to choose', () =>
    api.call('GET /v1/billing/plans', place, { query: plansQuery }),
  );
  const plans = asked.value?.data ?? [];
  // it has its place before they are known: nothing below it moves
  const mayChoose = asked.value === null || plans.length > 0;
  if (!mayChoose && filters.customerId === '') return null;
  return (
    <div class="choices">
      <Choice
        name="Plan"
        value={filters.planId}
        choices={planChoices(plans, filters.planId)}
        onChoice={(planId) => go(addressWith({ planId }))}
      />
      {filters.customerId !== '' && (
        <OfCustomer id={filters.customerId} all={addressWith({ customerId: '' })} />
      )}
    </div>
  );
}

/** Includes the one in the address, whatever it is: an active filter is always visible. */
const planChoices = (plans: readonly Pick<Plan, 'id' | 'name'>[], chosen: string): Choices => [
  ['', 'All plans'],
  ...plans.map(({ id, name }) => [id, name] as const),
  ...(chosen === '' || plans.some(({ id }) => id === chosen) ? [] : [[chosen, chosen] as const]),
];

function OfCustomer({ id, all }: { readonly id: string; readonly all: string }) {
  const { api, place } = useScreenContext();
  const customer = useAsked(`customer ${id}`, () =>
    api.call('GET /v1/billing/customers/{id}', place, { id }),
  ).value;
  return (
    <span class="filtered">
      Of <UserText text={customer?.name ?? id} />{' '}
      <a class="link" href={all}>
        Show all customers
      </a>
    </span>
  );
}

function Row({ row }: RowProps<Subscription>) {
  return <SubscriptionRow subscription={row} />;
}

const one = new URLSearchParams({ limit: '1' });

/** What is there already is checked off. */
function FirstSteps() {
  const { api, place } = useScreenContext();
  const plans =
    useAsked('any plan', () => api.call('GET /v1/billing/plans', place, { query: one })).value?.total ?? 0;
  const customers =
    useAsked('any customer', () => api.call('GET /v1/billing/customers', place, { query: one })).value
      ?.total ?? 0;
  return (
    <Empty sign="turn" title="Your first subscription">
      <p class="soft">
        A plan says what is billed and how often. Create one, then a customer, then a subscription: its
        invoices open by themselves, each with a page to pay on and its reminders.
      </p>
      <ol class="first-steps">
        <FirstStep isDone={plans > 0} link={newPlanRoute.at({})} word="Create a plan" />
        <FirstStep isDone={customers > 0} link={newCustomerRoute.at({})} word="Add a customer" />
        <FirstStep isDone={false} link={newSubscriptionRoute.at({})} word="Start a subscription" />
      </ol>
    </Empty>
  );
}

interface FirstStepProps {
  readonly isDone: boolean;
  readonly link: Link;
  readonly word: string;
}

function FirstStep({ isDone, link, word }: FirstStepProps) {
  const { to } = useScreenContext();
  return (
    <li class={isDone ? 'done' : undefined}>
      <a href={to(link)}>{word}</a>
      {isDone && (
        <>
          <Glyph name="check" />
          <span class="unseen">Done</span>
        </>
      )}
    </li>
  );
}
