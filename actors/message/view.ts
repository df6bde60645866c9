/** The captured message of docs/reference/api/sandbox.md. What was sent in live is not kept: there only its end is. */
import type { ViewMeta } from '../../src/runtime/model/actor.ts';
import { iso } from '../../src/kernel/time.ts';
import type { MessageState, Written } from './messages.ts';

const unwritten = { to: null, subject: null, text: null, html: null };

export function messageView(
  s: MessageState,
  { id }: Pick<ViewMeta, 'id'>,
): { readonly [key: string]: unknown } {
  const { to, subject, text, html }: Written | typeof unwritten = s.status === 'captured' ? s : unwritten;
  const { notice } = s;
  const paymentId = notice.is === 'receipt' ? notice.paymentId : null;
  const invoiceId = notice.is === 'invoice' ? notice.invoiceId : null;
  const createdAt = iso(s.createdAt);
  return { id, channel: s.channel, to, subject, text, html, paymentId, invoiceId, createdAt };
}
