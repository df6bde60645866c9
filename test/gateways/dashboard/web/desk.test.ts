import { describe, expect, test } from 'vitest';
import {
  liveStateAfter,
  emptyLiveState,
  keptMax,
  type LiveState,
  type LiveMessage,
} from '../../../../gateways/dashboard/web/live/live-state.ts';
import type { Change, Payment } from '../../../../gateways/dashboard/web/wire/types.ts';
import { checkoutOf, deliveryOf, noon, paid, paymentAt, paymentOf, snapshotOf } from './samples.ts';

const hears = (liveState: LiveState, ...heard: readonly LiveMessage[]): LiveState =>
  heard.reduce(liveStateAfter, liveState);
const change = (data: Payment): Change => ({ object: 'payment', id: data.id, sequence: data.sequence, data });
const changes = (...payments: readonly Payment[]): LiveMessage => ({
  is: 'changes',
  changes: payments.map(change),
  at: noon + 500,
});
const snapshot = (payments: readonly Payment[], fields: object = {}): LiveMessage => ({
  is: 'snapshot',
  snapshot: snapshotOf(payments, fields),
  at: noon,
});
const known = (liveState: LiveState, { id }: Payment): Payment | undefined =>
  liveState.payments.get(id)?.data;

describe('messages about a payment', () => {
  const first = paymentOf({ sequence: 1 });
  const third = paymentOf({ sequence: 3, status: 'success' });

  test('the higher sequence stays, whatever comes later', () => {
    const late = hears(
      emptyLiveState,
      snapshot([first]),
      changes(third),
      changes(paymentOf({ sequence: 2 })),
    );
    expect(known(late, first)).toEqual(third);
    const inOneBreath = hears(emptyLiveState, snapshot([]), changes(third, first));
    expect(known(inOneBreath, first)).toEqual(third);
  });

  test('a snapshot older than a change does not undo it', () => {
    const liveState = hears(emptyLiveState, snapshot([]), changes(third), snapshot([first]));
    expect(known(liveState, first)).toEqual(third);
  });

  test('the same change twice is one change', () => {
    const once = hears(emptyLiveState, snapshot([]), changes(third));
    expect(hears(once, changes(third)).payments).toBe(once.payments);
  });

  test('the number of kept objects is bounded, and the newest received are among them', () => {
    const many = Array.from({ length: keptMax + 20 }, (_, at) => paymentAt(at));
    const liveState = hears(
      emptyLiveState,
      snapshot([]),
      changes(...many),
      changes(paymentAt(30, { sequence: 2 })),
    );
    expect(liveState.payments.size).toBe(keptMax);
    expect(known(liveState, paymentAt(0))).toBeUndefined();
    expect(known(liveState, paymentAt(30))?.sequence).toBe(2);
    expect(known(liveState, paymentAt(keptMax + 19))).toBeDefined();
  });
});

describe('a snapshot', () => {
  const today = { paidCount: 3, paidAmount: 300_000, failedCount: 1, openCount: 2 };

  test('replaces the totals, and changes of totals replace them again', () => {
    const liveState = hears(emptyLiveState, snapshot([], { today }));
    expect(liveState.today).toEqual(today);
    const less = { paidCount: 0, paidAmount: 0, failedCount: 0, openCount: 0 };
    expect(hears(liveState, { is: 'today', today: less, at: noon + 900 }).today).toEqual(less);
    expect(hears(liveState, snapshot([])).today).toEqual(less);
  });

  test('begins an epoch: earlier messages do not count as the current state', () => {
    const [old, stays] = [paymentAt(1), paymentAt(2)];
    const liveState = hears(emptyLiveState, snapshot([old, stays]), snapshot([stays]));
    expect(liveState.epoch).toBe(2);
    expect(liveState.payments.get(old.id)?.epoch).toBe(1);
    expect(liveState.payments.get(stays.id)?.epoch).toBe(2);
  });

  test("carries the project's clock, which may differ from this computer's", () => {
    const ahead = new Date(noon + 3_600_000).toISOString();
    expect(hears(emptyLiveState, snapshot([], { at: ahead })).skewMs).toBe(3_600_000);
  });

  test('sets the connection to connected', () => {
    const lost: LiveMessage = { is: 'connection', connection: { is: 'lost', since: noon } };
    expect(hears(emptyLiveState, lost).connection.is).toBe('lost');
    expect(hears(emptyLiveState, lost, snapshot([])).connection.is).toBe('connected');
  });
});

describe('payments just paid', () => {
  test('are reported once, when a payment becomes paid', () => {
    const payment = paymentAt(1);
    const liveState = hears(emptyLiveState, snapshot([payment]), changes(paid(payment)));
    expect(liveState.paidNow).toEqual([paid(payment)]);
    expect(hears(liveState, changes({ ...paid(payment, 3), refundedAmount: 100 })).paidNow).toEqual([]);
  });

  test('do not include older ones: a refund of an old payment is no income', () => {
    const old = {
      ...paid(paymentAt(1), 4),
      refundedAmount: 100,
      updatedAt: new Date(noon + 9e6).toISOString(),
    };
    expect(hears(emptyLiveState, snapshot([]), changes(old)).paidNow).toEqual([]);
    expect(hears(emptyLiveState, snapshot([]), changes(paid(paymentAt(2)))).paidNow).toHaveLength(1);
  });

  test('are not taken from a snapshot: a new connection does not announce earlier payments', () => {
    expect(hears(emptyLiveState, snapshot([paid(paymentAt(1))])).paidNow).toEqual([]);
  });
});

test('checkouts and deliveries are kept separately, and unknown objects are ignored', () => {
  const strange = { object: 'refund', id: 'ref_1', sequence: 1, data: {} } as unknown as Change;
  const liveState = hears(emptyLiveState, snapshot([]), {
    is: 'changes',
    at: noon,
    changes: [
      { object: 'checkout', id: checkoutOf().id, sequence: 2, data: checkoutOf({ sequence: 2 }) },
      { object: 'delivery', id: deliveryOf().id, sequence: 5, data: deliveryOf({ attempts: 1 }) },
      strange,
    ],
  });
  expect([liveState.checkouts.size, liveState.deliveries.size, liveState.payments.size]).toEqual([1, 1, 0]);
});
