/** Rejected commands must not use the memory that the rejection protects. */
import { expect, test } from 'vitest';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import type { RuntimeGauges } from '../../../src/runtime/model/meters.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { embedded } from '../../support/embedded.ts';
import { noMeters } from '../../support/no-meters.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';
import { counter, counterAt } from './counter.ts';

test('an actor that was never loaded uses no memory for the commands it rejected', async () => {
  const scheduler = new VirtualScheduler(1_795_166_100_000);
  let gauges: RuntimeGauges | undefined;
  const store = createSimStore({ scheduler, chance: () => 0.5, rowsInCommit: true });
  const node = new Node({
    actors: [counter, eventLog],
    store: store.connect(),
    scheduler,
    ...embedded('n:1'),
    envelopeText,
    effects: {},
    dispatch: async () => [],
    meters: { ...noMeters, watch: (seen) => (gauges = seen) },
    log: { warn: () => undefined, error: () => undefined },
  });
  const started = node.start();
  await scheduler.pass(100);
  await started;
  // the partition of all of them is full
  node.admission.count(node.admission.partitionOf('cnt_ab0'), 4096);
  const asked = Array.from({ length: 50 }, (_, n) =>
    node.client.ask(counterAt(`cnt_ab${n}`), 'add', { by: 1 }, { by: 'merchant', scope: 'prj_abcd:sandbox' }),
  );
  await scheduler.pass(10);
  expect((await Promise.all(asked)).every((one) => one.is === 'not_executed')).toBe(true);
  expect(gauges?.activations()).toBe(0);
  node.kill();
});
