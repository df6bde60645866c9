/** The form of a new plan: `billing/plans/new`. */
import { route } from '../../route.ts';

export const newPlanRoute = route('billing/plans/new');
