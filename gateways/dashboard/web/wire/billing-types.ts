/** The objects of billing: the types of the API's own schemas. Amounts in paisa; times as ISO texts.
 *  Boundary: types alone. */
import type { customer } from '../../../http/schemas/customer.ts';
import type { invoice, payLink } from '../../../http/schemas/invoice.ts';
import type { plan } from '../../../http/schemas/plan.ts';
import type { prorationPreview, subscription } from '../../../http/schemas/subscription.ts';
import type { actionPreview } from '../../../http/schemas/subscription-preview.ts';
import type { BodyOf, ObjectOf } from './call.ts';

export type Plan = ObjectOf<typeof plan>;
/** What is billed, and how often. */
export type Price = Pick<Plan, 'amount' | 'intervalUnit' | 'intervalCount'>;
export type IntervalUnit = Plan['intervalUnit'];
export type DunningSettings = Plan['dunningSettings'];
export type OverdueAction = DunningSettings['overdueAction'];
export type PlanChange = BodyOf<'PATCH /v1/billing/plans/{id}'>;
export type PlanRequest = BodyOf<'POST /v1/billing/plans'>;

export type Customer = ObjectOf<typeof customer>;
export type CustomerRequest = Pick<Customer, 'name' | 'email' | 'phone' | 'externalCustomerId'>;

export type Subscription = ObjectOf<typeof subscription>;
export type DisplayStatus = Subscription['displayStatus'];
/** As a subscription names its plan. */
export type DunningStep = Subscription['dunning'][number];
export type NextStep = Subscription['nextSteps'][number];
export type Preview = ObjectOf<typeof actionPreview>;
export type Effect = Preview['effects'][number];
/** What can be done with one. The last part of its address. */
export type SubscriptionAction = Preview['action'];
export type SubscriptionRequest = BodyOf<'POST /v1/billing/subscriptions'>;
export type SubscriptionChange = BodyOf<'PATCH /v1/billing/subscriptions/{id}'>;

export type Invoice = ObjectOf<typeof invoice>;
export type InvoiceStatus = Invoice['status'];
export type PayLink = ObjectOf<typeof payLink>;
/** What a change of plan would cost, were it made now. */
export type Proration = ObjectOf<typeof prorationPreview>;
export type Metadata = Plan['metadata'];
