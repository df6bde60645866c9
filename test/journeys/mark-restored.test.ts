/** A cluster whose database was restored: the mark before its nodes start, and what they give afterwards. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { entry, missingClusterToHurt } from '../support/cluster.ts';
import { houseOf } from '../support/galla.ts';
import { Merchant } from '../support/merchant.ts';
import { mongoForTests, startNats, type RunningServer, type TestMongo } from '../support/servers.ts';

const suite = 'the mark of a restored cluster';
const command = entry.replace(/start\.js$/, 'galla.js');
const startMsMax = 120_000;
const token = 'token-of-this-test-alone';

describe.skipIf(missingClusterToHurt(suite))(suite, { timeout: startMsMax }, () => {
  let dataDir: string;
  let nats: RunningServer;
  let mongo: TestMongo;
  let env: { readonly [name: string]: string };
  let service: Service;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'galla-mark-'));
    [nats, mongo] = await Promise.all([startNats(), mongoForTests()]);
    env = {
      GALLA_ADMIN_TOKEN: token,
      GALLA_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      NATS_URL: nats.url,
      MONGODB_URL: mongo.url('galla_marked'),
      GALLA_RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
    };
    service = await start();
  }, startMsMax);
  afterAll(async () => {
    await service.stop();
    await Promise.all([nats.stop(), mongo.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = (): Promise<Service> => Service.start({ dataDir, entry, env, readyMsMax: startMsMax });
  const mark = (
    more: { readonly [name: string]: string } = {},
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> =>
    new Promise((done) =>
      execFile(
        process.execPath,
        [command, 'mark-restored', ...args],
        { env: { ...process.env, ...env, ...more } },
        (failure, stdout, stderr) =>
          done({ code: failure === null ? 0 : Number(failure.code), stdout, stderr }),
      ),
    );

  test('row 121: it is refused while a node runs, begins an era when none does, and nothing goes on where it was', async () => {
    const house = await houseOf(new Api(service.url, token), () => Promise.resolve());
    const shop = await house.merchant();
    const id = (await shop.checkout()).text('id');
    const [created] = await shop.untilEvents(1, 'checkout.created', id);
    expect(await mark()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/galla: node .+ is running/),
    });
    await service.stop();

    const at = '2026-11-20T09:15:00Z';
    const marked = await mark({}, '--backup-at', at, '--invoices-from', '41', '--json');
    expect(marked).toMatchObject({ code: 0 });
    expect(JSON.parse(marked.stdout)).toEqual({ era: 1, backupAt: Date.parse(at), invoicesFrom: 41 });
    service = await start();
    const api = new Api(service.url, shop.api.key);
    const again = new Merchant(shop.projectId, api, api);
    expect((await again.session(id)).at('id')).toBe(id);
    await api.must('POST', `/v1/checkout/${id}/expire`);
    const [expired] = await again.untilEvents(1, 'checkout.expired', id);
    expect(created?.at('sequence')).toBe(1);
    expect(expired?.at('sequence')).toBe(1_000_002);
    await again.untilEvents(1, 'checkout.created', id);
  });

  test('it is refused for an era that has begun, and for a database of no cluster', async () => {
    await service.stop();
    expect(await mark({}, '--era', '1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('era 1 has begun already'),
    });
    const other = await mark({ MONGODB_URL: mongo.url('galla_of_nobody') });
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no cluster has worked on the database galla_of_nobody'),
    });
    const client = new MongoClient(mongo.url('galla_of_nobody'));
    expect(await client.db().listCollections().toArray()).toEqual([]);
    await client.close();
    expect(await mark({ MONGODB_URL: '' })).toMatchObject({ code: 2 });
    expect(await mark({}, '--era', 'two')).toMatchObject({ code: 2 });
    service = await start();
  });
});
