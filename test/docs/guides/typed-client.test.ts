/** The guide to a typed client, done word for word: types from the running service's document, a strict compiler, and a
 *  sandbox checkout that is paid by the program it prints.
 *  1. The reader's packages are those installed here; openapi-typescript needs an older compiler's interface than ours
 *     has, and finds it in a package that carries one. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { read, root } from '../../support/house.ts';
import { walked } from './walk.ts';

const packages = join(root, 'node_modules');

const walk = walked('typed-client.md');
beforeAll(() => {
  const mine = join(walk().folder, 'node_modules');
  rmSync(mine);
  mkdirSync(join(mine, 'typescript'), { recursive: true });
  mkdirSync(join(mine, '.bin'));
  const names = readdirSync(packages).filter((name) => !name.startsWith('.') && name !== 'typescript');
  for (const name of names) symlinkSync(join(packages, name), join(mine, name));
  writeFileSync(join(mine, 'typescript/index.js'), "module.exports = require('@ts-morph/common').ts;\n");
  const generator = join(mine, 'openapi-typescript/bin/cli.js');
  command('openapi-typescript', `--preserve-symlinks --preserve-symlinks-main ${generator}`);
  command('tsc', join(packages, 'typescript/bin/tsc'));
});

/** What `npx` finds. */
function command(name: string, script: string): void {
  const file = join(walk().folder, 'node_modules/.bin', name);
  writeFileSync(file, `#!/bin/sh\nexec node ${script} "$@"\n`);
  chmodSync(file, 0o755);
}

describe('the guide to a typed client', { timeout: 90_000 }, () => {
  test('names the versions that are tested here', () => {
    const { devDependencies: ours } = JSON.parse(read('package.json')) as {
      readonly devDependencies: { readonly [name: string]: string };
    };
    for (const name of ['openapi-fetch', 'openapi-typescript']) {
      expect(read('docs/guides/typed-client.md')).toContain(`${name}@${ours[name] ?? ''}`);
    }
  });

  test('row 98: a client made from the document pays a sandbox checkout, and a wrong one does not compile', async () => {
    await walk().run('export GALLA_KEY');
    await walk().run('npm init');
    await walk().run('npx openapi-typescript');
    walk().lend('ts', 'import { randomUUID }').write('pay.ts');
    const commands = walk().lend('sh', 'npx tsc');
    const said = await commands.run();
    expect(said).toMatch(/^created cs_\w+, to be paid at http:\S+\/pay\/cs_\w+$/m);
    expect(said).toMatch(/^pay_\w+: success, 125050 paisa$/m);

    const program = readFileSync(join(walk().folder, 'pay.ts'), 'utf8');
    writeFileSync(join(walk().folder, 'wrong.ts'), program.replace('returnUrl:', 'returnURL:'));
    const wrong = await commands.run({ line: 0, replace: { 'pay.ts': 'wrong.ts || true' } });
    expect(wrong).toContain("'returnURL'");
  });
});
