import { beforeEach, describe, expect, test } from 'vitest';
import { paidOnTag } from '../../../actors/checkout-session/view.ts';
import { todayOf, type Today } from '../../../gateways/http/today.ts';
import { days, hours, iso, kathmanduDay, kathmanduMidnight } from '../../../src/kernel/time.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { createSimStore, type SimConnection } from '../../support/simulated/store-sim.ts';
import type { Row } from '../../../src/store/store.ts';
import { docOf, putAll, rowOf, saveAll } from '../../contract/store-samples.ts';
import { chanceOf } from '../../simulation/random.ts';
import { selfRunning } from '../../simulation/self-running.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';
/** 18:00 in Nepal. */
const now = Date.parse('2026-11-20T12:15:00.000Z');
const midnight = Date.parse('2026-11-19T18:15:00.000Z');

describe('today', () => {
  let store: SimConnection;
  beforeEach(() => {
    store = createSimStore({
      scheduler: selfRunning(),
      chance: chanceOf(1, 'today'),
      rowsInCommit: true,
    }).connect();
  });

  const today = (): Promise<Today> => {
    const client: Pick<Client, 'now' | 'list' | 'sumRows'> = {
      now: () => now,
      sumRows: (query) => store.sumRows(query),
      // only the total is asked for
      list: async (query) => ({ items: [], total: (await store.listDocs(query)).total }),
    };
    return todayOf(client, scope);
  };

  const paid = (at: number, given: { amount?: number; status?: string; began?: number } = {}): Row => {
    const { amount = 1000, status = 'success', began = at } = given;
    const body = { amount, status, updatedAt: iso(at), paidAt: iso(at) };
    return rowOf({ kind: 'payment', scope, created: began, tags: ['orderId=7', paidOnTag(at)], body });
  };
  const failed = (at: number, began = at): Row =>
    rowOf({
      kind: 'payment',
      scope,
      created: began,
      body: { amount: 500, status: 'failed', updatedAt: iso(at), paidAt: null },
    });
  const checkout = (status: string, source: string | null = 'checkout') =>
    docOf({ kind: 'checkout_session', scope, created: now - days(1), body: { status, source } });

  test('is empty at first', async () => {
    expect(await today()).toEqual({ paidCount: 0, paidAmount: 0, failedCount: 0, openCount: 0 });
  });

  test('is the Kathmandu day: what was paid from its midnight on, to the paisa', async () => {
    await putAll(store, [
      paid(midnight - 1, { amount: 70_000 }),
      paid(midnight, { amount: 125_050 }),
      paid(now, { amount: 100_000_000 }),
      paid(now, { amount: 1, status: 'refunded' }),
    ]);
    expect(await today()).toMatchObject({ paidCount: 3, paidAmount: 100_125_051 });
  });

  test('counts late money on the day it arrives, however old its payment is', async () => {
    await putAll(store, [paid(now, { began: now - days(40), amount: 9 })]);
    expect(await today()).toMatchObject({ paidCount: 1, paidAmount: 9 });
  });

  test('counts what failed today, also of a session that was opened yesterday', async () => {
    await putAll(store, [
      failed(now),
      failed(midnight, midnight - hours(24)),
      failed(midnight - 1, midnight - hours(1)),
      paid(now),
    ]);
    expect(await today()).toMatchObject({ failedCount: 2 });
  });

  test('counts checkouts that can still be paid, and no hidden ones', async () => {
    await saveAll(store, [
      checkout('pending'),
      checkout('initiated', 'direct_qr'),
      checkout('initiated', 'invoice'),
      checkout('success'),
      checkout('expired'),
      checkout('hidden', null),
    ]);
    expect(await today()).toMatchObject({ openCount: 2 });
  });

  test('contains no other project and no other mode', async () => {
    const elsewhere = [`${scope.split(':')[0]}:live`, 'prj_0000000000000000000000000:sandbox'] as const;
    await putAll(
      store,
      elsewhere.flatMap((other) =>
        [paid(now), failed(now)].map((row) => ({ ...row, scope: other as Row['scope'] })),
      ),
    );
    expect(await today()).toEqual({ paidCount: 0, paidAmount: 0, failedCount: 0, openCount: 0 });
  });
});

test('a day in Nepal begins at 18:15 UTC', () => {
  expect([midnight - 1, midnight, now, midnight + days(1) - 1].map(kathmanduDay)).toEqual([
    '2026-11-19',
    '2026-11-20',
    '2026-11-20',
    '2026-11-20',
  ]);
  expect([midnight, now, midnight + days(1) - 1].map(kathmanduMidnight)).toEqual([
    midnight,
    midnight,
    midnight,
  ]);
  expect(kathmanduMidnight(midnight - 1)).toBe(midnight - days(1));
});
