/** The objects of billing as this page reads them. Amounts in paisa; times as ISO texts.
 *  Boundary: types alone. */
import type { OverdueAction } from '../../../../actors/subscription/invoice-dates.ts';

export type { OverdueAction };
export type IntervalUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';
export type DisplayStatus =
  | 'draft'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'paused'
  | 'cancelled'
  | 'completed';
export type InvoiceStatus = 'draft' | 'open' | 'past_due' | 'paid' | 'voided';

export interface Metadata {
  readonly [key: string]: unknown;
}

/** What is billed, and how often. */
export interface Price {
  readonly amount: number;
  readonly intervalUnit: IntervalUnit;
  readonly intervalCount: number;
}

export interface DunningSettings {
  readonly reminderDaysBeforeDue: number;
  readonly overdueReminderIntervalDays: number;
  readonly overdueAction: OverdueAction;
}

export interface Plan extends Price {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly gracePeriodDays: number;
  readonly trialDays: number;
  readonly active: boolean;
  readonly defaultProvider: string | null;
  readonly dunningSettings: DunningSettings;
  readonly metadata: Metadata;
  readonly sequence: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What can be changed of a plan. Absent: unchanged. */
export interface PlanChange extends Partial<DunningSettings> {
  readonly name?: string;
  readonly description?: string | null;
  readonly active?: boolean;
  readonly defaultProvider?: string | null;
  readonly gracePeriodDays?: number;
}

/** A plan to create. */
export type PlanRequest = Omit<PlanChange, 'active' | 'name'> &
  Price & { readonly name: string; readonly trialDays: number };

export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly externalCustomerId: string | null;
  readonly metadata: Metadata;
  readonly sequence: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type CustomerRequest = Pick<Customer, 'name' | 'email' | 'phone' | 'externalCustomerId'>;

/** As a subscription names its plan. */
export interface PlanName extends Price {
  readonly id: string;
  readonly name: string;
}

export interface DunningStep {
  readonly at: string;
  readonly action: 'reminder' | OverdueAction;
  readonly invoiceId: string;
}

export interface Subscription {
  readonly id: string;
  readonly status: string;
  readonly displayStatus: DisplayStatus;
  readonly startDate: string;
  readonly currentPeriodStart: string;
  readonly currentPeriodEnd: string;
  readonly nextInvoiceAt: string | null;
  readonly trialEndsAt: string | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelledAt: string | null;
  readonly cancelEffectiveAt: string | null;
  readonly pausedAt: string | null;
  readonly resumeAt: string | null;
  readonly endedAt: string | null;
  readonly cancelReason: string | null;
  readonly pauseReason: string | null;
  readonly providerPreference: string | null;
  readonly referenceId: string | null;
  readonly totalCycles: number | null;
  readonly cyclesBilled: number;
  readonly customer: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly plan: PlanName;
  readonly nextPlan: PlanName | null;
  readonly nextPlanAt: string | null;
  readonly latestInvoice: {
    readonly id: string;
    readonly status: InvoiceStatus;
    readonly dueAt: string;
    readonly paidAt: string | null;
  } | null;
  readonly dunning: readonly DunningStep[];
  readonly metadata: Metadata;
  readonly sequence: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A subscription to create. Absent: as the plan says. */
export interface SubscriptionRequest {
  readonly customerId: string;
  readonly planId: string;
  readonly startDate?: string;
  readonly trialDays?: number;
  readonly trialEndsAt?: string;
  readonly providerPreference?: string;
  readonly referenceId?: string;
  readonly totalCycles?: number;
}

export type SubscriptionChange = Pick<Subscription, 'providerPreference' | 'referenceId' | 'totalCycles'>;

export interface InvoiceLine {
  readonly description: string;
  readonly planId: string;
  readonly amount: number;
  readonly periodStart: string;
  readonly periodEnd: string;
}

export interface Invoice {
  readonly id: string;
  /** null: a draft. */
  readonly invoiceNumber: string | null;
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly status: InvoiceStatus;
  readonly amount: number;
  readonly amountDue: number;
  readonly amountPaid: number;
  readonly lines: readonly InvoiceLine[];
  /** The page that the customer pays on. */
  readonly hostedUrl: string;
  readonly paymentId: string | null;
  /** Reminders sent. */
  readonly attemptCount: number;
  readonly nextReminderAt: string | null;
  readonly overdueAt: string | null;
  readonly notes: string | null;
  readonly dueAt: string;
  readonly paidAt: string | null;
  readonly periodStart: string;
  readonly periodEnd: string;
  /** The period that it pays for, where that was moved after the payment. */
  readonly appliesFrom: string | null;
  readonly appliesTo: string | null;
  readonly sequence: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A page on which the invoice can be paid for some time. */
export interface PayLink {
  readonly url: string;
  readonly expires_at: string;
}

/** What a change of plan would cost, were it made now. */
export interface Proration {
  readonly at: string;
  readonly unusedCredit: number;
  readonly newPlanCharge: number;
  readonly netAmount: number;
}
