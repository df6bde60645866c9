/** What a subscription does by itself, at its own times.
 *  1. One step at a time, the earliest first; of steps at one instant, in the order of `ranks`.
 *  2. While an invoice opens nothing else happens: its number is on its way.
 *  3. A step that comes late is still done, and before the ones after it. */
import { days, type Instant } from '../../src/kernel/time.ts';
import {
  becomePastDue,
  countFor,
  draft,
  hasTooManyUnpaid,
  nextDunning,
  openWhatIsDue,
  pause,
  pausedByUnpaid,
  remind,
  validOf,
  voidInvoice,
} from './invoices.ts';
import { anchorAt } from './calendar.ts';
import { overdueAt } from './invoice-dates.ts';
import {
  current,
  entered,
  following,
  nextBilled,
  nextOpening,
  startingAnew,
  type Billed,
} from './periods.ts';
import { isEnded, isPayable, isSettled, type Invoice, type Subscription } from './state.ts';
import type { Work } from './work.ts';

const trialWarningMs = days(3);

interface Step {
  readonly at: Instant;
  run(w: Work): void;
}

const ranks = { start: 0, trialWillEnd: 1, periodEnd: 2, dunning: 3, draft: 4, open: 5, resume: 6 } as const;

type Offer = (at: Instant, rank: number, run: (w: Work) => void) => void;

/** The next step; null: nothing is to come. */
export function nextStep(s: Subscription): Step | null {
  if (s.opening !== null) return null;
  let [at, rank] = [Infinity, Infinity];
  let run: ((w: Work) => void) | null = null;
  offerSteps(s, (offered, itsRank, itsRun) => {
    if (offered < at || (offered === at && itsRank < rank)) [at, rank, run] = [offered, itsRank, itsRun];
  });
  return run === null ? null : { at, run };
}

function offerSteps(s: Subscription, offer: Offer): void {
  const { status, trialEndsAt, resumeAt } = s;
  if (status === 'draft') offer(s.startDate, ranks.start, start);
  if (!s.trialWarned && trialEndsAt !== null && (status === 'draft' || status === 'trialing'))
    offer(trialEndsAt - trialWarningMs, ranks.trialWillEnd, warnOfTrialEnd);
  if ((status === 'trialing' || status === 'active' || status === 'past_due') && !s.lapsed)
    offer(s.period.end, ranks.periodEnd, periodEnded);
  for (const invoice of s.invoices)
    if (isEnded(s)) offerOverdueAfterEnd(invoice, offer);
    else offerDunning(invoice, offer);
  const opening = nextOpening(s);
  if (opening !== null) {
    const { draft: waiting, draftAt, opensAt } = opening;
    if (waiting === null && draftAt !== null) offer(draftAt, ranks.draft, draft);
    offer(opensAt, ranks.open, openWhatIsDue);
  }
  if (status === 'paused' && resumeAt !== null) offer(resumeAt, ranks.resume, resume);
}

function offerDunning(invoice: Invoice, offer: Offer): void {
  const step = nextDunning(invoice);
  if (step === null) return;
  offer(step.at, ranks.dunning, (w) => {
    if (step.step === 'reminder') remind(w, invoice, step.attemptNumber);
    else overdue(w, invoice);
  });
}

/** Whoever has ended is reminded no more and nothing follows, but an invoice that is not paid in time is past due. */
function offerOverdueAfterEnd(invoice: Invoice, offer: Offer): void {
  const { status, openedAt, dueAt, terms } = invoice;
  if (status !== 'open' || openedAt === null) return;
  offer(overdueAt(dueAt, openedAt, terms), ranks.dunning, (w) => becomePastDue(w, invoice));
}

export function warnOfTrialEnd(w: Work): void {
  w.set({ trialWarned: true });
  w.report('subscription.trial_will_end');
}

/** The start date is reached. */
function start(w: Work): void {
  if (w.s.trialEndsAt !== null) return w.set({ status: 'trialing' });
  enter(w, current(w.s));
  activate(w);
}

export function activate(w: Work): void {
  w.set({ status: 'active' });
  w.report('subscription.activated');
}

/** The end of the current period, or of the trial. */
function periodEnded(w: Work): void {
  const { s } = w;
  if (s.cancelAtPeriodEnd && (s.cancelEffectiveAt ?? 0) <= s.period.end) return endByFlag(w);
  if (s.status === 'trialing') {
    w.report('subscription.trial_ended');
    enter(w, following(s));
    return activate(w);
  }
  if (isLastPeriod(s)) return lastCycleEnded(w);
  const next = following(s);
  w.report('subscription.renewed');
  enter(w, next);
}

/** No further period is billed. */
const isLastPeriod = (s: Subscription): boolean =>
  s.totalCycles !== null && nextBilled(s) === null && (s.billedStart ?? 0) <= s.period.start;

/** Enters a period, and the plan that applies from then on. */
export function enter(w: Work, billed: Billed): void {
  const isChanged = billed.plan.id !== w.s.plan.id;
  w.set(entered(w.s, billed));
  if (isChanged) w.report('subscription.plan_changed');
}

function endByFlag(w: Work): void {
  w.set({ status: 'cancelled', endedAt: w.now });
  w.report('subscription.cancelled');
}

function lastCycleEnded(w: Work): void {
  w.set({ lapsed: true });
  completeIfSettled(w);
}

/** A subscription whose last cycle is over is completed once nothing is to be paid. */
export function completeIfSettled(w: Work): void {
  const { s } = w;
  if (!s.lapsed || isEnded(s) || s.status === 'paused' || s.invoices.some((each) => !isSettled(each))) return;
  w.set({ status: 'completed', endedAt: w.now });
  w.report('subscription.completed');
}

/** An invoice was not paid in time. */
function overdue(w: Work, invoice: Invoice): void {
  becomePastDue(w, invoice);
  const { status } = w.s;
  switch (invoice.terms.overdueAction) {
    case 'keep_active':
      return;
    case 'mark_past_due':
      if (status !== 'active') return;
      w.set({ status: 'past_due' });
      return w.report('subscription.past_due');
    case 'pause':
      if (status !== 'active' && status !== 'past_due') return;
      return pause(w, pausedByInvoice, null);
    case 'cancel':
      return cancelNow(w, cancelledByInvoice, (each) => each.status !== 'past_due');
  }
}

const pausedByInvoice = 'invoice_overdue';
const cancelledByInvoice = 'invoice_overdue';

/** Ends it now, and voids the invoices that `voids` names. */
export function cancelNow(w: Work, reason: string | null, voids: (invoice: Invoice) => boolean): void {
  w.set({
    status: 'cancelled',
    cancelAtPeriodEnd: false,
    cancelledAt: w.now,
    cancelEffectiveAt: w.now,
    cancelReason: reason,
    endedAt: w.now,
  });
  w.report('subscription.cancelled');
  for (const invoice of w.s.invoices) if (voids(invoice)) voidInvoice(w, invoice);
}

/** Its periods go on: the current one, or a new one from now if that is over. */
export function resume(w: Work): void {
  w.set({ status: 'active', pausedAt: null, pauseReason: null, resumeAt: null });
  w.report('subscription.resumed');
  const { s } = w;
  if (w.now < s.period.end) {
    if (validOf(s, s.period.start) === undefined) billCurrent(w);
    return openWhatIsDue(w);
  }
  beginAnew(w);
}

/** The current period has no valid invoice: it is billed now. One that was voided does not count any more. */
function billCurrent(w: Work): void {
  const { billedStart, period, cyclesBilled } = w.s;
  const wasCounted = (billedStart ?? -Infinity) >= period.start;
  w.set({ billedStart: null, cyclesBilled: cyclesBilled - (wasCounted ? 1 : 0) });
}

/** A new period from now on. An invoice that was opened ahead for the next one counts for it if it is paid;
 *  otherwise it is issued anew. */
export function beginAnew(w: Work): void {
  const ahead = validOf(w.s, w.s.period.end);
  const paid = ahead?.status === 'paid' ? ahead : undefined;
  if (ahead !== undefined && paid === undefined) {
    if (isPayable(ahead)) w.set({ cyclesBilled: w.s.cyclesBilled - 1 });
    voidInvoice(w, ahead);
  }
  // one that waits for the period that is over, which did not run
  for (const draft of w.s.invoices) if (draft.status === 'draft') voidInvoice(w, draft);
  if (paid === undefined && isOutOfCycles(w.s)) return lastCycleEnded(w);
  const { nextPlan, cancelAtPeriodEnd } = w.s;
  // a plan that was scheduled for after the paid period waits for its end
  const waits = nextPlan !== null && paid !== undefined && nextPlan.at > paid.periodStart;
  enter(w, startingAnew(waits ? { ...w.s, nextPlan: null } : w.s, w.now, anchorAt(w.now)));
  const { period } = w.s;
  w.set({
    lapsed: false,
    ...(waits ? { nextPlan: { ...nextPlan, at: period.end } } : {}),
    ...(cancelAtPeriodEnd ? { cancelEffectiveAt: period.end } : {}),
  });
  if (paid !== undefined) countFor(w, paid, period);
  else w.set({ billedStart: null });
  openWhatIsDue(w);
}

const isOutOfCycles = ({ totalCycles, cyclesBilled }: Subscription): boolean =>
  totalCycles !== null && cyclesBilled >= totalCycles;

/** After an invoice was paid or voided: whether anything still keeps the subscription from being active. */
export function afterSettled(w: Work, was: Invoice): void {
  const { s } = w;
  completeIfSettled(w);
  const stillOverdue = s.invoices.some(({ status }) => status === 'past_due');
  const wasLast = was.status === 'past_due' && !stillOverdue;
  const { status } = w.s;
  if (status === 'past_due' && wasLast) activate(w);
  if (status === 'paused' && isPauseOver(w.s, wasLast)) resume(w);
}

const isPauseOver = (s: Subscription, wasLast: boolean): boolean =>
  (s.pauseReason === pausedByInvoice && wasLast) ||
  (s.pauseReason === pausedByUnpaid && !hasTooManyUnpaid(s));
