/** One payment: `payments/pay_...`. */
import { route } from '../../route.ts';

export const paymentRoute = route('payments/{id}');
