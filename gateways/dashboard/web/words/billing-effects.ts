/** What an action of billing will do, in sentences: computed from the subscription and its invoices as they are
 *  shown. Pure. */
import { displayNpr } from '../../../../src/kernel/money.ts';
import type { Invoice, Plan, Proration, Subscription } from '../wire/billing-types.ts';
import {
  coverOf,
  everyText,
  isPayable,
  isUnsettled,
  numberText,
  pausedByInvoice,
  periodEndFrom,
  priceText,
} from './billing.ts';
import { aheadOf, amountAt } from './next-steps.ts';
import { momentWord } from './time.ts';

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
export function invoiceText({ status, invoiceNumber, amount }: Invoice): string {
  const state = status === 'past_due' ? 'past due' : status;
  return invoiceNumber === null
    ? `the draft of ${displayNpr(amount)}`
    : `the ${state} invoice ${invoiceNumber} of ${displayNpr(amount)}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const said = (at: string | number, now: number): string =>
  momentWord(typeof at === 'number' ? at : Date.parse(at), now);

const voided = (invoice: Invoice): string =>
  `${capital(invoiceText(invoice))} is voided: it can no longer be paid.`;

export function cancelNowEffects({ subscription, invoices, now }: Affected): Effects {
  const { displayStatus, currentPeriodEnd, currentPeriodStart } = subscription;
  const isPaid = invoices.some((each) => each.status === 'paid' && coverOf(each).from >= currentPeriodStart);
  return [
    `It is cancelled now: ${said(now, now)}.`,
    ...invoices.filter(isUnsettled).map(voided),
    ...(isPaid && displayStatus !== 'draft'
      ? [
          `What is paid, for the period until ${said(currentPeriodEnd, now)}, is not given back. ` +
            'Refund it on its payment.',
        ]
      : []),
    'It cannot be undone: for the same customer you can create another subscription.',
  ];
}

export function cancelAtEndEffects({ subscription, invoices, now }: Affected): Effects {
  const { currentPeriodEnd, displayStatus } = subscription;
  const ahead = aheadOf(subscription, invoices);
  const isPaid = ahead?.status === 'paid';
  const end = isPaid ? coverOf(ahead).to : currentPeriodEnd;
  const until = displayStatus === 'trialing' ? 'with its trial' : 'with its period';
  return [
    isPaid
      ? `It goes on until ${said(end, now)}, as ${numberText(ahead)} is paid until then. Then it ends.`
      : `It goes on until ${said(end, now)} and ends ${until}.`,
    ...(ahead !== undefined && isUnsettled(ahead) ? [voided(ahead)] : []),
    ...invoices
      .filter((each) => isPayable(each) && each.id !== ahead?.id)
      .map((each) => `${capital(invoiceText(each))} stays payable, with its reminders.`),
    'No further invoice opens. Until it ends you can take this back.',
  ];
}

export function takeBackEffects({ subscription, invoices, now }: Affected): Effects {
  const { currentPeriodEnd } = subscription;
  const ahead = aheadOf(subscription, invoices);
  const amount = displayNpr(amountAt(subscription, currentPeriodEnd));
  return [
    `It goes on after ${said(currentPeriodEnd, now)}.`,
    ...(ahead === undefined
      ? [`The next invoice of ${amount} opens at its time, or at once if that has passed.`]
      : []),
  ];
}

export function pauseEffects({ subscription, invoices, now }: Affected, resumeAt: number | null): Effects {
  const { currentPeriodEnd } = subscription;
  return [
    `It is paused now. The period until ${said(currentPeriodEnd, now)} stands still, and no invoice opens.`,
    ...invoices
      .filter(isPayable)
      .map((each) => `${capital(invoiceText(each))} stays payable, with its reminders.`),
    ...invoices
      .filter(({ status }) => status === 'draft')
      .map((each) => `${capital(invoiceText(each))} waits.`),
    resumeAt === null
      ? 'It stays paused until you resume it.'
      : `It resumes by itself: ${said(resumeAt, now)}. ` +
        (resumeAt < Date.parse(currentPeriodEnd)
          ? 'The period then goes on.'
          : anewText(subscription, resumeAt, now)),
  ];
}

/** A new period, because the one before is over. */
const anewText = (subscription: Subscription, at: number, now: number): string => {
  const plan = subscription.nextPlan ?? subscription.plan;
  const end = said(periodEndFrom(at, plan), now);
  return `A new period begins then, until ${end}, and its invoice of ${displayNpr(plan.amount)} opens at once.`;
};

export function resumeEffects({ subscription, invoices, now }: Affected): Effects {
  const { currentPeriodStart, currentPeriodEnd, plan } = subscription;
  if (Date.parse(currentPeriodEnd) <= now) {
    return [
      'It is active again.',
      anewText(subscription, now, now).replace(' then,', ' now,'),
      ...invoices
        .filter((each) => isPayable(each) && each.periodStart < currentPeriodEnd)
        .map((each) => `${capital(invoiceText(each))} stays payable.`),
    ];
  }
  const isBilled = invoices.some(
    (each) =>
      coverOf(each).from === currentPeriodStart && each.status !== 'voided' && each.status !== 'draft',
  );
  return [
    `It is active again, and its period goes on until ${said(currentPeriodEnd, now)}.`,
    isBilled
      ? 'This period has its invoice already: no other one opens for it.'
      : `The invoice of ${displayNpr(plan.amount)} for this period opens at once.`,
  ];
}

export function endTrialEffects({ subscription, invoices, now }: Affected): Effects {
  if (subscription.cancelAtPeriodEnd)
    return ['The trial ends now, and the subscription with it: you have cancelled it for then.'];
  const plan = subscription.nextPlan ?? subscription.plan;
  const ahead = aheadOf(subscription, invoices);
  const end = said(periodEndFrom(now, plan), now);
  return [
    `The trial ends now instead of ${said(subscription.currentPeriodEnd, now)}.`,
    `The first period that is paid for begins now, until ${end}.`,
    ahead?.status === 'paid'
      ? `${ahead.invoiceNumber ?? 'Its invoice'} is paid already and counts for it.`
      : `Its invoice of ${displayNpr(plan.amount)} opens at once and is due now.`,
    ...(ahead !== undefined && isPayable(ahead) ? [voided(ahead)] : []),
  ];
}

export function extendTrialEffects({ subscription, invoices, now }: Affected, to: number | null): Effects {
  const ahead = aheadOf(subscription, invoices);
  const plan = subscription.nextPlan ?? subscription.plan;
  return [
    to === null
      ? `Nothing is billed before the new end. Now the trial ends ${said(subscription.currentPeriodEnd, now)}.`
      : `The trial ends ${said(to, now)} instead of ${said(subscription.currentPeriodEnd, now)}.`,
    ...(to === null ? [] : [`The first invoice of ${displayNpr(plan.amount)} is due then.`]),
    ...(ahead !== undefined && isPayable(ahead)
      ? [`${voided(ahead)} It is issued anew with the new dates.`]
      : []),
  ];
}

/** Of another plan than the current one. */
export function changePlanEffects(
  { subscription, invoices, now }: Affected,
  to: Plan,
  proration: Proration | null,
): Effects {
  const { plan, currentPeriodEnd, trialEndsAt, startDate, displayStatus, nextPlan } = subscription;
  const first = displayStatus === 'draft' ? (trialEndsAt ?? startDate) : currentPeriodEnd;
  const ahead = invoices.find((each) => coverOf(each).from === first && each.status !== 'voided');
  const at = ahead?.status === 'paid' ? coverOf(ahead).to : first;
  const when =
    displayStatus === 'paused'
      ? 'With the first period after it has resumed'
      : displayStatus === 'draft' || displayStatus === 'trialing'
        ? `With the first period that is paid for, ${said(at, now)},`
        : `At the renewal, ${said(at, now)},`;
  return [
    `${when} it changes to ${to.name}: ${priceText(to)} instead of ${priceText(plan)}.`,
    ...(nextPlan === null || nextPlan.id === to.id
      ? []
      : [`The change to ${nextPlan.name} that is scheduled is dropped.`]),
    ...reissueText(ahead, to),
    'Until then nothing changes: nothing is charged or given back for the period that runs.',
    ...(proration === null ? [] : [prorationText(proration, to)]),
  ];
}

function reissueText(ahead: Invoice | undefined, to: Plan): Effects {
  if (ahead === undefined || ahead.status === 'paid')
    return ahead === undefined
      ? []
      : [`${ahead.invoiceNumber ?? 'The invoice before'} is paid and stays as it is.`];
  const anew = displayNpr(to.amount);
  return [
    isPayable(ahead)
      ? `${capital(invoiceText(ahead))} is voided, and opens anew with ${anew} and the same due date.`
      : `${capital(invoiceText(ahead))} becomes one of ${anew}.`,
  ];
}

/** For information: no amount of it is applied. */
export const prorationText = ({ unusedCredit, newPlanCharge, netAmount }: Proration, to: Plan): string =>
  `For comparison: switched this moment, ${displayNpr(unusedCredit)} of the period would be unused, ${to.name} costs ` +
  `${displayNpr(newPlanCharge)}, and the difference is ${signed(netAmount)}.`;

const signed = (paisa: number): string => (paisa < 0 ? `−${displayNpr(-paisa)}` : displayNpr(paisa));

/** The scheduled change is taken back. */
export function keepPlanEffects({ subscription, invoices }: Affected): Effects {
  const { plan, nextPlan } = subscription;
  const ahead = aheadOf(subscription, invoices);
  return [
    `It stays with ${plan.name}: ${priceText(plan)}. The change to ${nextPlan?.name ?? 'the other plan'} is dropped.`,
    ...(ahead !== undefined && isPayable(ahead) && ahead.amount !== plan.amount
      ? [`${capital(invoiceText(ahead))} is voided, and opens anew with ${displayNpr(plan.amount)}.`]
      : []),
  ];
}

/** A subscription that is about to be created. */
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
  const start = of.startDate === null ? now : Math.max(of.startDate, now);
  const days = of.trialDays ?? plan.trialDays;
  const trialEnd = of.trialEndsAt ?? (days > 0 ? start + days * 86_400_000 : null);
  const due = trialEnd ?? start;
  const opens = Math.max(now, due - plan.dunningSettings.reminderDaysBeforeDue * 86_400_000);
  const amount = displayNpr(plan.amount);
  const mail =
    of.customerEmail === null ? 'The customer has no e-mail: send the link of the invoice yourself.' : null;
  return [
    start > now ? `It starts ${said(start, now)}.` : 'It starts now.',
    ...(trialEnd === null ? [] : [`The trial runs until ${said(trialEnd, now)}. Nothing is billed for it.`]),
    opens > now
      ? `The first invoice of ${amount} opens ${said(opens, now)} and is due ` +
        `${due === opens ? 'at once' : said(due, now)}.`
      : `The first invoice of ${amount} opens now and is due ${due > now ? said(due, now) : 'at once'}.`,
    of.totalCycles === 1
      ? `That is the only one: it ends ${said(periodEndFrom(due, plan), now)}.`
      : `The second one is due ${said(periodEndFrom(due, plan), now)}, then one ${everyText(plan)}` +
        `${of.totalCycles === null ? '' : `, ${of.totalCycles} in all`}.`,
    ...(mail === null ? [] : [mail]),
  ];
}

export const voidEffects = ({ subscription, invoices, now }: Affected, invoice: Invoice): Effects => [
  `${voided(invoice)} Its page says so.`,
  `The period from ${said(invoice.periodStart, now)} to ${said(invoice.periodEnd, now)} stays unbilled: ` +
    'no other invoice opens for it.',
  'Money that arrives for it all the same is refunded by itself.',
  ...settledText(subscription, invoices, invoice),
];

export const markPaidEffects = ({ subscription, invoices }: Affected, invoice: Invoice): Effects => [
  `${capital(invoiceText(invoice))} is paid, without a payment here: you were paid in another way.`,
  'Its reminders stop. Money that arrives by its link all the same is refunded by itself.',
  ...settledText(subscription, invoices, invoice),
];

/** What becomes of the subscription once the invoice is paid or voided. */
function settledText(subscription: Subscription, invoices: readonly Invoice[], invoice: Invoice): Effects {
  const others = invoices.some(({ id, status }) => id !== invoice.id && status === 'past_due');
  if (invoice.status !== 'past_due' || others) return [];
  if (subscription.displayStatus === 'past_due') return ['The subscription is active again.'];
  return subscription.displayStatus === 'paused' && subscription.pauseReason === pausedByInvoice
    ? ['The subscription resumes: nothing else is overdue.']
    : [];
}
