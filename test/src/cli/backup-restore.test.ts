/** A folder that is being restored, or was when the process died, is nobody else's. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBackup } from '../../../src/cli/backup/archive.ts';
import { restore } from '../../../src/cli/backup/restore.ts';
import { collections } from '../../../src/compose/collections.ts';
import { lockFolder } from '../../../src/store/sqlite-lock.ts';
import { DataDirInUse, openSqliteStore } from '../../../src/store/store-sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'galla-restore-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'whole.db.gz');
const begins = { era: null, invoicesFrom: null };
const open = (dataDir: string) =>
  openSqliteStore({ dataDir, collections: collections(), onFatal: () => undefined });

beforeAll(async () => {
  const dataDir = join(folder, 'service');
  await (await open(dataDir)).close();
  await makeBackup({ dataDir, to: file, secrets: null, onProgress: () => undefined });
});

test('no service starts on a folder while it is restored, and one does afterwards', async () => {
  const dataDir = join(folder, 'restored');
  const tried: unknown[] = [];
  const onProgress = (): void => {
    try {
      // the first that a service does
      lockFolder(dataDir).close();
    } catch (error) {
      tried.push(error);
    }
  };
  await restore({ file, dataDir, passphrase: null, begins, onProgress });
  expect(tried.length).toBeGreaterThan(1);
  expect(tried.every((error) => error instanceof DataDirInUse)).toBe(true);
  await (await open(dataDir)).close();
});

test('no service starts on a folder in which a restore was killed', async () => {
  const dataDir = join(folder, 'killed');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'galla.db.partial'), 'half of it');
  await expect(open(dataDir)).rejects.toThrow('a restore into');
  expect(existsSync(join(dataDir, 'galla.db'))).toBe(false);
});

test('a backup beside another one to the same file, or what is left of it, is refused, and removes nothing', async () => {
  for (const end of ['copy', 'partial']) {
    const to = join(folder, `${end}.db.gz`);
    writeFileSync(`${to}.${end}`, 'half of it');
    const made = makeBackup({
      dataDir: join(folder, 'service'),
      to,
      secrets: null,
      onProgress: () => undefined,
    });
    await expect(made).rejects.toThrow(
      `${to}.${end} is there: another backup to this file runs, or was killed`,
    );
    expect(readdirSync(folder).filter((name) => name.startsWith(end))).toEqual([`${end}.db.gz.${end}`]);
  }
});

test('a restore that is refused removes what it has written, and nothing else', async () => {
  const dataDir = join(folder, 'refused');
  const refused = restore({
    file,
    dataDir,
    passphrase: 'of no secrets',
    begins,
    onProgress: () => writeFileSync(join(dataDir, 'mine'), 'mine'),
  });
  await expect(refused).rejects.toThrow('has no secrets');
  expect(readdirSync(dataDir)).toEqual(['mine']);
});
