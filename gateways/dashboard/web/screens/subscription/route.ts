/** One subscription: `billing/subscriptions/sub_...`. */
import { route } from '../../route.ts';

export const subscriptionRoute = route('billing/subscriptions/{id}');
