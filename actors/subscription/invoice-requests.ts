/** What a merchant, a buyer or a session asks about one invoice of a subscription. */
import { hours, minutes } from '../../src/kernel/time.ts';
import type { Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { checkoutSessionAt } from '../checkout-session/commands.ts';
import type { Order } from '../checkout-session/order.ts';
import type { SubscriptionCommands, SubscriptionTypes } from './messages.ts';
import { isVoiding } from './invoices.ts';
import { payByMerchant, payBySession, voidByMerchant } from './requests.ts';
import { transition } from './transition.ts';
import { isPayable, isSettled, type Invoice, type SubscriptionState } from './state.ts';
import { invoiceNumberText } from './view.ts';
import { Work } from './work.ts';

type X = Turn<SubscriptionTypes>;
type Commands = SubscriptionCommands;

/** How long a session of an invoice runs. */
const invoiceSessionLifeMs = hours(2);
/** Within this time an invoice is mailed once, however often the merchant asks for it. */
const sentAgainMsMin = minutes(1);

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
  return handle(invoice, w) ?? transition(x, s, w);
}

const refusedAs = (invoice: Invoice, x: X): Verdict =>
  x.refuse('invalid_state', { currentStatus: invoice.status });

export const voidInvoice = (s: SubscriptionState, command: Commands['voidInvoice'], x: X): Verdict =>
  withInvoice(s, command, x, (invoice, w) => {
    if (isVoiding(s, invoice)) return refusedAs({ ...invoice, status: 'voided' }, x);
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
    // one cause a minute: however often it is asked for, nobody's mailbox is flooded
    const minute = Math.floor(x.now / sentAgainMsMin);
    w.mails.push({ invoiceId: invoice.id, is: 'again', cause: `again ${minute}` });
    return null;
  });

/** The running session if there is one; otherwise the one the gateway made, which is opened in the same commit. */
export const payInvoice = (s: SubscriptionState, command: Commands['payInvoice'], x: X): Verdict =>
  withInvoice(s, command, x, (invoice, w) => {
    if (!isPayable(invoice)) return refusedAs(invoice, x);
    const running = invoice.session;
    if (running !== null && running.expiresAt > x.now)
      return x.ok({ sessionId: running.id, url: running.url, expiresAt: running.expiresAt });
    const { sessionId, url } = command;
    const expiresAt = x.now + invoiceSessionLifeMs;
    w.setInvoice(invoice.id, { session: { id: sessionId, url, expiresAt } });
    const opening = {
      order: orderOf(s, invoice, { url, subscriptionId: x.id }),
      lifeMs: invoiceSessionLifeMs,
    };
    return transition(x, s, w)
      .tell(checkoutSessionAt(sessionId), 'open', opening)
      .answer({ sessionId, url, expiresAt });
  });

/** What its session asks for. The customer comes back to a page of ours. */
function orderOf(
  s: SubscriptionState,
  { id: invoiceId, planId, planName, amount, number }: Invoice,
  { url, subscriptionId }: { readonly url: string; readonly subscriptionId: string },
): Order {
  const { customer, customerId, providerPreference } = s;
  const plan = s.nextPlan?.plan.id === planId ? s.nextPlan.plan : s.plan;
  const numbered = number === null ? null : invoiceNumberText(number);
  return {
    amount,
    currency: 'NPR',
    description: [planName, numbered].filter((each) => each !== null).join(', '),
    returnUrl: null,
    cancelUrl: null,
    collectAddress: false,
    customer: { name: customer.name, email: customer.email, phone: customer.phone, address: null },
    metadata: {},
    flow: 'hosted',
    preselected: providerPreference ?? plan.defaultProvider,
    referenceId: numbered,
    source: 'invoice',
    invoiceId,
    customerId,
    subscriptionId,
    checkoutUrl: url,
  };
}

/** A verified payment: the first one that is enough pays, also after the end of the subscription. An invoice that is
 *  no longer here was settled. */
export function claim(s: SubscriptionState, command: Commands['claim'], x: X): Verdict {
  const { invoiceId, sessionId, paymentId, amount } = command;
  const invoice = s.invoices.find(({ id }) => id === invoiceId);
  const pays = invoice !== undefined && isPayable(invoice) && (amount ?? invoice.amount) >= invoice.amount;
  const duplicate = !pays && invoice?.paymentId !== paymentId;
  if (!pays) return x.stay().tell(checkoutSessionAt(sessionId), 'claimed', { paymentId, duplicate });
  const w = new Work(x.id, x.now, s);
  payBySession(w, invoice, command);
  return transition(x, s, w).tell(checkoutSessionAt(sessionId), 'claimed', { paymentId, duplicate });
}

export const sessionOver = (s: SubscriptionState, command: Commands['sessionOver'], x: X): Verdict => {
  const invoice = s.invoices.find(({ id }) => id === command.invoiceId);
  if (invoice?.session?.id !== command.sessionId) return x.ok();
  const w = new Work(x.id, x.now, s);
  w.setInvoice(invoice.id, { session: null });
  return transition(x, s, w);
};
