import { expect, test } from 'vitest';
import {
  absentKeysMax,
  keysMax,
  rememberedMsMax,
  TtlCache,
} from '../../../../gateways/http/access/ttl-cache.ts';
import { seconds } from '../../../../src/kernel/time.ts';

/** A store of numbers, how often it was asked, and a clock. */
class Shelf {
  now = 1_000_000;
  asked = 0;
  value: number | null = 1;
  hold: Promise<void> | null = null;
  readonly memory = new TtlCache<number>(
    async () => {
      this.asked++;
      const { value } = this;
      if (this.hold !== null) await this.hold;
      return value;
    },
    () => this.now,
  );
}

test('a recent value is not read again', async () => {
  const shelf = new Shelf();
  expect([await shelf.memory.get('a'), await shelf.memory.get('a')]).toEqual([1, 1]);
  expect(shelf.asked).toBe(1);
});

test('nothing older than four seconds is returned', async () => {
  const shelf = new Shelf();
  await shelf.memory.get('a');
  shelf.value = 2;
  shelf.now += rememberedMsMax + 1;
  expect(await shelf.memory.get('a')).toBe(2);
});

test('a value in constant use is renewed in the background', async () => {
  const shelf = new Shelf();
  await shelf.memory.get('a');
  shelf.value = 2;
  shelf.now += seconds(3);
  expect(await shelf.memory.get('a')).toBe(1);
  expect(await shelf.memory.get('a')).toBe(2);
  expect(shelf.asked).toBe(2);
});

test('a missing value is read again after a second', async () => {
  const shelf = new Shelf();
  shelf.value = null;
  expect(await shelf.memory.get('a')).toBeNull();
  shelf.value = 1;
  expect(await shelf.memory.get('a')).toBeNull();
  shelf.now += seconds(1) + 1;
  expect(await shelf.memory.get('a')).toBe(1);
});

test('concurrent callers cause one read', async () => {
  const shelf = new Shelf();
  await Promise.all(Array.from({ length: 50 }, () => shelf.memory.get('a')));
  expect(shelf.asked).toBe(1);
});

test('a value invalidated during its read is not cached', async () => {
  const shelf = new Shelf();
  let go = (): void => undefined;
  shelf.hold = new Promise((resolve) => (go = resolve));
  const before = shelf.memory.get('a');
  shelf.memory.forget('a');
  shelf.value = null;
  go();
  expect(await before).toBe(1);
  expect(await shelf.memory.get('a')).toBeNull();
});

test('memory is bounded: the oldest entry is dropped', async () => {
  const shelf = new Shelf();
  await shelf.memory.get('first');
  for (let at = 0; at < keysMax; at++) await shelf.memory.get(`k${at}`);
  const { asked } = shelf;
  await shelf.memory.get(`k${keysMax - 1}`);
  expect(shelf.asked).toBe(asked);
  await shelf.memory.get('first');
  expect(shelf.asked).toBe(asked + 1);
});

test('missing keys evict no other key, and are bounded themselves', async () => {
  const shelf = new Shelf();
  await shelf.memory.get('first');
  shelf.value = null;
  for (let at = 0; at <= absentKeysMax; at++) await shelf.memory.get(`nobody${at}`);
  const { asked } = shelf;
  expect(await shelf.memory.get('first')).toBe(1);
  expect(await shelf.memory.get(`nobody${absentKeysMax}`)).toBeNull();
  expect(shelf.asked).toBe(asked);
  expect(await shelf.memory.get('nobody0')).toBeNull();
  expect(shelf.asked).toBe(asked + 1);
});

test('a read receives the value found before, however old', async () => {
  let now = 0;
  const told: (number | null)[] = [];
  const memory = new TtlCache<number>(
    async (_key, before) => {
      told.push(before);
      return told.length;
    },
    () => now,
  );
  expect(await memory.get('a')).toBe(1);
  now += rememberedMsMax + 1;
  expect(await memory.get('a')).toBe(2);
  memory.forget('a');
  expect(await memory.get('a')).toBe(3);
  expect(told).toEqual([null, 1, null]);
});

test('a failed read is not cached', async () => {
  let asked = 0;
  const memory = new TtlCache<number>(
    async () => {
      if (asked++ === 0) throw new Error('the disk is away');
      return 1;
    },
    () => 0,
  );
  await expect(memory.get('a')).rejects.toThrow('the disk is away');
  expect(await memory.get('a')).toBe(1);
});
