import { expect, test } from 'vitest';
import { watchUntil } from '../../../gateways/live/watch-until.ts';
import { Clock, quiet } from '../buyer/till.ts';

function rig(): { clock: Clock; watchers: Set<() => void>; parts: Parameters<typeof watchUntil>[0] } {
  const clock = new Clock();
  const watchers = new Set<() => void>();
  const watch = (id: string, onNotice: (id: string) => void): (() => void) => {
    const ring = (): void => onNotice(id);
    watchers.add(ring);
    return () => void watchers.delete(ring);
  };
  return { clock, watchers, parts: { client: { watch }, scheduler: clock } };
}

test('subscribes before it reads, so that no change is missed', async () => {
  const { watchers, parts } = rig();
  let watchersAtFirstLook = 0;
  await watchUntil(
    parts,
    'cs_x',
    () => {
      watchersAtFirstLook = watchers.size;
      return Promise.resolve('found');
    },
    1000,
  );
  expect(watchersAtFirstLook).toBe(1);
  expect(watchers.size).toBe(0);
});

test('reads again for a notice that arrived during a read', async () => {
  const { watchers, parts } = rig();
  let looks = 0;
  const found = await watchUntil(
    parts,
    'cs_x',
    () => {
      looks += 1;
      if (looks === 1) for (const ring of watchers) ring();
      return Promise.resolve(looks === 2 ? 'found' : null);
    },
    1000,
  );
  expect(found).toBe('found');
});

test('reads at once, every second and at its deadline, then gives up', async () => {
  const { clock, watchers, parts } = rig();
  const began = clock.now();
  const looks: number[] = [];
  const found = watchUntil(
    parts,
    'cs_x',
    () => {
      looks.push(clock.now() - began);
      return Promise.resolve(null);
    },
    2500,
  );
  await clock.pass(10_000);
  expect(await found).toBeNull();
  expect(looks).toEqual([0, 1000, 2000, 2500]);
  expect(watchers.size).toBe(0);
});

test('leaves no watcher behind when a read fails', async () => {
  const { watchers, parts } = rig();
  await expect(
    watchUntil(parts, 'cs_x', () => Promise.reject(new Error('store away')), 1000),
  ).rejects.toThrow('store away');
  await quiet();
  expect(watchers.size).toBe(0);
});
