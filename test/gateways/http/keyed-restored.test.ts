/** Keys of POST /v1/checkout over restores: one that the backup knows keeps its answer, and no id is given twice. */
import { copyFileSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBackup } from '../../../src/cli/backup/archive.ts';
import { restore } from '../../../src/cli/backup/restore.ts';
import { Api, type Answer } from '../../../src/cli/demo/api.ts';
import { startGalla, type Galla } from '../../support/galla.ts';
import { expectRefusal } from '../../support/refusal.ts';

const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
const folder = mkdtempSync(join(tmpdir(), 'galla-keyed-restored-'));
const inFolder = (name: string): string => join(folder, name);
const onProgress = (): void => undefined;

let galla: Galla;
let key: string | null;
let dataDir = inFolder('data');
beforeAll(async () => {
  galla = await startGalla({ GALLA_DATA_DIR: dataDir });
  ({ key } = (await galla.merchant()).api);
});
afterAll(async () => {
  await galla.stop();
  await rm(folder, { recursive: true, force: true });
});

const create = (idempotencyKey: string, body: object = order): Promise<Answer> =>
  new Api(galla.url, key).post('/v1/checkout', body, { idempotencyKey });
const idOf = ({ body }: Answer): string => body.text('id');

async function backup(name: string): Promise<string> {
  const to = inFolder(name);
  await makeBackup({ dataDir, to, secrets: null, onProgress });
  return to;
}

/** The service goes on with a backup; what it did since is lost. */
async function goesOnWith(file: string, name: string, era: number | null = null): Promise<number> {
  await galla.stop();
  const before = dataDir;
  dataDir = inFolder(name);
  const begins = { era, invoicesFrom: null };
  const begun = await restore({ file, dataDir, passphrase: null, begins, onProgress });
  for (const one of ['secrets-key', 'admin-token', 'demo.json'])
    copyFileSync(join(before, one), join(dataDir, one));
  galla = await startGalla({ GALLA_DATA_DIR: dataDir });
  return begun.era;
}

test('row 121: over restores a key of the backup keeps its answer, and one of the lost time gets a new id', async () => {
  const known = await create('known');
  const old = await backup('old.db.gz');
  const given = [idOf(known), idOf(await create('lost'))];

  expect(await goesOnWith(old, 'first')).toBe(1);
  expect((await create('known')).text).toBe(known.text);
  const ofEra1 = await create('lost');
  given.push(idOf(ofEra1));
  expect((await create('lost')).text).toBe(ofEra1.text);

  // a backup of a restored service
  expect(await goesOnWith(await backup('newer.db.gz'), 'second')).toBe(2);
  for (const [name, first] of [
    ['known', known],
    ['lost', ofEra1],
  ] as const) {
    expect((await create(name)).text).toBe(first.text);
    expectRefusal(await create(name, { ...order, amount: 1000 }), 'idempotency_key_reused');
  }
  given.push(idOf(await create('of-era-2')));

  // the first one once more, with an era that nothing in it knows of
  expect(await goesOnWith(old, 'third', 3)).toBe(3);
  expect((await create('known')).text).toBe(known.text);
  given.push(idOf(await create('lost')), idOf(await create('of-era-2')));
  expect(new Set(given).size).toBe(given.length);
}, 120_000);
