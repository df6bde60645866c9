/** One customer: `billing/customers/bc_...`. */
import { route } from '../../route.ts';

export const customerRoute = route('billing/customers/{id}');
