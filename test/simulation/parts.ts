/** What runs in the simulated process: the real actors, and tallies to be checked. */
import type { Actor } from '../../src/runtime/model/actor.ts';
import { webhookDispatch } from '../../src/outbound/webhook-dispatch.ts';
import { checkoutSession } from '../../actors/checkout-session/session.ts';
import { customer } from '../../actors/customer/customer.ts';
import { eventLog } from '../../actors/event-log/event-log.ts';
import { idempotencyKey } from '../../actors/idempotency-key/idempotency-key.ts';
import { invoiceBook } from '../../actors/invoice-book/invoice-book.ts';
import { message } from '../../actors/message/message.ts';
import { paymentLink } from '../../actors/payment-link/payment-link.ts';
import { plan } from '../../actors/plan/plan.ts';
import { project } from '../../actors/project/project.ts';
import { subscription } from '../../actors/subscription/subscription.ts';
import { webhookDelivery } from '../../actors/webhook-delivery/webhook-delivery.ts';
import { webhookEndpoint } from '../../actors/webhook-endpoint/webhook-endpoint.ts';
import { shopEffects } from './shop-effects.ts';
import { tally } from './tally.ts';
import { billingRunners } from './billing-effects.ts';
import { bells } from './tally-work.ts';
import type { Parts } from './process.ts';

const actors = [
  tally,
  customer,
  eventLog,
  checkoutSession,
  idempotencyKey,
  invoiceBook,
  message,
  paymentLink,
  plan,
  project,
  subscription,
  webhookDelivery,
  webhookEndpoint,
] as unknown as readonly Actor[];

export const parts: Parts = {
  actors,
  effects: (world, self) => ({
    ...bells(world, self),
    ...shopEffects(world, self),
    ...billingRunners(world, self),
  }),
  dispatch: webhookDispatch,
};
