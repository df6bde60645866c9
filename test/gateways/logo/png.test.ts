import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { checkedPng, pixelsMax } from '../../../gateways/logo/png.ts';
import { pngChunk, pngOf } from '../../support/pictures.ts';

const bytesOf = async (png: Buffer): Promise<Buffer> => {
  const checked = await checkedPng(png);
  if (checked.is !== 'png') throw new Error(checked.why);
  return checked.bytes;
};
const refusal = async (png: Buffer): Promise<string> => {
  const checked = await checkedPng(png);
  return checked.is === 'refused' ? checked.why : checked.is;
};

test('a PNG is kept as it is drawn, and another reader reads it', async () => {
  const drawn = PNG.sync.read(await bytesOf(pngOf({ width: 40, height: 30 })));
  expect([drawn.width, drawn.height, [...drawn.data.subarray(0, 4)]]).toEqual([40, 30, [11, 91, 72, 255]]);
});

test('what does not draw is left out: texts, camera data, anything after the end', async () => {
  const place = pngChunk('tEXt', Buffer.from('GPS\0 27.7172 N'));
  const found = await bytesOf(
    Buffer.concat([pngOf({ more: [place, pngChunk('eXIf', Buffer.from('MM'))] }), Buffer.from('<script>')]),
  );
  expect(found.equals(pngOf())).toBe(true);
});

test('an interlaced PNG has as many pixels as its seven passes', async () => {
  // 5 x 3: passes of 1x1, 1x1, 2x1, 1x1 (of 2), 3x1, 2x2, 5x1 pixels with a byte for each line
  const sizes = [
    [1, 1],
    [1, 1],
    [2, 0],
    [1, 1],
    [3, 1],
    [2, 2],
    [5, 1],
  ] as const;
  const bytes = sizes.reduce((sum, [width, lines]) => sum + lines * (1 + width * 4), 0);
  const png = pngOf({ width: 5, height: 3, interlace: 1, pixels: Buffer.alloc(bytes) });
  expect(await refusal(png)).toBe('png');
  PNG.sync.read(await bytesOf(png));
  expect(await refusal(pngOf({ width: 5, height: 3, interlace: 1, pixels: Buffer.alloc(bytes + 1) }))).toBe(
    'broken',
  );
});

test.each([
  ['is cut off', pngOf().subarray(0, -20)],
  ['has no end', pngOf().subarray(0, -12)],
  ['has a wrong checksum', Buffer.from(pngOf().map((byte, at) => (at === 30 ? byte ^ 1 : byte)))],
  ['begins with another chunk', Buffer.concat([pngOf().subarray(0, 8), pngOf().subarray(33)])],
  ['has no pixels', pngOf({ pixels: Buffer.alloc(0) })],
  ['has fewer pixels than its header says', pngOf({ pixels: Buffer.alloc(100) })],
  ['has no width', pngOf({ width: 0 })],
  ['has a critical chunk that nobody knows', pngOf({ more: [pngChunk('ABCD', Buffer.alloc(1))] })],
  ['is only a signature', pngOf().subarray(0, 8)],
])('a PNG that %s is refused', async (_what, png) => {
  expect(await refusal(png)).toBe('broken');
});

test('a small file that would expand beyond its header is given up at once', async () => {
  const bomb = pngOf({ width: 8, height: 8, pixels: Buffer.alloc(64 * 1024 * 1024) });
  expect(bomb.length).toBeLessThan(70_000);
  const from = performance.now();
  expect(await refusal(bomb)).toBe('broken');
  expect(performance.now() - from).toBeLessThan(200);
});

test('each side is bounded before anything is inflated', async () => {
  const tall = { pixels: Buffer.alloc(10) };
  expect(await refusal(pngOf({ ...tall, width: pixelsMax + 1, height: 1 }))).toBe('too_many_pixels');
  expect(await refusal(pngOf({ ...tall, width: 1, height: pixelsMax + 1 }))).toBe('too_many_pixels');
  const header = pngOf({ ...tall, width: 1 });
  header.writeUInt32BE(0xffffffff, 16);
  expect(await refusal(header)).toBe('broken');
  expect(await refusal(pngOf({ width: pixelsMax, height: 1 }))).toBe('png');
});
