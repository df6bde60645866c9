/** The commands of a subscription. */
import type { Provider } from '../../src/providers/catalog.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { address, type ActorTypes, type Address, type Answering } from '../../src/runtime/model/actor.ts';
import type { Metadata } from '../metadata.ts';
import type { CustomerCopy, PlanCopy, SubscriptionState } from './state.ts';

export const subscriptionAt = (id: string): Address<SubscriptionCommands> => address('subscription', id);

/** What the merchant orders, validated at the gateway. */
export interface SubscriptionRequest {
  readonly customer: CustomerCopy;
  readonly plan: PlanCopy;
  /** null: now. One that has passed counts as now. */
  readonly startDate: Instant | null;
  /** null: no trial. It is later than the start. */
  readonly trialEndsAt: Instant | null;
  /** Counted from the start; without `trialEndsAt` only. */
  readonly trialDays: number;
  readonly providerPreference: Provider | null;
  readonly referenceId: string | null;
  readonly totalCycles: number | null;
  readonly metadata: Metadata;
  readonly baseUrl: string;
}

/** Absent: unchanged. `metadata` merges by key, and null deletes a key. */
export interface SubscriptionChange {
  readonly providerPreference?: Provider | null;
  readonly referenceId?: string | null;
  readonly totalCycles?: number | null;
  readonly metadata?: Metadata;
}

interface OfInvoice {
  readonly invoiceId: string;
}

/** What a paid session reports of an invoice it was made for. */
export interface Claim extends OfInvoice {
  readonly sessionId: string;
  readonly paymentId: string;
  readonly paidAt: Instant;
  /** What was paid; absent: what the session asked for. */
  readonly amount?: Paisa;
}

/** Refusals: `invalid_state` (with `currentStatus`, of the invoice where the command names one),
 *  `plan_unchanged`, `metadata_too_many_keys`, `total_cycles_too_small`, `trial_end_not_later`, and `not_found`
 *  for an invoice that is no longer kept here because it was settled long ago. */
export interface SubscriptionCommands {
  create: SubscriptionRequest;
  change: SubscriptionChange;
  pause: { readonly reason: string | null; readonly resumeAt: Instant | null };
  resume: Record<never, never>;
  cancel: { readonly reason: string | null; readonly atPeriodEnd: boolean };
  /** `isInactive`: the plan takes no new subscriptions. Refuses `plan_inactive` then. */
  changePlan: { readonly plan: PlanCopy; readonly isInactive?: true };
  endTrial: Record<never, never>;
  extendTrial: { readonly trialEndsAt: Instant };
  voidInvoice: OfInvoice;
  markPaid: OfInvoice & { readonly paidAt: Instant | null; readonly notes: string | null };
  sendInvoice: OfInvoice;
  /** Opens a session for an invoice, or names the one that runs. The gateway created `sessionId`. */
  payInvoice: Answering<
    OfInvoice & { readonly sessionId: string; readonly url: string },
    { readonly sessionId: string; readonly url: string; readonly expiresAt: Instant }
  >;
  // Sent by sessions of its invoices.
  /** A payment is verified. The session is told whether it pays the invoice or is a duplicate. */
  claim: Claim;
  sessionOver: OfInvoice & { readonly sessionId: string };
  // Sent by the invoice book.
  numbered: OfInvoice & { readonly number: number };
  // The result of the effect `billing.read`.
  /** The plan and the customer as they are now; null: they could not be read. */
  read: OfInvoice & { readonly plan: PlanCopy | null; readonly customer: CustomerCopy | null };
  // Sent at the start of a service that has found it.
  /** An older build has ended it and armed no timer: an invoice that is open becomes past due all the same. */
  armAfterEnd: Record<never, never>;
  // Sent by its timer.
  stepDue: { readonly key: string };
}

export interface SubscriptionEffects {
  'billing.read': OfInvoice & { readonly planId: string; readonly customerId: string };
}

export interface SubscriptionTypes extends ActorTypes {
  state: SubscriptionState;
  terminal: 'cancelled' | 'completed';
  commands: SubscriptionCommands;
  effects: SubscriptionEffects;
}
