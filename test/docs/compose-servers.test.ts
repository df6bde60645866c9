/** The server settings of docker-compose.yml, applied to real servers. */
import { runInNewContext } from 'node:vm';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from 'nats';
import { describe, expect, test } from 'vitest';
import { openNatsBus } from '../../src/bus/bus-nats.ts';
import { bodyOf, busContract } from '../contract/bus.contract.ts';
import { eventually } from '../support/eventually.ts';
import { isThere, password, serverOfConf, type Program } from '../support/nats-conf.ts';
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

  describe('programs that send commands', () => {
    const programs = [
      { user: 'billing', projectId: 'prj_a' },
      { user: 'support', projectId: 'prj_a' },
      { user: 'billing-b', projectId: 'prj_b' },
    ];
    const subjectOf = (projectId: string, user: string): string =>
      `command.${projectId}.sandbox.subscription.sub_1.${user}`;
    const connected = (host: string, { user, projectId }: Program): Promise<NatsConnection> =>
      connect({ servers: host, user, pass: password, inboxPrefix: `outcome.${projectId}.${user}` });

    test('each may send as itself into its project, is told what became of it, and may do nothing else', async () => {
      const server = await serverOfConf({ programs });
      const bus = await openNatsBus({ url: server.url, name: 'node', partitions: 256, log: silentLog });
      const received: string[] = [];
      bus.commands.receive(({ subject, id, replyTo }) => {
        received.push(subject);
        return Promise.resolve({ is: 'ended', subject: replyTo, text: `told ${id}` });
      });
      const operator = await connect(server.operator);
      const jsm = await jetstreamManager(operator);
      await eventually(
        async () => ((await jsm.streams.names().next()).includes('COMMANDS') ? true : null),
        () => 'the stream',
      );
      await operator.close();
      const open = await Promise.all(programs.map((one) => connected(server.host, one)));
      try {
        for (const [at, nc] of open.entries()) {
          const { user, projectId } = programs[at] ?? expect.unreachable();
          const replyTo = `outcome.${projectId}.${user}.jobs`;
          const heard: string[] = [];
          nc.subscribe(replyTo, { callback: (_err, msg) => void heard.push(msg.string()) });
          const given = headers();
          given.set('Reply-To', replyTo);
          const options = { headers: given, msgID: `${user}-one`, timeout: 5000 };
          await jetstream(nc).publish(subjectOf(projectId, user), '{}', options);
          await eventually(
            () => Promise.resolve(heard.length > 0 ? true : null),
            () => `the outcome told to ${user}`,
          );
          expect(heard).toEqual([`told ${user}-one`]);
        }
        expect(received.toSorted()).toEqual(
          programs.map(({ user, projectId }) => subjectOf(projectId, user)).toSorted(),
        );
        const [billing] = open;
        const refused: string[] = [];
        void (async () => {
          for await (const { type, ...rest } of billing?.status() ?? [])
            if (type === 'error') refused.push(String(Reflect.get(rest, 'error')));
        })();
        const forbidden = [
          subjectOf('prj_b', 'billing'),
          subjectOf('prj_b', 'billing-b'),
          subjectOf('prj_a', 'support'),
          'command.prj_a.sandbox.subscription.sub_1',
          'actor.1.checkout_session.cs_1',
          'mailbox.checkout_session.cs_1',
          'outcome.prj_a.billing.jobs',
          '$JS.API.STREAM.INFO.COMMANDS',
          '$JS.API.STREAM.PURGE.COMMANDS',
          '$JS.API.CONSUMER.MSG.NEXT.COMMANDS.nodes',
        ];
        for (const subject of forbidden) billing?.publish(subject, '{}');
        const unheard = [
          'outcome.prj_a.support.>',
          'outcome.>',
          '_INBOX.>',
          'command.>',
          'actor.>',
          'live.>',
        ];
        for (const subject of unheard)
          billing?.subscribe(subject, { callback: () => undefined }).closed.catch(() => undefined);
        await billing?.flush();
        await eventually(
          () => Promise.resolve(refused.length >= forbidden.length + unheard.length ? true : null),
          () => `${forbidden.length + unheard.length} refusals; there are ${refused.join('; ')}`,
        );
        expect(received.length).toBe(programs.length);
      } finally {
        await Promise.all(open.map((nc) => nc.close()));
        await bus.close();
        await server.close();
      }
    }, 30_000);
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
