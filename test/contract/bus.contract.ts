/** What every implementation of the bus port must do, written once and run on each of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { address, type Scope } from '../../src/runtime/model/address.ts';
import type { AskResult, Envelope } from '../../src/runtime/model/envelope.ts';
import type { Answering, Bus } from '../../src/bus/bus.ts';
import { eventually } from '../support/eventually.ts';

export interface BusHub {
  /** One more node on the same wire. */
  connect(name: string): Promise<Bus>;
  close(): Promise<void>;
}

export const bodyOf = (over: Partial<Envelope> = {}): Envelope => ({
  to: address('counter', 'ctr_00000000000000000000000a'),
  command: 'add',
  data: { amount: 100, note: 'नमस्ते' },
  by: 'merchant',
  scope: 'prj_x:sandbox',
  deadline: Date.now() + 5000,
  ...over,
});

export const okay: AskResult = { is: 'ok', v: 7, detail: { total: 100 } };
export const saysOkay: Answering = () => Promise.resolve(okay);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `look` holds. */
export const until = (look: () => boolean, what: string, waitMs?: number): Promise<true> =>
  eventually(
    () => Promise.resolve(look() ? true : null),
    () => what,
    waitMs,
  );

export function busContract(name: string, openHub: () => Promise<BusHub>): void {
  describe(`bus contract: ${name}`, () => {
    let hub: BusHub;
    let [a, b, c]: Bus[] = [];
    const buses = (): readonly [Bus, Bus, Bus] => {
      if (a === undefined || b === undefined || c === undefined) throw new Error('three buses');
      return [a, b, c];
    };
    beforeAll(async () => {
      hub = await openHub();
      [a, b, c] = await Promise.all(['a', 'b', 'c'].map((one) => hub.connect(one)));
    });
    afterAll(async () => {
      await Promise.all(buses().map((bus) => bus.close()));
      await hub.close();
    });
    questions(buses);
    endings(buses);
    notices(buses);
    idsContract(() => buses()[0]);
    streams(buses);
  });
}

type Buses = () => readonly [Bus, Bus, Bus];

function questions(buses: Buses): void {
  test('a copy for a partition that no node serves is answered "nobody" at once', async () => {
    const [a] = buses();
    expect(a.connected).toBe(true);
    expect(await a.ask(1, bodyOf())).toEqual({ is: 'nobody' });
  });

  test('a node that serves a partition gets the copy unchanged, and its answer returns', async () => {
    const [a, b] = buses();
    const heard: Envelope[] = [];
    const stop = await b.serve(2, (envelope) => {
      heard.push(envelope);
      return Promise.resolve(okay);
    });
    const sent = bodyOf({ identity: { from: 'n:abc', seq: 3, done: 2 }, again: true });
    expect(await a.ask(2, sent)).toEqual({ is: 'answered', result: okay });
    expect(heard).toEqual([sent]);
    expect(heard[0]).not.toBe(sent);
    await stop();
  });

  test.each<AskResult>([
    { is: 'ok', v: 1, detail: {} },
    { is: 'refused', code: 'not_found', detail: { why: ['a', null] } },
    { is: 'not_executed', why: 'moved', retryAfterMs: 20 },
    { is: 'unknown' },
    { is: 'internal' },
  ])('the answer $is arrives complete', async (result) => {
    const [a, b] = buses();
    const stop = await b.serve(3, () => Promise.resolve(result));
    expect(await a.ask(3, bodyOf())).toEqual({ is: 'answered', result });
    await stop();
  });

  test('the answer shares no object with what the handler returned', async () => {
    const [a, b] = buses();
    const detail = { total: 100 };
    const stop = await b.serve(4, () => Promise.resolve({ is: 'ok', v: 1, detail }));
    const [first, second] = [await a.ask(4, bodyOf()), await a.ask(4, bodyOf())];
    detail.total = 1;
    for (const one of [first, second])
      expect(one).toEqual({ is: 'answered', result: { is: 'ok', v: 1, detail: { total: 100 } } });
    await stop();
  });

  test('each of many concurrent asks gets its own answer', async () => {
    const [a, b, c] = buses();
    const echo: Answering = ({ data }) => Promise.resolve({ is: 'ok', v: 1, detail: { data } });
    const stops = await Promise.all([b.serve(5, echo), c.serve(6, echo)]);
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, n) => a.ask(5 + (n % 2), bodyOf({ data: { n } }))),
    );
    expect(answers).toEqual(
      answers.map((_, n) => ({ is: 'answered', result: { is: 'ok', v: 1, detail: { data: { n } } } })),
    );
    await Promise.all(stops.map((stop) => stop()));
  });

  test('an ask goes to other nodes only: a node calls its own partitions directly', async () => {
    const [a] = buses();
    const stop = await a.serve(7, saysOkay);
    expect(await a.ask(7, bodyOf())).toEqual({ is: 'nobody' });
    await stop();
  });

  test('an ask waits no longer than its sender allows; a later answer is ignored', async () => {
    const [a, b] = buses();
    let answered = 0;
    const stop = await b.serve(8, async () => {
      await new Promise((resolve) => setTimeout(resolve, 250));
      answered++;
      return okay;
    });
    const from = performance.now();
    expect(await a.ask(8, bodyOf(), 100)).toEqual({ is: 'silent' });
    expect(performance.now() - from).toBeLessThan(240);
    expect(await a.ask(8, bodyOf(), 2000)).toEqual({ is: 'answered', result: okay });
    expect(answered).toBe(2);
    await stop();
  });

  test('a node that does not answer makes the ask silent at its deadline, not later', async () => {
    const [a, b] = buses();
    const stop = await b.serve(8, () => Promise.resolve(null));
    const deadline = Date.now() + 150;
    expect(await a.ask(8, bodyOf({ deadline }))).toEqual({ is: 'silent' });
    expect(Date.now()).toBeGreaterThanOrEqual(deadline - 2);
    await stop();
  });

  test('an answer after the deadline is ignored, and does not affect later asks', async () => {
    const [a, b] = buses();
    const held: ((result: AskResult) => void)[] = [];
    const stop = await b.serve(9, () => new Promise((resolve) => held.push(resolve)));
    expect(await a.ask(9, bodyOf({ deadline: Date.now() + 100 }))).toEqual({ is: 'silent' });
    const second = a.ask(9, bodyOf());
    await until(() => held.length === 2, 'both copies');
    held[0]?.({ is: 'internal' });
    held[1]?.(okay);
    expect(await second).toEqual({ is: 'answered', result: okay });
    await stop();
  });

  test('a copy whose deadline has passed is not sent', async () => {
    const [a, b] = buses();
    let heard = 0;
    const stop = await b.serve(10, () => {
      heard++;
      return Promise.resolve(okay);
    });
    expect(await a.ask(10, bodyOf({ deadline: Date.now() - 1 }))).toEqual({ is: 'nobody' });
    expect(await a.ask(10, bodyOf())).toMatchObject({ is: 'answered' });
    expect(heard).toBe(1);
    await stop();
  });
}

function endings(buses: Buses): void {
  test('after a stop no copy arrives any more, and asks are answered "nobody"', async () => {
    const [a, b] = buses();
    let [heard, stopped] = [0, false];
    let late = 0;
    const stop = await b.serve(20, () => {
      heard++;
      if (stopped) late++;
      return Promise.resolve(okay);
    });
    const asking = Array.from({ length: 200 }, () => a.ask(20, bodyOf({ deadline: Date.now() + 2000 })));
    await stop();
    stopped = true;
    const answers = await Promise.all(asking);
    expect(await a.ask(20, bodyOf())).toEqual({ is: 'nobody' });
    expect(late).toBe(0);
    // none fell between the two: each was answered, or is known not to have arrived
    expect(answers.filter(({ is }) => is === 'answered')).toHaveLength(heard);
    expect(answers.filter(({ is }) => is === 'nobody')).toHaveLength(200 - heard);
  });

  test('an answer in progress when its node stops is still sent', async () => {
    const [a, b] = buses();
    let give: (result: AskResult) => void = () => undefined;
    let heard = false;
    const stop = await b.serve(21, () => {
      heard = true;
      return new Promise((resolve) => (give = resolve));
    });
    const asking = a.ask(21, bodyOf());
    await until(() => heard, 'the copy');
    await stop();
    give(okay);
    expect(await asking).toEqual({ is: 'answered', result: okay });
  });

  test('a partition can move from one node to the next', async () => {
    const [a, b, c] = buses();
    const at =
      (name: string): Answering =>
      () =>
        Promise.resolve({ is: 'ok', v: 1, detail: { name } });
    const stop = await b.serve(22, at('b'));
    expect(await a.ask(22, bodyOf())).toMatchObject({ result: { detail: { name: 'b' } } });
    await stop();
    const next = await c.serve(22, at('c'));
    expect(await a.ask(22, bodyOf())).toMatchObject({ result: { detail: { name: 'c' } } });
    await stop();
    expect(await a.ask(22, bodyOf())).toMatchObject({ result: { detail: { name: 'c' } } });
    await next();
  });

  test('256 partitions are served at once, and all are stopped at once', async () => {
    const [a, b] = buses();
    const all = Array.from({ length: 256 }, (_, p) => p);
    const stops = await Promise.all(all.map((p) => b.serve(p, saysOkay)));
    const served = await Promise.all(all.map((p) => a.ask(p, bodyOf())));
    expect(served.every(({ is }) => is === 'answered')).toBe(true);
    await Promise.all(stops.map((stop) => stop()));
    const left = await Promise.all(all.map((p) => a.ask(p, bodyOf())));
    expect(left.every(({ is }) => is === 'nobody')).toBe(true);
  });
}

const id = 'cs_00000000000000000000000b';
const scope = 'prj_x:live';

function notices(buses: Buses): void {
  test('a notice reaches all watchers of that id on other nodes, and not the node that sent it', async () => {
    const [a, b, c] = buses();
    const heard: string[] = [];
    const ends = [
      a.watch(id, () => heard.push('a')),
      b.watch(id, () => heard.push('b1')),
      b.watch(id, () => heard.push('b2')),
      c.watch(id, () => heard.push('c')),
      c.watch('cs_00000000000000000000000c', () => heard.push('another')),
    ];
    await settled(buses);
    a.notice(id, scope);
    await until(() => heard.length >= 3, 'three notices');
    await settled(buses);
    expect(heard.toSorted()).toEqual(['b1', 'b2', 'c']);
    for (const end of ends) end();
  });

  test('a watcher that stopped receives nothing, whoever else still watches', async () => {
    const [a, b] = buses();
    const heard: string[] = [];
    const hear = (): void => void heard.push('twice');
    const [first, second] = [b.watch(id, hear), b.watch(id, hear)];
    await settled(buses);
    first();
    first();
    a.notice(id, scope);
    await until(() => heard.length > 0, 'a notice');
    second();
    a.notice(id, scope);
    await settled(buses);
    expect(heard).toEqual(['twice']);
  });

  test('a broadcast reaches the other nodes with its text, under its topic only', async () => {
    const [a, b, c] = buses();
    const heard: string[] = [];
    const ends = [a, b, c].map((bus, at) => bus.onBroadcast('moved', (text) => heard.push(`${at} ${text}`)));
    ends.push(b.onBroadcast('other', () => heard.push('another')));
    await settled(buses);
    a.broadcast('moved', '{"p":[1,2,3]}');
    await until(() => heard.length >= 2, 'two hints');
    await settled(buses);
    expect(heard.toSorted()).toEqual(['1 {"p":[1,2,3]}', '2 {"p":[1,2,3]}']);
    for (const end of ends) end();
    a.broadcast('moved', 'again');
    await settled(buses);
    expect(heard).toHaveLength(2);
  });

  test('a watcher of a scope receives the ids that changed in it, and in no other, until it stops', async () => {
    const [a, b, c] = buses();
    const heard: string[] = [];
    const ends = [
      a.watchScope(scope, (changed) => heard.push(`a ${changed}`)),
      b.watchScope(scope, (changed) => heard.push(`b ${changed}`)),
      c.watchScope(scope, (changed) => heard.push(`c1 ${changed}`)),
      c.watchScope(scope, (changed) => heard.push(`c2 ${changed}`)),
      c.watchScope('prj_x:sandbox', () => heard.push('the other mode')),
      c.watchScope('prj_xy:live', () => heard.push('another project')),
    ];
    await settled(buses);
    a.notice(id, scope);
    a.notice(scope, scope);
    await until(() => heard.length >= 6, 'six notices');
    await settled(buses);
    const of = (who: string): readonly string[] => heard.filter((line) => line.startsWith(who));
    expect(of('b')).toEqual([`b ${id}`, `b ${scope}`]);
    expect(of('c1')).toEqual([`c1 ${id}`, `c1 ${scope}`]);
    expect(of('c2')).toHaveLength(2);
    expect(heard).toHaveLength(6);
    for (const end of ends) end();
    a.notice(id, scope);
    await settled(buses);
    expect(heard).toHaveLength(6);
  });

  test('one notice serves watchers of the id and of its scope', async () => {
    const [a, b] = buses();
    const heard: string[] = [];
    const ends = [b.watch(id, () => heard.push('id')), b.watchScope(scope, () => heard.push('scope'))];
    await settled(buses);
    a.notice(id, scope);
    await until(() => heard.length >= 2, 'both');
    await settled(buses);
    expect(heard.toSorted()).toEqual(['id', 'scope']);
    for (const end of ends) end();
  });
}

/** What a bus does with a text that is no id of ours. */
export function idsContract(bus: () => Bus): void {
  const wrong = ['', 'a.b', '*', '>', 'a b', 'x\r\nPUB y 0', 'नमस्ते', 'A', 'pay-0000000000000000-i'];

  test('an id that is not one subject token is our own defect and is not sent', () => {
    for (const text of wrong)
      for (const say of [
        () => bus().notice(text, scope),
        () => bus().notice(id, text as Scope),
        () => bus().watch(text, () => undefined),
        () => bus().watchScope(text as Scope, () => undefined),
        () => bus().broadcast(text, '{}'),
      ])
        expect(say, text).toThrow('one part of a subject');
  });

  test('a command to such an id is answered "internal" and not posted, whoever serves its partition', async () => {
    for (const text of wrong) {
      const to = bodyOf({ to: { kind: 'counter', id: text } });
      expect(await bus().ask(11, to), text).toEqual({ is: 'answered', result: { is: 'internal' } });
      expect(await bus().post(to), text).toBe(false);
    }
  });
}

function streams(buses: Buses): void {
  test('publishing accepts events, an empty list and a repeat', async () => {
    const [a] = buses();
    const event = {
      key: 'ctr/1:1',
      pos: 1,
      scope: 'prj_x:live',
      event: 'payment.succeeded',
      envelope: '{"a":1}',
    };
    await a.publish([]);
    await a.publish([event, { ...event, key: 'ctr/1:2', pos: 2 }]);
    await a.publish([event]);
  });

  test('listeners for a lost connection and for the mailbox end when cancelled', () => {
    const [a] = buses();
    a.onReconnect(() => undefined)();
    a.forward(() => Promise.resolve(true))();
  });
}

/** Two round trips of every bus: everything sent before has arrived. */
async function settled(buses: Buses): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const stops = await Promise.all(buses().map((bus, at) => bus.serve(200 + at, saysOkay)));
    await Promise.all(buses().map((bus, at) => bus.ask(200 + ((at + 1) % 3), bodyOf())));
    await Promise.all(stops.map((stop) => stop()));
  }
}
