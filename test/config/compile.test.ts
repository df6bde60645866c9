/** What `npm start` says while it compiles: run in a small project whose compilers are scripts. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { read, root } from '../support/house.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'galla-compile-'));
  for (const part of ['src', 'actors', 'gateways', 'config', 'dist', 'node_modules/.bin'])
    mkdirSync(join(folder, part), { recursive: true });
  for (const part of ['package.json', 'package-lock.json', 'tsconfig.json'])
    writeFileSync(join(folder, part), '{}');
  writeFileSync(join(folder, 'config/bundle.mjs'), '');
  compilers('exit 0');
});
afterEach(() => rmSync(folder, { recursive: true }));

const compilers = (does: string): void => {
  writeFileSync(join(folder, 'node_modules/.bin/vite'), `#!/bin/sh\n${does}\n`, { mode: 0o755 });
};
const compiled = () =>
  promisify(execFile)(process.execPath, [join(root, 'config/compile.mjs')], { cwd: folder }).catch(
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => ({ stdout, stderr }),
  );

test('it says that it compiles, how long it took, and nothing when nothing is to be done', async () => {
  const { stderr } = await compiled();
  expect(stderr).toMatch(
    /^galla: compiling the service and the dashboard into dist\/.*\ngalla: compiled in \d+ s\n$/,
  );
  expect(await compiled()).toEqual({ stdout: '', stderr: '' });
});

test('it says that it failed, below what the compiler has said', async () => {
  compilers('echo src/x.ts: wrong; exit 2');
  const { stdout, stderr } = await compiled();
  expect(stdout).toContain('src/x.ts: wrong');
  expect(stderr).toMatch(/galla: this did not compile: what is wrong stands above\n$/);
});

test('it says so, too, when the service cannot be bundled', async () => {
  writeFileSync(join(folder, 'config/bundle.mjs'), 'process.exit(1)');
  expect((await compiled()).stderr).toMatch(/galla: this did not compile: what is wrong stands above\n$/);
});

test('a second one says that it waits for the first', async () => {
  const lock = join(folder, 'dist/.making');
  writeFileSync(lock, String(process.pid));
  const second = spawn(process.execPath, [join(root, 'config/compile.mjs')], { cwd: folder });
  let said = '';
  second.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
    if (said.startsWith('galla: waiting for another process')) rmSync(lock, { force: true });
  });
  await new Promise((ended) => void second.once('exit', ended));
  expect(said).toMatch(/^galla: waiting for another process .*\ngalla: compiling .*\ngalla: compiled /);
});

test('npm start compiles first', () => {
  const { scripts } = JSON.parse(read('package.json')) as {
    readonly scripts: { readonly [name: string]: string };
  };
  expect(scripts['prestart']).toBe('node config/compile.mjs');
});
