/** JetStream loses the newest events that it had acknowledged, as after a power cut. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bus, PublishedEvent } from '../../../src/bus/bus.ts';
import { until } from '../../contract/bus.contract.ts';
import { eventually } from '../../support/eventually.ts';
import { noNatsToStart, openRig, type Rig } from './rig.ts';

const eventOf = (n: number): PublishedEvent => ({
  key: `ctr/1:${n}`,
  pos: n,
  scope: 'prj_x:live',
  event: 'payment.succeeded',
  envelope: JSON.stringify({ n }),
});
const lost = 'error JetStream lost events that it had stored: EVENTS is filled again from the journals';

describe.skipIf(noNatsToStart('a hole in EVENTS'))('a hole in EVENTS', { timeout: 30_000 }, () => {
  let folder: string;
  let rig: Rig;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'galla-hole-'));
    rig = await openRig({ jetstream: false, config: `jetstream { store_dir: "${join(folder, 'data')}" }` });
  });
  afterEach(async () => {
    await rig.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Publishes 1 to 3, then 4 to 6, and takes the second three away again. */
  async function cutBack(buses: readonly [Bus, ...Bus[]]): Promise<void> {
    const [bus] = buses;
    const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
    await bus.publish([1, 2, 3].map(eventOf));
    await rig.server.kill();
    cpSync(data, copy, { recursive: true });
    await rig.server.restart();
    await until(() => bus.connected, 'the connection');
    await bus.publish([4, 5, 6].map(eventOf));
    await rig.server.kill();
    rmSync(data, { recursive: true });
    cpSync(copy, data, { recursive: true });
    await rig.server.restart();
    await until(() => buses.every(({ connected }) => connected), 'the connections');
  }

  const refilledBy = (bus: Bus, fillings: string[]): void =>
    void bus.onEventsLost((made) => {
      fillings.push(made);
      return Promise.resolve(true);
    });

  const wholeOf =
    ({ streams }: JetStreamManager) =>
    (): Promise<true> =>
      eventually(
        async () => {
          const info = await streams.info('EVENTS').catch(() => null);
          return info?.config.description === 'Events of all projects' ? true : null;
        },
        () => 'a stream that is marked as whole',
      );

  test('is seen at the next event, and the stream is filled again and marked as whole', async () => {
    const bus = await rig.bus();
    const fillings: string[] = [];
    refilledBy(bus, fillings);
    const isWhole = wholeOf(await jetstreamManager(await rig.stranger()));
    await isWhole();
    await cutBack([bus]);
    expect(fillings).toHaveLength(1);
    await bus.publish([eventOf(7)]);
    await until(() => fillings.length === 2, 'the filling of the hole');
    // another loss than the creation: whoever fills it does not think that it is done
    expect(fillings[1]).not.toBe(fillings[0]);
    expect(rig.lines).toContain(lost);
    await isWhole();
    await bus.publish([eventOf(8)]);
    expect(rig.lines.filter((line) => line === lost)).toHaveLength(1);
  });

  test('is none when places rise: after a restart, a repeat, or events of other nodes', async () => {
    const [a, b] = [await rig.bus(), await rig.bus()];
    await a.publish([1, 2].map(eventOf));
    await b.publish([3, 4].map(eventOf));
    await a.publish([2, 5].map(eventOf));
    await rig.server.restart();
    await until(() => a.connected && b.connected, 'the connections');
    await Promise.all([
      a.publish([6, 7].map(eventOf)),
      a.publish([8, 9].map(eventOf)),
      b.publish([eventOf(10)]),
    ]);
    expect(rig.lines).not.toContain(lost);
  });
});
