import { afterAll, expect, test } from 'vitest';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './checker.ts';
import { readHistory } from './history.ts';
import { run } from './run.ts';

const historyFile = join(tmpdir(), `galla-kill-test-${process.pid}.jsonl`);
afterAll(() => rm(historyFile, { force: true }));

test('row 108: killed repeatedly under load, nothing is lost and nothing happens twice', async () => {
  const report = await run({
    seed: 108,
    checkouts: 100,
    kills: 2,
    hitsEach: 1,
    buyers: 32,
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
