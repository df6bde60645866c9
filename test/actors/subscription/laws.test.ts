/** Random years of a subscription: whatever is asked of it, and whenever. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextStep } from '../../../actors/subscription/steps.ts';
import type { InvoiceView } from '../../../actors/subscription/view.ts';
import { hours } from '../../../src/kernel/time.ts';
import { ask, history, other, plans } from './random-years.ts';
import { localOf, request, threeSeven, Years } from './subscribing.ts';

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
