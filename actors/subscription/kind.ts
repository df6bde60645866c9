/** The subscription kind, and the rows of its invoices. Its events are planned ones (actors/events.ts) until a
 *  subscription can be created from outside. */
import type { Kind } from '../kind.ts';
import { subscription } from './subscription.ts';

export const subscriptionKind = {
  actor: subscription,
  rows: [{ kind: 'invoice', indexes: ['subscriptionId', 'customerId', 'status'] }],
} as const satisfies Kind;
