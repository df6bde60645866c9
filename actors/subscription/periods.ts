/** Which period a subscription bills next, at which plan, and when that invoice opens. Pure. */
import type { Instant } from '../../src/kernel/time.ts';
import { anchorAfterChange, periodStart, type Anchor } from './calendar.ts';
import { openingDates, type OpeningDates } from './invoice-dates.ts';
import { isEnded, type Invoice, type Period, type PlanCopy, type Subscription } from './state.ts';

/** A period with what it is counted from and billed at. */
export interface Billed {
  readonly period: Period;
  readonly anchor: Anchor;
  readonly plan: PlanCopy;
}

/** The period that begins at an instant, at the plan that applies then. */
function beginningAt(s: Subscription, start: Instant, regular: Anchor, number: number): Billed {
  const change = [s.nextPlan, s.paidPlan ?? null].find((each) => each !== null && each.at <= start) ?? null;
  const plan = change?.plan ?? s.plan;
  const anchor =
    change === null ? regular : anchorAfterChange(regular, s.plan.interval, plan.interval, start);
  const counted = change === null ? number : 0;
  const end = periodStart(anchor, plan.interval, counted + 1);
  return { period: { number: counted, start, end }, anchor, plan };
}

/** Its first billed period is still ahead, and no trial comes before it. */
export const isUnbegun = ({ status, period }: Subscription): boolean =>
  status === 'draft' && period.number === 0;

/** The period the subscription is in. Before its start a plan that is scheduled for the start applies. */
export const current = (s: Subscription): Billed =>
  isUnbegun(s)
    ? beginningAt(s, s.period.start, s.anchor, 0)
    : { period: s.period, anchor: s.anchor, plan: s.plan };

/** The period after the current one. */
export const following = (s: Subscription): Billed =>
  beginningAt(s, s.period.end, s.anchor, s.period.number + 1);

/** A period that begins now, because the one before has been over for a while. */
export const startingAnew = (s: Subscription, now: Instant, anchor: Anchor): Billed =>
  beginningAt(s, now, anchor, 0);

/** What changes when a period begins, and with it the plan that applies from then on. */
export function entered(s: Subscription, { period, anchor, plan }: Billed): Partial<Subscription> {
  const dates = { period, anchor, plan, planId: plan.id };
  if (plan.id === s.plan.id) return dates;
  return { ...dates, ...((s.paidPlan ?? null) === null ? { nextPlan: null } : { paidPlan: null }) };
}

const isTrial = ({ number }: Period): boolean => number < 0;

/** The period the next invoice is for; null: there is no further one, or not now. */
export function nextBilled(s: Subscription): Billed | null {
  if (isEnded(s) || s.status === 'paused' || s.lapsed) return null;
  const billed = s.billedStart ?? -Infinity;
  if (!isTrial(s.period) && billed < s.period.start) return hasCycleLeft(s) ? current(s) : null;
  // before the start the next period is the first
  if (isUnbegun(s)) return null;
  if (s.cancelAtPeriodEnd || !hasCycleLeft(s) || billed >= s.period.end) return null;
  return following(s);
}

const hasCycleLeft = ({ totalCycles, cyclesBilled, invoices }: Subscription): boolean => {
  if (totalCycles === null) return true;
  const drafts = invoices.filter(({ status }) => status === 'draft').length;
  return cyclesBilled + drafts < totalCycles;
};

interface NextOpening extends OpeningDates {
  readonly draft: Invoice | null;
}

/** When the next invoice appears and opens; null: there is none to come. A draft that waits to open counts as the
 *  next one, unless the current period is still to be billed. */
export function nextOpening(s: Subscription): NextOpening | null {
  if (s.opening !== null || isEnded(s) || s.status === 'paused') return null;
  const draft = s.invoices.find(({ status }) => status === 'draft') ?? null;
  const next = nextBilled(s);
  if (draft !== null && (next === null || draft.periodStart <= next.period.start))
    return openingOf(s, draft.dueAt, draft.terms, draft);
  return next === null ? null : openingOf(s, next.period.start, next.plan.terms, null);
}

function openingOf(
  s: Subscription,
  due: Instant,
  terms: PlanCopy['terms'],
  draft: Invoice | null,
): NextOpening {
  const earliest = due > s.period.start && !isFirst(s) ? s.period.start : s.createdAt;
  const { draftAt, opensAt } = openingDates(due, earliest, terms);
  return { draftAt, opensAt, draft };
}

/** No invoice has opened yet: it may open as soon as the subscription exists. */
const isFirst = ({ cyclesBilled, period }: Subscription): boolean => cyclesBilled === 0 && period.number <= 0;

/** `nextInvoiceAt` of the API: the next moment at which an invoice opens. Where the next period is billed already it
 *  is the one after that. */
export function nextInvoiceAt(s: Subscription): Instant | null {
  if (isEnded(s) || s.status === 'paused' || s.cancelAtPeriodEnd) return null;
  const now = afterOpening(s);
  return (nextOpening(now) ?? nextOpening(afterRenewal(now)))?.opensAt ?? null;
}

/** As if the invoice that is opening had opened. */
function afterOpening(s: Subscription): Subscription {
  const { opening, invoices, cyclesBilled } = s;
  if (opening === null) return s;
  return {
    ...s,
    opening: null,
    invoices: invoices.filter(({ id }) => id !== opening.invoiceId),
    cyclesBilled: cyclesBilled + (opening.voided ? 0 : 1),
  };
}

const afterRenewal = (s: Subscription): Subscription => ({
  ...s,
  ...entered(s, isUnbegun(s) ? current(s) : following(s)),
  status: 'active',
});
