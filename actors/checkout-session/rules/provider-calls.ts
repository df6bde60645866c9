/** Requests the provider effects: start an attempt or its leg on the web, listen to its socket, look up each of
 *  its legs, cancel a booking that the buyer has left. */
import { assert } from '../../../src/kernel/assert.ts';
import type { Leg, OtherLeg, Payment } from '../attempt.ts';
import { asLeg } from '../legs.ts';
import { isPaid, withSeen } from '../payment.ts';
import { paymentIn, type Rule } from './rule.ts';

export const providerCalls: Rule = (step, { before, after }) => {
  const { order } = after;
  const { amount } = order;
  const running = after.status === 'initiated' ? after.running : null;
  for (const payment of after.payments) {
    const { id: paymentId, provider, start, lookupReference, webOnly, booking, other } = payment;
    const old = paymentIn(before, paymentId);
    if (start === 'asked' && old?.start !== 'asked') {
      const way = webOnly === undefined ? {} : { webOnly };
      step.effect('provider.start', { paymentId, provider, amount, order, ...way });
    }
    if (booking !== undefined && other?.leg === 'intent' && start === 'asked' && old?.other === undefined)
      step.effect('provider.cancel', { paymentId, provider, booking });
    const socketUrl = paymentId === running ? payment.socketUrl : null;
    if (socketUrl !== null && lookupReference !== null && (old?.socketUrl ?? null) === null)
      step.effect('provider.listen', { paymentId, provider, lookupReference, socketUrl });
    if (isRequested(payment, old)) {
      const socket = socketUrl === null ? {} : { socketUrl };
      const its = isPaid(payment) ? withPaid(payment) : payment;
      step.effect('provider.lookup', { paymentId, provider, amount, ...lookupOf(its), ...socket });
    }
    if (other !== undefined && isRequested(other, old))
      step.effect('provider.lookup', { paymentId, provider, amount, ...lookupOf(other) });
  }
};

/** One leg of a payment. */
type Its = Pick<OtherLeg, 'lookupReference' | 'providerExpiresAt' | 'seen' | 'look'> & { readonly leg?: Leg };

/** Whether a look-up of this leg was requested by this change. */
function isRequested({ leg = 'web', look, lookupReference }: Its, old: Payment | null): boolean {
  const before = old === null ? null : asLeg(old, leg);
  return look.asked !== null && lookupReference !== null && look.count !== (before?.look.count ?? 0);
}

function lookupOf({ leg, lookupReference, providerExpiresAt, seen, look }: Its) {
  assert(lookupReference !== null && look.asked !== null, 'a look-up that was requested');
  return {
    lookupReference,
    ...(leg === 'intent' ? { leg } : {}),
    providerExpiresAt,
    ...(seen === undefined ? {} : { seen }),
    cause: look.asked,
  };
}

/** A provider may show a refund of it in a word that means something else before the money has arrived. */
const withPaid = (payment: Payment): Payment =>
  payment.leg === 'intent' ? withSeen(payment, { paid: true }) : payment;
