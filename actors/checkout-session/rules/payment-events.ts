/** Emits the events of payments whose status changed.
 *  1. A payment's success is emitted once: as `payment.succeeded`, or as `payment.duplicate`. */
import type { Payment } from '../attempt.ts';
import { paymentEventData } from '../view.ts';
import { paymentIn, type Rule } from './rule.ts';

export const paymentEvents: Rule = (step, { x, before, after }) => {
  for (const payment of after.payments) {
    const from = paymentIn(before, payment.id);
    // a payment that is new is not told, unless it comes into being paid
    if (from === null ? before === null || payment.status === 'pending' : from.status === payment.status)
      continue;
    const data = paymentEventData(payment, after, x);
    for (const type of eventsOf(payment)) step.event(type, data);
  }
};

/** Events of a payment that has just entered its current status. */
function eventsOf({ status, duplicate, failure }: Payment): readonly string[] {
  if (status === 'success') return [duplicate ? 'payment.duplicate' : 'payment.succeeded'];
  if (status === 'failed') return ['payment.failed'];
  if (status !== 'cancelled' || failure?.code === 'superseded') return [];
  return ['payment.failed', 'payment.cancelled'];
}
