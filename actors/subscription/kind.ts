/** The subscription kind, with the rows and the events of its invoices. */
import type { Kind } from '../kind.ts';
import { samples } from './samples.ts';
import { subscription } from './subscription.ts';

export const subscriptionKind = {
  actor: subscription,
  rows: [{ kind: 'invoice', indexes: ['subscriptionId', 'customerId', 'status'] }],
  events: samples,
  refusals: {
    plan_inactive: {
      status: 422,
      type: 'invalid_request_error',
      message: 'This plan takes no new subscriptions.',
      param: 'planId',
    },
    plan_unchanged: {
      status: 409,
      type: 'invalid_request_error',
      message: 'The subscription already has this plan.',
      param: 'planId',
    },
  },
} as const satisfies Kind;
