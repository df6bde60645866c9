/** The list of plans. */
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { isUnfilteredBy, textQuery } from '../../lists/billing-filters.ts';
import { BillingTabs } from '../../parts/billing-tabs.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Glyph, Said, Tag } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Plan } from '../../wire/billing-types.ts';
import type { Listed } from '../../wire/types.ts';
import { planState, planStates, priceText } from '../../words/billing.ts';
import { daysText } from '../../words/time.ts';
import { newPlanRoute } from '../new-plan/route.ts';
import { planRoute } from '../plan/route.ts';
import { billingEntry } from '../subscriptions/route.ts';
import { plansLink, plansRoute, type PlanFilters } from './route.ts';

export const plans = screen({
  route: plansRoute,
  title: 'Plans',
  navigation: billingEntry,
  follows: ['plan'],
  load: ({ api, place }, { filters }) => {
    const query = textQuery(filters);
    return { key: `plans ${query}`, ask: () => api.plans(place, query) };
  },
  view: Plans,
});

interface ListProps {
  readonly filters: PlanFilters;
  readonly asked: Asked<Listed<Plan>>;
}

const states: readonly (readonly [string, string])[] = [
  ['', 'All'],
  ['true', planStates.active.word],
  ['false', planStates.inactive.word],
];

function Plans({ params: { filters }, asked }: Viewed<{ readonly filters: PlanFilters }, Listed<Plan>>) {
  const { to } = useScreenContext();
  return (
    <main class="page" id="main">
      <BillingTabs current="plans" />
      <div class="heading">
        <h1 tabIndex={-1}>Plans</h1>
        <a class="button fit begin" href={to(newPlanRoute.at({}))}>
          <Glyph name="plus" />
          New plan
        </a>
      </div>
      <section class="slip lone list" aria-label="List of plans">
        <div class="filters">
          <Chips
            name="State"
            value={filters.active}
            choices={states}
            addressOf={(active) => to(plansRoute.at({ filters: { active, page: 1 } }))}
          />
        </div>
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

function List({ filters, asked }: ListProps) {
  const { to } = useScreenContext();
  return (
    <PagedList
      asked={asked}
      what={['plan', 'plans']}
      page={filters.page}
      addressOf={(page) => to(plansRoute.at({ filters: { ...filters, page } }))}
      shown={({ data }) => ({ rows: data })}
      empty={<Nothing filters={filters} />}
    >
      {(rows) => (
        <ul class="billed">
          {rows.map((plan) => (
            <PlanRow key={plan.id} plan={plan} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function PlanRow({ plan }: { readonly plan: Plan }) {
  const { to } = useScreenContext();
  const { id, name, description, trialDays } = plan;
  return (
    <li class="row">
      <span class="tags">
        <Tag words={planState(plan)} />
      </span>
      <div class="words">
        <a class="whole" href={to(planRoute.at({ id }))}>
          <Said text={name} />
        </a>
        {description !== null && (
          <span class="soft">
            <Said text={description} />
          </span>
        )}
      </div>
      <span class="sum">{priceText(plan)}</span>
      <span class="soft end">{trialDays === 0 ? 'No trial' : `Trial of ${daysText(trialDays)}`}</span>
    </li>
  );
}

function Nothing({ filters }: { readonly filters: PlanFilters }) {
  const { to } = useScreenContext();
  if (!isUnfilteredBy(filters))
    return <NoMatch title="No plan is like that" answerTo={filters} many="plans" all={to(plansLink)} />;
  return (
    <Empty sign="list" title="No plan yet">
      <p class="soft">
        A plan says what is billed and how often, and what becomes of an invoice that is not paid. Create one,
        then a customer, then a subscription.
      </p>
      <a class="button" href={to(newPlanRoute.at({}))}>
        Create the first one
        <Glyph name="arrow" />
      </a>
    </Empty>
  );
}
