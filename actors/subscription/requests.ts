/** What a merchant asks of a subscription: what may be refused returns the code of its refusal, or null when it is
 *  done. At the end: what else follows when one of its invoices is voided or paid. */
import type { Instant } from '../../src/kernel/time.ts';
import { days } from '../../src/kernel/time.ts';
import { metadataKeysMax } from '../checkout-session/order.ts';
import { isSameJson, mergedMetadata } from '../metadata.ts';
import { anchorAt, periodStart } from './calendar.ts';
import { afterSettled, activate, beginAnew, cancelNow, enter, resume, warnOfTrialEnd } from './steps.ts';
import {
  billedWithout,
  countFor,
  draftOf,
  openWhatIsDue,
  pause,
  pay,
  unbill,
  unsettledOf,
  validOf,
  voidInvoice,
} from './invoices.ts';
import type { SubscriptionCommands, SubscriptionRequest } from './messages.ts';
import { current, following, isUnbegun, type Billed } from './periods.ts';
import {
  isEnded,
  isPayable,
  type DisplayStatus,
  type Invoice,
  type NextPlan,
  type Subscription,
} from './state.ts';
import type { Work } from './work.ts';

type Commands = SubscriptionCommands;
export type Refusal = string | null;

/** A trial may end at most so long after now. */
export const trialMsMax = days(365);

/** A new subscription, before anything has happened to it. */
export function created(request: SubscriptionRequest, now: Instant): Subscription {
  const { plan, customer, trialDays, ...rest } = request;
  const startDate = Math.max(request.startDate ?? now, now);
  const trialEndsAt = request.trialEndsAt ?? (trialDays > 0 ? startDate + days(trialDays) : null);
  const anchor = anchorAt(trialEndsAt ?? startDate);
  const period =
    trialEndsAt === null
      ? { number: 0, start: startDate, end: periodStart(anchor, plan.interval, 1) }
      : { number: -1, start: startDate, end: trialEndsAt };
  const begun = trialEndsAt === null ? 'active' : 'trialing';
  return {
    ...rest,
    status: startDate > now ? 'draft' : begun,
    customerId: customer.id,
    planId: plan.id,
    customer,
    plan,
    nextPlan: null,
    startDate,
    trialEndsAt,
    trialWarned: false,
    anchor,
    period,
    billedStart: null,
    cyclesBilled: 0,
    lapsed: false,
    cancelAtPeriodEnd: false,
    cancelledAt: null,
    cancelEffectiveAt: null,
    cancelReason: null,
    pausedAt: null,
    pauseReason: null,
    resumeAt: null,
    endedAt: null,
    invoices: [],
    invoicesMade: 0,
    opening: null,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  };
}

export function begin(w: Work): void {
  const { status, trialEndsAt } = w.s;
  w.report('subscription.created');
  if (status === 'active') w.report('subscription.activated');
  if (trialEndsAt !== null && trialEndsAt - days(3) <= w.now) warnOfTrialEnd(w);
  openWhatIsDue(w);
}

export function change(w: Work, { totalCycles, metadata, ...set }: Commands['change']): Refusal {
  const { s } = w;
  if (totalCycles !== undefined && totalCycles !== null && totalCycles < cyclesBegun(s))
    return 'total_cycles_too_small';
  const merged = mergedMetadata(s.metadata, metadata);
  if (Object.keys(merged).length > metadataKeysMax) return 'metadata_too_many_keys';
  const next = {
    ...s,
    ...set,
    metadata: merged,
    totalCycles: totalCycles === undefined ? s.totalCycles : totalCycles,
  };
  if (isSameJson(next, s)) return null;
  w.set(next);
  w.report('subscription.updated');
  cyclesChanged(w);
  openWhatIsDue(w);
  return null;
}

/** Those billed, with the one that is opening. */
const cyclesBegun = ({ cyclesBilled, opening }: Subscription): number =>
  cyclesBilled + (opening === null || opening.voided ? 0 : 1);

/** A draft without a cycle goes; one whose last cycle was over begins a new period. */
function cyclesChanged(w: Work): void {
  const { s } = w;
  if (isEnded(s)) return;
  const isLeft = s.totalCycles === null || cyclesBegun(s) < s.totalCycles;
  const draft = s.invoices.find(({ id, status }) => status === 'draft' && id !== s.opening?.invoiceId);
  if (!isLeft && draft !== undefined) unbill(w, draft);
  if (!isLeft || !s.lapsed || s.status === 'paused') return;
  w.report('subscription.renewed');
  beginAnew(w);
}

function pauseNow(w: Work, { reason, resumeAt }: Commands['pause']): Refusal {
  pause(w, reason, resumeAt);
  return null;
}

function resumeNow(w: Work): Refusal {
  resume(w);
  return null;
}

/** Takes back that it ends with its period. */
function unflag(w: Work): Refusal {
  if (!w.s.cancelAtPeriodEnd) return 'invalid_state';
  w.set({ cancelAtPeriodEnd: false, cancelledAt: null, cancelEffectiveAt: null, cancelReason: null });
  w.report('subscription.updated');
  openWhatIsDue(w);
  return null;
}

function cancelAtOnce(w: Work, { reason }: Commands['cancel']): Refusal {
  cancelNow(w, reason, () => true);
  return null;
}

/** Ends it with the current period, or with the next one where that is paid already. One whose last cycle is over has
 *  no period to wait for. */
function flag(w: Work, { reason }: Commands['cancel']): Refusal {
  const { s } = w;
  if (s.lapsed) return cancelAtOnce(w, { reason, atPeriodEnd: false });
  if (s.cancelAtPeriodEnd) {
    if (reason !== s.cancelReason) {
      w.set({ cancelReason: reason });
      w.report('subscription.updated');
    }
    return null;
  }
  const next = validOf(s, s.period.end);
  w.set({
    cancelAtPeriodEnd: true,
    cancelledAt: w.now,
    cancelEffectiveAt: next?.status === 'paid' ? next.periodEnd : s.period.end,
    cancelReason: reason,
  });
  w.report('subscription.updated');
  if (next !== undefined && next.status !== 'paid') unbill(w, next);
  return null;
}

function cancel(w: Work, command: Commands['cancel']): Refusal {
  return command.atPeriodEnd ? flag(w, command) : cancelAtOnce(w, command);
}

/** Schedules a plan for the next renewal, or takes that back by naming the plan that applies until then. */
function changePlan(w: Work, { plan, isInactive }: Commands['changePlan']): Refusal {
  const { s } = w;
  if (s.cancelAtPeriodEnd) return 'invalid_state';
  const paidPlan = paidPlanOf(s);
  // beyond what is paid
  const scheduled = s.nextPlan === paidPlan ? null : s.nextPlan;
  if (plan.id === (paidPlan?.plan ?? s.plan).id) {
    if (scheduled === null) return paidPlan === null ? 'plan_unchanged' : null;
    w.set({ nextPlan: paidPlan, ...withoutPaidPlan(s) });
  } else if (plan.id === scheduled?.plan.id) return null;
  else if (isInactive === true) return 'plan_inactive';
  else w.set({ nextPlan: { plan, at: changeAt(s) }, ...(paidPlan === null ? {} : { paidPlan }) });
  w.report('subscription.updated');
  // only the price changes: what is open stays open, as another invoice
  const billed = isUnbegun(w.s) ? current(w.s) : following(w.s);
  reissue(w, unsettledOf(w.s, billed.period.start), { billed, opens: 'at once' });
  return null;
}

/** The plan that takes over with the next period, if that is paid: the buyer has paid for it. */
function paidPlanOf(s: Subscription): NextPlan | null {
  if (s.paidPlan !== undefined && s.paidPlan !== null) return s.paidPlan;
  const invoice = validOf(s, isUnbegun(s) ? s.period.start : s.period.end);
  const isPaid = invoice?.status === 'paid' && s.nextPlan !== null && s.nextPlan.at <= invoice.periodStart;
  return isPaid ? s.nextPlan : null;
}

const withoutPaidPlan = ({ paidPlan }: Subscription): Partial<Subscription> =>
  paidPlan === undefined ? {} : { paidPlan: null };

/** The start of the first period whose invoice is not paid. */
function changeAt(s: Subscription): Instant {
  const target = isUnbegun(s) ? s.period.start : s.period.end;
  const invoice = validOf(s, target);
  return invoice?.status === 'paid' ? invoice.periodEnd : target;
}

interface Reissue {
  /** The period it is for now. */
  readonly billed: Billed;
  /** The last billed period, were the invoice not there. */
  readonly billedStart?: null;
  readonly opens: 'in time' | 'at once';
}

/** Issues an invoice anew, at the plan and the dates that apply now. A draft is only rewritten. */
function reissue(w: Work, invoice: Invoice | undefined, { billed, billedStart, opens }: Reissue): void {
  if (invoice === undefined) return openWhatIsDue(w);
  const before = billedStart === undefined ? billedWithout(w.s, invoice) : billedStart;
  const isOpening = w.s.opening?.invoiceId === invoice.id;
  if (invoice.status === 'draft' && !isOpening) {
    w.setInvoice(invoice.id, draftOf(billed));
    w.set({ billedStart: billed.period.start });
    return openWhatIsDue(w);
  }
  unbill(w, invoice, before);
  if (w.s.opening === null) return openWhatIsDue(w, opens);
  w.set({ opening: { ...w.s.opening, replaced: isOpening && opens === 'at once' } });
}

/** The trial ends now, and the first billed period begins. */
function endTrial(w: Work): Refusal {
  const first = validOf(w.s, w.s.period.end);
  moveTrialEnd(w, w.now, first);
  // what is paid is delivered first
  if (w.s.cancelAtPeriodEnd && first?.status !== 'paid') {
    w.set({ status: 'cancelled', endedAt: w.now });
    w.report('subscription.cancelled');
    return null;
  }
  w.report('subscription.trial_ended');
  enter(w, following(w.s));
  activate(w);
  firstMoved(w, first);
  return null;
}

function extendTrial(w: Work, { trialEndsAt }: Commands['extendTrial']): Refusal {
  const { s } = w;
  if (s.trialEndsAt === null || trialEndsAt <= s.trialEndsAt) return 'trial_end_not_later';
  if (trialEndsAt > w.now + trialMsMax) return 'trial_end_too_late';
  const first = validOf(s, s.period.end);
  moveTrialEnd(w, trialEndsAt, first);
  w.set({ trialWarned: trialEndsAt - days(3) <= w.now });
  w.report('subscription.updated');
  firstMoved(w, first);
  return null;
}

/** The first invoice is for other dates now; one that is paid already counts for them. */
function firstMoved(w: Work, first: Invoice | undefined): void {
  const billed = w.s.period.number < 0 ? following(w.s) : current(w.s);
  if (first?.status !== 'paid') {
    // its dates, and those of one that was voided, are those of before
    w.set({ billedStart: null, cyclesBilled: first !== undefined && isPayable(first) ? 1 : 0 });
    return reissue(w, first, { billed, billedStart: null, opens: 'in time' });
  }
  countFor(w, first, billed.period);
  openWhatIsDue(w);
}

/** The first billed period begins at another time. A period that is paid keeps its plan, and its end is waited for. */
function moveTrialEnd(w: Work, at: Instant, first: Invoice | undefined): void {
  const { period, plan, nextPlan, paidPlan = null, cancelAtPeriodEnd } = w.s;
  const anchor = anchorAt(at);
  const paid = first?.status === 'paid' ? first : undefined;
  const isOfNextPlan = nextPlan !== null && (paid === undefined || nextPlan.at <= paid.periodStart);
  const paidFor = paidPlan?.plan ?? (isOfNextPlan ? nextPlan.plan : plan);
  const paidEnd = periodStart(anchor, paidFor.interval, 1);
  w.set({
    trialEndsAt: at,
    anchor,
    period: { ...period, end: at },
    ...(nextPlan === null ? {} : { nextPlan: { ...nextPlan, at: isOfNextPlan ? at : paidEnd } }),
    ...(paidPlan === null ? {} : { paidPlan: { ...paidPlan, at } }),
    ...(cancelAtPeriodEnd ? { cancelEffectiveAt: paid === undefined ? at : paidEnd } : {}),
  });
}

export type Asked = 'pause' | 'resume' | 'cancel' | 'changePlan' | 'endTrial' | 'extendTrial';
type Request<K extends Asked> = (w: Work, command: Commands[K]) => Refusal;

/** What a merchant can ask for, by status. What is not named is refused: `invalid_state`. */
export const requests: {
  readonly [K in Asked]: { readonly [S in DisplayStatus]?: Request<K> };
} = {
  pause: { active: pauseNow, past_due: pauseNow },
  resume: { trialing: unflag, active: unflag, past_due: unflag, paused: resumeNow },
  cancel: {
    // nothing has begun, or no period runs that could be waited for
    draft: cancelAtOnce,
    trialing: cancel,
    active: cancel,
    past_due: cancel,
    paused: cancelAtOnce,
  },
  changePlan: {
    draft: changePlan,
    trialing: changePlan,
    active: changePlan,
    past_due: changePlan,
    paused: changePlan,
  },
  endTrial: { trialing: endTrial },
  extendTrial: { trialing: extendTrial },
};

/** The merchant voids an invoice: its period stays billed. One that has opened is counted already. */
export function voidByMerchant(w: Work, invoice: Invoice): void {
  if (invoice.status === 'draft') w.set({ cyclesBilled: w.s.cyclesBilled + 1 });
  voidInvoice(w, invoice);
  afterSettled(w, invoice);
}

export function payByMerchant(w: Work, invoice: Invoice, { paidAt, notes }: Commands['markPaid']): void {
  const noted = [invoice.notes, notes].filter((each) => each !== null).join('\n');
  w.setInvoice(invoice.id, { notes: noted === '' ? null : noted });
  pay(w, invoice, { paidAt: paidAt ?? w.now, paymentId: null, sessionId: null });
  afterSettled(w, invoice);
}

export function payBySession(
  w: Work,
  invoice: Invoice,
  { sessionId, paymentId, paidAt }: Commands['claim'],
): void {
  pay(w, invoice, { paidAt, paymentId, sessionId });
  afterSettled(w, invoice);
}
