/** The list of subscriptions; for a merchant without any, the three steps to the first one. */
import { useAsked, type Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { isUnfilteredBy, textQuery } from '../../lists/billing-filters.ts';
import { shownSubscriptions } from '../../lists/billing-rows.ts';
import { BillingTabs } from '../../parts/billing-tabs.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Glyph, Said } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { SubscriptionRows } from '../../parts/subscription-row.tsx';
import type { Link } from '../../route.ts';
import { screen, type Viewed } from '../../screen.tsx';
import type { Plan, Subscription } from '../../wire/billing-types.ts';
import type { Listed } from '../../wire/types.ts';
import { subscriptionStates } from '../../words/billing.ts';
import { newCustomerRoute } from '../new-customer/route.ts';
import { newPlanRoute } from '../new-plan/route.ts';
import { newSubscriptionLink } from '../new-subscription/route.ts';
import { billingEntry, subscriptionsRoute, type SubscriptionFilters } from './route.ts';

export const subscriptions = screen({
  route: subscriptionsRoute,
  title: 'Subscriptions',
  navigation: billingEntry,
  follows: ['plan', 'customer'],
  load: ({ api, place }, { filters }) => {
    const query = textQuery(filters);
    return { key: `subscriptions ${query}`, ask: () => api.subscriptions(place, query) };
  },
  view: Subscriptions,
});

interface ListProps {
  readonly filters: SubscriptionFilters;
  readonly asked: Asked<Listed<Subscription>>;
}

const states: readonly (readonly [string, string])[] = [
  ['', 'All'],
  ...(['active', 'trialing', 'past_due', 'paused', 'draft', 'cancelled', 'completed'] as const).map(
    (status) => [status, subscriptionStates[status].word] as const,
  ),
];

function Subscriptions({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: SubscriptionFilters }, Listed<Subscription>>) {
  const { to } = useScreenContext();
  return (
    <main class="page" id="main">
      <BillingTabs current="subscriptions" />
      <div class="heading">
        <h1 tabIndex={-1}>Subscriptions</h1>
        <a class="button fit begin" href={to(newSubscriptionLink())}>
          <Glyph name="plus" />
          New subscription
        </a>
      </div>
      <section class="slip lone list" aria-label="List of subscriptions">
        <Filters filters={filters} />
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

/** Named in the filter. */
const plansMax = 100;
const plansQuery = new URLSearchParams({ limit: String(plansMax) });

function Filters({ filters }: { readonly filters: SubscriptionFilters }) {
  const { api, place, to, go } = useScreenContext();
  const asked = useAsked('plans to choose', () => api.plans(place, plansQuery));
  const plans = asked.value?.data ?? [];
  // it has its place before they are known: nothing below it moves
  const mayChoose = asked.value === null || plans.length > 0;
  const addressWith = (changed: Partial<SubscriptionFilters>): string =>
    to(subscriptionsRoute.at({ filters: { ...filters, page: 1, ...changed } }));
  return (
    <div class="filters">
      <Chips
        name="State"
        value={filters.status}
        choices={states}
        addressOf={(status) => addressWith({ status })}
      />
      {(mayChoose || filters.customerId !== '') && (
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
      )}
    </div>
  );
}

/** Includes the one in the address, whatever it is: an active filter is always visible. */
const planChoices = (
  plans: readonly Pick<Plan, 'id' | 'name'>[],
  chosen: string,
): readonly (readonly [string, string])[] => [
  ['', 'All plans'],
  ...plans.map(({ id, name }) => [id, name] as const),
  ...(chosen === '' || plans.some(({ id }) => id === chosen) ? [] : [[chosen, chosen] as const]),
];

function OfCustomer({ id, all }: { readonly id: string; readonly all: string }) {
  const { api, place } = useScreenContext();
  const customer = useAsked(`customer ${id}`, () => api.customer(place, id)).value;
  return (
    <span class="filtered">
      Of <Said text={customer?.name ?? id} />{' '}
      <a class="link" href={all}>
        Show all customers
      </a>
    </span>
  );
}

function List({ filters, asked }: ListProps) {
  const { liveState, to } = useScreenContext();
  return (
    <PagedList
      asked={asked}
      what={['subscription', 'subscriptions']}
      page={filters.page}
      addressOf={(page) => to(subscriptionsRoute.at({ filters: { ...filters, page } }))}
      shown={(listed) => shownSubscriptions(listed, liveState, filters)}
      empty={
        isUnfilteredBy(filters) ? (
          <FirstSteps />
        ) : (
          <NoMatch
            title="No subscription is like that"
            answerTo={filters}
            many="subscriptions"
            all={to(billingEntry.link)}
          />
        )
      }
    >
      {(rows) => <SubscriptionRows rows={rows} />}
    </PagedList>
  );
}

const one = new URLSearchParams({ limit: '1' });

/** What is there already is checked off. */
function FirstSteps() {
  const { api, place } = useScreenContext();
  const plans = useAsked('any plan', () => api.plans(place, one)).value?.total ?? 0;
  const customers = useAsked('any customer', () => api.customers(place, one)).value?.total ?? 0;
  return (
    <Empty sign="turn" title="Your first subscription">
      <p class="soft">
        A plan says what is billed and how often. Create one, then a customer, then a subscription: its
        invoices open by themselves, each with a page to pay on and its reminders.
      </p>
      <ol class="first-steps">
        <FirstStep isDone={plans > 0} link={newPlanRoute.at({})} word="Create a plan" />
        <FirstStep isDone={customers > 0} link={newCustomerRoute.at({})} word="Add a customer" />
        <FirstStep isDone={false} link={newSubscriptionLink()} word="Start a subscription" />
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
