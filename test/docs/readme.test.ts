/** The commands of the README's first page, executed as they stand, at the address of a service of this test. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { gallaOfFile } from '../support/of-file.ts';
import { pages, read, root } from '../support/house.ts';

const run = promisify(execFile);
const usual = 'http://127.0.0.1:8080';

const galla = gallaOfFile();

/** What the lines print; without `dataDir` the data folder is the usual one. */
async function printed(lines: string, dataDir: string | null, cwd = root): Promise<string> {
  const { GALLA_DATA_DIR: _none, ...env } = process.env;
  const set = dataDir === null ? env : { ...env, GALLA_DATA_DIR: dataDir };
  const { stdout } = await run('sh', ['-euc', lines.replaceAll(usual, galla.url)], { cwd, env: set });
  return stdout;
}

const firstPage = /^## Pay in a minute$([^]*?)^## /m.exec(read('README.md'))?.[1] ?? '';
const blocks = [...firstPage.matchAll(/```sh\n([^]*?)```/g)].map(([, lines = '']) => lines);
const sessionsIn = (text: string): readonly { readonly [name: string]: unknown }[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly [name: string]: unknown });

describe('the first page of the README', () => {
  test('contains the start, the checkout and the payment by curl', () => {
    expect(blocks.map((lines) => lines.split(' ')[0])).toEqual([
      'npm',
      expect.stringContaining('KEY='),
      'ID=$(curl',
    ]);
    expect(firstPage).not.toContain(`"${usual}/health"`);
  });

  test('creates a checkout whose page opens, pays one by curl only, and both return to a page of ours', async () => {
    const [, checkout = '', byCurl = ''] = blocks;
    const [made, simulated, paid] = sessionsIn(await printed(`${checkout}\n${byCurl}`, galla.dataDir));
    expect(made).toMatchObject({ status: 'pending', returnUrl: `${galla.url}/sim/thanks` });
    expect((await fetch(String(made?.['checkout_url']))).status).toBe(200);
    expect(simulated).toBeDefined();
    expect(paid).toMatchObject({ status: 'success' });
    const thanks = await fetch(
      `${String(paid?.['returnUrl'])}?session_id=${String(paid?.['id'])}&status=success`,
    );
    expect(await thanks.text()).toContain('<h1>Thank you, it is paid</h1>');
  });
});

describe('the KEY= line', () => {
  const lines = pages().flatMap(({ path, text }) =>
    [...text.matchAll(/^KEY=\$\(node .*$/gm)].map(([line]) => [path, line] as const),
  );

  test('is identical on every page', () => {
    expect(lines.map(([path]) => path)).toEqual(
      expect.arrayContaining(['README.md', 'docs/guides/sandbox.md', 'docs/guides/webhooks.md']),
    );
    expect(new Set(lines.map(([, line]) => line)).size).toBe(1);
  });

  test('finds the key in the default folder, in another one, and in a relative one', async () => {
    const [[, line] = ['', '']] = lines;
    const here = mkdtempSync(join(tmpdir(), 'galla-key-'));
    try {
      for (const name of ['.galla', 'other']) {
        mkdirSync(join(here, name));
        writeFileSync(join(here, name, 'demo.json'), JSON.stringify({ secretKey: `of ${name}` }));
      }
      const keyWith = (dataDir: string | null) => printed(`${line}\necho "$KEY"`, dataDir, here);
      expect(await keyWith(null)).toBe('of .galla\n');
      expect(await keyWith('other')).toBe('of other\n');
      expect(await keyWith(galla.dataDir)).toBe(`${galla.keys.secretKey}\n`);
    } finally {
      rmSync(here, { recursive: true });
    }
  });
});
