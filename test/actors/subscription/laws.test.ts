/** Random years of a subscription: whatever is asked of it, and whenever. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { intervalUnits } from '../../../actors/subscription/calendar.ts';
import { overdueActions } from '../../../actors/subscription/invoice-dates.ts';
import { nextStep } from '../../../actors/subscription/steps.ts';
import type { InvoiceView } from '../../../actors/subscription/view.ts';
import type { Invoice, PlanCopy } from '../../../actors/subscription/state.ts';
import { days, hours } from '../../../src/kernel/time.ts';
import { localOf, request, threeSeven, Years } from './subscribing.ts';

const terms = fc.record({
  gracePeriodDays: fc.integer({ min: 0, max: 40 }),
  reminderDaysBeforeDue: fc.integer({ min: 0, max: 30 }),
  overdueReminderIntervalDays: fc.integer({ min: 0, max: 30 }),
  overdueAction: fc.constantFrom(...overdueActions),
});
const plans = fc.record({
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
const history = fc.array(fc.tuple(asked, fc.integer({ min: 0, max: 45 * 24 })), {
  minLength: 1,
  maxLength: 50,
});

type Asked = typeof asked extends fc.Arbitrary<infer What> ? What : never;

const other: PlanCopy = { ...threeSeven, id: 'bp_z1t9xj9gt9tht7315wyd8t7f', name: 'Other' };

function ask(years: Years, what: Asked, other: PlanCopy): void {
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

function look(years: Years): void {
  const { state } = years;
  const valid = [...years.allInvoices.values()]
    .filter(({ status }) => status !== 'voided')
    .toSorted((a, b) => a.periodStart - b.periodStart);
  for (const [n, { periodStart }] of valid.entries()) {
    const endBefore = valid[n - 1]?.periodEnd ?? -Infinity;
    expect(periodStart, `billed once: ${localOf(periodStart)}`).toBeGreaterThanOrEqual(endBefore);
  }
  // a cycle whose draft the merchant has voided is used up
  const hasCycles = state.totalCycles === null || state.cyclesBilled < state.totalCycles;
  if ((state.status === 'active' || state.status === 'past_due') && !state.lapsed && hasCycles) {
    const billed = [...years.allInvoices.values()].some(
      ({ periodStart }) => periodStart === state.period.start,
    );
    expect(billed, `the period from ${localOf(state.period.start)} is billed`).toBe(true);
  }
  expect(state.period.end, 'a period ends after it begins').toBeGreaterThan(state.period.start);
  const next = nextStep(state);
  if (next !== null) expect(next.at, 'nothing is overdue to happen').toBeGreaterThan(years.now);
}

/** What an invoice says of its period once it is paid, in every event about it. */
function lookAtPaid({ events }: Years): void {
  const paid = new Map<string, { readonly own: unknown; applies: unknown }>();
  for (const { type, data } of events) {
    if (!type.startsWith('invoice.')) continue;
    const { id, periodStart, periodEnd, lines, appliesFrom, appliesTo } = data as unknown as InvoiceView;
    const [own, applies] = [
      { periodStart, periodEnd, lines },
      { appliesFrom, appliesTo },
    ];
    const before = paid.get(id);
    if (type === 'invoice.paid') {
      expect(applies).toEqual({ appliesFrom: null, appliesTo: null });
      paid.set(id, { own, applies });
    } else if (before !== undefined) {
      expect([type, own]).toEqual(['invoice.updated', before.own]);
      expect(applies).not.toEqual(before.applies);
      before.applies = applies;
    }
  }
}

test('each period has one valid invoice, numbers have no gap, and nothing opens while it is paused or over', () => {
  fc.assert(
    fc.property(
      plans,
      plans,
      fc.integer({ min: 0, max: 40 }),
      fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
      history,
      (first, second, trialDays, totalCycles, calls) => {
        const years = new Years('2026-01-31 10:00').ask('create', {
          ...request({ ...threeSeven, ...first }),
          trialDays,
          totalCycles,
        });
        look(years);
        for (const [what, afterHours] of calls) {
          const before = new Set(years.state.invoices.map(({ id }) => id));
          const was = years.state.status;
          // some 400 days at most: long enough for a yearly plan, short enough for a daily one
          const span = first.interval.unit === 'day' || second.interval.unit === 'day' ? 0.2 : 1;
          years.waitFor(hours(Math.ceil(afterHours * span)));
          look(years);
          if (was === 'cancelled' || was === 'completed')
            expect(
              years.state.invoices.filter(({ id }) => !before.has(id)),
              'nothing after the end',
            ).toEqual([]);
          ask(years, what, { ...other, ...second });
          years.waitFor(0);
          look(years);
        }
        lookAtPaid(years);
        const opened = years.events
          .filter(({ type }) => type === 'invoice.created')
          .map(({ data }) => data['invoiceNumber']);
        expect(opened).toEqual(opened.map((_, n) => `INV-${String(n + 1).padStart(6, '0')}`));
        if (totalCycles !== null) expect(years.state.cyclesBilled).toBeLessThanOrEqual(totalCycles);
      },
    ),
    { numRuns: Number(process.env['BILLING_RUNS'] ?? 60) },
  );
});
