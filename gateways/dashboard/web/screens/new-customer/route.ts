/** The form of a new customer: `billing/customers/new`. */
import { route } from '../../route.ts';

export const newCustomerRoute = route('billing/customers/new');
