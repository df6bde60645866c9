/** Requests the provider effects: start an attempt or its leg on the web, listen to its socket, look up each of
 *  its legs, cancel a booking that the buyer has left. */
import { assert } from '../../../src/kernel/assert.ts';
import type { Leg, Payment } from '../attempt.ts';
import { legNamed, withSeen } from '../legs.ts';
import { isPaid } from '../payment.ts';
import { paymentOf } from '../steps.ts';
import type { Rule } from './rule.ts';

export const providerCalls: Rule = (step, { before, after }) => {
  const { order } = after;
  const { amount } = order;
  const running = after.status === 'initiated' ? after.running : null;
  for (const payment of after.payments) {
    const { id: paymentId, provider, start, webOnly, booking, legs } = payment;
    const [{ lookupReference }, other] = legs;
    const old = paymentOf(before, paymentId);
    if (start === 'asked' && old?.start !== 'asked') {
      const way = webOnly === undefined ? {} : { webOnly };
      step.effect('provider.start', { paymentId, provider, amount, order, ...way });
    }
    if (booking !== undefined && other?.name === 'intent' && start === 'asked' && old?.legs[1] === undefined)
      step.effect('provider.cancel', { paymentId, provider, booking });
    const socketUrl = paymentId === running ? payment.socketUrl : null;
    if (socketUrl !== null && lookupReference !== null && (old?.socketUrl ?? null) === null)
      step.effect('provider.listen', { paymentId, provider, lookupReference, socketUrl });
    for (const leg of legs) {
      if (!isRequested(leg, old)) continue;
      const socket = leg === other || socketUrl === null ? {} : { socketUrl };
      const its = leg !== other && isPaid(payment) ? withPaid(leg) : leg;
      step.effect('provider.lookup', { paymentId, provider, amount, ...lookupOf(its), ...socket });
    }
  }
};

/** Whether a look-up of this leg was requested by this change. */
function isRequested({ name, look, lookupReference }: Leg, old: Payment | null): boolean {
  const before = old === null ? null : legNamed(old, name);
  return look.asked !== null && lookupReference !== null && look.count !== (before?.look.count ?? 0);
}

function lookupOf({ name, lookupReference, providerExpiresAt, seen, look }: Leg) {
  assert(lookupReference !== null && look.asked !== null, 'a look-up that was requested');
  return {
    lookupReference,
    ...(name === 'intent' ? { leg: name } : {}),
    providerExpiresAt,
    ...(seen === undefined ? {} : { seen }),
    cause: look.asked,
  };
}

/** A provider may show a refund of it in a word that means something else before the money has arrived. */
const withPaid = (leg: Leg): Leg => (leg.name === 'intent' ? withSeen(leg, { paid: true }) : leg);
