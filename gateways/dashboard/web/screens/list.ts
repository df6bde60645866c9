/** Every screen of a place, one line each: the only registration. Addresses, the bar and the views are
 *  derived from it. The bar has its entries in this order: those of the shop, of developers, of the settings. */
import type { Address } from '../address.ts';
import { whereOf, type Below, type Entry, type Link } from '../route.ts';
import type { Screen, Shown } from '../screen.tsx';
import type { Me } from '../wire/types.ts';
import { business } from './business/screen.tsx';
import { checkouts } from './checkouts/screen.tsx';
import { customer } from './customer/screen.tsx';
import { customers } from './customers/screen.tsx';
import { delivery } from './delivery/screen.tsx';
import { endpoint } from './endpoint/screen.tsx';
import { event } from './event/screen.tsx';
import { events } from './events/screen.tsx';
import { invoice } from './invoice/screen.tsx';
import { invoices } from './invoices/screen.tsx';
import { keys } from './keys/screen.tsx';
import { merchant } from './merchant/screen.tsx';
import { merchants } from './merchants/screen.tsx';
import { newCustomer } from './new-customer/screen.tsx';
import { newEndpoint } from './new-endpoint/screen.tsx';
import { newMerchant } from './new-merchant/screen.tsx';
import { newPaymentLink } from './new-payment-link/screen.tsx';
import { newPlan } from './new-plan/screen.tsx';
import { newSubscription } from './new-subscription/screen.tsx';
import { payment } from './payment/screen.tsx';
import { paymentLink } from './payment-link/screen.tsx';
import { paymentLinks } from './payment-links/screen.tsx';
import { payments } from './payments/screen.tsx';
import { plan } from './plan/screen.tsx';
import { plans } from './plans/screen.tsx';
import { providers } from './providers/screen.tsx';
import { reconciliation } from './reconciliation/screen.tsx';
import { refunds } from './refunds/screen.tsx';
import { requests } from './requests/screen.tsx';
import { reviews } from './reviews/screen.tsx';
import { statement } from './statement/screen.tsx';
import { subscription } from './subscription/screen.tsx';
import { subscriptions } from './subscriptions/screen.tsx';
import { webhooks } from './webhooks/screen.tsx';

const screens: readonly Screen[] = [
  payments,
  payment,
  checkouts,
  reviews,
  refunds,
  reconciliation,
  statement,
  paymentLinks,
  newPaymentLink,
  paymentLink,
  subscriptions,
  newSubscription,
  subscription,
  invoices,
  invoice,
  customers,
  newCustomer,
  customer,
  plans,
  newPlan,
  plan,
  webhooks,
  newEndpoint,
  endpoint,
  delivery,
  events,
  event,
  requests,
  keys,
  providers,
  business,
];

/** Of the whole service, for the operator alone. */
const operatorScreens: readonly Screen[] = [merchants, newMerchant, merchant];

const entriesOf = (all: readonly Screen[]): readonly Entry[] => [
  ...new Set(all.map(({ navigation }) => navigation)),
];

/** The entries of the bar, in the order of the lists. */
export const entriesFor = (role: Me['role']): readonly Entry[] =>
  role === 'operator' ? entriesOf([...screens, ...operatorScreens]) : entriesOf(screens);

/** The entries outside every project. */
export const operatorEntries: readonly Entry[] = entriesOf(operatorScreens);

export const operatorHomeLink: Link = merchants.navigation.link;

/** The initial screen. */
export const homeLink: Link = payments.navigation.link;

/** The screen at an address; null: there is none. */
export const shownAt = (below: Below): Shown | null => shownOf(screens, homeLink, below);
export const operatorShownAt = (below: Below): Shown | null =>
  shownOf(operatorScreens, operatorHomeLink, below);

function shownOf(all: readonly Screen[], first: Link, { path, query }: Below): Shown | null {
  const below = { path: path === '' ? first.below : path, query };
  for (const screen of all) {
    const shown = screen.at(below);
    if (shown !== null) return shown;
  }
  return null;
}

/** Whether an address of the page shows a list. */
export function isListAt({ path, search }: Address): boolean {
  const where = whereOf(path, search);
  if (where.is === 'operator') return operatorShownAt(where.below)?.isList === true;
  return where.is === 'place' && shownAt(where.below)?.isList === true;
}
