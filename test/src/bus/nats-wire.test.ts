/** Limits of core NATS: large texts, messages of other programs, bounds, and subscriptions that end. */
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, okay, saysOkay, until } from '../../contract/bus.contract.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { noNatsToStart, openRig, type Rig } from './rig.ts';

describe.skipIf(noNatsToStart('core NATS'))('core NATS', () => {
  let rig: Rig;
  let a: Bus;
  let b: Bus;
  let monitoring: number;
  beforeAll(async () => {
    monitoring = await freePort();
    rig = await openRig({ config: `http: "127.0.0.1:${monitoring}"` });
    [a, b] = [await rig.bus({ name: 'a' }), await rig.bus({ name: 'b', inHandMax: 3 })];
  });
  afterAll(() => rig.close());

  test('a megabyte is delivered; more than NATS accepts is answered internal and does no harm', async () => {
    const stop = await b.serve(1, ({ data }) =>
      Promise.resolve({ is: 'ok', v: 1, detail: { bytes: JSON.stringify(data).length } }),
    );
    const of = (bytes: number) => a.ask(1, bodyOf({ data: 'x'.repeat(bytes) }));
    expect(await of(1_048_000)).toMatchObject({ is: 'answered', result: { detail: { bytes: 1_048_002 } } });
    expect(await of(1_048_576)).toEqual({ is: 'answered', result: { is: 'internal' } });
    expect(rig.lines).toContain('error a command could not be sent to another node');
    expect(await of(1)).toMatchObject({ is: 'answered' });
    await stop();
  });

  test('an answer too large to send becomes unknown, because the command was executed', async () => {
    const huge: AskResult = { is: 'ok', v: 1, detail: { text: 'x'.repeat(1_048_576) } };
    const stop = await b.serve(2, () => Promise.resolve(huge));
    expect(await a.ask(2, bodyOf())).toEqual({ is: 'answered', result: { is: 'unknown' } });
    await stop();
  });

  test('a command whose handler fails gets no answer, never an invented one', async () => {
    const stop = await b.serve(3, () => Promise.reject(new Error('broken')));
    expect(await a.ask(3, bodyOf({ deadline: Date.now() + 200 }))).toEqual({ is: 'silent' });
    expect(rig.lines).toContain('error a command of another node failed');
    await stop();
  });

  test('a listener that throws does not affect the others', async () => {
    const heard: string[] = [];
    const ends = [
      b.watch('cs_thrown', () => {
        throw new Error('broken');
      }),
      b.watch('cs_thrown', () => heard.push('heard')),
    ];
    const stop = await b.serve(3, () => {
      throw new Error('broken at once');
    });
    for (let n = 1; n <= 3; n++) {
      a.notice('cs_thrown', 'prj_x:live');
      await until(() => heard.length === n, 'the notice');
    }
    expect(await a.ask(3, bodyOf({ deadline: Date.now() + 200 }))).toEqual({ is: 'silent' });
    await stop();
    for (const end of ends) end();
    expect(await a.ask(3, bodyOf())).toEqual({ is: 'nobody' });
  });

  test('above its bound a node accepts no copies and does not answer them; completed ones free a place', async () => {
    const held: (() => void)[] = [];
    const stop = await b.serve(4, () => new Promise((resolve) => held.push(() => resolve(okay))));
    const first = [1, 2, 3].map(() => a.ask(4, bodyOf()));
    await until(() => held.length === 3, 'three copies');
    expect(await a.ask(4, bodyOf({ deadline: Date.now() + 200 }))).toEqual({ is: 'silent' });
    for (const give of held) give();
    expect((await Promise.all(first)).every(({ is }) => is === 'answered')).toBe(true);
    const next = a.ask(4, bodyOf());
    await until(() => held.length === 4, 'the next');
    held[3]?.();
    expect(await next).toMatchObject({ is: 'answered' });
    await stop();
  });

  test('foreign messages on our subjects reach no actor and stop nothing', async () => {
    const stranger = await rig.stranger();
    const heard: string[] = [];
    const stop = await b.serve(5, ({ command }) => {
      heard.push(command);
      return Promise.resolve(okay);
    });
    const subject = `actor.5.counter.${bodyOf().to.id}`;
    const noise = ['', 'x', '{}', '[1]', '{"to":{"kind":"counter","id":"x"}}', '\u0000\ufffd'];
    for (const text of noise) {
      stranger.publish(subject, text);
      stranger.publish(subject, text, { reply: 'nowhere' });
    }
    stranger.publish(subject, new Uint8Array([0xff, 0xfe, 0x00]), { reply: 'nowhere' });
    // an envelope under another subject than its own: permissions go by subjects
    stranger.publish('actor.5.counter.ctr_another', JSON.stringify(bodyOf()), { reply: 'nowhere' });
    stranger.publish('actor.5', JSON.stringify(bodyOf()), { reply: 'nowhere' });
    // nobody to answer
    stranger.publish(subject, JSON.stringify(bodyOf({ command: 'unasked' })));
    await stranger.flush();
    expect(await a.ask(5, bodyOf())).toMatchObject({ is: 'answered' });
    expect(heard).toEqual(['add']);
    // many times the same is one line
    expect(rig.lines.filter((line) => line.includes('is not a command of this service'))).toHaveLength(1);
    await stop();
  });

  test('an answer that cannot be read proves nothing', async () => {
    const stranger = await rig.stranger();
    stranger.subscribe('actor.6.>', { callback: (_err, msg) => void msg.respond('{"is":"fine"}') });
    await stranger.flush();
    expect(await a.ask(6, bodyOf())).toEqual({ is: 'silent' });
  });

  test('an address that is no valid subject is answered internal', async () => {
    expect(await a.ask(7, bodyOf({ to: { kind: 'counter', id: 'a.>' } }))).toEqual({
      is: 'answered',
      result: { is: 'internal' },
    });
    expect(await a.ask(999, bodyOf())).toEqual({ is: 'answered', result: { is: 'internal' } });
  });

  test('watchers of one id share one subscription, which ends with the last of them', async () => {
    const before = await subscriptionsOf('b');
    const watches = Array.from({ length: 100 }, (_, n) =>
      b.watch(n % 2 === 0 ? 'cs_even' : 'cs_odd', () => undefined),
    );
    await flushed(b);
    expect((await subscriptionsOf('b')).filter((one) => !before.includes(one)).toSorted()).toEqual([
      'live.*.cs_even',
      'live.*.cs_odd',
    ]);
    for (const end of watches.slice(0, 98)) end();
    await flushed(b);
    expect(await subscriptionsOf('b')).toHaveLength(before.length + 2);
    for (const end of watches) end();
    await flushed(b);
    expect(await subscriptionsOf('b')).toEqual(before);
  });

  test('a partition is one plain subscription, removed by the stop', async () => {
    const stop = await b.serve(9, saysOkay);
    expect(await subscriptionsOf('b')).toContain('actor.9.>');
    await Promise.all([stop(), stop()]);
    expect(await subscriptionsOf('b')).not.toContain('actor.9.>');
  });

  const flushed = async (bus: Bus): Promise<void> => (await bus.serve(250, saysOkay))();

  async function subscriptionsOf(name: string): Promise<readonly string[]> {
    const { connections } = (await (await fetch(`http://127.0.0.1:${monitoring}/connz?subs=1`)).json()) as {
      readonly connections: readonly {
        readonly name?: string;
        readonly subscriptions_list?: readonly string[];
      }[];
    };
    return (connections.find((one) => one.name === name)?.subscriptions_list ?? []).toSorted();
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
