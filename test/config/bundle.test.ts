/** config/bundle.mjs: the built service, which a failure must still find its way out of to the sources. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../support/house.ts';

const chunks = join(root, 'dist/chunks');
const entry = join(root, 'dist/src/cli/start.js');
/** Begins on a busy machine. */
const startMsMax = 60_000;

/** What the service says on stderr when this module runs before it. */
function saidAfter(module: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'galla-bundle-'));
  try {
    return spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(module)}`, entry],
      {
        env: { PATH: process.env['PATH'], GALLA_DATA_DIR: dataDir, PORT: '0' },
        encoding: 'utf8',
        timeout: startMsMax,
      },
    ).stderr;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

test('an unexpected error names the file and the line of the source', { timeout: startMsMax }, () => {
  const stderr = saidAfter(`
    const once = process.once;
    process.once = (name, ...rest) => {
      if (name === 'SIGTERM') throw new Error('no such signal');
      return once.call(process, name, ...rest);
    };`);
  expect(stderr).toContain('galla: Error: no such signal');
  const [, line = '0'] = /src\/cli\/serve\.ts:(\d+)/.exec(stderr) ?? [];
  expect(read('src/cli/serve.ts').split('\n')[Number(line) - 1]).toContain('process.once(signal');
});

test('the service is a few files', () => {
  const threads = readdirSync(join(root, 'dist/src/store')).filter((name) => name.endsWith('.js'));
  const files = new Set([entry, ...threads.map((name) => join(root, 'dist/src/store', name))]);
  for (const file of files)
    for (const [, imported = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:from|import|import\()\s*"(\.[^"]+\.js)"/g,
    ))
      files.add(join(dirname(file), imported));
  expect(threads.length).toBe(3);
  expect(files.size).toBeGreaterThan(threads.length + 1);
  expect(files.size).toBeLessThan(30);
});

test('a map names our sources alone: the first error that is logged waits until all of it is read', () => {
  const maps = readdirSync(chunks).filter((name) => name.endsWith('.map'));
  const sources = maps.flatMap(
    (name) =>
      (JSON.parse(readFileSync(join(chunks, name), 'utf8')) as { sources: readonly string[] }).sources,
  );
  expect(sources).toContain('../../src/main.ts');
  expect(sources.filter((source) => source.includes('node_modules'))).toEqual([]);
});
