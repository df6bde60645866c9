/** NATS dies, is paused, comes back: asks in between are unknown or known not sent, and everything continues. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bodyOf, okay, pause, saysOkay, until } from '../../contract/bus.contract.ts';
import type { Envelope } from '../../../src/runtime/model/envelope.ts';
import { noNatsToStart, openRig, putToSleep, type Rig } from './rig.ts';

describe.skipIf(noNatsToStart('when NATS is away'))('when NATS is away', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  test('asks in flight when it dies are silent at once; after its return they work as before', async () => {
    const [a, b] = [await rig.bus(), await rig.bus()];
    const heard: Envelope[] = [];
    await b.serve(1, (envelope) => {
      heard.push(envelope);
      return envelope.command === 'hang' ? new Promise(() => undefined) : Promise.resolve(okay);
    });
    const notices: string[] = [];
    const again: string[] = [];
    a.onReconnect(() => again.push('a'));
    b.onReconnect(() => again.push('b'));
    a.watch('cs_00000000000000000000000a', () => notices.push('heard'));
    expect(await a.ask(1, bodyOf())).toMatchObject({ is: 'answered' });

    const inFlight = Array.from({ length: 20 }, () =>
      a.ask(1, bodyOf({ command: 'hang', deadline: Date.now() + 60_000 })),
    );
    await until(() => heard.length === 21, 'the questions in flight');
    await rig.server.kill();
    expect(new Set((await Promise.all(inFlight)).map(({ is }) => is))).toEqual(new Set(['silent']));
    expect(a.connected).toBe(false);

    // not sent, and never sent later: what the library would keep for its next connection is not given to it
    expect(await a.ask(1, bodyOf({ command: 'while away', deadline: Date.now() + 60_000 }))).toEqual({
      is: 'nobody',
    });
    expect(await a.post(bodyOf())).toBe(false);
    const event = { key: 'a:1', pos: 1, scope: 'prj_x:live', event: 'x.y', envelope: '{}' };
    await expect(a.publish([event])).rejects.toThrow('the connection to NATS is lost');
    a.notice('cs_00000000000000000000000a', 'prj_x:live');
    a.broadcast('moved', 'x');
    // a node that takes a partition over meanwhile is not held up
    await b.serve(2, saysOkay);
    const gone = await b.serve(3, saysOkay);
    await gone();

    await rig.server.restart();
    await until(() => again.length === 2, 'both connections');
    expect([a.connected, b.connected]).toEqual([true, true]);
    expect(await a.ask(1, bodyOf())).toMatchObject({ is: 'answered' });
    expect(await a.ask(2, bodyOf())).toMatchObject({ is: 'answered' });
    expect(await a.ask(3, bodyOf())).toEqual({ is: 'nobody' });
    b.notice('cs_00000000000000000000000a', 'prj_x:live');
    await until(() => notices.length > 0, 'a notice');
    await a.publish([event]);
    expect(heard.map(({ command }) => command)).not.toContain('while away');
    expect(again.toSorted()).toEqual(['a', 'b']);
  });

  test('while it is paused an ask is silent at its deadline; then the same connection continues', async () => {
    const [a, b] = [await rig.bus(), await rig.bus()];
    const heard: string[] = [];
    await b.serve(1, ({ command }) => {
      heard.push(command);
      return Promise.resolve(okay);
    });
    await putToSleep(rig.server);
    const slow = a.ask(1, bodyOf({ command: 'slow', deadline: Date.now() + 20_000 }));
    expect(await a.ask(1, bodyOf({ command: 'late', deadline: Date.now() + 300 }))).toEqual({ is: 'silent' });
    await pause(2700);
    rig.server.resume();
    expect(await slow).toMatchObject({ is: 'answered' });
    expect(await a.ask(1, bodyOf())).toMatchObject({ is: 'answered' });
    // the late copy did arrive, after its deadline: refusing it is the target's
    expect(heard.toSorted()).toEqual(['add', 'late', 'slow']);
    expect(rig.lines).toEqual([]);
  });

  test('a server that accepts no more data is replaced by another, also by one that was down at the start', async () => {
    const other = await rig.another();
    await other.kill();
    const a = await rig.bus({ url: `${rig.server.url},${other.url}`, pingMs: 150 });
    await other.restart();
    await putToSleep(rig.server);
    const data = { text: 'x'.repeat(500_000) };
    const asking = Array.from({ length: 40 }, () =>
      a.ask(1, bodyOf({ data, deadline: Date.now() + 30_000 })),
    );
    expect(new Set((await Promise.all(asking)).map(({ is }) => is))).toEqual(new Set(['silent']));
    expect(a.connected).toBe(false);
    // its socket is full: a connection that waits for its last write would wait for ever
    await until(() => a.connected, 'the other server', 9000);
    const b = await rig.bus({ url: other.url });
    await b.serve(1, saysOkay);
    expect(await a.ask(1, bodyOf())).toMatchObject({ is: 'answered' });
  }, 20_000);

  test('a bus is closed within a bound, whether its server is dead or paused', async () => {
    const [a, b] = [await rig.bus(), await rig.bus()];
    const asking = b.ask(1, bodyOf());
    expect(await asking).toEqual({ is: 'nobody' });
    await putToSleep(rig.server);
    await b.close();
    expect(b.connected).toBe(false);
    expect(await b.ask(1, bodyOf())).toEqual({ is: 'nobody' });
    expect(await b.post(bodyOf())).toBe(false);
    await rig.server.kill();
    await until(() => !a.connected, 'the loss');
    await a.close();
  });

  test('an ask that is open when its bus is closed is silent', async () => {
    const [a, b] = [await rig.bus(), await rig.bus()];
    let heard = 0;
    await b.serve(1, () => {
      heard++;
      return new Promise(() => undefined);
    });
    const asking = a.ask(1, bodyOf({ deadline: Date.now() + 60_000 }));
    await until(() => heard === 1, 'the copy');
    await a.close();
    expect(await asking).toEqual({ is: 'silent' });
  });
});
