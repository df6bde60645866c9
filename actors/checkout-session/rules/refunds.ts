/** What follows from a change of refunds: their timeline, their events, and the one call of each.
 *  1. `refund.created` comes first, then the event of the status, then `payment.refunded`.
 *  2. A refund's call is requested in the commit that creates it, and never again; after a restore in that of the
 *     look-up that it waits for. */
import { assert } from '../../../src/kernel/assert.ts';
import { displayNpr } from '../../../src/kernel/money.ts';
import type { Payment } from '../attempt.ts';
import { amountOf } from '../payment.ts';
import type { Refund, RefundStatus } from '../refund.ts';
import { paymentRefundedData, refundView } from '../refund-view.ts';
import { refundOf } from '../refund-steps.ts';
import { paymentOf } from '../steps.ts';
import type { Changed, Rule } from './rule.ts';

export const refunds: Rule = (step, changed) => {
  const { before, after } = changed;
  for (const refund of after.refunds) {
    const old = refundOf(before, refund.id);
    if (old?.status === refund.status && old.call === refund.call) continue;
    if (old?.status !== refund.status) recordChange(step, changed, refund, old);
    if (refund.call !== 'asked' || old?.call === 'asked') continue;
    const payment = its(refund, changed);
    const [{ lookupReference }] = payment.legs;
    // a refund that awaits an answer nobody asked for would never end
    assert(lookupReference !== null, 'a paid payment was looked up');
    step.effect('provider.refund', {
      refundId: refund.id,
      paymentId: payment.id,
      provider: payment.provider,
      amount: refund.amount,
      full: refund.amount === amountOf(payment, after.order),
      providerRef: payment.providerRef,
      lookupReference,
      mobileNumber: refund.mobileNumber,
    });
  }
};

function recordChange(step: Parameters<Rule>[0], changed: Changed, refund: Refund, old: Refund | null): void {
  const { x, after } = changed;
  noteOf(step, changed, refund, old);
  const data = refundView(refund, x);
  if (old === null) step.event('refund.created', data);
  const type = eventOn[refund.status];
  if (type !== undefined) step.event(type, data);
  const payment = its(refund, changed);
  if (refund.status === 'succeeded')
    step.event('payment.refunded', paymentRefundedData(payment, refund, after, x));
}

function its({ paymentId }: Refund, { after }: Changed): Payment {
  const payment = paymentOf(after, paymentId);
  assert(payment !== null, 'a refund has its payment');
  return payment;
}

function noteOf(
  step: Parameters<Rule>[0],
  { also: { cause } }: Changed,
  { id, paymentId: about, amount, reason, status: to, failureReason }: Refund,
  old: Refund | null,
): void {
  const from = old?.status ?? null;
  const summary = `Refund of ${displayNpr(amount)} ${enteredWords[to]}`;
  const detail = { refundId: id, amount, reason, failureReason };
  step.note({ about, kind: 'refund', summary, from, to, cause, detail });
}

const enteredWords: { readonly [entered in RefundStatus]: string } = {
  processing: 'in progress',
  succeeded: 'succeeded',
  failed: 'failed',
  requires_action: 'requires action',
};

/** `processing` has no event of its own. */
const eventOn: { readonly [entered in RefundStatus]?: string } = {
  succeeded: 'refund.succeeded',
  failed: 'refund.failed',
  requires_action: 'refund.requires_action',
};
