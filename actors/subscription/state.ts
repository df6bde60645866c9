/** What a subscription keeps: its plan, where it stands in the calendar, and the invoices that are not settled. */
import type { Provider } from '../../src/providers/catalog.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Metadata } from '../metadata.ts';
import type { Anchor, Interval } from './calendar.ts';
import type { DunningTerms } from './invoice-dates.ts';

/** A plan as a subscription knows it; `name` and `terms` are read anew whenever an invoice opens. */
export interface PlanCopy {
  readonly id: string;
  readonly name: string;
  readonly amount: Paisa;
  readonly interval: Interval;
  readonly defaultProvider: Provider | null;
  readonly terms: DunningTerms;
}

/** A customer as a subscription knows it; read anew whenever an invoice opens. */
export interface CustomerCopy {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
}

export const invoiceStatuses = ['draft', 'open', 'past_due', 'paid', 'voided'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

export interface Invoice {
  readonly id: string;
  readonly status: InvoiceStatus;
  /** null until it has opened. */
  readonly number: number | null;
  readonly planId: string;
  readonly planName: string;
  readonly amount: Paisa;
  readonly terms: DunningTerms;
  readonly dueAt: Instant;
  /** The period that it pays for. */
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  /** The period that it was issued for, where that is another one: it was paid before its period was moved. Absent or
   *  null: the same. */
  readonly issuedFor?: Pick<Period, 'start' | 'end'> | null;
  /** null until it has opened. */
  readonly openedAt: Instant | null;
  /** Steps of `dunningSteps` that have happened. */
  readonly stepsDone: number;
  /** Reminders sent. */
  readonly reminded: number;
  readonly paidAt: Instant | null;
  readonly paymentId: string | null;
  readonly notes: string | null;
  /** The session that a buyer pays it by now. */
  readonly session: { readonly id: string; readonly url: string; readonly expiresAt: Instant } | null;
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A draft that opens: the plan and the customer are being read, and its number is being assigned. */
export interface Opening {
  readonly invoiceId: string;
  /** The moment of the opening. */
  readonly at: Instant;
  readonly number: number | null;
  readonly isRead: boolean;
  /** It was voided meanwhile: its number is taken, so it opens and is voided at once. */
  readonly voided: boolean;
  /** It was voided because another one opens in its place at once. */
  readonly replaced: boolean;
}

/** The period a subscription is in. `number` counts from the anchor; -1 is the trial before it. */
export interface Period {
  readonly number: number;
  readonly start: Instant;
  readonly end: Instant;
}

/** `draft`: the start is ahead. */
export const displayStatuses = [
  'draft',
  'trialing',
  'active',
  'past_due',
  'paused',
  'cancelled',
  'completed',
] as const;
export type DisplayStatus = (typeof displayStatuses)[number];

/** A plan that takes over at a renewal. */
export interface NextPlan {
  readonly plan: PlanCopy;
  readonly at: Instant;
}

export interface SubscriptionFields {
  readonly customerId: string;
  readonly planId: string;
  readonly customer: CustomerCopy;
  readonly plan: PlanCopy;
  readonly nextPlan: NextPlan | null;
  /** The plan of the next period, where that is paid and another plan is scheduled for after it. Absent or null: no
   *  such plan. */
  readonly paidPlan?: NextPlan | null;
  readonly startDate: Instant;
  readonly trialEndsAt: Instant | null;
  /** `subscription.trial_will_end` was sent for this end of the trial. */
  readonly trialWarned: boolean;
  readonly anchor: Anchor;
  readonly period: Period;
  /** The start of the last period that has an invoice; null: none has. */
  readonly billedStart: Instant | null;
  readonly cyclesBilled: number;
  readonly totalCycles: number | null;
  /** The last cycle is over and an invoice is not settled: it is completed once that is. */
  readonly lapsed: boolean;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelledAt: Instant | null;
  readonly cancelEffectiveAt: Instant | null;
  readonly cancelReason: string | null;
  readonly pausedAt: Instant | null;
  readonly pauseReason: string | null;
  readonly resumeAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly providerPreference: Provider | null;
  readonly referenceId: string | null;
  readonly metadata: Metadata;
  /** Those not settled (`unpaidMax`, and a draft), the newest one that has opened, and paid ones of periods that are
   *  not over. */
  readonly invoices: readonly Invoice[];
  /** How many there have been. */
  readonly invoicesMade: number;
  readonly opening: Opening | null;
  /** `{base_url}`, for the addresses of invoice pages. */
  readonly baseUrl: string;
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type SubscriptionState = {
  [S in DisplayStatus]: SubscriptionFields & { readonly status: S };
}[DisplayStatus];

/** The same without the union: what the pure steps work on. */
export type Subscription = SubscriptionFields & { readonly status: DisplayStatus };

export const isEnded = ({ status }: Pick<Subscription, 'status'>): boolean =>
  status === 'cancelled' || status === 'completed';

/** With so many unpaid invoices a subscription is paused instead of opening another one: what it keeps stays small. */
export const unpaidMax = 100;

/** Waiting to be paid. */
export const isPayable = ({ status }: Pick<Invoice, 'status'>): boolean =>
  status === 'open' || status === 'past_due';

export const isSettled = ({ status }: Pick<Invoice, 'status'>): boolean =>
  status === 'paid' || status === 'voided';
