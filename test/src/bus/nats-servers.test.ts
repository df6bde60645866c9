/** A bus on a cluster of nats-servers: it goes to another server when told to, and what a server has lost track of is
 *  subscribed anew. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NatsConnection } from 'nats';
import { openNatsBus } from '../../../src/bus/bus-nats.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { connectNats } from '../../../src/bus/nats-connect.ts';
import { bodyOf, saysOkay } from '../../contract/bus.contract.ts';
import { eventually } from '../../support/eventually.ts';
import { startNatsCluster, type NatsCluster } from '../../support/nats-cluster.ts';
import { noNatsToStart } from './rig.ts';

const startMsMax = 60_000;

async function nextReconnect(nc: NatsConnection): Promise<void> {
  for await (const { type } of nc.status()) if (type === 'reconnect') return;
}

describe.skipIf(noNatsToStart('a cluster of nats-servers'))('three nats-servers', { timeout: 60_000 }, () => {
  let cluster: NatsCluster;
  const open: Bus[] = [];
  beforeAll(async () => {
    cluster = await startNatsCluster();
  }, startMsMax);
  afterEach(async () => {
    cluster.heal();
    for (const bus of open.splice(0)) await bus.close();
  });
  afterAll(() => cluster.stop());

  async function busAt(server: number): Promise<Bus> {
    const client = await cluster.client(server);
    const log = { warn: () => undefined, error: () => undefined };
    const bus = await openNatsBus({ url: client.url, name: 'test', partitions: 256, log, waitMs: 30_000 });
    client.openAll();
    open.push(bus);
    return bus;
  }

  const is = async (bus: Bus, partition: number): Promise<string> =>
    (await bus.ask(partition, bodyOf({ deadline: Date.now() + 2000 }))).is;

  const becomes = (bus: Bus, partition: number, wanted: string): Promise<true> =>
    eventually(
      async () => ((await is(bus, partition)) === wanted ? true : null),
      () => wanted,
    );

  test('a bus whose server is cut off from the others reaches them again over another server', async () => {
    const [a, b] = [await busAt(0), await busAt(2)];
    await b.serve(1, saysOkay);
    await becomes(a, 1, 'answered');
    cluster.split(2);
    await becomes(a, 1, 'nobody');
    expect([a.connected, b.connected]).toEqual([true, true]);
    expect(b.reconnect()).toBe(true);
    expect(b.connected).toBe(false);
    await becomes(a, 1, 'answered');
  });

  test('each forced reconnect leaves the server for another one', async () => {
    const url = cluster.servers.map((server) => server.url).join(',');
    const nc = await connectNats(url, 'test', 30_000);
    try {
      for (let times = 0; times < 6; times++) {
        const left = nc.getServer();
        const back = nextReconnect(nc);
        await nc.reconnect();
        await back;
        expect(nc.getServer(), `reconnect ${times + 1}`).not.toBe(left);
      }
    } finally {
      await nc.close();
    }
  });

  test('a bus with one server stays where it is', async () => {
    const log = { warn: () => undefined, error: () => undefined };
    const url = cluster.servers[0]?.url ?? '';
    const bus = await openNatsBus({ url, name: 'test', partitions: 256, log, waitMs: 30_000 });
    open.push(bus);
    expect([bus.reconnect(), bus.connected]).toEqual([false, true]);
  });

  test('a subscription that a server has lost track of is missed, and subscribed anew', async () => {
    const [a, b] = [await busAt(0), await busAt(2)];
    const stop = await b.serve(1, saysOkay);
    await becomes(a, 1, 'answered');
    expect(a.unreached(0)).toEqual([]);
    await cluster.forgetInterest();
    for (let copy = 0; copy < 3; copy++) expect(await is(a, 1)).toBe('nobody');
    expect(a.unreached(0)).toEqual([1]);
    expect(a.unreached(60_000)).toEqual([]);
    b.subscribeAgain();
    await becomes(a, 1, 'answered');
    expect(a.unreached(0)).toEqual([]);
    await stop();
    await becomes(a, 1, 'nobody');
    b.subscribeAgain();
    expect(await is(a, 1)).toBe('nobody');
  });
});
