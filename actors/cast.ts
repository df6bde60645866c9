/** Every actor kind, one line each: the only registration. Every other list of kinds is derived from this
 *  one. */
import { answerKinds, type AnyActor } from '../src/runtime/model/actor.ts';
import { checkoutSessionKind } from './checkout-session/kind.ts';
import { customerKind } from './customer/kind.ts';
import { dailyLookupKind } from './daily-lookup/kind.ts';
import { dashboardUserKind } from './dashboard-user/kind.ts';
import { eventLogKind } from './event-log/kind.ts';
import { idempotencyKeyKind } from './idempotency-key/kind.ts';
import { invoiceBookKind } from './invoice-book/kind.ts';
import { linkReferenceKind } from './link-reference/kind.ts';
import { liveTicketKind } from './live-ticket/kind.ts';
import { logoKind } from './logo/kind.ts';
import { merchantKind } from './merchant/kind.ts';
import { messageKind } from './message/kind.ts';
import { paymentLinkKind } from './payment-link/kind.ts';
import { planKind } from './plan/kind.ts';
import { projectKind } from './project/kind.ts';
import { providerHealthKind } from './provider-health/kind.ts';
import { providerIncidentKind } from './provider-incident/kind.ts';
import { receiptKeysKind } from './receipt-keys/kind.ts';
import { simulatedPaymentKind, simulatorKind } from './simulated-payment/kind.ts';
import { statementKind, statementPartKind } from './statement/kind.ts';
import { subscriptionKind } from './subscription/kind.ts';
import { webhookDeliveryKind } from './webhook-delivery/kind.ts';
import { webhookEndpointKind } from './webhook-endpoint/kind.ts';
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
export const providerAnswersKeptMs = days(400);

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
