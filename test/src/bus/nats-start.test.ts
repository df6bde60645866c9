/** A start that cannot succeed ends in one line that says what to do. */
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from 'nats';
import { bodyOf, saysOkay, until } from '../../contract/bus.contract.ts';
import { openNatsBus, type NatsBusOptions } from '../../../src/bus/bus-nats.ts';
import { startNats, type NatsOptions, type RunningServer } from '../../support/servers.ts';
import { noNatsToStart } from './rig.ts';
import { targetFrom } from '../../../src/bus/nats-connect.ts';

const log = { warn: () => undefined, error: () => undefined };

const open = (url: string, over: Partial<NatsBusOptions> = {}) =>
  openNatsBus({ url, name: 'test', partitions: 256, log, waitMs: 600, ...over });

/** The permissions a node needs, and no others. */
const said = [
  'actor.>',
  'live.>',
  'broadcast.>',
  'mailbox.>',
  'events.>',
  '_INBOX.>',
  '$JS.API.>',
  '$JS.ACK.MAILBOX.>',
];
const heard = ['actor.>', 'live.>', 'broadcast.>', '_INBOX.>'];
const leastPrivilege = `authorization { users: [{ user: galla, password: x, permissions: {
  publish: ${JSON.stringify(said)}, subscribe: ${JSON.stringify(heard)} } }] }`;

/** The line a start ends with. */
async function lineOf(url: string, over: Partial<NatsBusOptions> = {}): Promise<string> {
  const outcome = await open(url, over).then(
    async (bus) => {
      await bus.close();
      return new Error('it started');
    },
    (thrown: unknown) => thrown,
  );
  expect(outcome).toBeInstanceOf(Error);
  const { message } = outcome as Error;
  expect(message).not.toContain('\n');
  return message;
}

async function withServer(
  options: NatsOptions,
  work: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const server = await startNats(options);
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

describe('NATS_URL', () => {
  test('several servers, one of which has the credentials', () => {
    expect(targetFrom('nats://galla:p%40ss@one:4223, nats://two')).toEqual({
      servers: ['one:4223', 'two:4222'],
      user: 'galla',
      pass: 'p@ss',
      tls: false,
    });
  });

  test('a token, a bare host, TLS and an address of version 6', () => {
    expect(targetFrom('nats://s3cret@one')).toEqual({ servers: ['one:4222'], token: 's3cret', tls: false });
    expect(targetFrom('one:4222')).toEqual({ servers: ['one:4222'], tls: false });
    expect(targetFrom('tls://one')).toEqual({ servers: ['one:4222'], tls: true });
    expect(targetFrom('nats://[::1]:4999')).toEqual({ servers: ['[::1]:4999'], tls: false });
  });

  test.each(['', 'http://one:4222', 'nats://', 'nats://one:port', 'nats://one,,'])('%j is refused', (url) => {
    expect(() => targetFrom(url)).toThrow('NATS_URL is not a list');
  });
});

test('a password that is not URL-encoded is reported, and not shown', () => {
  expect(() => targetFrom('nats://galla:100%@one')).toThrow('not written as %25');
});

test('without a server the line names the address, and not the password', async () => {
  const line = await lineOf('nats://galla:hunter2@127.0.0.1:1');
  expect(line).toContain('NATS at 127.0.0.1:1 cannot be reached (connection refused): check NATS_URL');
  expect(line).not.toContain('hunter2');
});

test('a server older than 2.9 is refused with its version', async () => {
  const info = { server_id: 'X', version: '2.8.4', proto: 1, headers: true, max_payload: 1048576 };
  const old = createServer((socket) => {
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on('data', (data) => {
      if (data.includes('PING')) socket.write('PONG\r\n');
    });
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
  const { port } = old.address() as AddressInfo;
  expect(await lineOf(`nats://127.0.0.1:${port}`)).toBe(
    `NATS at 127.0.0.1:${port} is version 2.8.4: 2.9 or newer is needed`,
  );
  await new Promise((resolve) => old.close(resolve));
});

describe.skipIf(noNatsToStart('the start of the bus'))('on nats-server', () => {
  test('with JetStream off the line says how to turn it on', () =>
    withServer({ jetstream: false }, async ({ url }) => {
      expect(await lineOf(url)).toContain('has JetStream off: start nats-server with -js');
    }));

  test('refused credentials are reported at once, and correct ones work', () =>
    withServer({ config: 'authorization { user: galla, password: "p@ss" }' }, async ({ url }) => {
      const at = (userinfo: string): string => url.replace('//', `//${userinfo}@`);
      expect(await lineOf(at('galla:wrong'), { waitMs: 60_000 })).toContain('rejects the credentials');
      expect(await lineOf(url, { waitMs: 60_000 })).toContain('rejects the credentials');
      await (await open(at('galla:p%40ss'))).close();
    }));

  test('a user with permissions for our subjects only can do everything', () =>
    withServer({ config: leastPrivilege }, async ({ url }) => {
      const at = url.replace('//', '//galla:x@');
      const lines: string[] = [];
      const complaining = (_fields: object, message: string): void => void lines.push(message);
      const [a, b] = await Promise.all(
        [1, 2].map(() => open(at, { log: { warn: complaining, error: complaining } })),
      );
      if (a === undefined || b === undefined) throw new Error('two buses');
      const heard: string[] = [];
      b.watch('cs_a', () => heard.push('live'));
      b.onBroadcast('moved', () => heard.push('hint'));
      b.forward(() => Promise.resolve(heard.push('mailbox') > 0));
      await b.serve(1, saysOkay);
      expect(await a.ask(1, bodyOf())).toMatchObject({ is: 'answered' });
      expect(await a.ask(2, bodyOf())).toEqual({ is: 'nobody' });
      a.notice('cs_a', 'prj_x:live');
      a.broadcast('moved', 'x');
      expect(await a.post(bodyOf())).toBe(true);
      await a.publish([
        { key: 'a:1', pos: 1, scope: 'prj_x:live', event: 'payment.succeeded', envelope: '{}' },
      ]);
      await until(() => heard.length === 3, 'all three');
      await Promise.all([a.close(), b.close()]);
      expect(lines).toEqual([]);
    }));

  test('a stream of another program is not used', () =>
    withServer({}, async ({ url }) => {
      const nc = await connect({ servers: url });
      await (await jetstreamManager(nc)).streams.add({ name: 'EVENTS', subjects: ['others.>'] });
      expect(await lineOf(url)).toContain('the stream EVENTS in NATS belongs to another program');
      await nc.close();
    }));

  test('more replicas than servers are refused', () =>
    withServer({}, async ({ url }) => {
      expect(await lineOf(url, { replicas: 3, waitMs: 60_000 })).toMatch(
        /^JetStream at .* refuses to create the streams of this service: .*replicas/,
      );
    }));

  test('streams that are there keep their replicas, and a node that wants others says so', () =>
    withServer({}, async ({ url }) => {
      await (await open(url)).close();
      const said: string[] = [];
      const log = { warn: (_fields: object, line: string) => void said.push(line), error: () => undefined };
      await (await open(url, { replicas: 3, log })).close();
      expect(said).toEqual(
        ['MAILBOX', 'EVENTS'].map((name) => expect.stringContaining(`edit ${name} --replicas 3`)),
      );
    }));

  test('a NATS that comes a moment later is waited for', () =>
    withServer({}, async (server) => {
      await server.kill();
      const opening = open(server.url, { waitMs: 10_000 });
      await server.restart();
      await (await opening).close();
    }));

  test('nodes that start at once create the streams together, and a stream changed by an operator stays as it is', () =>
    withServer({}, async ({ url }) => {
      const buses = await Promise.all([open(url), open(url), open(url)]);
      const nc = await connect({ servers: url });
      const { streams } = await jetstreamManager(nc);
      await streams.update('EVENTS', { max_msgs: 77 });
      buses.push(await open(url));
      expect((await streams.info('EVENTS')).config).toMatchObject({
        max_msgs: 77,
        storage: 'file',
        num_replicas: 1,
        duplicate_window: 600_000_000_000,
      });
      expect((await streams.info('MAILBOX')).config).toMatchObject({
        retention: 'workqueue',
        storage: 'file',
      });
      await Promise.all([nc.close(), ...buses.map((bus) => bus.close())]);
    }));
});
