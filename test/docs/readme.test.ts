/** The commands of the README's first page and of two guides, executed as they stand, at the address of a service of this test. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Body } from '../../src/testing/demo/api.ts';
import { buttonOf, open, press } from '../../src/testing/demo/buyer.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { pages, read, root } from '../support/house.ts';

const run = promisify(execFile);
const usual = 'http://127.0.0.1:8080';

let galla: Galla;
beforeAll(async () => {
  galla = await startGalla();
});
afterAll(() => galla.stop());

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

describe('the commands of a guide', () => {
  const commandsOf = (path: string): readonly string[] =>
    [...read(path).matchAll(/```sh\n([^]*?)```/g)].map(([, lines = '']) => lines);

  test('of webhooks run one after the other, with the variables they set', async () => {
    // the first block runs until Ctrl-C, and a disabled endpoint takes neither a test nor a recovery
    const curls = commandsOf('docs/guides/webhooks.md').filter(
      (lines) => lines.includes('curl') && !lines.includes('"enabled":false'),
    );
    const [made, rotated, recovered, tested] = sessionsIn(await printed(curls.join('echo\n'), galla.dataDir));
    expect(made).toMatchObject({ signing_secret: expect.any(String) });
    expect(rotated).toMatchObject({ previousSecretExpiresAt: expect.any(String) });
    expect(recovered).toMatchObject({ queued: expect.any(Number) });
    expect(tested).toMatchObject({ eventType: 'payment.succeeded' });
  });

  test('of selling by a link create one', async () => {
    const [lines = ''] = commandsOf('docs/guides/sell-by-link.md');
    expect(sessionsIn(await printed(lines, galla.dataDir))).toMatchObject([{ url: expect.any(String) }]);
  });

  // some thirty processes of curl and node, one after the other
  test(
    'of selling a subscription bill it, remind of it, and change its plan',
    { timeout: 60_000 },
    async () => {
      const [calls = '', plan = '', subscribe = '', twelveDays = '', paid = '', ...later] = commandsOf(
        'docs/guides/sell-a-subscription.md',
      );
      const begin = [calls, plan, subscribe, twelveDays].join('\n');
      const [made, trialing, , invoices, mails] = sessionsIn(await printed(begin, galla.dataDir));
      expect(made).toMatchObject({ amount: 150_000, trialDays: 14 });
      expect(trialing).toMatchObject({ displayStatus: 'trialing' });
      const [invoice] = new Body(invoices).list('data');
      const page = invoice?.text('hostedUrl') ?? 'none';
      expect(mails).toMatchObject({ data: [{ text: expect.stringContaining(page) }] });

      const chooser = await press(buttonOf(await open(page), /^Pay this invoice$/));
      const handover = await press(buttonOf(chooser, /Bank A/));
      const bank = await press(buttonOf(handover, /^Continue to/));
      const loggedIn = await press(buttonOf(bank, /Log in/), { user: 'testbuyer1', password: 'Bank@123' });
      await press(buttonOf(loggedIn, /^Pay$/));
      const rest = [calls, `SUBSCRIPTION=${String(trialing?.['id'])}`, paid, ...later].join('\n');
      const [first, , missed, reminders, sent, settled, active, preview, changed] = sessionsIn(
        await printed(rest, galla.dataDir),
      );
      expect(first).toMatchObject({ data: [{ status: 'paid' }] });
      expect(missed).toMatchObject({ displayStatus: 'past_due', latestInvoice: { status: 'past_due' } });
      expect(reminders).toMatchObject({ data: { length: 3 } });
      expect(sent).toMatchObject({ status: 'past_due' });
      expect(settled).toMatchObject({ status: 'paid', notes: 'Paid in cash' });
      expect(active).toMatchObject({ displayStatus: 'active', dunning: [] });
      expect(preview).toMatchObject({ newPlanCharge: 300_000, applied: false });
      expect(changed).toMatchObject({ nextPlan: { name: 'Pro plus' } });
    },
  );
});
