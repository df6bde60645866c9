/** What `galla doctor` finds: each fault here is planted, and the right line names it. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { configurationFindings } from '../../../src/cli/doctor/configuration.ts';
import { dataFolderFindings } from '../../../src/cli/doctor/data-folder.ts';
import { nodeFinding, portFinding } from '../../../src/cli/doctor/machine.ts';
import { outsideFindings } from '../../../src/cli/doctor/outside.ts';
import { nodesFindings } from '../../../src/cli/doctor/service.ts';
import { backupNameAt } from '../../../src/compose/backups.ts';
import { settingsOf } from '../../../src/compose/settings.ts';
import type { Finding } from '../../../src/kernel/finding.ts';
import { hours } from '../../../src/kernel/time.ts';
import type { NodeSeen } from '../../../src/telemetry/nodes.ts';
import { version } from '../../../src/telemetry/version.ts';
import { read } from '../../support/house.ts';

type Env = Readonly<Record<string, string>>;
const folder = mkdtempSync(join(tmpdir(), 'galla-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** As `check is: says`, without those that are well. */
const wrong = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ is }) => is !== 'ok').map(({ check, is, says }) => `${check} ${is}: ${says}`);

test.each([
  ['20.18.9', 'problem'],
  ['20.19.0', 'warning'],
  ['22.1.0', 'ok'],
  ['26.9.9', 'ok'],
  ['27.0.0', 'problem'],
])('Node %s: %s', (node, is) => {
  expect(nodeFinding(node).is).toBe(is);
  const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };
  expect(engines.node).toBe('>=20.19 <27');
});

describe('settings', () => {
  const found = (env: Env): readonly string[] => wrong(configurationFindings(settingsOf(env)));
  const cluster = {
    NATS_URL: 'nats://n',
    MONGODB_URL: 'mongodb://m/?replicaSet=rs0',
    GALLA_ADMIN_TOKEN: 'a-token-of-our-own',
    GALLA_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    BASE_URL: 'https://pay.example',
    HOST: '10.0.0.7',
    GALLA_TRUSTED_PROXIES: '10.0.0.0/8',
  };

  test('nothing of the defaults, and nothing of a cluster as it should be', () => {
    expect(found({})).toEqual([]);
    expect(found(cluster)).toEqual([]);
  });

  test.each<[Env, RegExp]>([
    [{ BASE_URL: '' }, /^base-url problem: BASE_URL is not set/],
    [{ BASE_URL: 'http://pay.example' }, /^base-url problem: .* use https$/],
    [{ GALLA_ADMIN_TOKEN: 'change-me-admin-token' }, /^secrets problem: GALLA_ADMIN_TOKEN is the example/],
    [
      { GALLA_SECRETS_KEY: 'Y2hhbmdlLW1lLXRoaXMta2V5LWlzLW5vdC1zZWNyZXQ=' },
      /^secrets problem: GALLA_SECRETS_KEY is the example/,
    ],
    [{ GALLA_RATE_LIMITS: 'off' }, /^settings warning: GALLA_RATE_LIMITS=off/],
    [{ WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on' }, /^settings warning: WEBHOOK_ALLOW_PRIVATE_HOSTS=on/],
    [{ GALLA_TRUSTED_PROXIES: '' }, /^settings warning: HOST=10.0.0.7 without GALLA_TRUSTED_PROXIES/],
  ])('%j', (over, line) => {
    expect(found({ ...cluster, ...over })).toEqual([expect.stringMatching(line)]);
  });
});

describe('the folders of an embedded service', () => {
  let made = 0;
  /** A folder as a service leaves it; what was found about it once `change` has harmed it. */
  function found(change: (dataDir: string, backupDir: string) => void): readonly string[] {
    const dataDir = join(folder, `data-${++made}`);
    const backupDir = join(folder, `backups-${made}`);
    for (const each of [dataDir, backupDir]) mkdirSync(each, { mode: 0o700 });
    for (const name of ['galla.db', 'secrets-key', 'admin-token'])
      writeFileSync(join(dataDir, name), 'x', { mode: 0o600 });
    writeFileSync(join(backupDir, backupNameAt(new Date())), '');
    change(dataDir, backupDir);
    return wrong(dataFolderFindings(settingsOf({ GALLA_DATA_DIR: dataDir, GALLA_BACKUP_DIR: backupDir })));
  }
  const beside = expect.stringMatching(/^backup warning: backups are on the disk of the store/);

  test('all is well but the one disk', () => {
    expect(found(() => undefined)).toEqual([beside]);
  });

  test('secrets that others can read, or that are gone', () => {
    expect(found((dataDir) => chmodSync(join(dataDir, 'admin-token'), 0o644))).toEqual([
      expect.stringMatching(/^secrets problem: others can read .*admin-token: chmod 600/),
      beside,
    ]);
    expect(found((dataDir) => rmSync(join(dataDir, 'secrets-key')))).toEqual([
      expect.stringMatching(/^secrets problem: .*secrets-key is missing: put back/),
      beside,
    ]);
  });

  test('a restore that was killed', () => {
    expect(found((dataDir) => writeFileSync(join(dataDir, 'galla.db.partial'), ''))).toEqual([
      expect.stringMatching(/^store problem: a restore into .* was not finished/),
      beside,
    ]);
  });

  test('no backup, and one that is too old', () => {
    const without = (backupDir: string) => rmSync(join(backupDir), { recursive: true });
    expect(found((_, backupDir) => without(backupDir))).toEqual([
      expect.stringMatching(/^backup warning: there is no backup in/),
    ]);
    const old = backupNameAt(new Date(Date.now() - hours(49)));
    const aged = found((_, backupDir) => {
      without(backupDir);
      mkdirSync(backupDir);
      writeFileSync(join(backupDir, old), '');
    });
    expect(aged).toEqual([expect.stringMatching(/^backup problem: .* is 49\.0 h old/), beside]);
    expect(wrong(dataFolderFindings(settingsOf({ GALLA_DATA_DIR: join(folder, 'none') })))).toEqual([
      expect.stringMatching(/^backup warning: the service makes no backups of itself/),
    ]);
  });
});

test('a port that another program uses, and one that is free', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await portFinding('127.0.0.1', port, false)).toMatchObject({
    is: 'problem',
    says: expect.stringMatching(/another program uses it/),
  });
  expect((await portFinding('127.0.0.1', port, true)).is).toBe('ok');
  await new Promise((resolve) => server.close(resolve));
  expect((await portFinding('127.0.0.1', port, false)).is).toBe('ok');
  expect((await portFinding('192.0.2.1', port, false)).says).toContain('no such address: set HOST');
});

test('addresses of providers and of the mail server that do not answer', async () => {
  // of this machine, and nobody listens there
  const gone = 'http://127.0.0.1:1';
  const env = {
    GALLA_WALLET_B_URL: gone,
    GALLA_SMTP_URL: 'smtp://127.0.0.1:1',
    GALLA_MAIL_FROM: 'a@pay.example',
  };
  expect(wrong(await outsideFindings(settingsOf(env)))).toEqual([
    expect.stringMatching(/^providers warning: without a live address, .*wallet_a .*wallet_c/),
    expect.stringMatching(/^providers warning: wallet_b cannot be reached at 127\.0\.0\.1 \(ECONNREFUSED\)/),
    expect.stringMatching(/^mail problem: no connection to the mail server: check GALLA_SMTP_URL/),
    expect.stringMatching(/^sms warning: live SMS is recorded as not sent/),
  ]);
});

describe('the nodes of a cluster', () => {
  const node = (over: Partial<NodeSeen>): NodeSeen => ({
    id: 'n:a',
    name: 'host 1',
    version,
    baseUrl: 'https://pay.example',
    baseUrlDiffers: false,
    state: 'live',
    since: 0,
    actors: true,
    bus: true,
    leaving: false,
    partitions: 128,
    refuses: [],
    own: null,
    ...over,
  });
  const own = {
    activations: 0,
    mailboxCommands: 0,
    outboxOldestMs: 61_000,
    eventsToDispatch: 0,
    eventsToPublish: 0,
  };

  test.each<[Partial<NodeSeen>, readonly number[], RegExp]>([
    [{ baseUrlDiffers: true, baseUrl: null }, [], /^nodes problem: host 1 has another BASE_URL, none/],
    [{ refuses: [1, 2] }, [], /^nodes problem: host 1 cannot read 2 partitions/],
    [{ bus: false }, [], /^nodes problem: host 1 is not heard over NATS/],
    [{ own }, [], /^nodes problem: something waits for 61 s to leave host 1/],
    [{ version: '0.0.1' }, [], /^nodes warning: nodes run .* and 0\.0\.1|0\.0\.1 and/],
    [{}, [3, 4], /^nodes problem: 2 of 256 partitions are served by nobody/],
  ])('%j, unowned %j', (over, unowned, line) => {
    const nodes = [node({ id: 'n:b', name: 'host 2' }), node(over)];
    expect(wrong(nodesFindings({ nodes, unowned, partitions: 256 }))).toEqual([expect.stringMatching(line)]);
  });

  test('nothing of nodes that are well, whatever dead ones say', () => {
    const nodes = [node({}), node({ state: 'dead', bus: false, version: '0.0.1', refuses: [1] })];
    expect(wrong(nodesFindings({ nodes, unowned: [], partitions: 256 }))).toEqual([]);
  });
});
