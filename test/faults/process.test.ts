import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { runToEnd, Service } from '../../src/cli/demo/service.ts';
import { eventually } from '../support/eventually.ts';
import { entry } from './run.ts';

/** Several starts of a real process on a busy machine. */
const startMsMax = 60_000;

let dataDir: string;
beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'galla-process-'))));
afterEach(() => rm(dataDir, { recursive: true, force: true }));

test(
  'a second process on the same folder exits with the reason, and the first continues',
  async () => {
    const first = await Service.start({ dataDir, entry });
    try {
      const second = await runToEnd({ dataDir, entry });
      expect(second.code).toBe(1);
      expect(second.output).toContain(dataDir);
      expect(second.output).toMatch(new RegExp(`\\b${first.pid}\\b|another|already`, 'i'));
      expect(second.output).not.toMatch(/^\s+at /m);
      expect((await fetch(`${first.url}/health`)).status).toBe(200);
    } finally {
      expect((await first.stop()).code).toBe(0);
    }
    // and when it has left, the folder is free, with the same keys
    const third = await Service.start({ dataDir, entry });
    const { secretKey } = await third.keys(dataDir);
    expect((await new Api(third.url, secretKey).get('/v1/checkout')).status).toBe(200);
    await third.stop();
  },
  startMsMax,
);

test(
  'SIGTERM under load: every acknowledged checkout exists afterwards, every other request was refused',
  async () => {
    const first = await Service.start({ dataDir, entry, env: { GALLA_RATE_LIMITS: 'off' } });
    const api = new Api(first.url, (await first.keys(dataDir)).secretKey);
    const sent = Array.from({ length: 60 }, async (_, at) => {
      await new Promise((resolve) => setTimeout(resolve, at * 3));
      return api
        .post('/v1/checkout', { amount: 1000 + at, returnUrl: 'https://shop.example/return' })
        .catch(() => null);
    });
    await new Promise((resolve) => setTimeout(resolve, 90));
    const { code } = await first.stop();
    expect(code).toBe(0);
    const answers = (await Promise.all(sent)).filter((answer) => answer !== null);
    for (const { status } of answers) expect([201, 503]).toContain(status);
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.text('id'));
    expect(made.length).toBeGreaterThan(0);
    const second = await Service.start({ dataDir, entry });
    const { body } = await new Api(second.url, (await second.keys(dataDir)).secretKey).must(
      'GET',
      '/v1/checkout?limit=100',
    );
    expect(
      body
        .list('data')
        .map((one) => one.text('id'))
        .toSorted(),
    ).toEqual(made.toSorted());
    await second.stop();
  },
  startMsMax,
);

test(
  'a node told to leave reports it at /health, and serves until its port closes',
  async () => {
    const service = await Service.start({ dataDir, entry });
    const nobody = new Api(service.url, null);
    const shop = new Api(service.url, (await service.keys(dataDir)).secretKey);
    const gone = service.stop();
    const missing = await eventually(
      async () => {
        const { status, text } = await nobody.get('/health');
        return status === 503 ? text : null;
      },
      () => '/health to say no',
    );
    expect(missing).toBe('{"status":"unavailable","missing":["leaving"]}');
    const late = await shop.post('/v1/checkout', {
      amount: 1000,
      returnUrl: 'https://shop.example/return',
    });
    expect([late.status, late.headers.get('connection')]).toEqual([201, 'close']);
    expect((await gone).code).toBe(0);
    await expect(nobody.get('/health')).rejects.toThrow();
  },
  startMsMax,
);

test(
  'a start prints its address and the demo keys, and stores its secrets readable by the owner only',
  async () => {
    const service = await Service.start({ dataDir, entry });
    const { secretKey, publishableKey } = await service.keys(dataDir);
    expect(secretKey).toMatch(/^sk_test_[0-9A-Za-z]{32}$/);
    expect(publishableKey).toMatch(/^pk_sandbox_[0-9A-Za-z]{32}$/);
    for (const text of [service.url, secretKey, publishableKey]) expect(service.output).toContain(text);
    for (const file of ['demo.json', 'admin-token'])
      expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
    expect((await service.stop()).code).toBe(0);
  },
  startMsMax,
);

test(
  'a bad setting stops the start with one line per problem',
  async () => {
    const refused = await runToEnd({
      dataDir,
      entry,
      env: { GALLA_RATE_LIMIT: 'off', GALLA_SIMULATOR: 'perhaps' },
    });
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(/GALLA_RATE_LIMIT: no such setting; did you mean GALLA_RATE_LIMITS\?/);
    expect(refused.output).toMatch(/GALLA_SIMULATOR="perhaps": must be on, off or standalone/);
  },
  startMsMax,
);

test(
  'a port in use is reported by its number',
  async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const refused = await runToEnd({ dataDir, entry, port });
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(String(port));
    await new Promise((resolve) => taken.close(resolve));
  },
  startMsMax,
);
