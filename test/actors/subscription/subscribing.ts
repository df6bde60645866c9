/** A subscription and its years, for tests of the actor alone: local times of Kathmandu, and an invoice book that
 *  counts from 1. */
import { assert } from '../../../src/kernel/assert.ts';
import { iso, type DurationMs, type Instant } from '../../../src/kernel/time.ts';
import type { Doc } from '../../../src/store/store.ts';
import { scopeOf } from '../../../src/runtime/model/address.ts';
import { Story } from '../../support/simulated/test-runner.ts';
import type {
  SubscriptionCommands,
  SubscriptionRequest,
  SubscriptionTypes,
} from '../../../actors/subscription/messages.ts';
import type { Invoice, PlanCopy } from '../../../actors/subscription/state.ts';
import { subscription } from '../../../actors/subscription/subscription.ts';

const kathmanduAheadMs = 5.75 * 3_600_000;

/** `2026-01-31 10:00` in Kathmandu; midnight without a time. */
export const at = (local: string): Instant =>
  Date.parse(`${local.replace(' ', 'T')}${local.includes(' ') ? '' : 'T00:00'}:00.000+05:45`);

export const localOf = (instant: Instant): string => {
  const text = iso(instant + kathmanduAheadMs).slice(0, 16);
  return text.endsWith('00:00') ? text.slice(0, 10) : text.replace('T', ' ');
};

/** The plan of example A: three days before, every seven days after, three days of grace. */
export const threeSeven: PlanCopy = {
  id: 'bp_4qxtznp9tjryzx4hdy5tbw4j',
  name: 'Pro monthly',
  amount: 150_000,
  interval: { unit: 'month', count: 1 },
  defaultProvider: null,
  terms: {
    gracePeriodDays: 3,
    reminderDaysBeforeDue: 3,
    overdueReminderIntervalDays: 7,
    overdueAction: 'mark_past_due',
  },
};

/** Nothing but the defaults of a plan. */
export const bare: PlanCopy = {
  ...threeSeven,
  terms: {
    gracePeriodDays: 0,
    reminderDaysBeforeDue: 0,
    overdueReminderIntervalDays: 0,
    overdueAction: 'mark_past_due',
  },
};

export const withTerms = (terms: Partial<PlanCopy['terms']>, plan = threeSeven): PlanCopy => ({
  ...plan,
  terms: { ...plan.terms, ...terms },
});

export const request = (plan: PlanCopy): SubscriptionRequest => ({
  customer: { id: 'bc_4hb3anpsq6g635dy35q0jc0h', name: 'Asha Rai', email: 'asha@example.com', phone: null },
  plan,
  startDate: null,
  trialEndsAt: null,
  trialDays: 0,
  providerPreference: null,
  referenceId: null,
  totalCycles: null,
  metadata: {},
  baseUrl: 'https://pay.example',
});

const who = { id: 'sub_11tp7r3ewecer10mt5bwmx93', scope: scopeOf('prj_pjc0e83mhrawse3s6h8bhrbw', 'sandbox') };

export class Years extends Story<SubscriptionTypes> {
  private numbers = 0;
  /** The invoice book and the store do not answer: an invoice that opens stays so. */
  silent = false;
  /** What the store holds of the plan of an invoice that opens; null: nothing new. */
  readPlan: PlanCopy | null = null;
  /** Everything that was reported: `2026-02-25 invoice.created INV-000002`. */
  readonly log: string[] = [];
  /** The same with exact times in UTC and numbers alone: `2026-02-24T18:15:00.000Z invoice.created 2`. */
  readonly told: string[] = [];
  private reported = 0;
  /** Every invoice there was, as it was last. */
  readonly allInvoices = new Map<string, Invoice>();

  constructor(from: string) {
    super(subscription, { ...who, now: at(from) });
  }

  /** Goes on from a stored document, which the invoice book has given so many numbers. */
  continued(doc: Doc, now: Instant, numbers: number): this {
    Object.assign(this, { doc, now, numbers });
    return this;
  }

  /** Sends a command, and answers for the invoice book and the store. */
  ask<K extends keyof SubscriptionCommands>(command: K, data: SubscriptionCommands[K]): this {
    this.when(command, data);
    return this.settled();
  }

  /** Waits until a local time; what is due happens at its own time, and its invoices open before anything else. */
  until(local: string): this {
    return this.reach(at(local));
  }

  reach(target: Instant): this {
    for (let due = this.timer('step'); due !== null && due <= target; due = this.timer('step')) {
      this.now = Math.max(this.now, due);
      this.fire('step');
      this.settled();
    }
    this.now = target;
    return this;
  }

  waitFor(ms: DurationMs): this {
    return this.reach(this.now + ms);
  }

  /** The invoice book and the store answer again; what they were asked meanwhile first. */
  answers(): this {
    this.silent = false;
    return this.settled();
  }

  private settled(): this {
    this.write();
    if (this.silent) return this;
    for (let next = this.pending.shift(); next !== undefined; next = this.pending.shift()) {
      const { invoiceId } = next.data as { invoiceId: string };
      this.when('read', { invoiceId, plan: this.readPlan, customer: null }, { by: 'system' });
      this.write();
      this.when('numbered', { invoiceId, number: ++this.numbers }, { by: 'system' });
      this.write();
    }
    // everything was delivered
    if (this.doc !== null) this.doc = { ...this.doc, out: [] };
    return this;
  }

  private write(): void {
    for (const { type, data } of this.events.slice(this.reported)) {
      const { invoiceNumber, reminder } = data as unknown as {
        invoiceNumber?: string | null;
        reminder?: { attemptNumber: number };
      };
      const about = [invoiceNumber, reminder?.attemptNumber].filter(
        (each) => each !== undefined && each !== null,
      );
      const number =
        invoiceNumber === undefined ? [] : [invoiceNumber === null ? '-' : Number(invoiceNumber.slice(4))];
      const attempt = reminder === undefined ? [] : [reminder.attemptNumber];
      this.told.push([iso(this.now), type, ...number, ...attempt].join(' '));
      this.log.push([localOf(this.now), type, ...about].join(' '));
    }
    this.reported = this.events.length;
    for (const invoice of this.state.invoices) this.allInvoices.set(invoice.id, invoice);
  }

  /** What was reported since a local time, or since the last call. */
  since(local: string): readonly string[] {
    return this.log.filter((line) => line >= local);
  }

  /** The newest invoice, or the one of the period that begins at this local time. */
  invoice(periodStart?: string): Invoice {
    const { invoices } = this.state;
    const found =
      periodStart === undefined
        ? invoices.at(-1)
        : invoices.filter((each) => each.periodStart === at(periodStart)).at(-1);
    assert(found !== undefined, `an invoice ${periodStart ?? ''}`);
    return found;
  }

  /** The customer has paid this invoice, by the same payment each time or by another one. */
  paid(invoice: Invoice = this.invoice(), payment: 'the same' | 'another' = 'the same'): this {
    return this.ask('claim', {
      invoiceId: invoice.id,
      sessionId: 'cs_k7yfcxpcd249hxjc6n80atb2',
      paymentId: `pay_${invoice.id.slice(payment === 'the same' ? 4 : 5).slice(0, 16)}`,
      paidAt: this.now,
    });
  }
}

/** A subscription that begins now. */
export const subscribed = (from: string, plan = threeSeven, more: Partial<SubscriptionRequest> = {}): Years =>
  new Years(from).ask('create', { ...request(plan), ...more });
