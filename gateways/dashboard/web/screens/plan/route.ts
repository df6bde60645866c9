/** One plan: `billing/plans/bp_...`. */
import { route } from '../../route.ts';

export const planRoute = route('billing/plans/{id}');
