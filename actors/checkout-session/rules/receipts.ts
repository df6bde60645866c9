/** Tells a buyer who has just paid: by e-mail, and after a Direct-QR by SMS. Once for a session: a duplicate
 *  is paid back. */
import { messageAt, messageIdOf, type ReceiptNotice } from '../../message/messages.ts';
import type { Payment } from '../attempt.ts';
import { amountOf } from '../payment.ts';
import type { SessionState } from '../state.ts';
import { paymentIn, type Rule } from './rule.ts';

export const receipts: Rule = (step, { before, after }) => {
  for (const payment of after.payments) {
    const { id, status, duplicate } = payment;
    if (status !== 'success' || duplicate || paymentIn(before, id)?.status === 'success') continue;
    for (const notice of receiptsOf(after, payment))
      step.tell(messageAt(messageIdOf(id, ['receipt', notice.channel])), 'open', { notice });
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
