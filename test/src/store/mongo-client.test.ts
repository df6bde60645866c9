/** The driver's monitoring of a server hangs: in virtual time, with a fake driver. */
import { EventEmitter } from 'node:events';
import type { MongoClient } from 'mongodb';
import { beforeEach, expect, test } from 'vitest';
import { seconds } from '../../../src/kernel/time.ts';
import { LastingClient } from '../../../src/store/mongo-client.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

const address = 'db-1:27017';

class Driver extends EventEmitter {
  closed = false;
  connect(): Promise<this> {
    return reachable ? Promise.resolve(this) : Promise.reject(new Error('nobody there'));
  }
  db(name: string): object {
    return { name, of: this };
  }
  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
  looks(): void {
    this.emit('serverHeartbeatStarted', { connectionId: address });
  }
  sees(event: 'serverHeartbeatSucceeded' | 'serverHeartbeatFailed'): void {
    this.emit(event, { connectionId: address });
  }
}

let reachable: boolean;
let time: VirtualScheduler;
let made: Driver[];
let lines: string[];
let lasting: LastingClient;
const [monitorMsMax, underWayMsMax] = [seconds(7), seconds(60)];

beforeEach(() => {
  time = new VirtualScheduler(1_000_000);
  [made, lines, reachable] = [[], [], true];
  lasting = open(time);
});

const open = (
  scheduler: ConstructorParameters<typeof LastingClient>[0]['scheduler'] & object,
): LastingClient =>
  new LastingClient({
    make() {
      const driver = new Driver();
      made.push(driver);
      return driver as unknown as MongoClient;
    },
    database: 'galla',
    monitorMsMax,
    underWayMsMax,
    onWarning: (line) => void lines.push(line),
    scheduler,
  });

const first = (): Driver => made[0] ?? new Driver();
const usedIs = (driver: Driver | undefined): boolean => (lasting.used.client as unknown) === driver;

test('after a check that never ends another client takes over, and the old one is closed when no operation can be in progress', async () => {
  first().looks();
  await time.pass(monitorMsMax + seconds(1));
  expect(made).toHaveLength(2);
  expect(usedIs(made[1])).toBe(true);
  expect(lasting.db).toEqual({ name: 'galla', of: made[1] });
  expect(lines).toEqual([`the driver no longer monitors MongoDB at ${address}: the client is replaced`]);
  await time.pass(underWayMsMax - seconds(2));
  expect(first().closed).toBe(false);
  await time.pass(seconds(3));
  expect([first().closed, made[1]?.closed]).toEqual([true, false]);
});

test('while a server is away the next client takes over when it is connected, and none is left open', async () => {
  reachable = false;
  first().looks();
  await time.pass(seconds(30));
  expect(usedIs(first())).toBe(true);
  expect(lines).toHaveLength(1);
  expect(made.slice(1).every(({ closed }) => closed)).toBe(true);
  reachable = true;
  await time.pass(seconds(1));
  expect(usedIs(made.at(-1))).toBe(true);
  expect(made.filter(({ closed }) => !closed)).toEqual([first(), made.at(-1)]);
});

test.each(['serverHeartbeatSucceeded', 'serverHeartbeatFailed'] as const)(
  'checks that end (%s), however often and however late, change nothing',
  async (event) => {
    for (let look = 0; look < 50; look++) {
      first().looks();
      await time.pass(monitorMsMax - seconds(1));
      first().sees(event);
      await time.pass(seconds(1));
    }
    expect([made.length, lines]).toEqual([1, []]);
  },
);

test('a server that left the set is not monitored any more', async () => {
  first().looks();
  first().emit('serverClosed', { address });
  await time.pass(seconds(60));
  expect(made).toHaveLength(1);
});

test('a process that was paused first processes the answers that arrived meanwhile', async () => {
  const process = time.process();
  const own = open(process);
  const driver = made[1] ?? new Driver();
  driver.looks();
  time.after(20, () => process.hold(() => driver.sees('serverHeartbeatSucceeded')));
  process.freeze(seconds(30));
  await time.pass(seconds(60));
  expect((own.used.client as unknown) === driver).toBe(true);
});

test('after close everything is closed and nothing is opened any more', async () => {
  first().looks();
  await time.pass(monitorMsMax + seconds(1));
  made[1]?.looks();
  await lasting.close();
  await time.pass(seconds(60));
  expect(made.map(({ closed }) => closed)).toEqual([true, true]);
});
