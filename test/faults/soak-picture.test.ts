import { expect, test } from 'vitest';
import type { Sample } from './history.ts';
import { soakPicture } from './soak-picture.ts';

const sampleAt = (seconds: number, nodes: Sample['nodes'], p99Ms: number | null): Sample => ({
  is: 'sample',
  at: seconds * 1000,
  nodes,
  creates: 1,
  p50Ms: p99Ms,
  p99Ms,
  failed: {},
});
const held = { rssMiB: 100, descriptors: 50 };

test('a node that is dead is a gap in its line, and each scale holds its largest value', () => {
  const picture = soakPicture([
    sampleAt(0, [held], 20),
    sampleAt(20, [held], null),
    sampleAt(40, [null], 300),
    sampleAt(60, [{ rssMiB: 190, descriptors: 50 }], 20_000),
  ]);
  const [memory, , , p99] = [...picture.matchAll(/ line" d="([^"]*)"/g)].map(([, path = '']) => path);
  // two samples, then one after the gap: M starts a stroke, L continues it
  expect(memory?.match(/[ML]/g)).toEqual(['M', 'L', 'M']);
  expect(p99?.match(/[ML]/g)).toEqual(['M', 'M', 'L']);
  const marks = [...picture.matchAll(/class="s e"[^>]*>(\d+)</g)].map(([, mark]) => Number(mark));
  expect(marks).toContain(200);
  expect(marks).toContain(100_000);
});

test('it has colours for light and for dark', () => {
  expect(soakPicture([sampleAt(0, [held], 1)])).toContain('prefers-color-scheme: dark');
});
