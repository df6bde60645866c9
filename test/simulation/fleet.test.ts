/** Many seeds on many processes report what one process reports, and a run of hours can be interrupted and continued. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import { runFleet } from './fleet.ts';
import { simulate, type Run } from './simulation.ts';
import { Tale, type Range } from './tale.ts';

const folder = mkdtempSync(join(tmpdir(), 'galla-tale-'));
const file = join(folder, 'tale.json');
afterEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const range: Range = { first: 7, count: 4, broken: null, failuresMax: 2 };
const ran = (seed: number, rule: string | null = null): Run => ({
  seed,
  wrong: rule === null ? null : { rule, what: 'so' },
  events: 10,
  boots: 1,
  lastedMs: 1000,
});

test(
  'two workers report what one process reports, in the order of the seeds',
  { timeout: seconds(120) },
  async () => {
    const told: Run[] = [];
    const options = { first: 1, count: 6, broken: null, jobs: 2, stop: new AbortController().signal };
    await runFleet(options, (run) => told.push(run) > 0);
    const alone: Run[] = [];
    for (let seed = 1; seed <= 6; seed++) alone.push(await simulate({ seed }));
    expect(told).toEqual(alone);
  },
);

test('a fleet ends when its caller stops', { timeout: seconds(120) }, async () => {
  const told: number[] = [];
  const options = { first: 1, count: 1_000_000, broken: null, jobs: 2, stop: new AbortController().signal };
  await runFleet(options, ({ seed }) => told.push(seed) < 3);
  expect(told).toEqual([1, 2, 3]);
});

test('an interrupted run continues with the first seed without a result, and keeps every failure', () => {
  const first = Tale.begin(range, file);
  first.hear(ran(7));
  first.hear(ran(8, 'a law'));
  first.save();
  const second = Tale.begin(range, file);
  expect(second.rest).toEqual({ first: 9, count: 2 });
  expect(second.failures).toEqual([{ seed: 8, wrong: { rule: 'a law', what: 'so' } }]);
  second.hear(ran(9));
  second.hear(ran(10));
  expect([second.over, second.rest.count]).toEqual([true, 0]);
  expect(second.summary()).toContain('4 seeds');
});

test('a state file of other seeds, or of another build, is refused', () => {
  Tale.begin(range, file).save();
  expect(() => Tale.begin({ ...range, first: 8 }, file)).toThrow('4 seeds from 7 on');
  expect(() => Tale.begin({ ...range, broken: 'noStamp' }, file)).toThrow('build good');
});

test('a good build is stopped after a number of failures, a broken one after the first', () => {
  const good = Tale.begin(range, null);
  expect(good.hear(ran(7, 'a law')).failure).toContain('--seed 7 --seeds 1 --trace');
  expect(good.over).toBe(false);
  good.hear(ran(8, 'a law'));
  expect(good.over).toBe(true);
  const broken = Tale.begin({ ...range, broken: 'noStamp' }, null);
  expect(broken.hear(ran(7, 'a law')).failure).toContain('--break noStamp');
  expect(broken.over).toBe(true);
});
