/** The words of billing where the invoice of the next period is there already, or pays for another period than its own. */
import { expect, test } from 'vitest';
import { cancelAtEndEffects } from '../../../../gateways/dashboard/web/words/billing-effects.ts';
import { aheadOf, nextInvoiceOf } from '../../../../gateways/dashboard/web/words/next-steps.ts';
import { affected, day, invoiceOf, paidNow, subscriptionOf } from './billing-samples.ts';

/** Paid for March, then moved so that it pays for the period after the current one. */
const moved = {
  status: 'paid',
  periodStart: day('2026-02-10'),
  periodEnd: day('2026-03-10'),
  appliesFrom: day('2026-02-28'),
  appliesTo: day('2026-03-31'),
} as const;

test.each([
  ['open', {}],
  ['voided by the merchant', { status: 'voided' }],
  ['paid before its period was moved', moved],
] as const)('where the invoice of the next period is %s, the next one is due after it', (_, fields) => {
  const subscription = subscriptionOf({ nextInvoiceAt: day('2026-03-28') });
  expect(nextInvoiceOf(subscription, [invoiceOf(fields), paidNow]).dueAt).toBe(day('2026-03-31'));
});

test('where the invoice of the next period is voided and opens anew, that one is the next', () => {
  const subscription = subscriptionOf({ nextInvoiceAt: day('2026-02-26') });
  expect(nextInvoiceOf(subscription, [invoiceOf({ status: 'voided' }), paidNow]).dueAt).toBe(
    day('2026-02-28'),
  );
});

test('an invoice that pays for another period than its own counts for that one', () => {
  const invoices = [invoiceOf(moved), paidNow];
  expect(aheadOf(subscriptionOf(), invoices)?.id).toBe('inv_12');
  expect(cancelAtEndEffects(affected({}, invoices))[0]).toContain('31 Mar');
});
