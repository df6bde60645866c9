/** What the guide promises: two folders and a line in each list are a provider. The example is put into a copy of the
 *  program, which is compiled, started and paid at. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import { compileMsMax, ProgramCopy } from '../support/program-copy.ts';

const here = import.meta.dirname;

let copy: ProgramCopy;
let merchant: Api;

/** A file of the example, its imports as they are in the place it goes to. */
async function put(file: string, folder: string): Promise<void> {
  const text = await readFile(join(here, file), 'utf8');
  const name = file.split('/').at(-1) ?? '';
  await copy.write(`${folder}/${name}`, text.replaceAll("'../../src/providers/", "'../"));
}

/** The one line of a list, and its import. */
async function addLine(file: string, name: string, from: string): Promise<void> {
  const text = await copy.read(file);
  const [before, table, ...rest] = text.split(/(?<=\n {2})(?=wallet_b: )/);
  expect(rest, `${file} has one line for each provider`).toEqual([]);
  const line = `wallet_z: ${name},\n  ${table ?? ''}`;
  await copy.write(file, `${before ?? ''}${line}\nimport { ${name} } from '${from}';\n`);
}

beforeAll(async () => {
  copy = await ProgramCopy.make();
  for (const file of ['wallet-z.ts', 'simulator.ts', 'traits.ts', 'descriptor.ts'])
    await put(file, 'src/providers/wallet-z');
  for (const file of ['wallet-z.ts', 'page.ts', 'simulated.ts'])
    await put(`theirs/${file}`, 'gateways/simulator/wallet-z');
  await addLine('src/providers/catalog.ts', 'walletZTraits', './wallet-z/traits.ts');
}, compileMsMax);

afterAll(() => copy.remove());

test(
  'once the catalog lists it, the compiler requires its lines in the other two lists',
  async () => {
    const said = await copy.compile();
    expect(said).toContain('src/providers/registry.ts');
    expect(said).toContain('gateways/simulator/simulated.ts');
    expect(new Set([...said.matchAll(/^([\w./-]+)\(/gm)].map(([, file]) => file)).size).toBe(2);
  },
  compileMsMax,
);

test(
  'with these lines it compiles, and a new project can be paid by it',
  async () => {
    await addLine('src/providers/registry.ts', 'walletZDescriptor', './wallet-z/descriptor.ts');
    await addLine('gateways/simulator/simulated.ts', 'simulatedWalletZ', './wallet-z/simulated.ts');
    expect(await copy.compile()).toBe('');
    const { url, keys } = await copy.start();
    merchant = new Api(url, keys.secretKey);
    expect(await played('success')).toMatchObject({ status: 'success', provider: 'wallet_z' });
  },
  compileMsMax,
);

test('its faults and outcomes are those its protocol supports', async () => {
  expect(await played('declined')).toMatchObject({ status: 'pending' });
  const fault = (kind: string) =>
    merchant.send('PUT', '/sim/control/faults', { body: { faults: [{ provider: 'wallet_z', kind }] } });
  expect((await fault('no_receipt')).status).toBe(200);
  expect((await fault('lost_redirect')).status).toBe(200);
  const refused = await fault('socket_late');
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('faults[0].kind')]);
});

test('pages show it: the tile, the label, the page of the simulator', async () => {
  const opened = await session();
  const page = await (await fetch(opened.text('checkout_url'))).text();
  expect(page).toContain('Wallet Z');
  const tiles = [...page.matchAll(/<img src="(\/ui\/[^"]+)"/g)].map(([, path]) => textAt(path ?? ''));
  expect((await Promise.all(tiles)).filter((tile) => tile.includes('#7a1f4b'))).toHaveLength(1);
  expect(await textAt('/sim')).toContain('Simulated Wallet Z');
});

const textAt = async (path: string): Promise<string> =>
  (await fetch(`${merchant.baseUrl}${path}`, { headers: { accept: 'text/html' } })).text();

const session = async (): Promise<Body> =>
  (
    await merchant.must('POST', '/v1/checkout', {
      amount: 125050,
      returnUrl: 'https://shop.example/return',
    })
  ).body;

/** The session once its buyer has done this and the attempt is over. */
async function played(outcome: string): Promise<unknown> {
  const id = (await session()).text('id');
  await merchant.must('POST', `/v1/test/checkout/${id}/simulate`, { outcome, provider: 'wallet_z' });
  return eventually(
    async () => {
      const { body } = await merchant.must('GET', `/v1/checkout/${id}`);
      return body.at('status') === 'initiated' ? null : body.value;
    },
    () => `the end of an attempt that is to be ${outcome}`,
  );
}
