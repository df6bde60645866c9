/** What comes next of a subscription, in words: what happens and when is its own answer. Pure. */
import { displayNpr } from '../../../../src/kernel/money.ts';
import type { Invoice, NextStep, Subscription } from '../wire/billing-types.ts';
import { capital, numberText, priceText } from './billing.ts';
import type { Sign, Tone } from './words.ts';

export interface ShownStep {
  readonly at: number;
  readonly title: string;
  readonly text: string | null;
  readonly tone: Tone;
  readonly sign: Sign | 'send' | 'flag' | 'till';
  /** Of a series: the later ones. */
  readonly more: readonly number[];
}

/** So many reminders in a row are one step. */
const seriesMin = 3;

type Words = Omit<ShownStep, 'at' | 'more'>;
type Of = Pick<Subscription, 'plan' | 'nextPlan' | 'customer' | 'cancelAtPeriodEnd'>;

export function stepsShown(
  steps: readonly NextStep[],
  subscription: Of,
  invoices: readonly Invoice[],
): readonly ShownStep[] {
  const shown: ShownStep[] = [];
  for (let n = 0; n < steps.length;) {
    const run = remindersFrom(steps, n);
    const [first] = run;
    if (first === undefined) break;
    const count = run.length >= seriesMin ? run.length : 1;
    const more = run.slice(1, count).map(({ at }) => Date.parse(at));
    shown.push({ at: Date.parse(first.at), ...wordsOf(first, subscription, invoices), more });
    n += count;
  }
  return shown;
}

/** This step, with the ones after it where all are reminders of one invoice. */
function remindersFrom(steps: readonly NextStep[], from: number): readonly NextStep[] {
  const first = steps[from];
  const isSame = ({ is, invoiceId }: NextStep): boolean =>
    is === 'reminder' && first?.is === 'reminder' && invoiceId === first.invoiceId;
  const end = steps.findIndex((step, at) => at > from && !isSame(step));
  return steps.slice(from, end === -1 ? undefined : end);
}

function wordsOf(step: NextStep, subscription: Of, invoices: readonly Invoice[]): Words {
  const { invoiceId, amount } = step;
  const { plan, nextPlan, customer, cancelAtPeriodEnd } = subscription;
  const invoice = invoices.find(({ id }) => id === invoiceId);
  // one that is not known yet, or does not exist yet
  const other = invoiceId === null ? 'the next invoice' : 'an invoice';
  const name = invoice === undefined ? other : numberText(invoice);
  const words = (sign: Words['sign'], tone: Tone, title: string, text: string | null = null): Words => ({
    sign,
    tone,
    title,
    text,
  });
  switch (step.is) {
    case 'trial_ends':
      return words('flag', 'good', 'The trial ends', 'The first period that is paid for begins.');
    case 'invoice_opens': {
      const mailed = customer.email;
      const text = mailed === null ? 'Nobody is mailed: no e-mail is known.' : `${mailed} is mailed.`;
      return words('till', 'busy', `The next invoice of ${displayNpr(amount ?? 0)} opens`, text);
    }
    case 'due':
      return words('send', 'plain', capital(`${name} is due: a reminder is sent`));
    case 'reminder':
      return words('send', 'plain', `Reminder of ${name}`);
    case 'past_due':
      return words('note', 'bad', capital(`${name} becomes past due`), 'Unless it is paid before.');
    case 'pause':
      return words('halt', 'warn', 'It is paused', 'No invoice opens until that one is paid.');
    case 'cancel':
      return words(
        'cross',
        'warn',
        'It ends',
        cancelAtPeriodEnd ? 'You cancelled it for then. Nothing more is billed.' : 'An invoice is not paid.',
      );
    case 'renewal':
      return words('turn', 'plain', 'It renews', 'The next period begins.');
    case 'plan_change': {
      const to = nextPlan ?? plan;
      return words(
        'turn',
        'plain',
        `The plan changes to ${to.name}`,
        `${priceText(to)} instead of ${priceText(plan)}.`,
      );
    }
    case 'resume':
      return words('turn', 'good', 'It resumes by itself');
    case 'completed':
      return words('check', 'plain', 'The last period ends', 'It is completed.');
  }
}

/** With the start of one that has not begun. */
export function whatComesNext(
  subscription: Subscription,
  invoices: readonly Invoice[],
): readonly ShownStep[] {
  const { displayStatus, startDate, trialEndsAt, nextSteps } = subscription;
  const steps = stepsShown(nextSteps, subscription, invoices);
  if (displayStatus !== 'draft') return steps;
  const text = trialEndsAt === null ? null : 'With the trial.';
  const at = Date.parse(startDate);
  const start = { at, title: 'It starts', text, tone: 'good', sign: 'flag', more: [] } as const;
  return [start, ...steps].toSorted((a, b) => a.at - b.at);
}

/** While an invoice is not paid: the steps that its subscription knows. */
export function unpaidSteps(invoice: Invoice, subscription: Subscription): readonly ShownStep[] {
  const { id: invoiceId, amount, dueAt } = invoice;
  const steps = subscription.dunning
    .filter((step) => step.invoiceId === invoiceId)
    .map(({ at, action }): NextStep => {
      const reminder = at === dueAt ? 'due' : 'reminder';
      return { at, is: action === 'reminder' ? reminder : 'past_due', invoiceId, amount };
    });
  return stepsShown(steps, subscription, [invoice]);
}
