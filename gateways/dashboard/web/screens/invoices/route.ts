/** The list of invoices: `billing/invoices?status=open&customerId=bc_...`. */
import { idOf, oneOf, textFilters, type TextFilters } from '../../lists/billing-filters.ts';
import { listRoute, type Link } from '../../route.ts';

export type InvoiceFilters = TextFilters<'status' | 'customerId' | 'subscriptionId'>;

const text = textFilters({
  status: oneOf('draft', 'open', 'past_due', 'paid', 'voided'),
  customerId: idOf('bc'),
  subscriptionId: idOf('sub'),
});

export const noInvoiceFilters: InvoiceFilters = text.none;
export const invoicesRoute = listRoute('billing/invoices', text);
export const invoicesLink: Link = invoicesRoute.at({ filters: noInvoiceFilters });
