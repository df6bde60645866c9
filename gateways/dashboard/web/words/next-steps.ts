/** What happens to a subscription by itself, in the order of time: computed from the subscription and its
 *  invoices as the API shows them. Pure. */
import { displayNpr } from '../../../../src/kernel/money.ts';
import type { DunningStep, Invoice, OverdueAction, Subscription } from '../wire/billing-types.ts';
import { coverOf, isEnded, numberText, priceText } from './billing.ts';
import { dayMs, momentWord } from './time.ts';
import type { Sign, Tone } from './words.ts';

export interface NextStep {
  readonly at: number;
  readonly title: string;
  readonly text: string | null;
  readonly tone: Tone;
  readonly sign: Sign | 'send' | 'flag' | 'till';
  /** Of a series: the later ones. */
  readonly more: readonly number[];
}

/** As the service warns of the end of a trial. */
const trialWarningMs = 3 * dayMs;
/** So many reminders in a row are one step. */
const seriesMin = 3;

export function nextSteps(
  subscription: Subscription,
  invoices: readonly Invoice[],
  now: number,
): readonly NextStep[] {
  if (isEnded(subscription)) return [];
  return [
    ...starting(subscription),
    ...trialEnding(subscription, now),
    ...periodEnding(subscription, invoices),
    ...planChanging(subscription),
    ...dunning(subscription, invoices),
    ...nextInvoice(subscription, invoices, now),
    ...resuming(subscription),
  ].toSorted((a, b) => a.at - b.at);
}

const step = (
  at: string | number,
  sign: NextStep['sign'],
  tone: Tone,
  title: string,
  text: string | null = null,
): NextStep => ({ at: typeof at === 'number' ? at : Date.parse(at), title, text, tone, sign, more: [] });

const starting = ({ displayStatus, startDate, trialEndsAt }: Subscription): readonly NextStep[] =>
  displayStatus === 'draft'
    ? [step(startDate, 'flag', 'good', 'It starts', trialEndsAt === null ? null : 'With the trial.')]
    : [];

function trialEnding(subscription: Subscription, now: number): readonly NextStep[] {
  const { displayStatus, trialEndsAt, cancelAtPeriodEnd } = subscription;
  if (trialEndsAt === null || (displayStatus !== 'draft' && displayStatus !== 'trialing')) return [];
  const warnedAt = Date.parse(trialEndsAt) - trialWarningMs;
  return [
    ...(warnedAt > now
      ? [
          step(
            warnedAt,
            'send',
            'plain',
            'Your webhooks are told that the trial ends soon',
            'subscription.trial_will_end',
          ),
        ]
      : []),
    cancelAtPeriodEnd
      ? step(trialEndsAt, 'cross', 'warn', 'It ends with the trial', 'Nothing is billed.')
      : step(trialEndsAt, 'flag', 'good', 'The trial ends', 'The first period that is paid for begins.'),
  ];
}

/** The end of the current period: a renewal, or the end. */
function periodEnding(subscription: Subscription, invoices: readonly Invoice[]): readonly NextStep[] {
  const { displayStatus, currentPeriodEnd, cancelAtPeriodEnd, cancelEffectiveAt } = subscription;
  if (displayStatus !== 'active' && displayStatus !== 'past_due') return [];
  const ahead = aheadOf(subscription, invoices);
  const renewed = step(currentPeriodEnd, 'turn', 'plain', 'It renews', 'The next period begins.');
  if (cancelAtPeriodEnd) {
    const end = cancelEffectiveAt ?? currentPeriodEnd;
    const ends = step(end, 'cross', 'warn', 'It ends', 'You cancelled it for then. Nothing more is billed.');
    return Date.parse(end) > Date.parse(currentPeriodEnd) ? [renewed, ends] : [ends];
  }
  if (!isLastBilled(subscription)) return [renewed];
  const last = (at: string): NextStep =>
    step(at, 'check', 'plain', 'The last period ends', 'It is completed once nothing is left to pay.');
  return ahead === undefined ? [last(currentPeriodEnd)] : [renewed, last(coverOf(ahead).to)];
}

/** The invoice of the next period, if there is one already. */
export const aheadOf = (
  { currentPeriodEnd }: Pick<Subscription, 'currentPeriodEnd'>,
  invoices: readonly Invoice[],
): Invoice | undefined =>
  invoices.find((each) => coverOf(each).from === currentPeriodEnd && each.status !== 'voided');

const isLastBilled = ({ totalCycles, cyclesBilled, nextInvoiceAt }: Subscription): boolean =>
  totalCycles !== null && cyclesBilled >= totalCycles && nextInvoiceAt === null;

function planChanging({ plan, nextPlan, nextPlanAt }: Subscription): readonly NextStep[] {
  if (nextPlan === null || nextPlanAt === null) return [];
  const instead = `${priceText(nextPlan)} instead of ${priceText(plan)}.`;
  return [step(nextPlanAt, 'turn', 'plain', `The plan changes to ${nextPlan.name}`, instead)];
}

export interface NextInvoice {
  readonly dueAt: string;
  readonly amount: number;
}

/** What the next invoice will be: its draft, or what follows from the subscription. */
export function nextInvoiceOf(subscription: Subscription, invoices: readonly Invoice[]): NextInvoice {
  const draft = invoices.find(({ status }) => status === 'draft');
  if (draft !== undefined) return draft;
  const { displayStatus, trialEndsAt, startDate, currentPeriodStart, currentPeriodEnd } = subscription;
  const isUnbilled = !invoices.some(
    (each) => coverOf(each).from === currentPeriodStart && each.status !== 'voided',
  );
  const begins = displayStatus === 'draft' ? (trialEndsAt ?? startDate) : currentPeriodEnd;
  // nothing has been billed before: the period that runs is the next one to bill
  const first =
    displayStatus === 'active' && isUnbilled && subscription.cyclesBilled === 0 ? currentPeriodStart : begins;
  const billed = invoices.find((each) => coverOf(each).from === first && isStillBilled(each, subscription));
  const dueAt = billed === undefined ? first : coverOf(billed).to;
  return { dueAt, amount: amountAt(subscription, dueAt) };
}

/** No other invoice opens for its period: one that was voided is not replaced where the next one opens later. */
const isStillBilled = ({ status, dueAt }: Invoice, { nextInvoiceAt }: Subscription): boolean =>
  status !== 'voided' || (nextInvoiceAt !== null && nextInvoiceAt > dueAt);

/** At the plan that applies then. */
export const amountAt = (
  { plan, nextPlan, nextPlanAt }: Pick<Subscription, 'plan' | 'nextPlan' | 'nextPlanAt'>,
  at: string,
): number => (nextPlan !== null && nextPlanAt !== null && nextPlanAt <= at ? nextPlan.amount : plan.amount);

function nextInvoice(
  subscription: Subscription,
  invoices: readonly Invoice[],
  now: number,
): readonly NextStep[] {
  const { nextInvoiceAt, customer } = subscription;
  if (nextInvoiceAt === null) return [];
  const { dueAt, amount } = nextInvoiceOf(subscription, invoices);
  const due = Date.parse(dueAt);
  const when = due === Date.parse(nextInvoiceAt) ? 'Due at once' : `Due ${momentWord(due, now)}`;
  const mailed =
    customer.email === null ? 'Nobody is mailed: no e-mail is known.' : `${customer.email} is mailed.`;
  return [
    step(
      nextInvoiceAt,
      'till',
      'busy',
      `The next invoice of ${displayNpr(amount)} opens`,
      `${when}. ${mailed}`,
    ),
  ];
}

const resuming = ({ displayStatus, resumeAt, currentPeriodEnd }: Subscription): readonly NextStep[] =>
  displayStatus === 'paused' && resumeAt !== null
    ? [
        step(
          resumeAt,
          'turn',
          'good',
          'It resumes by itself',
          resumeAt < currentPeriodEnd
            ? 'The period that stands still goes on.'
            : 'A new period begins then, and its invoice opens.',
        ),
      ]
    : [];

/** The steps of every invoice that is not paid. */
function dunning(subscription: Subscription, invoices: readonly Invoice[]): readonly NextStep[] {
  const steps = subscription.dunning;
  const ids = [...new Set(steps.map(({ invoiceId }) => invoiceId))];
  return ids.flatMap((id) => {
    const invoice = invoices.find((each) => each.id === id);
    const name = invoice === undefined ? 'an invoice' : numberText(invoice);
    return dunningOf(
      steps.filter(({ invoiceId }) => invoiceId === id),
      name,
      invoice,
      subscription,
    );
  });
}

/** The steps of one invoice: several reminders in a row are one. */
export function dunningOf(
  steps: readonly Pick<DunningStep, 'at' | 'action'>[],
  name: string,
  invoice: Pick<Invoice, 'dueAt'> | undefined,
  subscription: Pauses,
): readonly NextStep[] {
  const shown: NextStep[] = [];
  for (let at = 0; at < steps.length;) {
    const { at: when, action } = steps[at] ?? { at: '', action: 'reminder' as const };
    if (action !== 'reminder') {
      shown.push(overdueStep(when, action, name, subscription));
      at += 1;
      continue;
    }
    const run = remindersFrom(steps, at);
    const isDueDay = invoice?.dueAt === when;
    const first = step(
      when,
      'send',
      'plain',
      isDueDay ? `${name} is due: a reminder is sent` : `Reminder of ${name}`,
    );
    // the due day is a step of its own
    const series = isDueDay ? 1 : run.length >= seriesMin ? run.length : 1;
    shown.push({ ...first, more: run.slice(1, series) });
    at += series;
  }
  return shown;
}

function remindersFrom(
  steps: readonly Pick<DunningStep, 'at' | 'action'>[],
  from: number,
): readonly number[] {
  const end = steps.findIndex(({ action }, at) => at >= from && action !== 'reminder');
  return steps.slice(from, end === -1 ? undefined : end).map(({ at }) => Date.parse(at));
}

type Pauses = Pick<Subscription, 'displayStatus' | 'resumeAt'>;

const overdueStep = (at: string, action: OverdueAction, name: string, subscription: Pauses): NextStep =>
  step(
    at,
    'note',
    'bad',
    `${name} becomes past due`,
    action !== 'cancel' && isPausedAt(at, subscription)
      ? 'The subscription stays paused.'
      : consequences[action],
  );

/** As far as is known: it may be resumed before. */
const isPausedAt = (at: string, { displayStatus, resumeAt }: Pauses): boolean =>
  displayStatus === 'paused' && (resumeAt === null || Date.parse(resumeAt) > Date.parse(at));

const consequences: Readonly<Record<OverdueAction, string>> = {
  mark_past_due: 'The subscription is marked past due.',
  keep_active: 'The subscription stays active.',
  pause: 'The subscription is paused until it is paid.',
  cancel: 'The subscription is cancelled.',
};
