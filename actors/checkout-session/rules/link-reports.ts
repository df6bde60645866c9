/** Reports to the payment link how its session ended: once that it succeeded, or that its use is free again. A
 *  session that succeeds after its end reports both, one after the other. */
import { paymentLinkAt } from '../../payment-link/messages.ts';
import type { Rule } from './rule.ts';

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
