/** Tells the subscription whose invoice the session is for: verified money, whose answer decides what it pays, and
 *  that the session has ended without any. */
import { subscriptionAt } from '../../subscription/messages.ts';
import { paymentIn, type Rule } from './rule.ts';

export const invoiceReports: Rule = (step, { x, before, after }) => {
  const { invoiceId, subscriptionId } = after.order;
  if (invoiceId === undefined || subscriptionId === undefined) return;
  const to = subscriptionAt(subscriptionId);
  const of = { invoiceId, sessionId: x.id };
  for (const { id: paymentId, claim } of after.payments) {
    if (claim === undefined || paymentIn(before, paymentId)?.claim !== undefined) continue;
    const { otherAmount } = claim.brought;
    const other = otherAmount === undefined ? {} : { amount: otherAmount };
    step.tell(to, 'claim', { ...of, paymentId, paidAt: claim.at, ...other }, { refused: 'claimRefused' });
  }
  const isOver = before !== null && !('endedAt' in before) && 'endedAt' in after;
  if (isOver && after.status !== 'success') step.tell(to, 'sessionOver', of);
};
