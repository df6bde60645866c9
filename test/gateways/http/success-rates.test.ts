import { beforeEach, describe, expect, test } from 'vitest';
import {
  attemptsMin,
  createSuccessRates,
  keptMs,
  windowMs,
  type SuccessRates,
} from '../../../gateways/http/success-rates.ts';
import type { Scope } from '../../../src/runtime/address.ts';
import { createSimStore, type SimConnection } from '../../../src/store/store-sim.ts';
import type { Row } from '../../../src/store/store.ts';
import { putAll, rowOf } from '../../contract/store-samples.ts';
import { chanceOf } from '../../simulation/random.ts';
import { selfRunning } from '../../simulation/self-running.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';
const live = 'prj_pjc0e83mhrawse3s6h8bhrbw:live';
const began = Date.parse('2026-11-20T09:15:00.000Z');

describe('the success rate of a provider', () => {
  let store: SimConnection;
  let now: number;
  let rates: SuccessRates;
  let isAway: boolean;
  beforeEach(() => {
    store = createSimStore({
      scheduler: selfRunning(),
      chance: chanceOf(1, 'rates'),
      rowsInCommit: true,
    }).connect();
    now = began + 1000;
    isAway = false;
    const listRows: SimConnection['listRows'] = (query) =>
      isAway ? Promise.reject(new Error('away')) : store.listRows(query);
    rates = createSuccessRates({ now: () => now, listRows }, ['wallet_a', 'wallet_b']);
  });

  const attempts = (
    status: string,
    count: number,
    { provider = 'wallet_b', of = scope }: { provider?: string; of?: Scope } = {},
  ): readonly Row[] =>
    Array.from({ length: count }, () =>
      rowOf({ kind: 'payment', scope: of, created: began, body: { status, provider, amount: 1000 } }),
    );
  const troubled = async (of: Scope = scope): Promise<readonly string[]> => [...(await rates.troubledIn(of))];

  test('is in trouble with less than half of twenty attempts paid', async () => {
    await putAll(store, [...attempts('success', 9), ...attempts('failed', 11)]);
    expect(await troubled()).toEqual(['wallet_b']);
  });

  test('is well with exactly half of them paid', async () => {
    await putAll(store, [...attempts('success', 10), ...attempts('failed', 10)]);
    expect(await troubled()).toEqual([]);
  });

  test('is not judged by nineteen, however they ended', async () => {
    await putAll(store, [
      ...attempts('failed', attemptsMin - 1),
      ...attempts('success', 30, { provider: 'wallet_a' }),
    ]);
    expect(await troubled()).toEqual([]);
  });

  test('counts who gave up, but not who is still at it', async () => {
    await putAll(store, [...attempts('cancelled', attemptsMin - 1), ...attempts('processing', 5)]);
    expect(await troubled()).toEqual([]);
    await putAll(store, attempts('cancelled', 1));
    now += keptMs;
    expect(await troubled()).toEqual(['wallet_b']);
  });

  test('is of one project and mode alone', async () => {
    await putAll(store, attempts('failed', attemptsMin, { of: live }));
    expect(await troubled()).toEqual([]);
    expect(await troubled(live)).toEqual(['wallet_b']);
  });

  test('forgets what began more than fifteen minutes ago', async () => {
    await putAll(store, attempts('failed', attemptsMin));
    now = began + windowMs;
    expect(await troubled()).toEqual(['wallet_b']);
    now = began + windowMs + keptMs;
    expect(await troubled()).toEqual([]);
  });

  test('is asked for anew when it could not be had', async () => {
    await putAll(store, attempts('failed', attemptsMin));
    isAway = true;
    await expect(rates.troubledIn(scope)).rejects.toThrow('away');
    isAway = false;
    expect(await troubled()).toEqual(['wallet_b']);
  });
});
