/** Every actor kind, one line each: the only registration. Every other list of kinds is derived from this
 *  one. */
import { answerKinds, type AnyActor } from '../src/runtime/model/actor.ts';
import { checkoutSessionKind } from './checkout-session/kind.ts';
import { customerKind } from './customer/customer.ts';
import { dailyLookupKind } from './daily-lookup/daily-lookup.ts';
import { dashboardUserKind } from './dashboard-user/dashboard-user.ts';
import { eventLogKind } from './event-log/kind.ts';
import { idempotencyKeyKind } from './idempotency-key/idempotency-key.ts';
import { invoiceBookKind } from './invoice-book/invoice-book.ts';
import { linkReferenceKind } from './link-reference/link-reference.ts';
import { liveTicketKind } from './live-ticket/live-ticket.ts';
import { logoKind } from './logo/logo.ts';
import { merchantKind } from './merchant/merchant.ts';
import { messageKind } from './message/message.ts';
import { paymentLinkKind } from './payment-link/payment-link.ts';
import { planKind } from './plan/plan.ts';
import { projectKind } from './project/project.ts';
import { providerHealthKind } from './provider-health/provider-health.ts';
import { providerIncidentKind } from './provider-incident/provider-incident.ts';
import { receiptKeysKind } from './receipt-keys/receipt-keys.ts';
import { simulatorKind } from './simulated-payment/faults.ts';
import { simulatedPaymentKind } from './simulated-payment/simulated-payment.ts';
import { statementKind, statementPartKind } from './statement/statement.ts';
import { subscriptionKind } from './subscription/kind.ts';
import { webhookDeliveryKind } from './webhook-delivery/kind.ts';
import { webhookEndpointKind } from './webhook-endpoint/webhook-endpoint.ts';
import { days } from '../src/kernel/time.ts';
import type { Kind, RowCollection } from './kind.ts';

export const kinds = [
  checkoutSessionKind,
  customerKind,
  dailyLookupKind,
  dashboardUserKind,
  eventLogKind,
  idempotencyKeyKind,
  invoiceBookKind,
  linkReferenceKind,
  liveTicketKind,
  logoKind,
  merchantKind,
  messageKind,
  paymentLinkKind,
  planKind,
  projectKind,
  providerHealthKind,
  providerIncidentKind,
  receiptKeysKind,
  simulatedPaymentKind,
  simulatorKind,
  statementKind,
  statementPartKind,
  subscriptionKind,
  webhookDeliveryKind,
  webhookEndpointKind,
] as const satisfies readonly Kind[];

/** Each with the type they all share. */
export const every: readonly Kind[] = kinds;

export const cast: readonly AnyActor[] = every.map(({ actor }) => actor);

/** How long the answers of providers are kept as they came, without their secrets. */
const providerAnswersKeptMs = days(400);

/** Notes with an answer of a provider. */
const answers = { field: 'kind', values: answerKinds } as const;

/** The collections the runtime itself keeps for every actor. */
const ofRuntime: readonly RowCollection[] = [
  {
    kind: 'timeline',
    indexes: ['about', { field: 'kind', only: answers }],
    listed: 'byField',
    kept: { ms: providerAnswersKeptMs, only: answers },
  },
  { kind: 'dead', indexes: [] },
];

/** Collections of rows stored beside the actors' documents, and the body fields lists filter them by. */
export const rowKinds: readonly RowCollection[] = [...every.flatMap(({ rows = [] }) => rows), ...ofRuntime];
