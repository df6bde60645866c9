/** A lease that was taken and not yet scanned: commands wait, and nothing is answered. */
import { expect, test } from 'vitest';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { OwnsEverything } from '../../../src/runtime/cluster/ownership.ts';
import { alwaysValid, PartitionLease } from '../../../src/runtime/cluster/partition-lease.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { chanceOf } from '../../simulation/random.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';
import { embedded } from '../../support/embedded.ts';
import { counter, counterAt } from './counter.ts';

const scope = 'prj_abcd:live' as const;
const merchant = { by: 'merchant', scope } as const;
const at = counterAt('cnt_aba');

/** Has just taken everything, and has scanned nothing of it. */
class JustTook extends OwnsEverything {
  taken: PartitionLease | undefined;
  override leaseOf(): PartitionLease | undefined {
    return this.taken;
  }
}

test('a command for a partition before its scan is over waits, and is executed then, once', async () => {
  const scheduler = new VirtualScheduler(1_000_000);
  const sim = createSimStore({ scheduler, chance: chanceOf(1, 'opening'), rowsInCommit: false });
  const ownership = new JustTook('n:1');
  const parts = { scheduler, envelopeText, effects: {}, dispatch: async () => [] };
  const log = { warn: () => undefined, error: () => undefined };
  const store = sim.connect();
  const node = new Node({
    actors: [counter, eventLog],
    store,
    ...embedded('n:1'),
    ownership,
    ...parts,
    log,
  });
  const lease = new PartitionLease({
    partition: 0,
    slots: { from: 0, to: 1024 },
    epoch: 7,
    session: alwaysValid,
    scheduler,
    store,
  });
  ownership.taken = lease;
  const heard: unknown[] = [];
  const hear = (result: unknown): void => void heard.push(result);
  void node.client.ask(at, 'open', {}, merchant).then(hear);
  void node.client.ask(at, 'add', { by: 1 }, merchant).then(hear);
  void Promise.resolve(node.client.read(at, scope)).then(hear);
  await scheduler.pass(seconds(5));
  // the store itself may be read by anybody: there is nothing yet
  expect(heard).toEqual([null]);
  expect(sim.disk.docs('counter')).toEqual([]);

  lease.serve();
  await scheduler.pass(seconds(1));
  expect(heard.slice(1)).toMatchObject([{ is: 'ok' }, { is: 'ok', detail: { count: 1 } }]);
  expect(sim.disk.doc('counter', at.id)).toMatchObject({ e: 7, body: { count: 1 } });
  node.kill();
});

test('once a lease has ended, nobody is notified that it may act or send', async () => {
  const scheduler = new VirtualScheduler(1_000_000);
  const sim = createSimStore({ scheduler, chance: chanceOf(1, 'opening'), rowsInCommit: false });
  const store = sim.connect();
  const options = { partition: 0, slots: null, epoch: 1, session: alwaysValid, scheduler, store };
  const lease = new PartitionLease(options);
  let sent = false;
  void lease.untilMaySend().then(() => {
    sent = true;
  });
  const acts = lease.toAct();
  lease.end();
  expect(await acts).toBe(false);
  await scheduler.pass(seconds(5));
  expect(sent).toBe(false);
  expect([lease.maySend, lease.stands]).toEqual([false, false]);
});

test('a new owner of pending work notifies watchers, because the last owner may have died before', async () => {
  const scheduler = new VirtualScheduler(1_000_000);
  const sim = createSimStore({ scheduler, chance: chanceOf(1, 'opening'), rowsInCommit: false });
  const boot = (epoch: number): Node => {
    const store = sim.connect();
    const ownership = new JustTook(`n:${epoch}`);
    const standing = alwaysValid;
    ownership.taken = new PartitionLease({
      partition: 0,
      slots: null,
      epoch,
      session: standing,
      scheduler,
      store,
    });
    ownership.taken.serve();
    return new Node({
      actors: [counter, eventLog],
      store,
      scheduler,
      ...embedded(`n:${epoch}`),
      ownership,
      envelopeText,
      effects: { fetch: { atOnce: 1, run: () => new Promise(() => undefined) } },
      dispatch: async () => [],
      log: { warn: () => undefined, error: () => undefined },
    });
  };
  const first = boot(1);
  void first.client.ask(at, 'open', {}, merchant);
  void first.client.ask(at, 'fetch', { n: 1 }, merchant);
  await scheduler.pass(seconds(1));
  first.kill();

  const second = boot(2);
  let notices = 0;
  second.client.watch(at.id, () => notices++);
  void second.actors.wake('counter', at.id);
  await scheduler.pass(seconds(5));
  expect(sim.disk.doc('counter', at.id)).toMatchObject({ e: 2 });
  expect(notices).toBe(1);
  second.kill();
});
