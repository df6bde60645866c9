/** The form of a new plan. */
import { useScreenContext } from '../../context.ts';
import { billingEntry, newPlanRoute, planRoute, plansRoute } from '../../places.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { NewPlanForm } from '../../parts/plan-form.tsx';
import { screen } from '../../screen.tsx';

export const newPlan = screen({
  route: newPlanRoute,
  title: 'New plan',
  navigation: billingEntry,
  follows: [],
  // the form needs nothing
  load: () => ({ key: 'new plan', ask: () => Promise.resolve({ ok: true, value: null }) }),
  view: NewPlan,
});

function NewPlan() {
  const { to, go } = useScreenContext();
  return (
    <main class="page narrow" id="main">
      <BackLink to={to(plansRoute.at({}))}>Plans</BackLink>
      <h1 tabIndex={-1}>New plan</h1>
      <section class="slip lone act" aria-label="New plan">
        <NewPlanForm onDone={({ id }) => go(to(planRoute.at({ id })))} />
      </section>
    </main>
  );
}
