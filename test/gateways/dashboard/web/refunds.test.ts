import { describe, expect, test } from 'vitest';
import { refundable } from '../../../../actors/checkout-session/refundable.ts';
import { emptyLiveState, liveStateAfter } from '../../../../gateways/dashboard/web/live/live-state.ts';
import {
  refundRows,
  refundsOfPayment,
  unlistedRefunds,
} from '../../../../gateways/dashboard/web/lists/refund-rows.ts';
import { refundsRoute } from '../../../../gateways/dashboard/web/places.ts';
import { paisaFrom, rupeesText } from '../../../../gateways/dashboard/web/words/rupees.ts';
import type { Listed, Refund } from '../../../../gateways/dashboard/web/wire/types.ts';
import { refund } from '../../../../gateways/http/schemas/refund.ts';
import { noon, snapshotOf } from './samples.ts';

const at = (minutes: number): string => new Date(noon + minutes * 60_000).toISOString();
const refundAt = (minutes: number, fields: Partial<Refund> = {}): Refund => ({
  ...refund.example,
  id: `ref_${String(minutes).padStart(24, '0')}`,
  paymentId: 'pay_0000000000000001',
  amount: 2_500,
  reason: 'other',
  status: 'processing',
  providerRefundId: null,
  failureReason: null,
  notes: null,
  mobileNumber: null,
  sequence: 1,
  createdAt: at(minutes),
  updatedAt: at(minutes),
  ...fields,
});
const listed = (...data: readonly Refund[]): Listed<Refund> => ({
  data,
  total: data.length,
  page: 1,
  limit: 25,
});
const connected = liveStateAfter(emptyLiveState, { is: 'snapshot', snapshot: snapshotOf([]), at: noon });
const received = (...refunds: readonly Refund[]) =>
  liveStateAfter(connected, {
    is: 'changes',
    at: noon,
    changes: refunds.map((data) => ({ object: 'refund', id: data.id, sequence: data.sequence, data })),
  });

const [one, two] = [refundAt(1), refundAt(2)];

describe('refunds on the dashboard', () => {
  test('a row shows the copy with the higher sequence, from either source', () => {
    const ended = { ...one, status: 'succeeded' as const, sequence: 2 };
    expect(refundRows(listed(one), received(ended).refunds)).toEqual([ended]);
    expect(refundRows(listed(ended), received(one).refunds)).toEqual([ended]);
  });

  test('a refund opened elsewhere joins its payment, oldest first, and no other payment', () => {
    const other = refundAt(3, { paymentId: 'pay_0000000000000002' });
    const shown = refundsOfPayment(listed(two), received(one, other).refunds, one.paymentId);
    expect(shown).toEqual([one, two]);
  });

  test('new refunds are counted above the list, those of another state are not', () => {
    const { refunds, epoch } = received(two, refundAt(3, { status: 'failed' }));
    expect(unlistedRefunds(listed(one), refunds, '', epoch)).toBe(2);
    expect(unlistedRefunds(listed(one), refunds, 'failed', epoch)).toBe(1);
    expect(unlistedRefunds(listed(one), refunds, 'requires_action', epoch)).toBe(0);
  });

  test('what is left counts every refund but the failed ones', () => {
    expect(refundable(10_000, [one, refundAt(2, { status: 'failed' })])).toBe(7_500);
    expect(refundable(10_000, [])).toBe(10_000);
  });

  test.each<(typeof refundsRoute)['none']>([
    refundsRoute.none,
    { status: 'requires_action', page: 1 },
    { status: 'failed', page: 3 },
  ])('the address of %o says the same again', (filters) => {
    const { below } = refundsRoute.at({ filters });
    const [path = '', query = ''] = below.split('?');
    expect(refundsRoute.read({ path, query: new URLSearchParams(query) })).toEqual({ filters });
  });
});

describe('an amount typed in rupees', () => {
  test.each([
    ['250', 25_000],
    ['250.5', 25_050],
    ['250.50', 25_050],
    [' NPR 1,25,000.05 ', 12_500_005],
    ['Rs. 10', 1_000],
    ['0.01', 1],
    ['1000000', 100_000_000],
  ])('%s is %i paisa', (text, paisa) => {
    expect(paisaFrom(text)).toBe(paisa);
  });

  test.each(['', 'ten', '1.005', '-5', '1e3', '.5', '12.', '1 2.3.4', '9999999999'])(
    '%s is no amount',
    (text) => {
      expect(paisaFrom(text)).toBeNull();
    },
  );

  test('the text of the form is read as the amount it was made of', () => {
    for (const paisa of [1, 10, 99, 100, 25_050, 100_000_000])
      expect(paisaFrom(rupeesText(paisa))).toBe(paisa);
  });
});
