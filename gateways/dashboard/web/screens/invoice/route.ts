/** One invoice: `billing/invoices/inv_...`. */
import { route } from '../../route.ts';

export const invoiceRoute = route('billing/invoices/{id}');
