/** What comes next, and what a request would do: the subscription's own steps and requests, tried on a copy. Pure.
 *  1. A step happens at its own time, and its invoice opens at once; nobody pays, and nobody asks for anything.
 *  2. Codes only. An invoice that does not exist yet has no id here. */
import { iso, type Instant } from '../../src/kernel/time.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import { openAtOnce } from './invoices.ts';
import { requests, type Asked, type Refusal } from './requests.ts';
import type { SubscriptionCommands } from './messages.ts';
import { isEnded, type Subscription } from './state.ts';
import { nextStep } from './steps.ts';
import { Work, type Happened, type SubscriptionEvent } from './work.ts';

export const nextStepsMax = 12;

export const stepCodes = [
  'trial_ends',
  'invoice_opens',
  'due',
  'reminder',
  'past_due',
  'pause',
  'cancel',
  'renewal',
  'plan_change',
  'resume',
  'completed',
] as const;
export type StepCode = (typeof stepCodes)[number];

/** What only a request does. */
export const effectCodes = [
  ...stepCodes,
  'invoice_voided',
  'invoice_moved',
  'cancel_taken_back',
  'plan_change_taken_back',
] as const;
export type EffectCode = (typeof effectCodes)[number];

/** One thing that will happen. */
export interface Coming<Code extends EffectCode = EffectCode> {
  readonly at: string;
  readonly is: Code;
  /** The invoice that it is about; of a pause or an end, its cause. null: none, or none that exists yet. */
  readonly invoiceId: string | null;
  /** Of the invoice, or the price of the plan that takes over. */
  readonly amount: Paisa | null;
}

const ofSubscription: { readonly [Each in SubscriptionEvent]?: StepCode } = {
  'subscription.trial_ended': 'trial_ends',
  'subscription.renewed': 'renewal',
  'subscription.plan_changed': 'plan_change',
  'subscription.paused': 'pause',
  'subscription.resumed': 'resume',
  'subscription.cancelled': 'cancel',
  'subscription.completed': 'completed',
};
const ofInvoice: { readonly [Each in (Happened & { of: 'invoice' })['event']]: EffectCode | null } = {
  'invoice.created': 'invoice_opens',
  'invoice.past_due': 'past_due',
  'invoice.voided': 'invoice_voided',
  'invoice.updated': 'invoice_moved',
  'invoice.paid': null,
};

/** On a copy: what it makes is kept nowhere, and has no id of ours. */
class Trial extends Work {
  constructor(now: Instant, s: Subscription) {
    super('', now, s);
  }

  /** The same, in less time. */
  override set(part: Partial<Subscription>): void {
    this.s = Object.assign(copyOf(this.s), part);
  }

  protected override nextInvoiceId(): string {
    return String(this.s.invoicesMade);
  }
}

/** What the subscription does if nothing happens, the next first; none once it has ended. */
export function nextStepsOf(s: Subscription, known = idsOf(s)): readonly Coming<StepCode>[] {
  if (isEnded(s)) return [];
  const coming: Coming<StepCode>[] = [];
  const take = (w: Work): void => {
    openAtOnce(w);
    coming.push(...comingOf(w, known).filter(isStep));
  };
  const opening = new Trial(s.opening?.at ?? s.updatedAt, s);
  take(opening);
  let state = opening.s;
  let now = -Infinity;
  while (coming.length < nextStepsMax && !isEnded(state)) {
    const step = nextStep(state);
    if (step === null || step.at >= unwritable) break;
    now = Math.max(now, step.at);
    const w = new Trial(now, state);
    step.run(w);
    take(w);
    state = w.s;
  }
  return coming.slice(0, nextStepsMax);
}

/** From here on an instant has no text that RFC 3339 allows. */
const unwritable: Instant = Date.UTC(10_000, 0, 1);

const isStep = (each: Coming): each is Coming<StepCode> => stepCodes.some((code) => code === each.is);
const idsOf = ({ invoices }: Subscription): ReadonlySet<string> => new Set(invoices.map(({ id }) => id));

/** What has happened in this work, in its order. */
function comingOf(w: Work, known: ReadonlySet<string>): readonly Coming[] {
  if (w.happened.length === 0) return [];
  const at = iso(w.now);
  let cause: string | null = null;
  const coming: Coming[] = [];
  for (const each of w.happened) {
    if (each.of === 'subscription') {
      const is = ofSubscription[each.event];
      const amount = is === 'plan_change' ? w.s.plan.amount : null;
      if (is !== undefined) coming.push({ at, is, invoiceId: cause, amount });
      continue;
    }
    const invoiceId = known.has(each.id) ? each.id : null;
    const amount = w.invoice(each.id)?.amount ?? null;
    const reminder = each.of === 'reminder' && each.attemptNumber === 0 ? 'due' : 'reminder';
    const is = each.of === 'reminder' ? reminder : ofInvoice[each.event];
    if (is === 'past_due') cause = invoiceId;
    if (is !== null) coming.push({ at, is, invoiceId, amount });
  }
  return coming;
}

export interface Preview {
  readonly effects: readonly Coming[];
  readonly nextSteps: readonly Coming<StepCode>[];
}

/** What a request would do now. The code of its refusal where it would be refused. */
export function previewOf<K extends Asked>(
  s: Subscription,
  now: Instant,
  request: K,
  command: SubscriptionCommands[K],
): Preview | NonNullable<Refusal> {
  const asked = requests[request][s.status];
  const w = new Trial(now, s);
  const refusal = asked === undefined ? 'invalid_state' : asked(w, command);
  if (refusal !== null) return refusal;
  openAtOnce(w);
  const known = idsOf(s);
  const effects = [...comingOf(w, known), ...arrangedBy(w, s)].toSorted((a, b) => a.at.localeCompare(b.at));
  return { effects, nextSteps: nextStepsOf(w.s, known) };
}

/** What the request has arranged for later, and what it has taken back. */
function arrangedBy({ now, s }: Work, before: Subscription): readonly Coming[] {
  if (isEnded(s)) return [];
  const coming = (at: Instant | null, is: EffectCode, amount: Paisa | null = null): readonly Coming[] =>
    at === null ? [] : [{ at: iso(at), is, invoiceId: null, amount }];
  const isLater = (at: Instant | null, was: Instant | null): boolean => at !== null && at > now && at !== was;
  const { nextPlan: plan } = s;
  const isOtherPlan = plan?.plan.id !== before.nextPlan?.plan.id || plan?.at !== before.nextPlan?.at;
  const takesBackPlan = plan === null && before.nextPlan !== null && s.plan.id === before.plan.id;
  return [
    ...(isLater(s.trialEndsAt, before.trialEndsAt) ? coming(s.trialEndsAt, 'trial_ends') : []),
    ...(isLater(s.resumeAt, before.resumeAt) ? coming(s.resumeAt, 'resume') : []),
    ...(s.cancelAtPeriodEnd && isLater(s.cancelEffectiveAt, before.cancelEffectiveAt)
      ? coming(s.cancelEffectiveAt, 'cancel')
      : []),
    ...(before.cancelAtPeriodEnd && s.cancelledAt === null ? coming(now, 'cancel_taken_back') : []),
    ...(plan !== null && isOtherPlan ? coming(plan.at, 'plan_change', plan.plan.amount) : []),
    ...(takesBackPlan ? coming(now, 'plan_change_taken_back') : []),
  ];
}

/** Each field is named: a copy by `...` of so many fields takes ten times as long, and there are dozens of copies. */
const copyOf = (s: Subscription): Required<Subscription> => ({
  status: s.status,
  customerId: s.customerId,
  planId: s.planId,
  customer: s.customer,
  plan: s.plan,
  nextPlan: s.nextPlan,
  paidPlan: s.paidPlan ?? null,
  startDate: s.startDate,
  trialEndsAt: s.trialEndsAt,
  trialWarned: s.trialWarned,
  anchor: s.anchor,
  period: s.period,
  billedStart: s.billedStart,
  cyclesBilled: s.cyclesBilled,
  totalCycles: s.totalCycles,
  lapsed: s.lapsed,
  cancelAtPeriodEnd: s.cancelAtPeriodEnd,
  cancelledAt: s.cancelledAt,
  cancelEffectiveAt: s.cancelEffectiveAt,
  cancelReason: s.cancelReason,
  pausedAt: s.pausedAt,
  pauseReason: s.pauseReason,
  resumeAt: s.resumeAt,
  endedAt: s.endedAt,
  providerPreference: s.providerPreference,
  referenceId: s.referenceId,
  metadata: s.metadata,
  invoices: s.invoices,
  invoicesMade: s.invoicesMade,
  opening: s.opening,
  baseUrl: s.baseUrl,
  sequence: s.sequence,
  createdAt: s.createdAt,
  updatedAt: s.updatedAt,
});
