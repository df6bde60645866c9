/** Requests the provider effects: start an attempt, listen to its socket, look it up. */
import { paymentIn, type Rule } from './rule.ts';

export const providerCalls: Rule = (step, { before, after }) => {
  const { order } = after;
  const running = after.status === 'initiated' ? after.running : null;
  for (const payment of after.payments) {
    const { id: paymentId, provider, start, look, lookupReference, providerExpiresAt, seen } = payment;
    const old = paymentIn(before, paymentId);
    if (old === null && start === 'asked')
      step.effect('provider.start', { paymentId, provider, amount: order.amount, order });
    const socketUrl = paymentId === running ? payment.socketUrl : null;
    if (socketUrl !== null && lookupReference !== null && (old?.socketUrl ?? null) === null)
      step.effect('provider.listen', { paymentId, provider, lookupReference, socketUrl });
    if (look.asked === null || lookupReference === null || look.count === (old?.look.count ?? 0)) continue;
    step.effect('provider.lookup', {
      paymentId,
      provider,
      amount: order.amount,
      lookupReference,
      providerExpiresAt,
      ...(seen === undefined ? {} : { seen }),
      cause: look.asked,
      ...(socketUrl === null ? {} : { socketUrl }),
    });
  }
};
