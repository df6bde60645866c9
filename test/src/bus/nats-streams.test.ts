/** MAILBOX and EVENTS on JetStream: hints that wait until they are accepted, events in order, streams that are created again. */
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NatsConnection } from 'nats';
import { bodyOf, until } from '../../contract/bus.contract.ts';
import { eventually } from '../../support/eventually.ts';
import type { PublishedEvent } from '../../../src/bus/bus.ts';
import type { Envelope } from '../../../src/runtime/model/envelope.ts';
import { noNatsToStart, openRig, type Rig } from './rig.ts';

const hintOf = (n: number): Envelope => bodyOf({ command: `hint${n}` });
const eventOf = (n: number, over: Partial<PublishedEvent> = {}): PublishedEvent => ({
  key: `ctr/1:${n}`,
  pos: n,
  scope: 'prj_x:live',
  event: 'payment.succeeded',
  envelope: JSON.stringify({ n, note: 'नमस्ते' }),
  ...over,
});

describe.skipIf(noNatsToStart('streams on JetStream'))('streams', () => {
  let rig: Rig;
  let nc: NatsConnection;
  let jsm: JetStreamManager;
  beforeEach(async () => {
    rig = await openRig();
    nc = await rig.stranger();
    jsm = await jetstreamManager(nc);
  });
  afterEach(() => rig.close());

  const stored = async (): Promise<readonly string[]> => {
    const { state } = await jsm.streams.info('EVENTS');
    const texts: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++)
      texts.push((await jsm.streams.getMessage('EVENTS', { seq }))?.string() ?? 'none');
    return texts;
  };
  const waiting = async (): Promise<number> => (await jsm.streams.info('MAILBOX')).state.messages;
  const emptied = async (): Promise<void> => {
    for (let tries = 0; tries < 100 && (await waiting()) > 0; tries++)
      await new Promise((r) => setTimeout(r, 30));
    expect(await waiting()).toBe(0);
  };

  describe('MAILBOX', () => {
    test('a hint posted without a consumer waits, is delivered once, and is removed', async () => {
      const [a, b] = [await rig.bus(), await rig.bus()];
      expect(await a.post(bodyOf({ deadline: Number.POSITIVE_INFINITY }))).toBe(true);
      expect(await waiting()).toBe(1);
      const taken: Envelope[] = [];
      b.forward((envelope) => {
        taken.push(envelope);
        return Promise.resolve(true);
      });
      await until(() => taken.length > 0, 'the hint');
      const { deadline, ...rest } = bodyOf();
      expect(taken[0]).toMatchObject(rest);
      expect(taken[0]?.deadline).toBeGreaterThan(Date.now());
      expect(taken[0]?.deadline).toBeLessThan(deadline + 60_000);
      await emptied();
    });

    test('a node also receives its own hints', async () => {
      const a = await rig.bus();
      const taken: string[] = [];
      a.forward(({ command }) => {
        taken.push(command);
        return Promise.resolve(true);
      });
      expect(await a.post(hintOf(1))).toBe(true);
      await until(() => taken.length > 0, 'the hint');
    });

    test('nodes share the work, and each hint is accepted by one', async () => {
      const [a, b, c] = [await rig.bus(), await rig.bus(), await rig.bus()];
      const taken: string[] = [];
      const byNode = [0, 0];
      [b, c].map((bus, at) =>
        bus.forward(async ({ command }) => {
          byNode[at] = (byNode[at] ?? 0) + 1;
          taken.push(command);
          await new Promise((resolve) => setTimeout(resolve, 5));
          return true;
        }),
      );
      const posts = await Promise.all(Array.from({ length: 300 }, (_, n) => a.post(hintOf(n))));
      expect(posts.every(Boolean)).toBe(true);
      await until(() => taken.length >= 300, 'all hints');
      await emptied();
      expect(new Set(taken).size).toBe(300);
      expect(taken).toHaveLength(300);
      expect(Math.min(...byNode)).toBeGreaterThan(0);
    });

    test('a hint that was not accepted is delivered again until it is, after a refusal or an error', async () => {
      const [a, b] = [await rig.bus(), await rig.bus()];
      let tries = 0;
      b.forward(() => {
        tries++;
        return tries === 1
          ? Promise.resolve(false)
          : tries === 2
            ? Promise.reject(new Error('x'))
            : Promise.resolve(true);
      });
      expect(await a.post(hintOf(1))).toBe(true);
      await until(() => tries >= 3, 'three tries', 9000);
      await emptied();
      expect(tries).toBe(3);
    }, 15_000);

    test('a foreign message is dropped with a log line and blocks nothing', async () => {
      const [a, b] = [await rig.bus(), await rig.bus()];
      await jetstream(nc).publish('mailbox.counter.x', 'noise');
      const taken: string[] = [];
      b.forward(({ command }) => {
        taken.push(command);
        return Promise.resolve(true);
      });
      expect(await a.post(hintOf(1))).toBe(true);
      await until(() => taken.length > 0, 'the hint');
      await emptied();
      expect(rig.lines).toEqual([
        'warn MAILBOX contains a message that is not a hint of this service: deleted',
      ]);
    });

    test('a deleted stream is created again, and hints continue', async () => {
      const [a, b] = [await rig.bus(), await rig.bus()];
      const taken: string[] = [];
      b.forward(({ command }) => {
        taken.push(command);
        return Promise.resolve(true);
      });
      expect(await a.post(hintOf(1))).toBe(true);
      await until(() => taken.length === 1, 'the first');
      await jsm.streams.delete('MAILBOX');
      expect(await a.post(hintOf(2))).toBe(true);
      await until(() => taken.includes('hint2'), 'the second');
      await jsm.consumers.delete('MAILBOX', 'nodes');
      expect(await a.post(hintOf(3))).toBe(true);
      await until(() => taken.includes('hint3'), 'the third');
    });

    test('a full mailbox refuses', async () => {
      const a = await rig.bus();
      await jsm.streams.update('MAILBOX', { max_msgs: 1 });
      expect(await a.post(hintOf(1))).toBe(true);
      expect(await a.post(hintOf(2))).toBe(false);
      expect(await a.post(bodyOf({ identity: { from: 'n:a', seq: 1, done: 0 } }))).toBe(false);
    });

    test('a stopped consumer accepts nothing more', async () => {
      const [a, b] = [await rig.bus(), await rig.bus()];
      let taken = 0;
      const end = b.forward(() => {
        taken++;
        return Promise.resolve(true);
      });
      expect(await a.post(hintOf(1))).toBe(true);
      await until(() => taken === 1, 'the first');
      end();
      expect(await a.post(hintOf(2))).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect([taken, await waiting()]).toEqual([1, 1]);
    });
  });

  describe('EVENTS', () => {
    test('events are stored in their order, byte for byte, a repeat once', async () => {
      const a = await rig.bus();
      const events = Array.from({ length: 400 }, (_, n) => eventOf(n));
      await a.publish(events);
      await a.publish(events.slice(390));
      expect(await stored()).toEqual(events.map(({ envelope }) => envelope));
      const last = await jsm.streams.getMessage('EVENTS', {
        last_by_subj: 'events.prj_x.live.payment.succeeded',
      });
      expect(last?.header.get('Nats-Msg-Id')).toBe('ctr/1:399');
      expect(last?.header.get('Galla-Position')).toBe('399');
    });

    test('when JetStream loses everything after its acknowledgement, the stream is created again and continues', async () => {
      const a = await rig.bus();
      const taken: string[] = [];
      a.forward(({ command }) => {
        taken.push(command);
        return Promise.resolve(true);
      });
      await a.publish([eventOf(1)]);
      await rig.server.restart(true);
      await until(() => a.connected, 'the connection');
      await a.publish([eventOf(2), eventOf(3)]);
      expect(await stored()).toEqual([2, 3].map((n) => eventOf(n).envelope));
      expect(await a.post(hintOf(1))).toBe(true);
      await until(() => taken.includes('hint1'), 'the hint');
    });

    test('a deleted stream is created again at the next event', async () => {
      const a = await rig.bus();
      await a.publish([eventOf(1)]);
      await jsm.streams.delete('EVENTS');
      await a.publish([eventOf(2)]);
      expect(await stored()).toEqual([eventOf(2).envelope]);
    });

    describe('created again', () => {
      const description = async (): Promise<string | undefined> =>
        (await jsm.streams.info('EVENTS')).config.description;
      const whole = 'Events of all projects';
      const isWhole = (what: string): Promise<true> =>
        eventually(
          async () => ((await description().catch(() => undefined)) === whole ? true : null),
          () => what,
        );
      const filledBy =
        (name: string, calls: string[], answers: boolean[] = []) =>
        (): Promise<boolean> => {
          calls.push(name);
          return Promise.resolve(answers.shift() ?? true);
        };

      test('the node that created it fills it, also at the start, and marks it; it is not filled again', async () => {
        const calls: string[] = [];
        const a = await rig.bus();
        expect(await description()).toBe(`${whole}: being filled`);
        a.onEventsLost(filledBy('a', calls));
        await isWhole('the first filling');
        const b = await rig.bus({ refillEveryMs: 20 });
        b.onEventsLost(filledBy('b', calls));
        const deaf = a.onEventsLost(filledBy('deaf', calls));
        deaf();
        await jsm.streams.delete('EVENTS');
        await a.publish([eventOf(1)]);
        await isWhole('the second filling');
        expect(calls.filter((name) => name === 'a')).toHaveLength(2);
        expect(calls).not.toContain('deaf');
      });

      test('when the node that created it dies, another one fills it', async () => {
        const calls: string[] = [];
        const a = await rig.bus();
        a.onEventsLost(() => new Promise(() => undefined));
        await a.close();
        const b = await rig.bus({ refillEveryMs: 50 });
        b.onEventsLost(filledBy('b', calls));
        await isWhole('the filling by another');
        const c = await rig.bus({ refillEveryMs: 20 });
        c.onEventsLost(filledBy('c', calls));
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(calls).toEqual(['b']);
      });

      test('a stream that was not filled completely is filled again until it is', async () => {
        const calls: string[] = [];
        const a = await rig.bus({ refillEveryMs: 20 });
        a.onEventsLost(filledBy('a', calls, [false, false]));
        await isWhole('the filling');
        expect(calls).toEqual(['a', 'a', 'a']);
      });

      test('a stream that is lost during its refill is filled again', async () => {
        const a = await rig.bus();
        let fillings = 0;
        a.onEventsLost(async () => {
          fillings++;
          if (fillings > 1) return true;
          await jsm.streams.delete('EVENTS');
          await a.publish([eventOf(1)]);
          return true;
        });
        await isWhole('the second filling');
        expect(fillings).toBe(2);
      });

      test('a stream created by hand is the operator’s to fill', async () => {
        const calls: string[] = [];
        await jsm.streams.add({ name: 'EVENTS', subjects: ['events.>'] });
        const a = await rig.bus({ refillEveryMs: 20 });
        a.onEventsLost(filledBy('a', calls));
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(calls).toEqual([]);
      });

      test('an empty JetStream after a restart is noticed without a new event', async () => {
        const calls: string[] = [];
        const a = await rig.bus();
        a.onEventsLost(filledBy('a', calls));
        await isWhole('the first filling');
        await rig.server.restart(true);
        await until(() => calls.length === 2, 'the second filling');
      });
    });

    test('a refusal of the stream rejects, and the repeat does no harm', async () => {
      const a = await rig.bus();
      await jsm.streams.update('EVENTS', { max_msgs: 2, discard: 'new' as never });
      await expect(a.publish([1, 2, 3].map((n) => eventOf(n)))).rejects.toThrow('maximum messages');
      await jsm.streams.update('EVENTS', { max_msgs: 10 });
      await a.publish([1, 2, 3].map((n) => eventOf(n)));
      expect(await stored()).toEqual([1, 2, 3].map((n) => eventOf(n).envelope));
    });

    test('an event too large for NATS is left out with a log line and blocks nothing', async () => {
      const a = await rig.bus();
      await a.publish([eventOf(1), eventOf(2, { envelope: 'x'.repeat(1_048_576) }), eventOf(3)]);
      expect(await stored()).toEqual([1, 3].map((n) => eventOf(n).envelope));
      expect(rig.lines).toEqual([
        'error an event is too large for NATS and is not in EVENTS: raise max_payload',
      ]);
    });
  });
});
