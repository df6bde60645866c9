import { afterAll, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './checker.ts';
import { readHistory } from './history.ts';
import { run } from './run.ts';

const dir = await mkdtemp(join(tmpdir(), 'galla-kill-test-'));
afterAll(() => rm(dir, { force: true, recursive: true }));

test('row 108: killed repeatedly under load, nothing is lost and nothing happens twice', async () => {
  // a second attempt has a file of its own: the first may still be writing
  const historyFile = join(dir, `${randomUUID()}.jsonl`);
  const report = await run({
    seed: 108,
    checkouts: 100,
    kills: 2,
    hitsEach: 1,
    buyers: 48,
    historyFile,
    say: () => undefined,
  });
  expect(report.problems).toEqual([]);
  expect(report.accepted).toBeGreaterThanOrEqual(100);
  expect(report).toMatchObject({ lost: 0, paid: report.accepted, charges: report.accepted });
  expect(report.deaths).toEqual({ kill: 2, before_commit: 1, after_commit: 1, before_result: 1 });
  // the same verdict from what was written down
  expect(check(readHistory(historyFile)).accepted).toBe(report.accepted);
}, 240_000);
