/** COMMANDS on JetStream: commands that wait until they have ended, bounds that the server holds, bounds of each node. */
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { headers, type NatsConnection } from 'nats';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openNatsBus } from '../../../src/bus/bus-nats.ts';
import type { CommandEnd, ReceivedCommand } from '../../../src/bus/commands.ts';
import { projectCommandsMax } from '../../../src/bus/waiting-commands.ts';
import { eventually } from '../../support/eventually.ts';
import { noNatsToStart, openRig, type Rig } from './rig.ts';

const subject = 'command.prj_x.sandbox.subscription.sub_1.billing';
const ended = (text = 'done'): CommandEnd => ({
  is: 'ended',
  subject: 'outcome.prj_x.billing.default',
  text,
});

const withId = (id: string, more: { readonly [name: string]: string } = {}) => {
  const carried = headers();
  for (const [name, value] of Object.entries({ 'Nats-Msg-Id': id, ...more })) carried.set(name, value);
  return { headers: carried };
};

describe.skipIf(noNatsToStart('commands on JetStream'))('commands', { timeout: 30_000 }, () => {
  let rig: Rig;
  let nc: NatsConnection;
  let jsm: JetStreamManager;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    rig = await openRig({ config: 'max_payload: 4MB' });
    nc = await rig.stranger();
    jsm = await jetstreamManager(nc);
  });
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
    await rig.close();
  });

  /** A node that does this with each command. */
  async function node(execute: (command: ReceivedCommand) => Promise<CommandEnd>): Promise<() => void> {
    const log = { warn: () => undefined, error: () => undefined };
    const bus = await openNatsBus({ url: rig.server.url, name: 'node', partitions: 256, log });
    closing.push(() => bus.close());
    return bus.commands.receive(execute);
  }
  const until = (look: () => Promise<boolean>, what: string, waitMs?: number): Promise<true> =>
    eventually(
      async () => ((await look()) ? true : null),
      () => what,
      waitMs,
    );
  const waiting = async (): Promise<number> => (await jsm.streams.info('COMMANDS')).state.messages;
  const send = (msgID: string, body: string | Uint8Array = '{}') =>
    jetstream(nc).publish(subject, body, { msgID, timeout: 5000 });
  /** A node has made the stream, and has left. What is sent while it leaves would wait for half a minute. */
  async function left(): Promise<void> {
    const stop = await node(() => Promise.resolve(ended()));
    await streamMade();
    const pulls = async (): Promise<boolean> =>
      (await jsm.consumers.info('COMMANDS', 'nodes').catch(() => null))?.num_waiting === 1;
    await until(pulls, 'a node that waits for commands');
    stop();
    await Promise.all(closing.splice(0).map((close) => close()));
  }
  /** A node creates it. */
  const streamMade = (): Promise<true> =>
    until(async () => (await jsm.streams.names().next()).includes('COMMANDS'), 'the stream');

  test('what is published while no node lives is executed when one does, and leaves nothing behind', async () => {
    await left();
    await send('a');
    expect(await waiting()).toBe(1);
    const seen: ReceivedCommand[] = [];
    await node((command) => {
      seen.push(command);
      return Promise.resolve(ended());
    });
    await until(async () => (await waiting()) === 0, 'an empty stream');
    expect(seen).toMatchObject([{ subject, id: 'a', replyTo: '', tooMany: false }]);
  });

  test('an outcome is told before the command is removed, and a repeat is stored at once', async () => {
    const told: string[] = [];
    nc.subscribe('outcome.>', { callback: (_err, msg) => void told.push(msg.string()) });
    await node(({ id }) => Promise.resolve(ended(id)));
    await streamMade();
    for (let n = 0; n < 2; n++) {
      expect((await send('twice')).duplicate).toBe(false);
      await until(async () => (await waiting()) === 0, 'an empty stream');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(told).toEqual(['twice', 'twice']);
  });

  test('one that cannot be executed now is tried again; one whose execution throws, too', async () => {
    let tries = 0;
    await node(() => {
      tries++;
      if (tries === 1) return Promise.resolve({ is: 'again' });
      return tries === 2 ? Promise.reject(new Error('of this test')) : Promise.resolve(ended());
    });
    await streamMade();
    await send('a');
    await until(async () => tries === 3 && (await waiting()) === 0, 'the third try');
  });

  test('a node that leaves hands over what it has not ended, at once', async () => {
    const stop = await node(() => Promise.resolve({ is: 'again' }));
    await streamMade();
    await send('a');
    await until(
      async () => (await jsm.consumers.info('COMMANDS', 'nodes')).num_ack_pending === 1,
      'a command taken',
    );
    stop();
    const taken: string[] = [];
    await node(({ id }) => {
      taken.push(id);
      return Promise.resolve(ended());
    });
    await until(async () => taken.length > 0, 'the command at the other node');
  });

  test('64 KiB are accepted, a byte more is refused by the server; and so is a subject without a user', async () => {
    await left();
    const { config } = await jsm.streams.info('COMMANDS');
    expect(config).toMatchObject({ max_msg_size: 65_536, max_age: 24 * 3600 * 1e9, discard: 'new' });
    const head = 'NATS/1.0\r\nNats-Msg-Id: a\r\n\r\n';
    const room = config.max_msg_size - head.length;
    await send('a', new Uint8Array(room));
    await expect(send('b', new Uint8Array(room + 1))).rejects.toThrow(/size/);
    await expect(jetstream(nc).publish(subject.replace('.billing', ''), '{}')).rejects.toThrow();
  });

  test('of a project so many wait at a node; further ones are given out as too many, and others are not touched', async () => {
    await left();
    const [more, other] = [25, 'command.prj_y.sandbox.subscription.sub_1.billing'];
    for (let n = 0; n < projectCommandsMax + more; n++) nc.publish(subject, '{}', withId(`c${n}`));
    nc.publish(other, '{}', withId('other'));
    await nc.flush();
    await until(async () => (await waiting()) === projectCommandsMax + more + 1, 'all in the stream');
    const refused: string[] = [];
    let isOther = false;
    await node((command) => {
      if (command.tooMany) refused.push(command.subject);
      if (command.subject === other) isOther = true;
      return Promise.resolve(command.tooMany || command.subject === other ? ended() : { is: 'again' });
    });
    await until(async () => isOther && refused.length === more, 'those that are too many', 60_000);
    await until(async () => (await waiting()) === projectCommandsMax, 'the rest in the stream');
  }, 90_000);

  test('an acknowledgement of a publish that became a command of another project takes none of its places', async () => {
    await left();
    const other = 'command.prj_y.sandbox.subscription.sub_1.shop';
    const flood = projectCommandsMax + 25;
    for (let n = 0; n < flood; n++) nc.publish(subject, '{}', { ...withId(`c${n}`), reply: other });
    await nc.flush();
    await until(async () => (await waiting()) >= 2 * flood, 'the acknowledgements in the stream');
    nc.publish(other, '{"command":"pause"}', withId('own'));
    await nc.flush();
    const seen: ReceivedCommand[] = [];
    await node((command) => {
      if (command.subject === other && command.id !== '') seen.push(command);
      // an acknowledgement that cannot be refused now stays where it is
      const isAck = command.subject === other && command.id === '';
      return Promise.resolve(isAck ? { is: 'again' } : ended());
    });
    await until(async () => seen.length > 0, 'the command of the other project', 60_000);
    expect(seen).toMatchObject([{ id: 'own', tooMany: false }]);
  }, 90_000);

  test('headers count as texts: with large ones a project holds 1 MiB of them, and the rest is too many', async () => {
    await left();
    for (let n = 0; n < 100; n++)
      nc.publish(subject, '{}', withId(`c${n}`, { 'Of-No-Use': 'x'.repeat(60 * 1024) }));
    await nc.flush();
    await until(async () => (await waiting()) === 100, 'all in the stream');
    let refused = 0;
    await node(({ tooMany }) => {
      if (tooMany) refused++;
      return Promise.resolve(tooMany ? ended() : { is: 'again' });
    });
    await until(async () => (await waiting()) === 17, '1 MiB at the node');
    expect(refused).toBe(83);
  });
});
