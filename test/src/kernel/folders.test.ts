import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDataDir } from '../../../src/compose/data-dir.ts';
import { makeFolders } from '../../../src/kernel/folders.ts';

const folder = mkdtempSync(join(tmpdir(), 'galla-folders-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder is created with those above it, and the first that was not there is named', () => {
  expect(makeFolders(join(folder, 'a', 'b', 'c'), 0o700)).toBe(join(folder, 'a'));
  expect(statSync(join(folder, 'a', 'b', 'c')).mode & 0o777).toBe(0o700);
  expect(makeFolders(join(folder, 'a', 'b'), 0o700)).toBeUndefined();
  expect(makeFolders(join(folder, 'a', 'd'), 0o700)).toBe(join(folder, 'a', 'd'));
});

test('a file in its place, or above it, is an error', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolders(join(folder, 'file'), 0o700)).toThrow('EEXIST');
  expect(() => makeFolders(join(folder, 'file', 'under'), 0o700)).toThrow('ENOTDIR');
});

test.runIf(existsSync('/proc/self'))('a data folder where none can be created is refused at once', () => {
  expect(() => makeFolders('/proc/nope', 0o700)).toThrow('ENOENT');
  expect(() => openDataDir('/proc/nope/data')).toThrow(
    'the data folder /proc/nope/data cannot be created or written: set GALLA_DATA_DIR to a writable folder',
  );
});
