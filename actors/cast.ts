/** Every actor kind, one line each: the only registration. */
import type { AnyActor } from '../src/runtime/actor.ts';
import { checkoutSession } from './checkout-session/session.ts';
import { dashboardUser } from './dashboard-user/dashboard-user.ts';
import { eventLog } from './event-log/event-log.ts';
import { idempotencyKey } from './idempotency-key/idempotency-key.ts';
import { liveTicket } from './live-ticket/live-ticket.ts';
import { merchant } from './merchant/merchant.ts';
import { project } from './project/project.ts';
import { simulator } from './simulated-payment/faults.ts';
import { simulatedPayment } from './simulated-payment/simulated-payment.ts';
import { webhookDelivery } from './webhook-delivery/webhook-delivery.ts';
import { webhookEndpoint } from './webhook-endpoint/webhook-endpoint.ts';

export const cast: readonly AnyActor[] = [
  checkoutSession,
  dashboardUser,
  eventLog,
  idempotencyKey,
  liveTicket,
  merchant,
  project,
  simulatedPayment,
  simulator,
  webhookDelivery,
  webhookEndpoint,
];

/** Collections of rows that live beside the actors' documents, and the body fields lists filter them by. */
export const rowKinds: readonly { readonly kind: string; readonly indexes: readonly string[] }[] = [
  { kind: 'payment', indexes: ['sessionId', 'status', 'provider', 'providerRef'] },
  { kind: 'hidden_payment', indexes: [] },
  { kind: 'api_key', indexes: ['projectId'] },
  { kind: 'timeline', indexes: ['about'] },
  { kind: 'journal', indexes: ['pos', 'eventId', 'event', 'objectId'] },
  { kind: 'dead', indexes: [] },
];
