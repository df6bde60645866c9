/** An answer that carries what its actor has committed. */
import { expect, test } from 'vitest';
import { eventLog } from '../../../../actors/event-log/event-log.ts';
import { envelopeText } from '../../../../actors/event-log/envelope.ts';
import { realScheduler } from '../../../../src/kernel/time.ts';
import type { AnyActor } from '../../../../src/runtime/model/actor.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';
import type { Asking } from '../../../../src/runtime/model/client.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import { embedded } from '../../../support/embedded.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { counter, counterAt } from '../counter.ts';

const scope: Scope = 'prj_abcd:sandbox';
const merchant: Asking = { by: 'merchant', scope, shows: true };
const to = counterAt('cnt_ab1');

async function started(rowsInCommit: boolean, kind: AnyActor = counter): Promise<Node['client']> {
  const store = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit });
  Object.assign(store.weather, { latencyMsMin: 0, latencyMsMax: 1 });
  const node = new Node({
    actors: [kind, eventLog],
    store: store.connect(),
    scheduler: realScheduler,
    ...embedded('n:1'),
    envelopeText,
    effects: {},
    dispatch: (_scope, entries) => Promise.resolve(entries.map(() => [])),
    log: { warn: () => undefined, error: () => undefined },
  });
  await node.start();
  node.open();
  return node.client;
}

for (const rowsInCommit of [true, false])
  test(`an answer shows what a read shows then, rows ${rowsInCommit ? 'in' : 'after'} the commit`, async () => {
    const client = await started(rowsInCommit);
    await client.ask(to, 'open', {}, merchant);
    const added = await client.ask(to, 'add', { by: 2 }, merchant);
    expect(added).toMatchObject({ is: 'ok', shown: await client.read(to, scope) });
    // its rows are written before it is answered
    expect((await client.readRow('count', 'row_ab1', scope))?.body).toMatchObject({ count: 2 });
    const refused = await client.ask(to, 'no', {}, merchant);
    expect(refused).toMatchObject({ is: 'refused', code: 'no', shown: await client.read(to, scope) });
  });

test('a command whose commit stands is answered ok, also when the view of its actor throws', async () => {
  const view: typeof counter.view = (state, meta) => {
    if (state.count > 1) throw new Error('no view');
    return counter.view(state, meta);
  };
  const client = await started(true, { ...counter, view } as AnyActor);
  await client.ask(to, 'open', {}, merchant);
  const added = await client.ask(to, 'add', { by: 2 }, merchant);
  expect(added).toEqual({ is: 'ok', v: 2, detail: { count: 2 } });
  expect(await client.ask(to, 'add', { by: -2 }, merchant)).toMatchObject({ is: 'ok', detail: { count: 0 } });
});

test('nothing is shown to who does not ask for it, to another scope, or of what is gone', async () => {
  const client = await started(true);
  const { shows: _shows, ...silent } = merchant;
  expect(await client.ask(to, 'open', {}, silent)).not.toHaveProperty('shown');
  const foreign = { ...merchant, scope: 'prj_other:sandbox' } as const;
  expect(await client.ask(to, 'add', { by: 1 }, foreign)).not.toHaveProperty('shown');
  expect(await client.ask(to, 'close', {}, merchant)).not.toHaveProperty('shown');
});
