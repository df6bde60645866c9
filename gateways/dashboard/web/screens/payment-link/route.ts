/** One payment link and its payments: `payment-links/lnk_...?page=2`. */
import { pageFrom } from '../../lists/filters.ts';
import { listRoute } from '../../route.ts';

export interface LinkPages {
  readonly page: number;
}

export const paymentLinkRoute = listRoute('payment-links/{id}', {
  read: (query): LinkPages => ({ page: pageFrom(query) }),
  write: ({ page }) => (page > 1 ? `page=${page}` : ''),
});

export const firstPage: LinkPages = { page: 1 };
