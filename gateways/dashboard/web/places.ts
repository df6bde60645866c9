/** The address of every screen, with the filters of the lists, and the entries of the bar. */
import { periods } from './lists/payment-filters.ts';
import { searchCharactersMax } from '../../../src/kernel/search-words.ts';
import { idOf, keyOf, like, oneOf, upTo } from './lists/filters.ts';
import { listRoute, route, type Entry, type Link } from './route.ts';
import { emailCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { invoiceStates, subscriptionStates } from './words/billing.ts';
import { resultStates, statementStates } from './words/statements.ts';
import {
  deliveryStates,
  linkStates,
  merchantStates,
  needsReviewWords,
  paymentStates,
  planNames,
  refundStates,
  sessionStates,
} from './words/words.ts';

const operator = { isOperators: true } as const;

// the shop

export const paymentsRoute = listRoute('payments', {
  /** A status of docs/reference/api/payments.md, or `review`: payments that need a person. */
  status: keyOf({ ...paymentStates, review: needsReviewWords }),
  provider: like(/^[a-z_]{1,20}$/),
  period: oneOf(...periods),
  /** The id of a session, or words of the payment. */
  find: upTo(searchCharactersMax),
});
export const paymentRoute = route('payments/{id}');
export const paymentsEntry: Entry = { word: 'Payments', group: 'shop', link: paymentsRoute.at({}) };

/** Without an entry of its own in the bar: the first screen leads to it. */
export const checkoutsRoute = listRoute('checkouts', {
  status: keyOf({ open: null, ...sessionStates }),
});

/** Without a status: the open ones. */
export const reviewsRoute = listRoute('reviews', { status: oneOf('ended') });
export const reviewsEntry: Entry = {
  word: 'Review queue',
  group: 'shop',
  link: reviewsRoute.at({}),
  counts: 'reviews',
};

export const refundsRoute = listRoute('refunds', {
  status: keyOf(refundStates),
});
export const refundsEntry: Entry = { word: 'Refunds', group: 'shop', link: refundsRoute.at({}) };

export const reconciliationRoute = listRoute('reconciliation', {
  status: keyOf(statementStates),
});
export const statementRoute = listRoute('reconciliation/{id}', {
  /** The result of a row. */
  status: keyOf(resultStates),
});
export const reconciliationEntry: Entry = {
  word: 'Reconciliation',
  group: 'shop',
  link: reconciliationRoute.at({}),
};

export const paymentLinksRoute = listRoute('payment-links', {
  status: keyOf(linkStates),
});
export const newPaymentLinkRoute = route('payment-links/new');
export const paymentLinkRoute = listRoute('payment-links/{id}', {});
export const paymentLinksEntry: Entry = {
  word: 'Payment links',
  group: 'shop',
  link: paymentLinksRoute.at({}),
};

export const subscriptionsRoute = listRoute('billing/subscriptions', {
  status: keyOf(subscriptionStates),
  planId: idOf('bp'),
  customerId: idOf('bc'),
});
/** For a customer or at a plan that is chosen already. */
export const newSubscriptionRoute = {
  ...listRoute('billing/subscriptions/new', { customerId: idOf('bc'), planId: idOf('bp') }),
  isList: false,
};
export const subscriptionRoute = route('billing/subscriptions/{id}');
export const invoicesRoute = listRoute('billing/invoices', {
  status: keyOf(invoiceStates),
  customerId: idOf('bc'),
  subscriptionId: idOf('sub'),
});
export const invoiceRoute = route('billing/invoices/{id}');
export const customersRoute = listRoute('billing/customers', { search: upTo(100) });
export const newCustomerRoute = route('billing/customers/new');
export const customerRoute = route('billing/customers/{id}');
export const plansRoute = listRoute('billing/plans', { active: oneOf('true', 'false') });
export const newPlanRoute = route('billing/plans/new');
export const planRoute = route('billing/plans/{id}');
/** Of all screens of billing. */
export const billingEntry: Entry = { word: 'Billing', group: 'shop', link: subscriptionsRoute.at({}) };
/** The four lists of billing, beside each other: one entry of the bar leads to them. */
export const billingTabs: readonly (readonly [string, Link])[] = [
  ['Subscriptions', billingEntry.link],
  ['Invoices', invoicesRoute.at({})],
  ['Customers', customersRoute.at({})],
  ['Plans', plansRoute.at({})],
];

export const webhooksRoute = route('webhooks');
export const newEndpointRoute = route('webhooks/new');
export const endpointRoute = listRoute('webhooks/{id}', {
  status: keyOf(deliveryStates),
});
/** One event on its way to one endpoint. */
export const deliveryRoute = route('webhooks/{endpointId}/events/{eventId}');
export const webhooksEntry: Entry = { word: 'Webhooks', group: 'shop', link: webhooksRoute.at({}) };

// developers

const textMax = 200;

/** `object`: the id of what the event is about. */
export const eventsRoute = listRoute('events', { type: upTo(textMax), object: upTo(textMax) });
export const eventRoute = route('events/{id}');
export const eventsEntry: Entry = { word: 'Events', group: 'developers', link: eventsRoute.at({}) };

/** `after`: where the list goes on; empty: at the newest. */
export const requestsRoute = listRoute('requests', {
  id: upTo(textMax),
  key: upTo(textMax),
  path: upTo(textMax),
  status: like(/^[1-5]\d\d$/),
  after: upTo(textMax),
});
export const requestsEntry: Entry = { word: 'Requests', group: 'developers', link: requestsRoute.at({}) };

// settings

export const keysRoute = listRoute('settings/keys', {});
export const keysEntry: Entry = { word: 'API keys', group: 'settings', link: keysRoute.at({}) };
export const providersRoute = route('settings/providers');
export const providersEntry: Entry = { word: 'Providers', group: 'settings', link: providersRoute.at({}) };
export const businessRoute = route('settings/business');
export const businessEntry: Entry = { word: 'Business', group: 'settings', link: businessRoute.at({}) };

// the operator's, of the whole service

export const merchantsRoute = listRoute(
  'merchants',
  {
    state: keyOf(merchantStates),
    plan: keyOf(planNames),
    email: upTo(emailCharactersMax),
  },
  operator,
);
export const newMerchantRoute = route('merchants/new', operator);
export const merchantRoute = route('merchants/{id}', operator);
export const merchantsEntry: Entry = { word: 'Merchants', group: 'operator', link: merchantsRoute.at({}) };
