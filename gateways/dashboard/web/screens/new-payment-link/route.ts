/** The form of a new payment link: `payment-links/new`. */
import { route } from '../../route.ts';

export const newPaymentLinkRoute = route('payment-links/new');
