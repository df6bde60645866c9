/** How a subscription goes on after a restore (docs/decisions/0060). */
import { eraStep, raised, type Eras } from '../../src/runtime/model/actor.ts';
import type { SubscriptionState } from './state.ts';

/** From the count of its invoices the id of the next one is derived. */
export const subscriptionRestored = (s: SubscriptionState, eras: Eras): SubscriptionState => ({
  ...raised(s, eras),
  invoices: s.invoices.map((invoice) => raised(invoice, eras)),
  invoicesMade: s.invoicesMade + eras.length * eraStep,
});
