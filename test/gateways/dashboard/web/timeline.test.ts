import { describe, expect, test } from 'vitest';
import {
  aboutOf,
  deliveryRows,
  newerDelivery,
  unlistedDeliveries,
} from '../../../../gateways/dashboard/web/lists/delivery-rows.ts';
import {
  runsOf,
  sentEvents,
  sentEventsMax,
  summaryOf,
} from '../../../../gateways/dashboard/web/screens/payment/timeline-runs.ts';
import type { Kept } from '../../../../gateways/dashboard/web/live/live-state.ts';
import type { Delivery } from '../../../../gateways/dashboard/web/wire/types.ts';
import { deliveryOf, entryAt } from './samples.ts';

describe('a timeline', () => {
  test('groups repeated look-ups, with their number', () => {
    const runs = runsOf([
      entryAt(0, { kind: 'transition', summary: 'Attempt 1 with wallet_b' }),
      entryAt(2, {}),
      entryAt(4, {}),
      entryAt(6, {}),
      entryAt(7, { summary: 'Lookup: paid' }),
    ]);
    expect(runs.map(({ count }) => count)).toEqual([1, 3, 1]);
    expect(runs.map(({ sinceMs }) => sinceMs)).toEqual([null, 2_000, 1_000]);
    expect(runs[1]?.last.at).toBe(entryAt(6, {}).at);
  });

  test('groups look-ups and their refusals separately, even when they alternate', () => {
    const refused = { kind: 'refused', summary: 'Not taken as paid' };
    const runs = runsOf([entryAt(1, {}), entryAt(1, refused), entryAt(9, {}), entryAt(9, refused)]);
    expect(runs.map(({ first, count }) => [first.kind, count])).toEqual([
      ['poll', 2],
      ['refused', 2],
    ]);
  });

  test('keeps repeated actions separate, and a look-up after something else too', () => {
    const callback = { kind: 'provider_callback', summary: 'Called' };
    const runs = runsOf([entryAt(1, {}), entryAt(2, callback), entryAt(2, callback), entryAt(3, {})]);
    expect(runs.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  });

  test('shows providers by name, and ids only in the details', () => {
    expect(summaryOf(entryAt(0, { kind: 'provider_call', summary: 'Start: wallet_a has opened it' }))).toBe(
      'Start: Wallet A has opened it',
    );
    const attempt = { kind: 'webhook_attempt', summary: 'payment.failed to we_1, try 2: answered 500' };
    expect(summaryOf(entryAt(0, attempt))).toBe('payment.failed, try 2: answered 500');
  });

  test('shows which events were sent where, each once, up to a limit', () => {
    const attempt = (eventId: string): ReturnType<typeof entryAt> =>
      entryAt(0, { kind: 'webhook_attempt', detail: { endpointId: 'we_1', eventId } });
    expect(sentEvents([attempt('evt_1'), attempt('evt_1'), attempt('evt_2'), entryAt(1, {})])).toEqual([
      { endpointId: 'we_1', eventId: 'evt_1' },
      { endpointId: 'we_1', eventId: 'evt_2' },
    ]);
    const many = Array.from({ length: 40 }, (_, at) => attempt(`evt_${at}`));
    expect(sentEvents(many)).toHaveLength(sentEventsMax);
  });
});

describe('deliveries', () => {
  const tried = (attempts: number, fields: Partial<Delivery> = {}): Delivery =>
    deliveryOf({ attempts, lastAttemptAt: `2026-11-20T09:16:0${attempts}.000Z`, ...fields });
  const listedOf = (...data: readonly Delivery[]) => ({ data, total: data.length, page: 1, limit: 25 });
  const keptIn = (epoch: number, data: Delivery): Kept<Delivery> => ({
    sequence: 1,
    epoch,
    changedAt: 0,
    data,
  });
  const shelf = (...heard: readonly Delivery[]) => new Map(heard.map((data) => [data.id, keptIn(1, data)]));

  test('the copy with more tries is newer', () => {
    expect(newerDelivery(tried(1), keptIn(1, tried(2)), 1).attempts).toBe(2);
    expect(newerDelivery(tried(2), keptIn(1, tried(1)), 1).attempts).toBe(2);
    expect(newerDelivery(tried(2), undefined, 1).attempts).toBe(2);
    const rows = deliveryRows(listedOf(tried(1)), shelf(tried(3)), 1);
    expect(rows.map(({ attempts }) => attempts)).toEqual([3]);
  });

  test('messages from before a reconnect never replace newer answers', () => {
    const [stale, fresh] = [tried(1, { status: 'retrying' }), tried(1, { status: 'failed' })];
    expect(newerDelivery(fresh, keptIn(1, stale), 1).status).toBe('retrying');
    expect(newerDelivery(fresh, keptIn(1, stale), 2).status).toBe('failed');
    expect(deliveryRows(listedOf(fresh), shelf(stale), 2).map(({ status }) => status)).toEqual(['failed']);
  });

  test('the payload is kept when a change does not carry it', () => {
    const payload = { id: 'evt_1' };
    expect(newerDelivery(tried(1, { payload }), keptIn(1, tried(2)), 1).payload).toEqual(payload);
  });

  test('new ones of this endpoint are counted, and no others', () => {
    const later = { createdAt: '2026-11-20T10:00:00.000Z' };
    const heard = shelf(
      deliveryOf({ id: 'whd_2', ...later }),
      deliveryOf({ id: 'whd_3', webhookEndpointId: 'we_other', ...later }),
      deliveryOf({ id: 'whd_4', createdAt: '2026-11-01T00:00:00.000Z' }),
    );
    expect(unlistedDeliveries(listedOf(tried(1)), heard, deliveryOf().webhookEndpointId, 1)).toBe(1);
    expect(unlistedDeliveries(listedOf(tried(1)), heard, deliveryOf().webhookEndpointId, 2)).toBe(0);
  });

  test('an event shows its subject as far as the envelope has it', () => {
    const data = { id: 'pay_1', amount: 100, customer: { name: 'Asha Rai' } };
    expect(aboutOf(deliveryOf({ payload: { data } }))).toEqual({
      isTest: false,
      paymentId: 'pay_1',
      amount: 100,
      buyer: 'Asha Rai',
    });
    const nothing = { paymentId: null, amount: null, buyer: null };
    expect(aboutOf(deliveryOf({ payload: { data: { at: 1 } } }))).toEqual({ isTest: false, ...nothing });
    // a sample's payment does not exist
    expect(aboutOf(deliveryOf({ payload: { test: true, data } }))).toEqual({ isTest: true, ...nothing });
  });
});
