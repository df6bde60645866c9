/** The limits of NATS: storage that is short for a moment, messages that are too large; and a hint that moves from
 *  an ask to the mailbox. */
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from 'nats';
import { describe, expect, test } from 'vitest';
import { openNatsBus, type NatsBusOptions } from '../../../src/bus/bus-nats.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import type { AskResult, Envelope } from '../../../src/runtime/model/envelope.ts';
import { carryHint } from '../../../src/runtime/node/hint.ts';
import { bodyOf, until } from '../../contract/bus.contract.ts';
import { startNats, type NatsOptions } from '../../support/servers.ts';
import { noNatsToStart } from './rig.ts';

/** Both streams of ours, and little more. */
const oneService = `accounts { A: { jetstream: { max_file: 1400MB }, users: [{ user: galla, password: x }] } }`;

async function withServer(options: NatsOptions, work: (url: string) => Promise<void>): Promise<void> {
  const server = await startNats(options);
  try {
    await work(server.url);
  } finally {
    await server.stop();
  }
}

const lines: string[] = [];
const hear = (_fields: object, line: string): void => void lines.push(line);
const open = (url: string, over: Partial<NatsBusOptions> = {}): Promise<Bus> =>
  openNatsBus({
    url,
    name: 'test',
    partitions: 256,
    log: { warn: hear, error: hear },
    waitMs: 8000,
    ...over,
  });

describe.skipIf(noNatsToStart('the room NATS has'))('on nats-server', () => {
  test('storage reserved by others for a moment is waited for', () =>
    withServer({ config: oneService }, async (plain) => {
      const url = plain.replace('//', '//galla:x@');
      const nc = await connect({ servers: plain, user: 'galla', pass: 'x' });
      const { streams } = await jetstreamManager(nc);
      await streams.add({ name: 'another', subjects: ['another'], max_bytes: 1_000_000_000 });
      const opening = open(url);
      await new Promise((resolve) => setTimeout(resolve, 600));
      await streams.delete('another');
      await (await opening).close();
      await nc.close();
    }));

  test('storage that never becomes available ends the start with the reason', () =>
    withServer({ config: oneService.replace('1400MB', '300MB') }, async (plain) => {
      const opening = open(plain.replace('//', '//galla:x@'), { waitMs: 60_000 });
      await expect(opening).rejects.toThrow(
        /^JetStream at .* refuses to create the streams of this service: .*(storage|resources)/,
      );
    }));

  test('a small max_payload is logged at the start, and a command above it with advice', () =>
    withServer({ config: 'max_payload: 65536' }, async (url) => {
      lines.length = 0;
      const bus = await open(url);
      expect(lines).toEqual([
        'NATS takes 65536 bytes at once, too few for large commands between nodes: set max_payload to 4MB',
      ]);
      expect(await bus.ask(1, bodyOf({ data: 'x'.repeat(70_000) }))).toMatchObject({
        result: { is: 'internal' },
      });
      expect(lines).toContain('a command is too large for NATS: raise max_payload');
      await bus.close();
    }));

  test('a hint whose owner does not answer waits in the mailbox, and reaches the next owner', () =>
    withServer({}, async (url) => {
      const [door, owner] = [await open(url), await open(url)];
      const stop = await owner.serve(1, () => Promise.resolve(null));
      const ask = async (): Promise<AskResult> => {
        const answer = await door.ask(1, bodyOf({ deadline: Date.now() + 200 }));
        return answer.is === 'answered' ? answer.result : { is: 'unknown' };
      };
      const envelope = bodyOf({ deadline: Infinity });
      expect(await carryHint(ask, door, envelope)).toBe('stored');
      await stop();
      const heard: Envelope[] = [];
      owner.forward((one) => Promise.resolve(heard.push(one) > 0));
      await until(() => heard.length > 0, 'the hint');
      expect(heard[0]).toMatchObject({ to: envelope.to, command: envelope.command, data: envelope.data });
      await Promise.all([door.close(), owner.close()]);
    }));
});
