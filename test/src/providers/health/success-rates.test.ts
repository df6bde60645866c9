import { beforeEach, describe, expect, test } from 'vitest';
import { degradedRule, rateOf, windowMs } from '../../../../actors/provider-health/rule.ts';
import {
  createSuccessRates,
  firstMsMax,
  keptMs,
  shownMs,
  type SuccessRates,
} from '../../../../src/providers/health/success-rates.ts';
import type { Scheduler } from '../../../../src/kernel/time.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';
import { createSimStore, type SimConnection } from '../../../support/simulated/store-sim.ts';
import type { Row } from '../../../../src/store/store.ts';
import { putAll, rowOf } from '../../../contract/store-samples.ts';
import { chanceOf } from '../../../simulation/random.ts';
import { selfRunning } from '../../../simulation/self-running.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';
const live = 'prj_pjc0e83mhrawse3s6h8bhrbw:live';
const began = Date.parse('2026-11-20T09:15:00.000Z');

describe('the success rate of a provider', () => {
  let store: SimConnection;
  let now: number;
  let rates: SuccessRates;
  let isAway: boolean;
  /** While it is set, no query is answered. */
  let slow: Promise<void>;
  let asked: number;
  /** What the page that waits does when its time is up, and how long that is. */
  let waits: { readonly ms: number; readonly end: () => void } | null;
  beforeEach(() => {
    store = createSimStore({
      scheduler: selfRunning(),
      chance: chanceOf(1, 'rates'),
      rowsInCommit: true,
    }).connect();
    now = began + 1000;
    isAway = false;
    slow = Promise.resolve();
    asked = 0;
    waits = null;
    const listRows: SimConnection['listRows'] = async (query) => {
      asked++;
      await slow;
      if (isAway) throw new Error('away');
      return store.listRows(query);
    };
    const after: Scheduler['after'] = (ms, end) => {
      waits = { ms, end };
      return () => {
        waits = null;
      };
    };
    rates = createSuccessRates({ now: () => now, listRows }, ['wallet_a', 'wallet_b'], { after });
  });

  const slowed = (): (() => void) => {
    let end = (): void => undefined;
    slow = new Promise((resolve) => {
      end = resolve;
    });
    return end;
  };
  /** What is under way has come. */
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  };

  const attempts = (
    status: string,
    count: number,
    { provider = 'wallet_b', of = scope }: { provider?: string; of?: Scope } = {},
  ): readonly Row[] =>
    Array.from({ length: count }, () =>
      rowOf({ kind: 'payment', scope: of, created: began, body: { status, provider, amount: 1000 } }),
    );
  const troubled = async (of: Scope = scope): Promise<readonly string[]> => [...(await rates.troubledIn(of))];

  test('is low with less than half of twenty attempts paid', async () => {
    await putAll(store, [...attempts('success', 9), ...attempts('failed', 11)]);
    expect(await troubled()).toEqual(['wallet_b']);
  });

  test('is not low with exactly half of them paid', async () => {
    await putAll(store, [...attempts('success', 10), ...attempts('failed', 10)]);
    expect(await troubled()).toEqual([]);
  });

  test('is not judged with nineteen attempts, however they ended', async () => {
    await putAll(store, [
      ...attempts('failed', degradedRule.attemptsMin - 1),
      ...attempts('success', 30, { provider: 'wallet_a' }),
    ]);
    expect(await troubled()).toEqual([]);
  });

  test('counts abandoned attempts, but not running ones', async () => {
    await putAll(store, [
      ...attempts('cancelled', degradedRule.attemptsMin - 1),
      ...attempts('processing', 5),
    ]);
    expect(await troubled()).toEqual([]);
    await putAll(store, attempts('cancelled', 1));
    now += shownMs;
    expect(await troubled()).toEqual(['wallet_b']);
  });

  test('counts one project and mode only', async () => {
    await putAll(store, attempts('failed', degradedRule.attemptsMin, { of: live }));
    expect(await troubled()).toEqual([]);
    expect(await troubled(live)).toEqual(['wallet_b']);
  });

  test('ignores attempts that began more than fifteen minutes ago', async () => {
    await putAll(store, attempts('failed', degradedRule.attemptsMin));
    now = began + windowMs;
    expect(await troubled()).toEqual(['wallet_b']);
    now = began + windowMs + shownMs;
    expect(await troubled()).toEqual([]);
  });

  test('uses the last result while it is counted again, once for all callers', async () => {
    await putAll(store, attempts('failed', degradedRule.attemptsMin));
    expect(await troubled()).toEqual(['wallet_b']);
    await putAll(store, attempts('success', 2 * degradedRule.attemptsMin));
    const end = slowed();
    asked = 0;
    now += keptMs;
    expect(await Promise.all([troubled(), troubled()])).toEqual([['wallet_b'], ['wallet_b']]);
    expect([asked, waits]).toEqual([1, null]);
    end();
    await settled();
    expect(await troubled()).toEqual([]);
  });

  test('is waited for briefly at first: then no provider counts as low', async () => {
    await putAll(store, attempts('failed', degradedRule.attemptsMin));
    const end = slowed();
    const first = troubled();
    await settled();
    expect(waits?.ms).toBe(firstMsMax);
    waits?.end();
    expect(await first).toEqual([]);
    end();
    await settled();
    expect(await troubled()).toEqual(['wallet_b']);
  });

  test('uses the last result when it cannot be counted again, for a minute at most', async () => {
    await putAll(store, attempts('failed', degradedRule.attemptsMin));
    expect(await troubled()).toEqual(['wallet_b']);
    isAway = true;
    now += shownMs - 1;
    expect(await troubled()).toEqual(['wallet_b']);
    await settled();
    now += 1;
    await expect(rates.troubledIn(scope)).rejects.toThrow('away');
  });

  test('is counted from whole ten seconds, so that concurrent callers send the same query', async () => {
    const from: unknown[] = [];
    for (const at of [0, 9999, 10_000]) {
      const listRows: SimConnection['listRows'] = (query) => {
        from.push(query.range?.[0]?.from);
        return store.listRows(query);
      };
      const after: Scheduler['after'] = () => () => undefined;
      await createSuccessRates({ now: () => began + at, listRows }, ['wallet_a'], { after }).troubledIn(
        scope,
      );
    }
    expect(from).toEqual([began - windowMs, began - windowMs, began - windowMs + keptMs]);
  });

  test('is counted for each provider, however few attempts it had, and returned with its time', async () => {
    await putAll(store, [...attempts('success', 15), ...attempts('refunded', 3), ...attempts('failed', 2)]);
    await putAll(store, attempts('success', 2, { provider: 'wallet_a' }));
    const counted = await rates.countedIn(scope);
    expect([...counted.of]).toEqual([
      ['wallet_a', { attempts: 2, paid: 2 }],
      ['wallet_b', { attempts: 20, paid: 18 }],
    ]);
    expect([...counted.of.values()].map(rateOf)).toEqual([null, 0.9]);
    expect(counted.at).toBe(now);
    asked = 0;
    now += keptMs - 1;
    expect(await rates.countedIn(scope)).toBe(counted);
    expect(asked).toBe(0);
  });

  test('is waited for by the API, however long the first count takes', async () => {
    await putAll(store, attempts('failed', 1));
    const end = slowed();
    const first = rates.countedIn(scope);
    await settled();
    expect(waits).toBe(null);
    end();
    expect((await first).of.get('wallet_b')).toEqual({ attempts: 1, paid: 0 });
  });

  test('is counted again after a failure', async () => {
    await putAll(store, attempts('failed', degradedRule.attemptsMin));
    isAway = true;
    await expect(rates.troubledIn(scope)).rejects.toThrow('away');
    isAway = false;
    expect(await troubled()).toEqual(['wallet_b']);
  });
});
