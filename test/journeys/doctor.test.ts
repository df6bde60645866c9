/** The built `galla doctor` beside a service that runs, and at the servers of a cluster. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { examineNats } from '../../src/bus/nats-examine.ts';
import type { Finding } from '../../src/kernel/finding.ts';
import { hours } from '../../src/kernel/time.ts';
import { clockSkewMsMax } from '../../src/runtime/cluster/clock-check.ts';
import { examineMongo } from '../../src/store/mongo-examine.ts';
import { root } from '../support/house.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { missing } from '../support/server-parts.ts';
import { mongoForTests, startNats, withNats } from '../support/servers.ts';

const command = join(root, 'dist/src/cli/galla.js');
/** It loads the built service, on a busy machine. */
const runMsMax = 60_000;

interface Ran {
  readonly code: unknown;
  readonly out: string;
}

async function run(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ran> {
  const child = spawn(process.execPath, [command, 'doctor', ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString('utf8')));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, out };
}

interface Said {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

const problemsIn = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ is }) => is === 'problem').map(({ check, says }) => `${check}: ${says}`);

describe('beside a service that runs', () => {
  const galla = gallaOfFile();
  const env = () => ({ GALLA_DATA_DIR: galla.dataDir, PORT: new URL(galla.url).port });

  test(
    'the token comes from a file, and the file of a deployment is read',
    { timeout: runMsMax },
    async () => {
      const unit = join(root, 'config/galla.service');
      const args = ['--url', galla.url, '--deployment', unit, '--json'];
      const file = join(galla.dataDir, 'admin-token');
      const elsewhere = { GALLA_DATA_DIR: join(galla.dataDir, 'none'), PORT: '0' };
      const { out } = await run(elsewhere, ...args, '--admin-token-file', file);
      const { findings } = JSON.parse(out) as Said;
      expect(findings.find(({ check }) => check === 'deployment')?.says).toContain(unit);
      expect(findings.map(({ check }) => check)).toContain('nodes');
      // without it, or with a wrong one, the operator's part is not looked at
      const blind = JSON.parse((await run(elsewhere, ...args)).out) as Said;
      expect(blind.findings.map(({ check }) => check)).not.toContain('nodes');
      const { code, out: nothing } = await run(
        elsewhere,
        ...args,
        '--admin-token-file',
        join(galla.dataDir, 'absent'),
      );
      expect([code, nothing]).toEqual([2, '']);
    },
  );

  test(
    'all is well: one line each, exit code 0; and a key that ends soon is named',
    { timeout: runMsMax },
    async () => {
      const { projectId } = await galla.merchant();
      await galla.admin.must('POST', `/admin/v1/projects/${projectId}/keys`, {
        kind: 'secret',
        mode: 'live',
        name: 'till',
        expiresAt: new Date(Date.now() + hours(48)).toISOString(),
      });
      const { code, out } = await run(env(), '--json');
      const { ok, findings } = JSON.parse(out) as Said;
      expect(problemsIn(findings)).toEqual([]);
      expect([code, ok]).toEqual([0, true]);
      const checks = [
        'node',
        'listener',
        'settings',
        'store',
        'disk',
        'secrets',
        'backup',
        'port',
        'service',
        'nodes',
      ];
      expect(findings.map(({ check }) => check)).toEqual(
        expect.arrayContaining([...checks, 'dead-letters', 'reviews']),
      );
      expect(
        findings.filter(({ check, is }) => check === 'keys' && is === 'warning').map(({ says }) => says),
      ).toEqual([expect.stringMatching(new RegExp(`^key_\\w+ \\(till\\) of ${projectId} ends `))]);
      for (const { says } of findings) expect(says).not.toContain('\n');
    },
  );

  test('a wrong token and a missing key are problems: exit code 1', { timeout: runMsMax }, async () => {
    const token = { GALLA_ADMIN_TOKEN: 'not-the-token-of-it' };
    const { code, out } = await run({ ...env(), ...token });
    expect(out).toMatch(/^problem +operator +the service does not accept GALLA_ADMIN_TOKEN/m);
    expect(out).toMatch(/\n1 problem, \d+ warnings?\n$/);
    expect(code).toBe(1);
    rmSync(join(galla.dataDir, 'secrets-key'));
    const gone = JSON.parse((await run(env(), '--json')).out) as Said;
    expect(problemsIn(gone.findings)).toEqual([expect.stringMatching(/^secrets: .*secrets-key is missing/)]);
  });

  test('a service that answers 503 says what it lacks', { timeout: runMsMax }, async () => {
    const server = createServer((_, response) => {
      response.statusCode = 503;
      response.end('{"status":"unavailable","missing":["store"]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, out } = await run({ GALLA_DATA_DIR: join(galla.dataDir, 'none') }, '--url', url);
    server.close();
    expect(out).toMatch(/^problem +service +http\S+ answers 503, store: MongoDB does not answer this node/m);
    expect(code).toBe(1);
  });
});

test('bad settings are problems, and nothing is looked at with them', { timeout: runMsMax }, async () => {
  const { code, out } = await run({ PORT: '99999', GALLA_ROLE: 'actors' }, '--json');
  expect(code).toBe(1);
  expect(problemsIn((JSON.parse(out) as Said).findings)).toEqual([
    'settings: GALLA_ROLE: no such setting; did you mean GALLA_ROLES?',
    'settings: PORT="99999": must be an integer from 0 to 65535',
  ]);
});

describe.skipIf(missing('nats-server', 'doctor at NATS'))('NATS', () => {
  test(
    'with JetStream it is well, and streams with other replicas are named',
    { timeout: runMsMax },
    async () => {
      const nats = await startNats();
      try {
        expect(problemsIn(await examineNats(nats.url, 1))).toEqual([]);
        await withNats(nats.url, async (nc) => {
          const stream = {
            name: 'EVENTS',
            subjects: ['events.>'],
            num_replicas: 1,
            storage: 'file',
            retention: 'limits',
          };
          await nc.request('$JS.API.STREAM.CREATE.EVENTS', JSON.stringify(stream));
        });
        const found = await examineNats(nats.url, 3);
        const said = found.map(({ is, says }) => `${is}: ${says}`);
        expect(said).toContainEqual(
          expect.stringMatching(/^warning: EVENTS: .* nats stream edit EVENTS --replicas 3$/),
        );
        expect(said).toContain('ok: MAILBOX is not there yet: the first node creates it');
        expect(said).toContainEqual(expect.stringMatching(/^unknown: .*sync_interval: always/));
      } finally {
        await nats.stop();
      }
    },
  );

  test(
    'without JetStream, and where nobody is, the line says what to do',
    { timeout: runMsMax },
    async () => {
      const nats = await startNats({ jetstream: false });
      try {
        expect(problemsIn(await examineNats(nats.url, 1))).toEqual([
          expect.stringMatching(/^nats: NATS at .* has JetStream off: start nats-server with -js/),
        ]);
      } finally {
        await nats.stop();
      }
      expect(problemsIn(await examineNats('nats://127.0.0.1:1', 1))).toEqual([
        expect.stringMatching(/^nats: NATS at 127\.0\.0\.1:1 cannot be reached/),
      ]);
    },
  );
});

test.skipIf(missing('mongod', 'doctor at MongoDB'))(
  'MongoDB: a set of one member works, and is told of with the difference of the clocks',
  { timeout: 3 * runMsMax },
  async () => {
    const mongo = await mongoForTests();
    try {
      const url = mongo.url(`galla_doctor_${process.pid}`);
      const found = await examineMongo(url, clockSkewMsMax);
      expect(problemsIn(found)).toEqual([]);
      const said = found.map(({ check, is, says }) => `${check} ${is}: ${says}`);
      expect(said).toContainEqual(expect.stringMatching(/^mongodb ok: replica set \S+ at /));
      expect(said).toContainEqual(expect.stringMatching(/^clock ok: .* are 0\.\d s apart$/));
      expect(said).toContainEqual(
        expect.stringMatching(/^mongodb warning: .* one member: if its disk is lost/),
      );
      // no clock is that good
      expect(problemsIn(await examineMongo(url, -1))).toEqual([
        expect.stringMatching(/^clock: .* apart, and a node joins with/),
      ]);
    } finally {
      await mongo.stop();
    }
  },
);

test('MongoDB where nobody is: one line without the password', async () => {
  const found = await examineMongo('mongodb://galla:geheim@127.0.0.1:1/galla?replicaSet=rs0', clockSkewMsMax);
  expect(problemsIn(found)).toEqual([
    expect.stringMatching(/^mongodb: no primary of MongoDB answers at 127\.0\.0\.1:1/),
  ]);
  expect(JSON.stringify(found)).not.toContain('geheim');
}, 20_000);
