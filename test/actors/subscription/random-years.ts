/** Random years of a subscription: what is asked of it, and when. For the tests beside this file. */
import fc from 'fast-check';
import { intervalUnits } from '../../../actors/subscription/calendar.ts';
import { overdueActions } from '../../../actors/subscription/invoice-dates.ts';
import type { Invoice, PlanCopy } from '../../../actors/subscription/state.ts';
import { days } from '../../../src/kernel/time.ts';
import { threeSeven, type Years } from './subscribing.ts';

const terms = fc.record({
  gracePeriodDays: fc.integer({ min: 0, max: 40 }),
  reminderDaysBeforeDue: fc.integer({ min: 0, max: 30 }),
  overdueReminderIntervalDays: fc.integer({ min: 0, max: 30 }),
  overdueAction: fc.constantFrom(...overdueActions),
});
export const plans = fc.record({
  terms,
  interval: fc.record({ unit: fc.constantFrom(...intervalUnits), count: fc.integer({ min: 1, max: 3 }) }),
  amount: fc.integer({ min: 1000, max: 1_000_000 }),
});

const asked = fc.oneof(
  fc.constant('pay' as const),
  fc.constant('pay oldest' as const),
  fc.constant('void' as const),
  fc.constant('mark paid' as const),
  fc.constant('pause' as const),
  fc.constant('pause for a week' as const),
  fc.constant('resume' as const),
  fc.constant('cancel later' as const),
  fc.constant('change plan' as const),
  fc.constant('change back' as const),
  fc.constant('end trial' as const),
  fc.constant('extend trial' as const),
  fc.constant('nothing' as const),
);
export const history = fc.array(fc.tuple(asked, fc.integer({ min: 0, max: 45 * 24 })), {
  minLength: 1,
  maxLength: 50,
});

type Asked = typeof asked extends fc.Arbitrary<infer What> ? What : never;

export const other: PlanCopy = { ...threeSeven, id: 'bp_z1t9xj9gt9tht7315wyd8t7f', name: 'Other' };

export function ask(years: Years, what: Asked, other: PlanCopy): void {
  const { invoices, plan, trialEndsAt } = years.state;
  const payable = invoices.filter(({ status }) => status === 'open' || status === 'past_due');
  const [newest, oldest] = [payable.at(-1), payable[0]];
  const of = (invoice: Invoice | undefined) => ({ invoiceId: invoice?.id ?? 'inv_000000000000000000000000' });
  switch (what) {
    case 'pay':
      if (newest !== undefined) years.paid(newest);
      return;
    case 'pay oldest':
      if (oldest !== undefined) years.paid(oldest);
      return;
    case 'void':
      return void years.ask('voidInvoice', of(invoices.at(-1)));
    case 'mark paid':
      return void years.ask('markPaid', { ...of(oldest), paidAt: null, notes: 'cash' });
    case 'pause':
      return void years.ask('pause', { reason: null, resumeAt: null });
    case 'pause for a week':
      return void years.ask('pause', { reason: null, resumeAt: years.now + days(7) });
    case 'resume':
      return void years.ask('resume', {});
    case 'cancel later':
      return void years.ask('cancel', { reason: null, atPeriodEnd: true });
    case 'change plan':
      return void years.ask('changePlan', { plan: other });
    case 'change back':
      return void years.ask('changePlan', { plan });
    case 'end trial':
      return void years.ask('endTrial', {});
    case 'extend trial':
      return void years.ask('extendTrial', { trialEndsAt: (trialEndsAt ?? 0) + days(5) });
    case 'nothing':
  }
}
