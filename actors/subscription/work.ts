/** One transition of a subscription in progress: the next state, and the events in their order.
 *  Pure steps (periods, invoices, requests) write into it; transition.ts makes the commit of it. */
import { placedBeside } from '../../src/kernel/id.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { InvoiceNotice } from '../message/messages.ts';
import type { Invoice, Subscription } from './state.ts';

export type SubscriptionEvent =
  | 'subscription.created'
  | 'subscription.activated'
  | 'subscription.updated'
  | 'subscription.trial_will_end'
  | 'subscription.trial_ended'
  | 'subscription.renewed'
  | 'subscription.plan_changed'
  | 'subscription.paused'
  | 'subscription.resumed'
  | 'subscription.past_due'
  | 'subscription.cancelled'
  | 'subscription.completed';

/** What happened, in the order in which it is reported. */
export type Happened =
  | { readonly of: 'subscription'; readonly event: SubscriptionEvent }
  | {
      readonly of: 'invoice';
      readonly id: string;
      readonly event:
        | 'invoice.created'
        | 'invoice.paid'
        | 'invoice.past_due'
        | 'invoice.voided'
        | 'invoice.updated';
    }
  | { readonly of: 'reminder'; readonly id: string; readonly attemptNumber: number; readonly at: Instant };

/** A mail about an invoice to its customer. */
export interface Mail {
  readonly invoiceId: string;
  readonly is: InvoiceNotice['cause'];
  /** Tells two mails of one invoice apart. */
  readonly cause: string;
}

/** What is known of an invoice before it opens. */
export type DraftOf = Pick<
  Invoice,
  'planId' | 'planName' | 'amount' | 'terms' | 'dueAt' | 'periodStart' | 'periodEnd'
>;

export class Work {
  readonly id: string;
  readonly now: Instant;
  /** The state so far. */
  s: Subscription;
  readonly happened: Happened[] = [];
  readonly mails: Mail[] = [];
  /** Sessions of invoices that are settled in another way: they end. */
  readonly endedSessions: string[] = [];
  /** Whether an invoice has begun to open in this transition. */
  opens = false;
  /** The timer of the next step has caused it. */
  isStep = false;

  constructor(id: string, now: Instant, s: Subscription) {
    this.id = id;
    this.now = now;
    this.s = s;
  }

  set(part: Partial<Subscription>): void {
    this.s = { ...this.s, ...part };
  }

  report(event: SubscriptionEvent): void {
    this.happened.push({ of: 'subscription', event });
  }

  invoice(id: string): Invoice | undefined {
    return this.s.invoices.find((each) => each.id === id);
  }

  /** `beside`: what else changes with it. */
  setInvoice(id: string, part: Partial<Invoice>, beside: Partial<Subscription> = {}): void {
    const invoices = this.s.invoices.map((each) => (each.id === id ? { ...each, ...part } : each));
    this.set({ ...beside, invoices });
  }

  /** Of the next invoice: it follows from the subscription's and how many invoices there were, so a repeated turn makes
   *  the same one. */
  protected nextInvoiceId(): string {
    return placedBeside('inv', this.id, sha256Base32([this.id, 'invoice', String(this.s.invoicesMade)], 24));
  }

  /** Adds a draft. `beside`: what else changes with it. */
  addDraft(draft: DraftOf, beside: Partial<Subscription> = {}): Invoice {
    const { planId, planName, amount, terms, dueAt, periodStart, periodEnd } = draft;
    const invoice: Invoice = {
      id: this.nextInvoiceId(),
      status: 'draft',
      number: null,
      planId,
      planName,
      amount,
      terms,
      dueAt,
      periodStart,
      periodEnd,
      openedAt: null,
      stepsDone: 0,
      reminded: 0,
      paidAt: null,
      paymentId: null,
      notes: null,
      session: null,
      sequence: 1,
      createdAt: this.now,
      updatedAt: this.now,
    };
    const { invoices, invoicesMade } = this.s;
    this.set({ ...beside, invoices: [...invoices, invoice], invoicesMade: invoicesMade + 1 });
    return invoice;
  }
}
