import { describe, expect, test } from 'vitest';
import { rowsOfLink } from '../../../../gateways/dashboard/web/lists/payment-rows.ts';
import { emptyLiveState, liveStateAfter } from '../../../../gateways/dashboard/web/live/live-state.ts';
import { endFrom, linkRequestFrom, usesFrom } from '../../../../gateways/dashboard/web/wire/link-request.ts';
import type { TextOf } from '../../../../gateways/dashboard/web/wire/form-reading.ts';
import { linkAmountText, usesText } from '../../../../gateways/dashboard/web/words/links.ts';
import { nepalInstant, nepalText } from '../../../../gateways/dashboard/web/words/time.ts';
import { noon, paid, paymentAt, snapshotOf } from './samples.ts';

const usual = { name: 'Workshop seat', kind: 'fixed', amount: '500' };
type Typed = Readonly<Record<string, string>>;
const typed =
  (fields: Typed = {}): TextOf =>
  (name) =>
    ({ ...usual, ...fields })[name] ?? '';

describe('the form of a payment link', () => {
  test('a fixed amount is sent in paisa, and what is empty as no limit', () => {
    expect(linkRequestFrom(typed({ amount: 'NPR 1,250.50', name: ' Seat ' }), noon).request).toEqual({
      name: 'Seat',
      amount: 125_050,
      maxUses: null,
      expiresAt: null,
      returnUrl: null,
      collectAddress: false,
    });
  });

  test('bounds of what the buyer enters are sent only where they were typed', () => {
    const open = (fields: Typed) =>
      linkRequestFrom(typed({ kind: 'open', amount: 'left over', ...fields }), noon);
    expect(open({ maxAmount: '5000' }).request).toMatchObject({ amount: null, maxAmount: 500_000 });
    expect(open({ maxAmount: '5000' }).request).not.toHaveProperty('minAmount');
    expect(open({ minAmount: '50', maxAmount: '49.99' }).errors).toEqual({
      maxAmount: 'Write the least amount or more.',
    });
  });

  test.each<[string, string]>([
    ['name', '   '],
    ['name', 'x'.repeat(101)],
    ['amount', ''],
    ['amount', 'ten'],
    ['amount', '9.99'],
    ['amount', '1000000.01'],
    ['amount', '10.005'],
    ['maxUses', '0'],
    ['maxUses', '1.5'],
    ['maxUses', '-1'],
    ['maxUses', '100001'],
    ['expiresAt', '2026-11-20T12:00'],
    ['expiresAt', 'tomorrow'],
    ['returnUrl', 'shop.example'],
    ['returnUrl', 'javascript:alert(1)'],
  ])('%s of %j is named as wrong, and nothing is sent', (field, text) => {
    const { request, errors } = linkRequestFrom(typed({ [field]: text }), noon);
    expect(request).toBeNull();
    expect(Object.keys(errors ?? {})).toEqual([field]);
  });

  test('an end is typed in Nepal time', () => {
    // noon is 12:00 in Nepal
    expect(nepalText(noon)).toBe('2026-11-20T12:00');
    expect(nepalInstant('2026-11-20T12:00')).toBe(noon);
    expect(endFrom('2026-11-20T12:01', noon)).toEqual({ value: '2026-11-20T06:16:00.000Z', error: null });
    expect(usesFrom('1,000')).toEqual({ value: 1_000, error: null });
  });
});

describe('a payment link', () => {
  test('says what is paid by it, and how much of it is used', () => {
    const bounds = { amount: null, minAmount: 1_000, maxAmount: 500_000 };
    expect(linkAmountText(bounds)).toBe('NPR 10.00 to NPR 5,000.00');
    expect(linkAmountText({ ...bounds, amount: 50_000 })).toBe('NPR 500.00');
    expect(usesText({ usedCount: 3, maxUses: 20 })).toBe('3 of 20 uses');
    expect([1, 2].map((usedCount) => usesText({ usedCount, maxUses: null }))).toEqual(['1 use', '2 uses']);
  });

  test('shows its own payments as they are received, and no other', () => {
    const of = (minutes: number, linkReferenceId: string | null) => paymentAt(minutes, { linkReferenceId });
    const listed = { data: [of(1, 'PL-A')], total: 1, page: 1, limit: 25 };
    const shown = snapshotOf([paid(of(1, 'PL-A')), of(2, 'PL-A'), of(3, 'PL-B'), of(4, null)]);
    const live = liveStateAfter(emptyLiveState, { is: 'snapshot', snapshot: shown, at: noon });
    const on = (page: number) => rowsOfLink(listed, { referenceId: 'PL-A', page }, { ...live, now: noon });
    expect(on(1).rows.map(({ id, status }) => [id.slice(-1), status])).toEqual([
      ['2', 'pending'],
      ['1', 'success'],
    ]);
    expect([on(1).total, on(2).total, on(2).rows.length]).toEqual([2, 1, 1]);
  });
});
