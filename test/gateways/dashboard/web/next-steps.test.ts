/** What the dashboard says of an invoice that becomes past due. */
import { expect, test } from 'vitest';
import type { OverdueAction } from '../../../../gateways/dashboard/web/wire/billing-types.ts';
import { dunningOf } from '../../../../gateways/dashboard/web/words/next-steps.ts';

const overdueAt = '2026-03-03T00:00:00.000Z';
const active = { displayStatus: 'active', resumeAt: null } as const;
const paused = { displayStatus: 'paused', resumeAt: null } as const;

test.each([
  ['mark_past_due', active, 'The subscription is marked past due.'],
  ['mark_past_due', paused, 'The subscription stays paused.'],
  ['mark_past_due', { ...paused, resumeAt: '2026-03-05T00:00:00.000Z' }, 'The subscription stays paused.'],
  [
    'mark_past_due',
    { ...paused, resumeAt: '2026-03-01T00:00:00.000Z' },
    'The subscription is marked past due.',
  ],
  ['keep_active', paused, 'The subscription stays paused.'],
  ['cancel', paused, 'The subscription is cancelled.'],
] as const)('%s, of a subscription that is %o: %s', (action: OverdueAction, subscription, text) => {
  const [step] = dunningOf([{ at: overdueAt, action }], 'INV-000012', undefined, subscription);
  expect(step?.text).toBe(text);
});
