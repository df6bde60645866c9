import { afterEach, beforeEach, expect, test } from 'vitest';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { againMs, backupNameAt, begunAt, firstMs, scheduleBackups } from '../../../src/compose/backups.ts';
import { Closing } from '../../../src/compose/closing.ts';
import { days, hours, minutes, seconds } from '../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'galla-backups-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const begun = Date.parse('2026-11-28T12:00:00Z');
const name = (at: number): string => backupNameAt(new Date(at));

function schedule({ keep = 7, fails = false } = {}) {
  const scheduler = new VirtualScheduler(begun);
  const time = { advance: (ms: number) => scheduler.run(() => false, scheduler.now() + ms) };
  const [made, errors]: [number[], string[]] = [[], []];
  let age = (): number => NaN;
  const closing = new Closing();
  scheduleBackups(
    {
      settings: { backupDir: folder, backupEveryMs: hours(24), backupKeep: keep, dataDir: 'unused' },
      log: { info: () => undefined, error: (...said: unknown[]) => void errors.push(String(said[1])) },
      metrics: { watchBackups: (read) => (age = read) },
      scheduler,
      make: async () => {
        made.push(scheduler.now() - begun);
        if (fails) throw new Error('the disk is full');
        writeFileSync(join(folder, name(scheduler.now())), 'x');
      },
    },
    closing,
  );
  return { time, made, errors, ageSeconds: () => age(), closing };
}

test('a name says when its backup was begun, and nothing else is taken for one', () => {
  expect(name(begun)).toBe('galla-2026-11-28T12-00-00Z.db.gz');
  expect(begunAt(name(begun))).toBe(begun);
  for (const other of ['galla.db', 'galla-2026-11-28T12-00-00Z.db.gz.partial', 'friday.db.gz'])
    expect(begunAt(other)).toBeNull();
});

test('the first backup is made soon after the first start, the next ones a day after the one before', async () => {
  const { time, made, ageSeconds } = schedule();
  await time.advance(days(2) + minutes(1));
  expect(made).toEqual([firstMs, firstMs + days(1), firstMs + days(2)]);
  expect(ageSeconds()).toBe(30);
});

test('a restart makes none too early and none too late', async () => {
  writeFileSync(join(folder, name(begun - hours(20))), 'x');
  const { time, made } = schedule();
  await time.advance(hours(4) - 1);
  expect(made).toEqual([]);
  await time.advance(seconds(31));
  expect(made).toHaveLength(1);
});

test('the newest ones are kept, and no other file is touched', async () => {
  writeFileSync(join(folder, 'mine.db.gz'), 'x');
  const { time } = schedule({ keep: 2 });
  await time.advance(days(4) + minutes(1));
  expect(readdirSync(folder).toSorted()).toEqual([
    name(begun + firstMs + days(3)),
    name(begun + firstMs + days(4)),
    'mine.db.gz',
  ]);
});

test('a backup that fails is logged, tried again soon, and removes nothing; its age shows', async () => {
  writeFileSync(join(folder, name(begun - days(2))), 'x');
  const { time, made, errors, ageSeconds } = schedule({ keep: 1, fails: true });
  await time.advance(firstMs + againMs);
  expect(made).toEqual([firstMs, firstMs + againMs]);
  expect(errors[0]).toContain('no backup could be made');
  expect(existsSync(join(folder, name(begun - days(2))))).toBe(true);
  expect(ageSeconds()).toBe((days(2) + firstMs + againMs) / 1000);
});

test('what a command that was ended has left is removed at the next start, unless one may still be at work', () => {
  const old = name(begun - hours(2));
  const young = name(begun - minutes(5));
  for (const end of ['', '.copy', '.copy-wal', '.partial']) writeFileSync(join(folder, `${old}${end}`), 'x');
  for (const other of [`${young}.copy`, 'mine.copy']) writeFileSync(join(folder, other), 'x');
  schedule();
  expect(readdirSync(folder).toSorted()).toEqual([old, `${young}.copy`, 'mine.copy'].toSorted());
});

test('a service that stops makes no more', async () => {
  const { time, made, closing } = schedule();
  await closing.all();
  await time.advance(days(3));
  expect(made).toEqual([]);
});
