/** The server settings of docker-compose.yml, applied to real servers. */
import { runInNewContext } from 'node:vm';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from 'nats';
import { describe, expect, test } from 'vitest';
import { openNatsBus } from '../../src/bus/bus-nats.ts';
import { bodyOf, busContract } from '../contract/bus.contract.ts';
import { eventually } from '../support/eventually.ts';
import { isThere, password, serverOfConf } from '../support/nats-conf.ts';
import { startMongod, withAdmin } from '../support/servers.ts';
import { listOf, mapOf, services } from './compose.ts';

const silentLog = { warn: () => undefined, error: () => undefined };

describe.skipIf(!isThere('nats-server', 'config/nats.conf'))('under config/nats.conf', () => {
  busContract('with the least a node may do', async () => {
    const server = await serverOfConf();
    return {
      connect: (name) => openNatsBus({ url: server.url, name, partitions: 256, log: silentLog }),
      close: () => server.close(),
    };
  });

  test('a hint goes through the mailbox and leaves nothing behind', async () => {
    const server = await serverOfConf();
    const open = (name: string): ReturnType<typeof openNatsBus> =>
      openNatsBus({ url: server.url, name, partitions: 256, log: silentLog });
    const [from, to] = await Promise.all([open('from'), open('to')]);
    const nc = await connect({ servers: server.host, user: 'galla', pass: password });
    try {
      const taken: string[] = [];
      to.forward((envelope) => Promise.resolve(taken.push(envelope.command) > 0));
      expect(await from.post(bodyOf())).toBe(true);
      const jsm = await jetstreamManager(nc);
      await eventually(
        async () => ((await jsm.streams.info('MAILBOX')).state.messages === 0 ? true : null),
        () => 'an empty MAILBOX',
      );
      expect(taken).toEqual(['add']);
    } finally {
      await Promise.all([from.close(), to.close(), nc.close()]);
      await server.close();
    }
  });

  test("no client connects without the password, and a node can neither drop a stream nor read other clients' inboxes", async () => {
    const server = await serverOfConf();
    try {
      await expect(connect({ servers: server.host })).rejects.toThrow(/authorization/i);
      const nc = await connect({ servers: server.host, user: 'galla', pass: password });
      const told: string[] = [];
      void (async () => {
        for await (const { type, ...rest } of nc.status())
          if (type === 'error') told.push(String(Reflect.get(rest, 'error')));
      })();
      for (const subject of ['$JS.API.STREAM.DELETE.EVENTS', '$JS.API.STREAM.PURGE.EVENTS', 'orders.new'])
        nc.publish(subject);
      const denied = nc.subscribe('events.>');
      denied.closed.catch(() => undefined);
      await nc.flush();
      const refusals = await eventually(
        () => Promise.resolve(told.length >= 4 ? told : null),
        () => `four refusals; there are ${told.join('; ')}`,
      );
      expect(refusals.every((one) => /permissions? violation/i.test(one))).toBe(true);
      await nc.close();
    } finally {
      await server.close();
    }
  });
});

describe.skipIf(!isThere('mongod', 'the health check of MongoDB'))('the health check of MongoDB', () => {
  const [, mongo] = services().find(([name]) => name === 'mongo') ?? [];
  const script = listOf(mapOf(mongo?.['healthcheck'])['test']).at(-1) ?? '';

  /** The script as mongosh would run it, except that what it asks for is done afterwards. */
  function run(hello: object): { initiate: object | null; exit: number } {
    const did: { initiate: object | null; exit: number } = { initiate: null, exit: -1 };
    runInNewContext(script, {
      db: { hello: () => hello },
      rs: { initiate: (config: object) => (did.initiate = config) },
      quit: (code: number) => (did.exit = code),
    });
    return did;
  }

  test('a set is initiated once, and healthy when it has a primary', async () => {
    const server = await startMongod({ initiate: false });
    try {
      await withAdmin(server.url, async (admin) => {
        const first = run(await admin({ hello: 1 }));
        expect(first).toMatchObject({ exit: 1, initiate: { _id: 'rs0' } });
        const { port } = new URL(server.url);
        const config = JSON.parse(JSON.stringify(first.initiate).replace('mongo:27017', `127.0.0.1:${port}`));
        await admin({ replSetInitiate: config });
        const later = await eventually(
          async () => {
            const did = run(await admin({ hello: 1 }));
            return did.exit === 0 ? did : null;
          },
          () => 'a primary',
        );
        expect(later.initiate).toBeNull();
      });
    } finally {
      await server.stop();
    }
  });
});
