/** The form of a new plan. */
import { useScreenContext } from '../../context.ts';
import { formScreen } from '../../form-screen.tsx';
import { NewPlanForm } from '../../parts/plan-form.tsx';
import { billingEntry, newPlanRoute, planRoute, plansRoute } from '../../places.ts';

export const newPlan = formScreen({
  route: newPlanRoute,
  title: 'New plan',
  navigation: billingEntry,
  back: ['Plans', plansRoute.at({})],
  form: () => {
    const { to, go } = useScreenContext();
    return <NewPlanForm onDone={({ id }) => go(to(planRoute.at({ id })))} />;
  },
});
