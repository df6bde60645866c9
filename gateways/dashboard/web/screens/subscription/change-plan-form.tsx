/** Schedules another plan, with what it will change, and for comparison what a switch this moment would come to. */
import { useState } from 'preact/hooks';
import { newPlanRoute } from '../../places.ts';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import type { Plan, Proration } from '../../wire/billing-types.ts';
import { priceText } from '../../words/billing.ts';
import { prorationText } from '../../words/billing-effects.ts';
import { ActionForm } from '../../parts/request-form.tsx';
import { Loading } from '../../parts/notices.tsx';
import { Previewed } from './previewed.tsx';
import type { ActionProps } from './subscription-forms.tsx';

const plansQuery = new URLSearchParams({ active: 'true', limit: '100' });

export function ChangePlanForm(props: ActionProps) {
  const { api, place, to } = useScreenContext();
  const { subscription, back } = props;
  const asked = useAsked('active plans', () =>
    api.call('GET /v1/billing/plans', place, { query: plansQuery }),
  );
  const taken = new Set([subscription.plan.id, subscription.nextPlan?.id]);
  const plans = asked.value?.data.filter(({ id }) => !taken.has(id)) ?? null;
  if (plans === null) return <Loading lines={2} what="the plans" />;
  const [first] = plans;
  if (first === undefined) {
    return (
      <div class="form">
        <p>There is no other plan that takes subscriptions.</p>
        <div class="buttons">
          <a class="button fit" href={to(newPlanRoute.at({}))}>
            Create a plan
          </a>
          <button class="button second fit" type="button" onClick={back}>
            Back
          </button>
        </div>
      </div>
    );
  }
  return <Choosing {...props} plans={plans} first={first} />;
}

interface ChoosingProps extends ActionProps {
  readonly plans: readonly Plan[];
  readonly first: Plan;
}

function Choosing({ plans, first, done, back, ...affected }: ChoosingProps) {
  const { subscription } = affected;
  const { api, place } = useScreenContext();
  const [plan, setPlan] = useState(first);
  const proration = useProration(affected.subscription.displayStatus, subscription.id, plan.id);
  return (
    <ActionForm
      word={`Change to ${plan.name}`}
      send={(key) =>
        api.call('POST /v1/billing/subscriptions/{id}/change-plan', place, {
          id: subscription.id,
          body: { planId: plan.id },
          key,
        })
      }
      onDone={() => done(`The change to ${plan.name} is scheduled.`)}
      onBack={back}
    >
      <label class="field">
        New plan
        <select
          value={plan.id}
          onChange={({ currentTarget }) => setPlan(plans[currentTarget.selectedIndex] ?? first)}
        >
          {plans.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}, {priceText(each)}
            </option>
          ))}
        </select>
      </label>
      <Previewed
        of={affected}
        action="change-plan"
        fields={{ planId: plan.id }}
        to={plan}
        more={proration === null ? [] : [prorationText(proration, plan)]}
      />
    </ActionForm>
  );
}

/** null: there is none in this state, or it is not known yet. */
function useProration(displayStatus: string, id: string, planId: string): Proration | null {
  const { api, place } = useScreenContext();
  const isOffered = displayStatus === 'active' || displayStatus === 'past_due';
  const asked = useAsked(`proration ${isOffered} ${id} ${planId}`, () =>
    isOffered
      ? api.call('GET /v1/billing/subscriptions/{id}/preview-proration', place, { id, query: { planId } })
      : Promise.resolve({ ok: true, value: null } as const),
  );
  return asked.value;
}
