/** What happens to the invoices of a subscription: invoice x trigger of docs/reference/subscription-states.md, as
 *  steps of a Work. */
import type { Instant } from '../../src/kernel/time.ts';
import { dunningStep, dunningSteps, type DunningStep } from './invoice-dates.ts';
import type { SubscriptionCommands } from './messages.ts';
import { nextBilled, nextOpening, type Billed } from './periods.ts';
import {
  isPayable,
  isSettled,
  unpaidMax,
  type Invoice,
  type Opening,
  type Period,
  type PlanCopy,
  type Subscription,
} from './state.ts';
import type { DraftOf, Work } from './work.ts';

export const draftOf = ({ period, plan }: Billed): DraftOf => ({
  planId: plan.id,
  planName: plan.name,
  amount: plan.amount,
  terms: plan.terms,
  dueAt: period.start,
  periodStart: period.start,
  periodEnd: period.end,
});

/** The invoice of the next period appears. */
export function draft(w: Work): Invoice | null {
  const billed = nextBilled(w.s);
  if (billed === null) return null;
  // the invoice of the next period may be there already
  const ahead = validOf(w.s, billed.period.end);
  return w.addDraft(draftOf(billed), { billedStart: ahead?.periodStart ?? billed.period.start });
}

/** Begins to open the next invoice if its time has come, or whatever its time. It is open once its number and its
 *  terms are there. */
export function openWhatIsDue(w: Work, when: 'in time' | 'at once' = 'in time'): void {
  const next = nextOpening(w.s);
  if (next === null || (when === 'in time' && next.opensAt > w.now)) return;
  if (hasTooManyUnpaid(w.s)) return pause(w, pausedByUnpaid, null);
  const invoice = next.draft ?? draft(w);
  if (invoice === null) return;
  const opening = {
    invoiceId: invoice.id,
    at: w.now,
    number: null,
    isRead: false,
    voided: false,
    replaced: false,
  };
  w.set({ opening });
  w.opens = true;
}

export const pausedByUnpaid = 'too_many_unpaid_invoices';

export const hasTooManyUnpaid = ({ invoices }: Subscription): boolean =>
  invoices.filter(isPayable).length >= unpaidMax;

export function pause(w: Work, reason: string | null, resumeAt: Instant | null): void {
  w.set({ status: 'paused', pausedAt: w.now, pauseReason: reason, resumeAt });
  w.report('subscription.paused');
}

/** The plan and the customer as they are now. */
export function read(w: Work, { invoiceId, plan, customer }: SubscriptionCommands['read']): void {
  if (w.s.opening?.invoiceId !== invoiceId) return;
  if (customer !== null) w.set({ customer });
  if (plan !== null) w.set(withPlan(w.s, plan));
  w.set({ opening: { ...w.s.opening, isRead: true } });
  finishOpening(w);
}

/** Amount and interval of a plan never change; everything else may have. */
const withPlan = ({ plan, nextPlan, paidPlan }: Subscription, now: PlanCopy): Partial<Subscription> => ({
  ...(plan.id === now.id ? { plan: now } : {}),
  ...(nextPlan?.plan.id === now.id ? { nextPlan: { ...nextPlan, plan: now } } : {}),
  ...(paidPlan?.plan.id === now.id ? { paidPlan: { ...paidPlan, plan: now } } : {}),
});

export function numbered(w: Work, { invoiceId, number }: SubscriptionCommands['numbered']): void {
  if (w.s.opening?.invoiceId !== invoiceId) return;
  w.set({ opening: { ...w.s.opening, number } });
  finishOpening(w);
}

function finishOpening(w: Work): void {
  const { opening } = w.s;
  if (opening !== null && opening.number !== null && opening.isRead) opened(w, opening, opening.number);
}

function opened(w: Work, { invoiceId, at, voided, replaced }: Opening, number: number): void {
  const invoice = w.invoice(invoiceId);
  if (invoice === undefined) return w.set({ opening: null });
  const plan = [w.s.plan, w.s.nextPlan?.plan].find((each) => each?.id === invoice.planId);
  const terms = plan === undefined ? {} : { planName: plan.name, terms: plan.terms };
  w.setInvoice(
    invoiceId,
    { status: 'open', number, openedAt: at, ...terms },
    { opening: null, cyclesBilled: w.s.cyclesBilled + (voided ? 0 : 1) },
  );
  w.happened.push({ of: 'invoice', id: invoiceId, event: 'invoice.created' });
  if (voided) voidNow(w, invoiceId);
  else w.mails.push({ invoiceId, is: 'opened', cause: 'opened' });
  openWhatIsDue(w, replaced ? 'at once' : 'in time');
}

/** As if the number and the terms of what opens were there at once: for a copy. */
export function openAtOnce(w: Work): void {
  while (w.s.opening !== null) opened(w, w.s.opening, 0);
}

/** The next step of an invoice's dunning; null when there is none. */
export const nextDunning = (invoice: Invoice): DunningStep | null =>
  !isPayable(invoice) || invoice.openedAt === null
    ? null
    : dunningStep(invoice.dueAt, invoice.openedAt, invoice.terms, invoice.stepsDone);

/** All steps to come. */
export const dunningLeft = (invoice: Invoice): readonly DunningStep[] =>
  !isPayable(invoice) || invoice.openedAt === null
    ? []
    : dunningSteps(invoice.dueAt, invoice.openedAt, invoice.terms, invoice.stepsDone);

/** The reminder that is due. */
export function remind(w: Work, invoice: Invoice, attemptNumber: number): void {
  w.setInvoice(invoice.id, { stepsDone: invoice.stepsDone + 1, reminded: invoice.reminded + 1 });
  w.happened.push({ of: 'reminder', id: invoice.id, attemptNumber, at: w.now });
  const is = attemptNumber === 0 ? 'due' : 'overdue';
  w.mails.push({ invoiceId: invoice.id, is, cause: `reminder ${attemptNumber}` });
}

export function becomePastDue(w: Work, invoice: Invoice): void {
  w.setInvoice(invoice.id, { status: 'past_due', stepsDone: invoice.stepsDone + 1 });
  w.happened.push({ of: 'invoice', id: invoice.id, event: 'invoice.past_due' });
}

export function pay(
  w: Work,
  invoice: Invoice,
  paid: { readonly paidAt: Instant; readonly paymentId: string | null; readonly sessionId: string | null },
): void {
  const { paidAt, paymentId, sessionId } = paid;
  if (invoice.session !== null && invoice.session.id !== sessionId) w.endedSessions.push(invoice.session.id);
  w.setInvoice(invoice.id, { status: 'paid', paidAt, paymentId, session: null });
  w.happened.push({ of: 'invoice', id: invoice.id, event: 'invoice.paid' });
}

/** Voids an invoice that is not settled. One that is opening right now opens first, because its number is
 *  taken. */
export function voidInvoice(w: Work, invoice: Invoice): void {
  if (isSettled(invoice)) return;
  if (w.s.opening?.invoiceId === invoice.id) w.set({ opening: { ...w.s.opening, voided: true } });
  else voidNow(w, invoice.id);
}

function voidNow(w: Work, id: string): void {
  const session = w.invoice(id)?.session ?? null;
  if (session !== null) w.endedSessions.push(session.id);
  w.setInvoice(id, { status: 'voided', session: null });
  w.happened.push({ of: 'invoice', id, event: 'invoice.voided' });
}

/** An invoice that was paid ahead is for this period, whose dates were not known then. What it says of itself stays. */
export function countFor(w: Work, invoice: Invoice, { start, end }: Period): void {
  const { id, periodStart, periodEnd } = invoice;
  w.set({ billedStart: start });
  if (periodStart === start && periodEnd === end) return;
  const issued = invoice.issuedFor ?? { start: periodStart, end: periodEnd };
  const isBack = issued.start === start && issued.end === end;
  w.setInvoice(id, { periodStart: start, periodEnd: end, issuedFor: isBack ? null : issued });
  w.happened.push({ of: 'invoice', id, event: 'invoice.updated' });
}

/** The start of the last billed period, were this invoice not there. */
export function billedWithout({ period }: Subscription, { periodStart }: Invoice): Instant | null {
  const isAhead = periodStart >= period.end && period.number >= 0;
  return isAhead ? period.start : null;
}

/** Voids an invoice so that its period can be billed anew; `billedStart`: the last billed period then. */
export function unbill(w: Work, invoice: Invoice, billedStart = billedWithout(w.s, invoice)): void {
  const counted = isPayable(invoice);
  voidInvoice(w, invoice);
  w.set({ billedStart, cyclesBilled: w.s.cyclesBilled - (counted ? 1 : 0) });
}

/** The unsettled invoice of the period that begins at this instant. */
export const unsettledOf = (s: Subscription, periodStart: Instant): Invoice | undefined =>
  s.invoices.find((each) => each.periodStart === periodStart && !isSettled(each) && !isVoiding(s, each));

/** It opens only because its number is taken. */
export const isVoiding = ({ opening }: Subscription, { id }: Invoice): boolean =>
  opening?.invoiceId === id && opening.voided;

/** The invoice of that period that is waiting, open or paid: it needs no other one. */
export const validOf = (s: Subscription, periodStart: Instant): Invoice | undefined =>
  s.invoices.find(
    (each) => each.periodStart === periodStart && each.status !== 'voided' && !isVoiding(s, each),
  );

/** Whether a settled invoice can be forgotten here: it is voided or its period is over, and it is not the newest one
 *  that has opened. Its row stays. */
export const isOld = (s: Subscription, invoice: Invoice): boolean =>
  isSettled(invoice) &&
  invoice.id !== latestInvoice(s)?.id &&
  (invoice.status === 'voided' || invoice.periodEnd <= s.period.start);

/** The newest one that is not a draft. */
export const latestInvoice = ({ invoices }: Subscription): Invoice | null =>
  invoices.filter(({ openedAt }) => openedAt !== null).at(-1) ?? null;
