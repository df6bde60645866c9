import { expect, test } from 'vitest';
import { chanceOf } from './random.ts';
import { VirtualScheduler } from './scheduler.ts';

test('events run by their instant, ties in the order they were scheduled', async () => {
  const scheduler = new VirtualScheduler(0);
  const ran: string[] = [];
  for (const [delay, name] of [
    [5, 'c'],
    [1, 'a'],
    [5, 'd'],
    [1, 'b'],
  ] as const) {
    scheduler.after(delay, () => ran.push(`${name}${scheduler.now()}`));
  }
  await scheduler.run(() => false, 10);
  expect(ran).toEqual(['a1', 'b1', 'c5', 'd5']);
  expect(scheduler.now()).toBe(10);
});

test('everything caused by an event is finished before the next one, however many promises it takes', async () => {
  const scheduler = new VirtualScheduler(0);
  const ran: string[] = [];
  scheduler.soon(
    () =>
      void (async () => {
        for (let n = 0; n < 500; n++) await Promise.resolve();
        ran.push('the end of the first');
      })(),
  );
  scheduler.soon(() => ran.push('the second'));
  await scheduler.run(() => false, 1);
  expect(ran).toEqual(['the end of the first', 'the second']);
});

test("a cancelled event never runs, a dead process's neither", async () => {
  const scheduler = new VirtualScheduler(0);
  const ran: string[] = [];
  const process = scheduler.process();
  process.after(1, () => ran.push('alive'));
  process.after(3, () => ran.push('dead'));
  scheduler.after(1, () => ran.push('cancelled'))();
  scheduler.after(2, () => process.kill());
  await scheduler.run(() => false, 10);
  expect(ran).toEqual(['alive']);
});

test('a wall clock that jumps changes no wait', async () => {
  const scheduler = new VirtualScheduler(1000);
  const process = scheduler.process();
  process.jump(-600);
  expect(process.now()).toBe(400);
  let firedAt = 0;
  process.after(50, () => {
    firedAt = scheduler.now();
  });
  await scheduler.run(() => false, 2000);
  expect(firedAt).toBe(1050);
});

test('a run stops the moment its condition holds', async () => {
  const scheduler = new VirtualScheduler(0);
  let count = 0;
  const again = (): void => {
    count += 1;
    scheduler.after(1, again);
  };
  again();
  expect(await scheduler.run(() => count === 10, 1000)).toBe(true);
  expect([count, scheduler.now()]).toEqual([10, 9]);
  expect(await scheduler.run(() => false, 20)).toBe(false);
});

test('a seed gives the same numbers every time, its streams and other seeds others', () => {
  const draw = (seed: number, stream: string): string => {
    const chance = chanceOf(seed, stream);
    return Array.from({ length: 20 }, () => chance().toFixed(6)).join();
  };
  expect(draw(1, 'world')).toBe(draw(1, 'world'));
  expect(new Set([draw(1, 'world'), draw(2, 'world'), draw(1, 'store')]).size).toBe(3);
  const chance = chanceOf(7, 'mean');
  const mean = Array.from({ length: 10_000 }, chance).reduce((sum, n) => sum + n, 0) / 10_000;
  expect(mean).toBeGreaterThan(0.48);
  expect(mean).toBeLessThan(0.52);
});
