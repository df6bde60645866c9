/** Turns a finished Work into a commit: sequences, events with their data, mails, the timer of the next step.
 *  1. `sequence` of a subscription or an invoice grows by one exactly when its view changes. */
import { iso, type Instant } from '../../src/kernel/time.ts';
import { ofEra, type Change, type Turn } from '../../src/runtime/model/actor.ts';
import { checkoutSessionAt } from '../checkout-session/commands.ts';
import { invoiceBookAt } from '../invoice-book/messages.ts';
import { messageAt, messageIdOf, type InvoiceNotice } from '../message/messages.ts';
import { isSameJson } from '../metadata.ts';
import { isOld } from './invoices.ts';
import type { SubscriptionTypes } from './messages.ts';
import { isEnded, type Subscription } from './state.ts';
import { nextStep } from './steps.ts';
import { invoiceNumberText, invoiceView, isSameView, subscriptionView } from './view.ts';
import type { Happened, Mail, Work } from './work.ts';

type X = Turn<SubscriptionTypes>;
type Step = Change<SubscriptionTypes>;

/** The change from `before` (null at creation) to what the work has made of it. */
export function transition(x: X, before: Subscription | null, w: Work): Step {
  const after = withSequences(before, w.s, x);
  // what was settled by this very commit is still written with it
  const forgotten = new Set(before?.invoices.filter((each) => isOld(before, each)).map(({ id }) => id));
  const { status, ...rest } = { ...after, invoices: after.invoices.filter(({ id }) => !forgotten.has(id)) };
  const step = x.become(status, rest);
  // several events of one commit show the same subscription
  const shown = w.happened.some(({ of }) => of === 'subscription') ? subscriptionView(after, x) : null;
  for (const each of w.happened)
    if (each.of !== 'subscription') report(step, after, each, x);
    else if (shown !== null) step.event(each.event, shown);
  for (const mail of w.mails) send(step, after, mail, x);
  for (const id of w.endedSessions) step.tell(checkoutSessionAt(id), 'expire', {});
  const { opening } = after;
  if (opening !== null && w.opens) open(step, after, opening.invoiceId, x);
  // the timer that has fired is not armed any more, and an older build armed none for what has ended
  const was = before === null || w.isStep || isEnded(before) ? null : dueAt(before);
  const now = dueAt(after);
  if (now !== was) {
    if (now === null) step.noTimer('step');
    else step.timer('step', now);
  }
  return step;
}

/** One message for each cause: a repeated turn tells the same one again. */
function send(
  step: Step,
  s: Subscription,
  { invoiceId, is, cause }: Mail,
  { id: subscriptionId, eras }: X,
): void {
  const invoice = s.invoices.find(({ id }) => id === invoiceId);
  // an opening has just read the customer; later an address may have been added
  const isNobody = is === 'opened' && s.customer.email === null;
  if (invoice === undefined || invoice.number === null || isNobody) return;
  const { number, planName, amount, dueAt, periodStart, periodEnd } = invoice;
  const notice: InvoiceNotice = {
    is: 'invoice',
    channel: 'email',
    cause: is,
    subscriptionId,
    customerId: s.customerId,
    invoiceId,
    number: invoiceNumberText(number),
    planName,
    amount,
    dueAt,
    periodStart,
    periodEnd,
  };
  step.tell(messageAt(messageIdOf(invoiceId, ofEra(['mail', cause], eras))), 'open', { notice });
}

const dueAt = (s: Subscription): Instant | null => nextStep(s)?.at ?? null;

/** The number comes from the book, and what has changed of plan and customer from the store. */
function open(step: Step, s: Subscription, invoiceId: string, x: X): void {
  const planId = s.invoices.find(({ id }) => id === invoiceId)?.planId ?? s.planId;
  step
    .tell(invoiceBookAt(x.scope), 'assign', { subscriptionId: x.id, invoiceId })
    .effect('billing.read', { invoiceId, planId, customerId: s.customerId });
}

function report(step: Step, s: Subscription, each: Exclude<Happened, { of: 'subscription' }>, x: X): void {
  const invoice = s.invoices.find(({ id }) => id === each.id);
  if (invoice === undefined) return;
  const view = invoiceView(s, invoice, x);
  if (each.of === 'invoice') return void step.event(each.event, view);
  const reminded = { ...view, reminder: { attemptNumber: each.attemptNumber, sentAt: iso(each.at) } };
  step.event('invoice.reminder_sent', reminded);
}

/** What was changed gets the next sequence and the time. */
function withSequences(before: Subscription | null, next: Subscription, x: X): Subscription {
  if (before === null) return next;
  const invoices = next.invoices.map((invoice) => {
    const old = before.invoices.find(({ id }) => id === invoice.id);
    // beside itself its view depends on the end alone
    if (old === invoice && isEnded(before) === isEnded(next)) return invoice;
    if (old === undefined || isSameJson(invoiceView(before, old, x), invoiceView(next, invoice, x)))
      return invoice;
    return { ...invoice, sequence: old.sequence + 1, updatedAt: x.now };
  });
  const changed = { ...next, invoices };
  if (isSameView(before, changed, x)) return changed;
  return { ...changed, sequence: before.sequence + 1, updatedAt: x.now };
}
