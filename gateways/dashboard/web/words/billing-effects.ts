/** What an action of billing does, in sentences: of a subscription as its preview says. Pure. */
import { displayNpr } from '../../../../src/kernel/money.ts';
import type { Effect, Invoice, Plan, Preview, Proration, Subscription } from '../wire/billing-types.ts';
import { capital, everyText, isPayable, numberText, pausedByInvoice, priceText } from './billing.ts';
import { daysText, momentWord } from './time.ts';

/** What an action is about. */
export interface Affected {
  readonly subscription: Subscription;
  /** The newest ones, those that are not settled among them. */
  readonly invoices: readonly Invoice[];
  /** On the project's clock. */
  readonly now: number;
}

export type Effects = readonly string[];

/** `the open invoice INV-000012 of NPR 1,500.00`. */
function invoiceText({ status, invoiceNumber, amount }: Invoice): string {
  const state = status === 'past_due' ? 'past due' : status;
  return invoiceNumber === null
    ? `the draft of ${displayNpr(amount)}`
    : `the ${state} invoice ${invoiceNumber} of ${displayNpr(amount)}`;
}

const moment = (at: string | number, now: number): string =>
  momentWord(typeof at === 'number' ? at : Date.parse(at), now);

const voided = (invoice: Invoice): string =>
  `${capital(invoiceText(invoice))} is voided: it can no longer be paid.`;

/** `to`: the plan that it may change to. */
export function previewTexts(
  { action, effects, nextSteps }: Preview,
  affected: Affected,
  to?: Plan,
): Effects {
  const { subscription, invoices, now } = affected;
  const has = (is: Effect['is']): boolean => effects.some((effect) => effect.is === is);
  const at = effects.find(({ is }) => is === 'cancel')?.at;
  const isAtOnce = at !== undefined && Date.parse(at) <= now;
  const untouched = invoices.filter(
    (invoice) => isPayable(invoice) && !effects.some(({ invoiceId }) => invoiceId === invoice.id),
  );
  const goesOn = untouched.map((each) => `${capital(invoiceText(each))} stays payable, with its reminders.`);
  const renewal = nextSteps.find(({ is }) => is === 'renewal')?.at;
  const until = renewal === undefined ? [] : [`Its period then runs until ${moment(renewal, now)}.`];
  const rest = {
    pause: [...goesOn, ...(has('resume') ? [] : ['It stays paused until you resume it.'])],
    resume:
      subscription.displayStatus !== 'paused' ? [] : [...until, ...(has('invoice_opens') ? [] : [billed])],
    cancel: isAtOnce ? ended : [...goesOn, 'No further invoice opens. Until it ends you can take this back.'],
    'change-plan': has('plan_change')
      ? ['Until then nothing changes: nothing is charged or given back for the period that runs.']
      : [],
    'end-trial': until,
    'extend-trial': [],
  }[action];
  return [...effects.map((effect) => effectText(effect, affected, to)), ...rest];
}

const billed = 'This period has its invoice already: no other one opens for it.';
const ended = [
  'What is paid is not given back. Refund it on its payment.',
  'It cannot be undone: for the same customer you can create another subscription.',
];

function effectText(effect: Effect, { subscription, invoices, now }: Affected, to?: Plan): string {
  const { plan, nextPlan, currentPeriodEnd, displayStatus } = subscription;
  const { is, at, amount, invoiceId } = effect;
  const invoice = invoices.find(({ id }) => id === invoiceId);
  const name = invoice === undefined ? 'Its invoice' : numberText(invoice);
  const price = displayNpr(amount ?? 0);
  const isNow = Date.parse(at) <= now;
  switch (is) {
    case 'pause':
      return `It is paused now. The period until ${moment(currentPeriodEnd, now)} stands still, and no invoice opens.`;
    case 'resume':
      return isNow ? 'It is active again.' : `It resumes by itself: ${moment(at, now)}.`;
    case 'cancel':
      return isNow
        ? `It is cancelled now: ${moment(now, now)}.`
        : `It goes on until ${moment(at, now)} and ends with its ${displayStatus === 'trialing' ? 'trial' : 'period'}.`;
    case 'trial_ends':
      return isNow
        ? `The trial ends now instead of ${moment(currentPeriodEnd, now)}, ` +
            'and the first period that is paid for begins.'
        : `The trial ends ${moment(at, now)} instead of ${moment(currentPeriodEnd, now)}.`;
    case 'plan_change': {
      const next = to ?? nextPlan ?? plan;
      const when = isNow ? 'Now' : whenText(displayStatus, moment(at, now));
      return `${when} it changes to ${next.name}: ${priceText(next)} instead of ${priceText(plan)}.`;
    }
    case 'invoice_opens':
      return `The invoice of ${price} opens at once.`;
    case 'invoice_voided':
      return invoice === undefined ? `An invoice of ${price} is voided.` : voided(invoice);
    case 'invoice_moved':
      return `${name} is paid already and counts for the new period.`;
    case 'cancel_taken_back':
      return `It goes on after ${moment(currentPeriodEnd, now)}.`;
    case 'plan_change_taken_back':
      return `It stays with ${plan.name}: ${priceText(plan)}. The change to ${nextPlan?.name ?? ''} is dropped.`;
    case 'completed':
      return 'It is completed.';
    case 'renewal':
      return 'A new period begins.';
    case 'due':
    case 'reminder':
    case 'past_due':
      return `${name} is overdue.`;
  }
}

function whenText(displayStatus: Subscription['displayStatus'], at: string): string {
  if (displayStatus === 'paused') return 'With the first period after it has resumed';
  return displayStatus === 'draft' || displayStatus === 'trialing'
    ? `With the first period that is paid for, ${at},`
    : `At the renewal, ${at},`;
}

/** For information: no amount of it is applied. */
export const prorationText = ({ unusedCredit, newPlanCharge, netAmount }: Proration, to: Plan): string =>
  `For comparison: switched this moment, ${displayNpr(unusedCredit)} of the period would be unused, ${to.name} costs ` +
  `${displayNpr(newPlanCharge)}, and the difference is ${signed(netAmount)}.`;

const signed = (paisa: number): string => (paisa < 0 ? `−${displayNpr(-paisa)}` : displayNpr(paisa));

/** A subscription that is about to be created: as it is ordered, without any date that only the service knows. */
export function createEffects(
  plan: Plan,
  of: {
    readonly startDate: number | null;
    readonly trialDays: number | null;
    readonly trialEndsAt: number | null;
    readonly customerEmail: string | null;
    readonly totalCycles: number | null;
  },
  now: number,
): Effects {
  const { startDate, trialEndsAt, totalCycles } = of;
  const isAhead = startDate !== null && startDate > now;
  const days = of.trialDays ?? plan.trialDays;
  const hasTrial = trialEndsAt !== null || days > 0;
  const amount = displayNpr(plan.amount);
  const before = plan.dunningSettings.reminderDaysBeforeDue;
  const opens = before === 0 ? 'then' : `${daysText(before)} before`;
  const trial = trialEndsAt === null ? `lasts ${daysText(days)}` : `runs until ${moment(trialEndsAt, now)}`;
  return [
    isAhead ? `It starts ${moment(startDate, now)}.` : 'It starts now.',
    ...(hasTrial ? [`The trial ${trial}. Nothing is billed for it.`] : []),
    hasTrial || isAhead
      ? `The first invoice of ${amount} is due at the ${hasTrial ? 'end of the trial' : 'start'}, and opens ${opens}.`
      : `The first invoice of ${amount} opens now and is due at once.`,
    totalCycles === 1
      ? 'That is the only one.'
      : `Then one ${everyText(plan)}${totalCycles === null ? '' : `, ${totalCycles} in all`}.`,
    ...(of.customerEmail === null
      ? ['The customer has no e-mail: send the link of the invoice yourself.']
      : []),
  ];
}

export const voidEffects = (invoice: Invoice, subscription: Subscription, now: number): Effects => [
  `${voided(invoice)} Its page says so.`,
  `The period from ${moment(invoice.periodStart, now)} to ${moment(invoice.periodEnd, now)} stays unbilled: ` +
    'no other invoice opens for it.',
  'Money that arrives for it all the same is refunded by itself.',
  ...settledText(invoice, subscription),
];

export const markPaidEffects = (invoice: Invoice, subscription: Subscription): Effects => [
  `${capital(invoiceText(invoice))} is paid, without a payment here: you were paid in another way.`,
  'Its reminders stop. Money that arrives by its link all the same is refunded by itself.',
  ...settledText(invoice, subscription),
];

/** The rule of an invoice that was not paid in time. */
function settledText({ status }: Invoice, { displayStatus, pauseReason }: Subscription): Effects {
  if (status !== 'past_due') return [];
  if (displayStatus === 'past_due') return ['The subscription is active again once nothing else is overdue.'];
  return displayStatus === 'paused' && pauseReason === pausedByInvoice
    ? ['The subscription resumes once nothing else is overdue.']
    : [];
}
