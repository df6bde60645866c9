/** What the screens of billing ask for. */
import { pathOf, type Asked } from './asked.ts';
import type {
  Customer,
  CustomerRequest,
  Invoice,
  PayLink,
  Plan,
  PlanChange,
  PlanRequest,
  Proration,
  Subscription,
  SubscriptionChange,
  SubscriptionRequest,
} from './billing-types.ts';
import type { Result } from './failure.ts';
import type { Listed, Place } from './types.ts';

/** What can be done with a subscription. The last part of its address. */
export type SubscriptionAction = 'pause' | 'resume' | 'cancel' | 'change-plan' | 'end-trial' | 'extend-trial';
export type InvoiceAction = 'send' | 'void' | 'mark-paid';

/** With a key: sent again with the same one, it is executed once. */
export interface BillingApi {
  plans(place: Place, query: URLSearchParams): Promise<Result<Listed<Plan>>>;
  plan(place: Place, id: string): Promise<Result<Plan>>;
  newPlan(place: Place, request: PlanRequest, key: string): Promise<Result<Plan>>;
  changePlan(place: Place, id: string, change: PlanChange): Promise<Result<Plan>>;
  customers(place: Place, query: URLSearchParams): Promise<Result<Listed<Customer>>>;
  customer(place: Place, id: string): Promise<Result<Customer>>;
  newCustomer(place: Place, request: CustomerRequest, key: string): Promise<Result<Customer>>;
  changeCustomer(place: Place, id: string, change: CustomerRequest): Promise<Result<Customer>>;
  /** By their ids; whoever is not found is left out. */
  customerNames(
    place: Place,
    ids: readonly string[],
  ): Promise<Result<{ readonly data: readonly Pick<Customer, 'id' | 'name'>[] }>>;
  subscriptions(place: Place, query: URLSearchParams): Promise<Result<Listed<Subscription>>>;
  subscription(place: Place, id: string): Promise<Result<Subscription>>;
  newSubscription(place: Place, request: SubscriptionRequest, key: string): Promise<Result<Subscription>>;
  changeSubscription(place: Place, id: string, change: SubscriptionChange): Promise<Result<Subscription>>;
  actOnSubscription(
    place: Place,
    id: string,
    action: SubscriptionAction,
    body: object,
    key: string,
  ): Promise<Result<Subscription>>;
  proration(place: Place, id: string, planId: string): Promise<Result<Proration>>;
  invoices(place: Place, query: URLSearchParams): Promise<Result<Listed<Invoice>>>;
  invoice(place: Place, id: string): Promise<Result<Invoice>>;
  actOnInvoice(
    place: Place,
    id: string,
    action: InvoiceAction,
    body: object,
    key: string,
  ): Promise<Result<Invoice>>;
  payLink(place: Place, id: string, key: string): Promise<Result<PayLink>>;
}

export const billingCallsOf = (asked: Asked): BillingApi => ({
  plans: (place, query) => asked('GET', `${billing(place)}/plans?${query}`),
  plan: (place, id) => asked('GET', `${billing(place)}/plans/${part(id)}`),
  newPlan: (place, request, key) => asked('POST', `${billing(place)}/plans`, request, key),
  changePlan: (place, id, change) => asked('PATCH', `${billing(place)}/plans/${part(id)}`, change),
  customers: (place, query) => asked('GET', `${billing(place)}/customers?${query}`),
  customer: (place, id) => asked('GET', `${billing(place)}/customers/${part(id)}`),
  newCustomer: (place, request, key) => asked('POST', `${billing(place)}/customers`, request, key),
  changeCustomer: (place, id, change) => asked('PATCH', `${billing(place)}/customers/${part(id)}`, change),
  customerNames: (place, ids) =>
    asked('GET', `${pathOf(place)}/customer-names?${new URLSearchParams({ ids: ids.join(',') })}`),
  subscriptions: (place, query) => asked('GET', `${billing(place)}/subscriptions?${query}`),
  subscription: (place, id) => asked('GET', subscriptionOf(place, id)),
  newSubscription: (place, request, key) => asked('POST', `${billing(place)}/subscriptions`, request, key),
  changeSubscription: (place, id, change) => asked('PATCH', subscriptionOf(place, id), change),
  actOnSubscription: (place, id, action, body, key) =>
    asked('POST', `${subscriptionOf(place, id)}/${action}`, body, key),
  proration: (place, id, planId) =>
    asked('GET', `${subscriptionOf(place, id)}/preview-proration?planId=${part(planId)}`),
  invoices: (place, query) => asked('GET', `${billing(place)}/invoices?${query}`),
  invoice: (place, id) => asked('GET', invoiceOf(place, id)),
  actOnInvoice: (place, id, action, body, key) =>
    asked('POST', `${invoiceOf(place, id)}/${action}`, body, key),
  payLink: (place, id, key) => asked('POST', `${invoiceOf(place, id)}/pay-link`, {}, key),
});

const part = encodeURIComponent;
const billing = (place: Place): string => `${pathOf(place)}/billing`;
const subscriptionOf = (place: Place, id: string): string => `${billing(place)}/subscriptions/${part(id)}`;
const invoiceOf = (place: Place, id: string): string => `${billing(place)}/invoices/${part(id)}`;
