/** What a merchant, a buyer or a session asks about one invoice of a subscription. */
import { hours } from '../../src/kernel/time.ts';
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { address, type Address } from '../../src/runtime/model/actor.ts';
import type { SubscriptionCommands, SubscriptionTypes } from './messages.ts';
import { payByMerchant, payBySession, voidByMerchant } from './requests.ts';
import { settle } from './settle.ts';
import { isPayable, isSettled, type Invoice, type SubscriptionState } from './state.ts';
import { Work } from './work.ts';

type X = Turn<SubscriptionTypes>;
type Commands = SubscriptionCommands;

/** How long a session of an invoice runs. */
export const invoiceSessionLifeMs = hours(2);

/** The invoice of a command; one that was settled long ago is no longer here. */
function withInvoice(
  s: SubscriptionState,
  { invoiceId }: { readonly invoiceId: string },
  x: X,
  handle: (invoice: Invoice, w: Work) => Verdict | null,
): Verdict {
  const invoice = s.invoices.find(({ id }) => id === invoiceId);
  if (invoice === undefined) return x.refuse('not_found');
  const w = new Work(x.id, x.now, s);
  return handle(invoice, w) ?? settle(x, s, w);
}

const refusedAs = (invoice: Invoice, x: X): Verdict =>
  x.refuse('invalid_state', { currentStatus: invoice.status });

export const voidInvoice = (s: SubscriptionState, command: Commands['voidInvoice'], x: X): Verdict =>
  withInvoice(s, command, x, (invoice, w) => {
    if (isSettled(invoice)) return refusedAs(invoice, x);
    voidByMerchant(w, invoice);
    return null;
  });

export const markPaid = (s: SubscriptionState, command: Commands['markPaid'], x: X): Verdict =>
  withInvoice(s, command, x, (invoice, w) => {
    if (!isPayable(invoice)) return refusedAs(invoice, x);
    payByMerchant(w, invoice, command);
    return null;
  });

export const sendInvoice = (s: SubscriptionState, command: Commands['sendInvoice'], x: X): Verdict =>
  withInvoice(s, command, x, (invoice, w) => {
    if (!isPayable(invoice)) return refusedAs(invoice, x);
    w.mails.push({ invoiceId: invoice.id, is: 'again', cause: `again ${x.now}` });
    return null;
  });

/** The running session if there is one; otherwise the one the gateway made. */
export const payInvoice = (s: SubscriptionState, command: Commands['payInvoice'], x: X): Verdict =>
  withInvoice(s, command, x, (invoice, w) => {
    if (!isPayable(invoice)) return refusedAs(invoice, x);
    const running = invoice.session;
    if (running !== null && running.expiresAt > x.now)
      return x.ok({ sessionId: running.id, url: running.url, expiresAt: running.expiresAt });
    const { sessionId, url } = command;
    const expiresAt = x.now + invoiceSessionLifeMs;
    w.setInvoice(invoice.id, { session: { id: sessionId, url, expiresAt } });
    return settle(x, s, w).answer({ sessionId, url, expiresAt });
  });

interface ClaimAnswers {
  claimed: { readonly paymentId: string; readonly duplicate: boolean };
}
const claimerAt = (id: string): Address<ClaimAnswers> => address('checkout_session', id);

/** A verified payment: the first one pays, also after the end of the subscription. An invoice that is no longer
 *  here was settled. */
export function claim(s: SubscriptionState, command: Commands['claim'], x: X): Verdict {
  const { invoiceId, sessionId, paymentId } = command;
  const invoice = s.invoices.find(({ id }) => id === invoiceId);
  const pays = invoice !== undefined && isPayable(invoice);
  const duplicate = !pays && invoice?.paymentId !== paymentId;
  if (!pays) return x.stay().tell(claimerAt(sessionId), 'claimed', { paymentId, duplicate });
  const w = new Work(x.id, x.now, s);
  payBySession(w, invoice, command);
  return settle(x, s, w).tell(claimerAt(sessionId), 'claimed', { paymentId, duplicate });
}

export const sessionOver = (s: SubscriptionState, command: Commands['sessionOver'], x: X): Verdict => {
  const invoice = s.invoices.find(({ id }) => id === command.invoiceId);
  if (invoice?.session?.id !== command.sessionId) return x.ok();
  const w = new Work(x.id, x.now, s);
  w.setInvoice(invoice.id, { session: null });
  return settle(x, s, w);
};
