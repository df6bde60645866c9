/** A subscription and its invoices as outsiders see them. */
import { iso, isoOrNull, type Instant } from '../../src/kernel/time.ts';
import { isLive, type ViewMeta, type ViewRow } from '../../src/runtime/model/actor.ts';
import { isSameJson } from '../metadata.ts';
import { nextStepsOf, type Coming, type StepCode } from './ahead.ts';
import { overdueAt } from './invoice-dates.ts';
import { dunningLeft, latestInvoice } from './invoices.ts';
import { nextInvoiceAt } from './periods.ts';
import { isEnded, type Invoice, type Subscription } from './state.ts';

type Where = Pick<ViewMeta, 'id' | 'scope'>;

/** More steps than this are not listed. */
export const dunningShownMax = 20;

/** The status of the API: what has not begun, or is in its trial, is active. */
const statusOf = ({ status }: Subscription) =>
  status === 'draft' || status === 'trialing' ? 'active' : status;

/** The Subscription object of docs/reference/api/subscriptions.md. */
export const subscriptionView = (s: Subscription, where: Where) => viewWith(nextStepsOf(s), s, where);

/** Whether both look the same; what comes next is computed only where all else is the same. */
export const isSameView = (one: Subscription, other: Subscription, where: Where): boolean =>
  isSameJson(viewWith([], one, where), viewWith([], other, where)) &&
  isSameJson(nextStepsOf(one), nextStepsOf(other));

function viewWith(nextSteps: readonly Coming<StepCode>[], s: Subscription, { id, scope }: Where) {
  const latest = latestInvoice(s);
  return {
    id,
    livemode: isLive(scope),
    status: statusOf(s),
    displayStatus: s.status,
    startDate: iso(s.startDate),
    currentPeriodStart: iso(s.period.start),
    currentPeriodEnd: iso(s.period.end),
    nextInvoiceAt: isoOrNull(nextInvoiceAt(s)),
    trialEndsAt: isoOrNull(s.trialEndsAt),
    cancelAtPeriodEnd: s.cancelAtPeriodEnd,
    cancelledAt: isoOrNull(s.cancelledAt),
    cancelEffectiveAt: isoOrNull(s.cancelEffectiveAt),
    pausedAt: isoOrNull(s.pausedAt),
    resumeAt: isoOrNull(s.resumeAt),
    endedAt: isoOrNull(s.endedAt),
    cancelReason: s.cancelReason,
    pauseReason: s.pauseReason,
    providerPreference: s.providerPreference,
    referenceId: s.referenceId,
    totalCycles: s.totalCycles,
    cyclesBilled: s.cyclesBilled,
    customer: { id: s.customer.id, name: s.customer.name, email: s.customer.email },
    plan: planOf(s.plan),
    nextPlan: s.nextPlan === null ? null : planOf(s.nextPlan.plan),
    nextPlanAt: isoOrNull(s.nextPlan?.at ?? null),
    latestInvoice:
      latest === null
        ? null
        : {
            id: latest.id,
            status: latest.status,
            dueAt: iso(latest.dueAt),
            paidAt: isoOrNull(latest.paidAt),
            createdAt: iso(latest.createdAt),
          },
    dunning: dunningOf(s),
    nextSteps,
    metadata: s.metadata,
    sequence: s.sequence,
    createdAt: iso(s.createdAt),
    updatedAt: iso(s.updatedAt),
  };
}

const planOf = ({ id, name, amount, interval }: Subscription['plan']) => ({
  id,
  name,
  amount,
  currency: 'NPR' as const,
  intervalUnit: interval.unit,
  intervalCount: interval.count,
});

/** The steps to come of all invoices that are not paid, in the order in which they happen. */
function dunningOf(s: Subscription) {
  if (isEnded(s)) return [];
  return s.invoices
    .flatMap((invoice) =>
      dunningLeft(invoice).map((step) => ({
        due: step.at,
        action: step.step === 'reminder' ? ('reminder' as const) : step.action,
        invoiceId: invoice.id,
      })),
    )
    .toSorted((a, b) => a.due - b.due)
    .slice(0, dunningShownMax)
    .map(({ due, action, invoiceId }) => ({ at: iso(due), action, invoiceId, done: false }));
}

export const invoiceNumberText = (number: number): string => `INV-${String(number).padStart(6, '0')}`;

/** The Invoice object of docs/reference/api/invoices.md. */
export function invoiceView(s: Subscription, invoice: Invoice, { id, scope }: Where) {
  const issuedFor = invoice.issuedFor ?? null;
  const isMoved = issuedFor !== null;
  const periodStart = iso(issuedFor?.start ?? invoice.periodStart);
  const periodEnd = iso(issuedFor?.end ?? invoice.periodEnd);
  const isPaid = invoice.status === 'paid';
  const left = isEnded(s) ? [] : dunningLeft(invoice);
  return {
    id: invoice.id,
    livemode: isLive(scope),
    invoiceNumber: invoice.number === null ? null : invoiceNumberText(invoice.number),
    subscriptionId: id,
    customerId: s.customerId,
    status: invoice.status,
    amount: invoice.amount,
    amountDue: isPaid || invoice.status === 'voided' ? 0 : invoice.amount,
    amountPaid: isPaid ? invoice.amount : 0,
    currency: 'NPR' as const,
    lines: [
      {
        description: invoice.planName,
        planId: invoice.planId,
        amount: invoice.amount,
        periodStart,
        periodEnd,
      },
    ],
    hostedUrl: `${s.baseUrl}/invoice/${invoice.id}`,
    paymentId: invoice.paymentId,
    attemptCount: invoice.reminded,
    nextReminderAt: isoOrNull(left.find(({ step }) => step === 'reminder')?.at ?? null),
    overdueAt: isoOrNull(overdueOf(invoice)),
    notes: invoice.notes,
    dueAt: iso(invoice.dueAt),
    paidAt: isoOrNull(invoice.paidAt),
    periodStart,
    periodEnd,
    appliesFrom: isMoved ? iso(invoice.periodStart) : null,
    appliesTo: isMoved ? iso(invoice.periodEnd) : null,
    sequence: invoice.sequence,
    createdAt: iso(invoice.createdAt),
    updatedAt: iso(invoice.updatedAt),
  };
}

export type InvoiceView = ReturnType<typeof invoiceView>;

/** The body of a row that may have been written before invoices had these two fields. */
export const shownInvoice = <Body extends object>(body: Body): Body =>
  'appliesFrom' in body ? body : { ...body, appliesFrom: null, appliesTo: null };

/** null: it has not opened, so that is not known yet. */
const overdueOf = ({ openedAt, dueAt, terms }: Invoice): Instant | null =>
  openedAt === null ? null : overdueAt(dueAt, openedAt, terms);

/** One row per invoice. */
export const invoiceRows = (s: Subscription, where: Where): readonly ViewRow[] =>
  s.invoices.map((invoice) => ({
    kind: 'invoice',
    id: invoice.id,
    sequence: invoice.sequence,
    createdAt: invoice.createdAt,
    tags: [],
    body: invoiceView(s, invoice, where),
    lasting: true,
  }));
