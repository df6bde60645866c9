/** The list of plans. */
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import type { RowProps } from '../../parts/list-section.tsx';
import { UserText, Tag } from '../../parts/marks.tsx';
import { billingEntry, billingTabs, newPlanRoute, planRoute, plansRoute } from '../../places.ts';
import type { Plan } from '../../wire/billing-types.ts';
import { planState, planStates, priceText } from '../../words/billing.ts';
import { daysText } from '../../words/time.ts';

export const plans = listScreen({
  route: plansRoute,
  title: 'Plans',
  navigation: billingEntry,
  tabs: billingTabs,
  follows: ['plan'],
  from: 'GET /v1/billing/plans',
  what: ['plan', 'plans'],
  action: ['New plan', newPlanRoute.at({})],
  controls: {
    chips: {
      name: 'State',
      of: 'active',
      choices: [
        ['', 'All'],
        ['true', planStates.active.word],
        ['false', planStates.inactive.word],
      ],
    },
  },
  rows: { columns: 'billed', row: PlanRow },
  empty: {
    sign: 'list',
    title: 'No plan yet',
    text: (
      <>
        A plan says what is billed and how often, and what becomes of an invoice that is not paid. Create one,
        then a customer, then a subscription.
      </>
    ),
    next: ['Create the first one', newPlanRoute.at({})],
  },
  noMatch: { title: 'No plan is like that' },
});

function PlanRow({ row: plan }: RowProps<Plan>) {
  const { to } = useScreenContext();
  const { id, name, description, trialDays } = plan;
  return (
    <li class="row">
      <span class="tags">
        <Tag words={planState(plan)} />
      </span>
      <div class="words">
        <a class="whole" href={to(planRoute.at({ id }))}>
          <UserText text={name} />
        </a>
        {description !== null && (
          <span class="soft">
            <UserText text={description} />
          </span>
        )}
      </div>
      <span class="sum">{priceText(plan)}</span>
      <span class="soft end">{trialDays === 0 ? 'No trial' : `Trial of ${daysText(trialDays)}`}</span>
    </li>
  );
}
