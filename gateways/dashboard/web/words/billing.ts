/** The words of billing: prices, states, and what is overdue. Pure. */
import { displayNpr } from '../../../../src/kernel/money.ts';
import type {
  DisplayStatus,
  IntervalUnit,
  Invoice,
  InvoiceStatus,
  OverdueAction,
  Plan,
  Price,
  Subscription,
} from '../wire/billing-types.ts';
import { dayWord } from './time.ts';
import type { StateWords } from './words.ts';

const state = (word: string, tone: StateWords['tone'], sign: StateWords['sign']): StateWords => ({
  word,
  tone,
  sign,
});

export const subscriptionStates: Readonly<Record<DisplayStatus, StateWords>> = {
  active: state('Active', 'good', 'check'),
  trialing: state('In trial', 'busy', 'clock'),
  past_due: state('Past due', 'bad', 'note'),
  paused: state('Paused', 'warn', 'halt'),
  draft: state('Not started', 'plain', 'clock'),
  cancelled: state('Cancelled', 'plain', 'cross'),
  completed: state('Completed', 'plain', 'check'),
};

export const invoiceStates: Readonly<Record<InvoiceStatus, StateWords>> = {
  past_due: state('Past due', 'bad', 'note'),
  open: state('Open', 'busy', 'clock'),
  draft: state('Draft', 'plain', 'clock'),
  paid: state('Paid', 'good', 'check'),
  voided: state('Voided', 'plain', 'cross'),
};

/** A flag beside the state. */
export const endsWords = state('Ends', 'warn', 'halt');

export const planStates = {
  active: state('Active', 'good', 'check'),
  inactive: state('Switched off', 'plain', 'halt'),
} as const;

export const planState = ({ active }: Pick<Plan, 'active'>): StateWords =>
  active ? planStates.active : planStates.inactive;

const one: Readonly<Record<IntervalUnit, string>> = {
  day: 'a day',
  week: 'a week',
  month: 'a month',
  quarter: 'a quarter',
  year: 'a year',
};

/** `a month`, `every 2 months`. */
const intervalText = ({
  intervalUnit,
  intervalCount,
}: Pick<Price, 'intervalUnit' | 'intervalCount'>): string =>
  intervalCount === 1 ? one[intervalUnit] : `every ${intervalCount} ${intervalUnit}s`;

/** `every month`, `every 2 months`. */
export const everyText = (price: Pick<Price, 'intervalUnit' | 'intervalCount'>): string =>
  price.intervalCount === 1 ? `every ${price.intervalUnit}` : intervalText(price);

/** `NPR 1,500.00 a month`. */
export const priceText = (price: Price): string => `${displayNpr(price.amount)} ${intervalText(price)}`;

/** What a plan does with a subscription whose invoice is not paid in time. */
export const overdueWords: Readonly<Record<OverdueAction, { readonly name: string; readonly text: string }>> =
  {
    mark_past_due: {
      name: 'Mark it past due',
      text: 'The subscription goes on, and is shown as past due until the invoice is paid.',
    },
    keep_active: {
      name: 'Keep it active',
      text: 'Only the invoice is past due.',
    },
    pause: {
      name: 'Pause it',
      text: 'No further invoice opens. Once this one is paid the subscription resumes by itself.',
    },
    cancel: {
      name: 'Cancel it',
      text: 'The subscription ends. The invoice can still be paid, which does not revive it.',
    },
  };

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const isEnded = ({ displayStatus }: Pick<Subscription, 'displayStatus'>): boolean =>
  displayStatus === 'cancelled' || displayStatus === 'completed';

export const isPayable = ({ status }: Pick<Invoice, 'status'>): boolean =>
  status === 'open' || status === 'past_due';

/** `INV-000012`; an invoice gets its number when it opens, so a draft has none, nor has one voided before. */
export const numberText = ({ invoiceNumber, status }: Pick<Invoice, 'invoiceNumber' | 'status'>): string =>
  invoiceNumber ?? (status === 'draft' ? 'Draft' : 'No number');

/** The service's own reason. */
export const pausedByInvoice = 'invoice_overdue';
const reasons: Readonly<Record<string, string>> = { [pausedByInvoice]: 'An invoice was not paid in time' };

/** Why it was paused or cancelled: the merchant's words, or the service's own. */
export const reasonText = (reason: string): string =>
  (Object.hasOwn(reasons, reason) ? reasons[reason] : undefined) ?? reason;

/** What comes next, in a few words for a row of a list. */
export function nextText(subscription: Subscription, now: number): string {
  const { displayStatus, startDate, trialEndsAt, nextInvoiceAt, resumeAt, endedAt } = subscription;
  const at = (text: string | null): string => (text === null ? '' : dayWord(Date.parse(text), now));
  if (displayStatus === 'cancelled' || displayStatus === 'completed') return `Ended ${at(endedAt)}`;
  if (displayStatus === 'paused' && subscription.pauseReason === pausedByInvoice)
    return 'Until its invoice is paid';
  if (displayStatus === 'paused')
    return resumeAt === null ? 'Until you resume it' : `Resumes ${at(resumeAt)}`;
  if (subscription.cancelAtPeriodEnd) return `Ends ${at(subscription.cancelEffectiveAt)}`;
  if (displayStatus === 'draft') return `Starts ${at(startDate)}`;
  if (displayStatus === 'trialing') return `Trial until ${at(trialEndsAt)}`;
  return nextInvoiceAt === null ? 'No further invoice' : `Next invoice ${at(nextInvoiceAt)}`;
}
