/** The operator's view of nodes and dead letters, over HTTP, on a service that has some. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../../../src/cli/demo/api.ts';
import { start, type Galla } from '../../../src/main.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { onFatal } from '../../support/alone.ts';

let dataDir: string;
let galla: Galla;
let admin: Api;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'galla-test-'));
  galla = await start({
    onFatal,
    env: { PORT: '0', GALLA_DATA_DIR: dataDir, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'silent' },
  });
  admin = new Api(galla.url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
});
afterAll(async () => {
  await galla.stop();
  await rm(dataDir, { recursive: true });
});

describe('GET /admin/v1/nodes', () => {
  test('in embedded mode shows the one node that owns everything', async () => {
    const { body } = await admin.must('GET', '/admin/v1/nodes');
    expect(body.value).toMatchObject({
      data: [
        {
          id: galla.node.incarnation,
          name: expect.stringContaining(String(process.pid)) as string,
          version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
          state: 'live',
          actors: true,
          bus: null,
          leaving: false,
          partitions: 256,
          refuses: [],
          since: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        },
      ],
      partitions: 256,
      unowned: [],
    });
  });

  test('requires the operator’s token', async () => {
    expectRefusal(await new Api(galla.url, null).get('/admin/v1/nodes'), 'admin_token_invalid');
    expectRefusal(await new Api(galla.url, null).get('/admin/v1/dead'), 'admin_token_invalid');
  });
});

describe('GET /admin/v1/dead', () => {
  test('is empty while everything is delivered', async () => {
    expect((await admin.must('GET', '/admin/v1/dead')).body.value).toEqual({
      data: [],
      total: 0,
      page: 1,
      limit: 50,
    });
  });

  test('shows what could not be delivered: sender, target, command and reason, not its data', async () => {
    const session = { kind: 'checkout_session', id: 'cs_4t8z1m6q3x9k2v7b4t8z1m6q' };
    await galla.node.park(session, 'prj_4t8z1m6q3x9k2v7b4t8z1m6q:sandbox', 'checkout_session/cs_4t:7', {
      tell: 'idempotency_key/x',
      command: 'complete',
      data: { name: 'Asha' },
      reason: 'internal',
    });
    await galla.node.park({ kind: 'event_log', id: 'log' }, 'system', 'event_log/log:2', {
      command: 'append',
      data: { name: 'Asha' },
    });
    const answer = await admin.must('GET', '/admin/v1/dead');
    const [newer, older] = answer.body.list('data').map(({ value }) => value as { readonly type: string });
    const [tell, command] = newer?.type === 'tell' ? [newer, older] : [older, newer];
    expect(tell).toEqual({
      id: 'checkout_session/cs_4t:7',
      type: 'tell',
      from: 'checkout_session/cs_4t8z1m6q3x9k2v7b4t8z1m6q',
      to: 'idempotency_key/x',
      command: 'complete',
      reason: 'internal',
      projectId: 'prj_4t8z1m6q3x9k2v7b4t8z1m6q',
      livemode: false,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect(command).toEqual({
      id: 'event_log/log:2',
      type: 'command',
      from: null,
      to: 'event_log/log',
      command: 'append',
      reason: null,
      projectId: null,
      livemode: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect(answer.text).not.toContain('Asha');
    const second = await admin.must('GET', '/admin/v1/dead?page=2&limit=1');
    expect([second.body.at('total'), second.body.list('data').map(({ value }) => value)]).toEqual([
      2,
      [older],
    ]);
  });

  test('has the limits of every list', async () => {
    expectRefusal(await admin.get('/admin/v1/dead?page=101&limit=100'), 'page_too_deep');
    expectRefusal(await admin.get('/admin/v1/dead?limit=0'), 'validation_failed', ['limit too_small']);
  });
});

describe('POST /admin/v1/dead/{id}/replay', () => {
  const pathOf = (id: string): string => `/admin/v1/dead/${encodeURIComponent(id)}/replay`;
  const id = 'checkout_session/cs_4t8z1m6q3x9k2v7b4t8z1m6q:9';

  test('sends it again, reports the result, removes it from the list, and does so once', async () => {
    await galla.node.park(
      { kind: 'checkout_session', id: 'cs_4t8z1m6q3x9k2v7b4t8z1m6q' },
      'prj_4t8z1m6q3x9k2v7b4t8z1m6q:sandbox',
      id,
      { tell: 'webhook_delivery/whd_4t8z1m6q3x9k2v7b4t8z1m6q', command: 'go', data: {}, reason: 'unknown' },
    );
    const listed = async (): Promise<readonly unknown[]> =>
      (await admin.must('GET', '/admin/v1/dead')).body.list('data').map((row) => row.at('id'));
    expect(await listed()).toContain(id);
    // its target does not exist: that is an answer
    const first = await admin.send('POST', pathOf(id), {});
    expect([first.status, first.body.value]).toEqual([200, { id, outcome: 'not_found' }]);
    expect(await listed()).not.toContain(id);
    const second = await admin.send('POST', pathOf(id), {});
    expectRefusal(second, 'invalid_state');
    expect(second.body.at('error.currentStatus')).toBe('replayed');
  });

  test('knows no other ids, and requires the operator’s token', async () => {
    expectRefusal(await admin.send('POST', pathOf('checkout_session/cs_x:1'), {}), 'resource_not_found');
    expectRefusal(await new Api(galla.url, null).send('POST', pathOf(id), {}), 'admin_token_invalid');
  });
});
