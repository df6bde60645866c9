/** Whom a change concerns beside the session itself: the buyer, its payment link, the subscription of its invoice. */
import { ofEra } from '../../../src/runtime/model/actor.ts';
import { messageAt, messageIdOf, type ReceiptNotice } from '../../message/messages.ts';
import { paymentLinkAt } from '../../payment-link/messages.ts';
import { subscriptionAt } from '../../subscription/messages.ts';
import type { Payment } from '../attempt.ts';
import { amountOf } from '../payment.ts';
import type { SessionState } from '../state.ts';
import { paymentOf } from '../steps.ts';
import type { Rule } from './rule.ts';

/** A buyer who has just paid is told by e-mail, and after a Direct-QR by SMS. Once for a session: a duplicate is paid
 *  back. */
export const receipts: Rule = (step, { x: { eras }, before, after }) => {
  for (const payment of after.payments) {
    const { id, status, duplicate } = payment;
    if (status !== 'success' || duplicate || paymentOf(before, id)?.status === 'success') continue;
    for (const notice of receiptsOf(after, payment))
      step.tell(messageAt(messageIdOf(id, ofEra(['receipt', notice.channel], eras))), 'open', { notice });
  }
};

function receiptsOf(
  { order, source, language = 'en' }: SessionState,
  payment: Payment,
): readonly ReceiptNotice[] {
  const { id: paymentId, provider, providerRef, paidAt } = payment;
  const { description, customer } = order;
  const amount = amountOf(payment, order);
  if (customer === null || paidAt === null) return [];
  const paid = { language, paymentId, amount, description, provider, providerRef, paidAt } as const;
  const { email, phone } = customer;
  return [
    ...(email === null ? [] : [{ is: 'receipt', channel: 'email', to: email, ...paid } as const]),
    ...(phone === null || source !== 'direct_qr'
      ? []
      : [{ is: 'receipt', channel: 'sms', to: phone, ...paid } as const]),
  ];
}

/** The payment link learns how its session ended: once that it succeeded, or that its use is free again. A session
 *  that succeeds after its end reports both, one after the other. */
export const linkReports: Rule = (step, { before, after }) => {
  const { link } = after.order;
  if (link === undefined || !('endedAt' in after) || before?.status === after.status) return;
  const wasRunning = before !== null && !('endedAt' in before);
  const to = paymentLinkAt(link.id);
  if (after.status === 'success') {
    const { paidBy: paymentId } = after;
    step.tell(to, 'sessionPaid', { paymentId, held: wasRunning ? link.held : null });
  } else if (wasRunning) step.tell(to, 'sessionOver', { held: link.held });
};

/** The subscription whose invoice the session is for learns of verified money, whose answer decides what it pays, and
 *  that the session has ended without any. */
export const invoiceReports: Rule = (step, { x, before, after }) => {
  const { invoiceId, subscriptionId } = after.order;
  if (invoiceId === undefined || subscriptionId === undefined) return;
  const to = subscriptionAt(subscriptionId);
  const of = { invoiceId, sessionId: x.id };
  for (const { id: paymentId, claim } of after.payments) {
    if (claim === undefined || paymentOf(before, paymentId)?.claim !== undefined) continue;
    const { otherAmount } = claim.brought;
    const other = otherAmount === undefined ? {} : { amount: otherAmount };
    step.tell(to, 'claim', { ...of, paymentId, paidAt: claim.at, ...other }, { refused: 'claimRefused' });
  }
  const isOver = before !== null && !('endedAt' in before) && 'endedAt' in after;
  if (isOver && after.status !== 'success') step.tell(to, 'sessionOver', of);
};
