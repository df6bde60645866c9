/** The guide to a typed client, done word for word: types from the running service's document, a strict compiler, and a
 *  sandbox checkout that is paid by the program it prints.
 *  1. The reader's packages are those installed here; openapi-typescript needs an older compiler's interface than ours
 *     has, and finds it in a package that carries one. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGalla, type Galla } from '../support/galla.ts';
import { read, root } from '../support/house.ts';

const run = promisify(execFile);
const packages = join(root, 'node_modules');
const guide = read('docs/guides/typed-client.md');
const [, install = '', generate = '', program = '', pay = ''] = [
  ...guide.matchAll(/```(?:sh|ts)\n([^]*?)```/g),
].map(([, block = '']) => block);
/** The arguments of the guide's `npx` line. */
const argumentsOf = (block: string, command: string): readonly string[] =>
  new RegExp(`^npx ${command} (.*)$`, 'm').exec(block)?.[1]?.split(' ') ?? [];

let galla: Galla;
let folder: string;
beforeAll(async () => {
  galla = await startGalla();
  folder = mkdtempSync(join(tmpdir(), 'galla-client-'));
  const mine = join(folder, 'node_modules');
  mkdirSync(join(mine, 'typescript'), { recursive: true });
  const names = readdirSync(packages).filter((name) => !name.startsWith('.') && name !== 'typescript');
  for (const name of names) symlinkSync(join(packages, name), join(mine, name));
  writeFileSync(join(mine, 'typescript/index.js'), "module.exports = require('@ts-morph/common').ts;\n");
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'pay.ts'), program);
});
afterAll(async () => {
  await galla.stop();
  rmSync(folder, { recursive: true });
});

const compile = (file: string) => {
  const args = argumentsOf(pay, 'tsc').map((each) => each.replace('pay.ts', file));
  return run(process.execPath, [join(packages, 'typescript/bin/tsc'), ...args], { cwd: folder });
};

describe('the guide to a typed client', { timeout: 60_000 }, () => {
  test('names the versions that are tested here', () => {
    const { devDependencies: ours } = JSON.parse(read('package.json')) as {
      readonly devDependencies: { readonly [name: string]: string };
    };
    for (const name of ['openapi-fetch', 'openapi-typescript']) {
      expect(install).toContain(`${name}@${ours[name] ?? ''}`);
    }
  });

  test('row 98: a client made from the document pays a sandbox checkout, and a wrong one does not compile', async () => {
    const own = argumentsOf(generate, 'openapi-typescript').map((each) =>
      each.replace('http://127.0.0.1:8080', galla.url),
    );
    const generator = join(folder, 'node_modules/openapi-typescript/bin/cli.js');
    const links = ['--preserve-symlinks', '--preserve-symlinks-main'];
    await run(process.execPath, [...links, generator, ...own], { cwd: folder });

    await compile('pay.ts');
    const env = { ...process.env, GALLA_URL: galla.url, GALLA_KEY: galla.keys.secretKey };
    const { stdout } = await run(process.execPath, ['pay.js'], { cwd: folder, env });
    const [created = '', paid = ''] = stdout.split('\n');
    expect(created).toMatch(/^created cs_\w+, to be paid at http:\S+\/pay\/cs_\w+$/);
    expect(paid).toMatch(/^pay_\w+: success, 125050 paisa$/);

    writeFileSync(join(folder, 'wrong.ts'), program.replace('returnUrl:', 'returnURL:'));
    await expect(compile('wrong.ts')).rejects.toMatchObject({
      stdout: expect.stringContaining("'returnURL'") as string,
    });
  });
});
