/** The store of a complete service stops answering: the answers meanwhile, and what is stored afterwards. */
import { describe, expect, test } from 'vitest';
import { readingClient } from '../../../gateways/http/route/reading.ts';
import { createStoreBreaker } from '../../../src/runtime/activation/store-breaker.ts';
import { Api } from '../../../src/cli/demo/api.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { start } from '../../../src/main.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';
import { counter, counterAt } from '../../src/runtime/counter.ts';
import { embedded } from '../../support/embedded.ts';
import { eventually } from '../../support/eventually.ts';
import { missing } from '../../support/server-parts.ts';
import { startMongod, startNats } from '../../support/servers.ts';
import { onFatal } from '../../support/alone.ts';

test('in virtual time: 503 within a second, no false success, and the same identity finds one execution', async () => {
  const time = new VirtualScheduler(1_000_000);
  const store = createSimStore({ scheduler: time, chance: () => 0.5, rowsInCommit: false });
  const node = new Node({
    actors: [counter],
    store: store.connect(),
    scheduler: time,
    ...embedded('n:1'),
    envelopeText: () => '',
    effects: { fetch: { atOnce: 1, run: async () => ({}) } },
    dispatch: async () => [],
    log: { warn: () => undefined, error: () => undefined },
  });
  const breaker = createStoreBreaker({
    scheduler: time,
    patienceMs: 700,
    log: { warn: () => undefined } as never,
    probe: () => node.store.read('counter', 'cnt_none'),
  });
  const client = readingClient(node.client, breaker);
  const scope = 'prj_abcd:sandbox';
  const at = counterAt('cnt_ab1');
  const add = (seq: number): Promise<AskResult> =>
    client.ask(
      at,
      'add',
      { by: 1 },
      { by: 'merchant', scope, identity: { from: 'k:one', seq, done: seq - 1 } },
    );
  const within = async <Outcome>(work: Promise<Outcome>, ms: number): Promise<Outcome | 'waits'> => {
    let came: Outcome | 'waits' = 'waits';
    void work.then((outcome) => (came = outcome));
    await time.pass(ms);
    return came;
  };
  const starting = node.start();
  await time.pass(100);
  await starting;
  expect(await within(client.ask(at, 'open', {}, { by: 'merchant', scope }), 100)).toMatchObject({
    is: 'ok',
  });

  store.weather.awayUntil = time.now() + seconds(15);
  expect(await within(add(1), 1000)).toEqual({ is: 'unknown' });
  for (let second = 1; second < 15; second++)
    expect(await within(add(1), 1000)).toMatchObject({ is: 'not_executed', why: 'overloaded' });
  // back: within a second the doors ask again, and what was under way is found
  await time.pass(seconds(1));
  expect(breaker.open).toBe(false);
  expect(await within(add(1), 2000)).toMatchObject({ is: 'ok', detail: { count: 1 } });
  expect(await within(add(2), 1000)).toMatchObject({ is: 'ok', detail: { count: 2 } });
  node.kill();
});

const noServers =
  missing('nats-server', 'a database that goes away') || missing('mongod', 'a database that goes away');

describe.skipIf(noServers)('on real servers', () => {
  test('a paused MongoDB: 503 and Retry-After, and after its return the same keys create one checkout each', async () => {
    const [nats, mongo] = await Promise.all([startNats(), startMongod()]);
    const adminToken = 'an-operator-token-of-tests';
    const galla = await start({
      onFatal,
      env: {
        PORT: '0',
        NATS_URL: nats.url,
        MONGODB_URL: `${mongo.url}/away?replicaSet=rs0`,
        GALLA_ADMIN_TOKEN: adminToken,
        GALLA_SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
        LOG_LEVEL: 'silent',
      },
    });
    const admin = new Api(galla.url, adminToken);
    const fields = { name: 'Shop', email: 'shop@example.com' };
    const projectId = (await admin.must('POST', '/admin/v1/merchants', fields)).body.text('project.id');
    const made = await admin.must('POST', `/admin/v1/projects/${projectId}/keys`, {
      kind: 'secret',
      mode: 'sandbox',
    });
    const key = made.body.text('key');
    const order = { amount: 125_050, description: 'Order 1001', returnUrl: 'https://shop.example/return' };
    const create = (name: string): Promise<Response> =>
      fetch(`${galla.url}/v1/checkout`, {
        method: 'POST',
        body: JSON.stringify(order),
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': name,
        },
      });
    expect((await create('before')).status).toBe(201);
    mongo.pause();
    for (const name of ['first', 'second', 'third']) {
      const answer = await create(name);
      expect([name, answer.status]).toEqual([name, 503]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const health = await fetch(`${galla.url}/health`);
    expect(await health.json()).toMatchObject({ missing: expect.arrayContaining(['store']) as string[] });
    mongo.resume();
    for (const name of ['first', 'second', 'third'])
      await eventually(
        async () => ((await create(name)).status === 201 ? true : null),
        () => `the checkout ${name}`,
      );
    const listed = await new Api(galla.url, key).must('GET', '/v1/checkout');
    expect(listed.body.at('total')).toBe(4);
    await galla.stop();
    await Promise.all([nats.stop(), mongo.stop()]);
  }, 60_000);
});
