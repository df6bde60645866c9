/** The closing of a service is bounded, whatever its parts do. */
import { expect, test } from 'vitest';
import { Closing, closeMsMax, partMsMax } from '../../../src/compose/closing.ts';
import { leaveDoorsMs, leaveMs } from '../../../src/compose/node.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { onceCallMsMax } from '../../../src/runtime/cluster/ownership.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

const supervisorMs = seconds(10);
const never = (): Promise<never> => new Promise(() => undefined);

/** How long it takes to close these, and which were left behind. */
async function closed(steps: (closing: Closing) => void): Promise<{ tookMs: number; late: string[] }> {
  const scheduler = new VirtualScheduler(1_000_000);
  const closing = new Closing(scheduler);
  const late: string[] = [];
  closing.onLate = (what) => void late.push(what);
  steps(closing);
  let over = false;
  void closing.all().then(() => {
    over = true;
  });
  await scheduler.run(() => over, scheduler.now() + seconds(60));
  expect(over).toBe(true);
  return { tookMs: scheduler.now() - 1_000_000, late };
}

test('parts are closed in reverse order, and one that fails holds up none', async () => {
  const order: number[] = [];
  await closed((closing) => {
    for (const n of [1, 2, 3])
      closing.later(async () => {
        order.push(n);
        if (n === 2) throw new Error('it could not be closed');
      });
  });
  expect(order).toEqual([3, 2, 1]);
});

test('a part that does not end is left behind at its limit, and the others are closed', async () => {
  const order: string[] = [];
  const { tookMs, late } = await closed((closing) => {
    closing.later(async () => order.push('store'), { what: 'store' });
    closing.later(never, { what: 'bus' });
    closing.later(never, { what: 'doors', msMax: seconds(3) });
  });
  expect(tookMs).toBe(seconds(3) + partMsMax);
  expect(late).toEqual(['doors', 'bus']);
  expect(order).toEqual(['store']);
});

test('all parts together end within `closeMsMax`, which is less than a supervisor waits', async () => {
  expect(closeMsMax).toBeLessThan(supervisorMs);
  const begun: number[] = [];
  const { tookMs } = await closed((closing) => {
    for (let n = 0; n < 20; n++)
      closing.later(() => {
        begun.push(n);
        return never();
      });
  });
  expect(tookMs).toBe(closeMsMax);
  expect(begun).toHaveLength(20);
});

test('a part that waits for what it alone can learn has more time, and so have all together', async () => {
  const order: string[] = [];
  const moreMs = (): number => seconds(5);
  const { tookMs, late } = await closed((closing) => {
    closing.later(async () => order.push('store'), { what: 'store' });
    closing.later(never, { what: 'actors', msMax: closeMsMax, moreMs });
  });
  expect(tookMs).toBe(closeMsMax + seconds(5));
  expect([order, late]).toEqual([['store'], ['actors']]);
  const without = await closed((closing) => closing.later(never, { msMax: closeMsMax, moreMs: () => 0 }));
  expect(without.tookMs).toBe(closeMsMax);
});

test('with a refund call out a service ends within 15 s', () => {
  expect(closeMsMax + onceCallMsMax).toBeLessThan(seconds(15));
});

test('gateways and actors leave time for what is closed after them', () => {
  expect(leaveDoorsMs).toBeLessThan(leaveMs);
  expect(leaveMs + partMsMax).toBeLessThanOrEqual(closeMsMax);
});
