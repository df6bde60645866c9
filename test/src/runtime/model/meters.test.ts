/** What a node reports to its meters. */
import { expect, test } from 'vitest';
import { eventLog } from '../../../../actors/event-log/event-log.ts';
import { envelopeText } from '../../../../actors/event-log/envelope.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';
import type { RuntimeGauges, RuntimeMeters } from '../../../../src/runtime/model/meters.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';
import { embedded } from '../../../support/embedded.ts';
import { counter, counterAt } from '../counter.ts';

const scope: Scope = 'prj_abcd:sandbox';
const merchant = { by: 'merchant', scope } as const;

test('turns, commits, asks, late timers and gauges are reported', async () => {
  const told: string[] = [];
  let gauges: RuntimeGauges | null = null;
  const meters: RuntimeMeters = {
    turn: (kind, commands) => void told.push(`turn ${kind} ${commands}`),
    commit: (writes, _tookMs, outcome) => void told.push(`commit ${writes} ${outcome}`),
    ask: (outcome, way) => void told.push(`ask ${outcome} ${way}`),
    read: (from) => void told.push(`read ${from}`),
    timer: (lateMs) => void told.push(`timer ${lateMs < 1000 ? 'in time' : 'late'}`),
    parked: (kind) => void told.push(`parked ${kind}`),
    purged: (kind, count) => void told.push(`purged ${kind} ${count}`),
    watch: (shown) => {
      gauges = shown;
    },
  };
  const scheduler = new VirtualScheduler(1_000_000);
  const node = new Node({
    actors: [counter, eventLog],
    store: createSimStore({ scheduler, chance: () => 0.5, rowsInCommit: true }).connect(),
    scheduler,
    ...embedded('n:1'),
    envelopeText,
    effects: {},
    dispatch: (_scope, entries) => Promise.resolve(entries.map(() => [])),
    log: { warn: () => undefined, error: () => undefined },
    meters,
  });
  const asked = async (command: 'open' | 'no' | 'wakeIn', data: object): Promise<void> => {
    void node.client.ask(counterAt('cnt_ab1'), command, data as never, merchant);
    await scheduler.pass(100);
  };
  void node.start().then(() => node.open());
  await scheduler.pass(100);
  await asked('open', {});
  await asked('no', {});
  await asked('wakeIn', { ms: 50 });
  await scheduler.pass(seconds(1));
  for (const line of [
    'turn counter 1',
    'commit 1 applied',
    'ask ok local',
    'ask refused local',
    'timer in time',
  ])
    expect(told).toContain(line);
  const seen = gauges as RuntimeGauges | null;
  expect(seen?.activations()).toBe(1);
  expect(seen?.mailboxes()).toEqual({ commands: 0, deepest: 0 });
  expect(seen?.partitionsOwned()).toBe(256);
  expect(seen?.outboxOldestMs()).toBe(0);
  expect(seen?.eventLogLag()).toEqual({ toDispatch: 0, toPublish: 0 });
  expect(seen?.effects()).toEqual([]);
  node.kill();
});
