import { expect, test } from 'vitest';
import { checkEveryMs, waitingMax } from '../../../gateways/socketio/change-feed.ts';
import { todayEveryMs } from '../../../gateways/socketio/day-counter.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { pay, picks, opens, running, says } from '../../actors/checkout-session/buyer.ts';
import { quiet } from '../buyer/till.ts';
import { Ear, Scene, session } from './scene.ts';

/** A shop with one open session, and a feed that has begun. */
async function begun(): Promise<{ scene: Scene; ear: Ear }> {
  const scene = new Scene();
  scene.opens(0);
  const ear = new Ear(scene);
  await ear.feed.initialState();
  ear.changes.splice(0);
  return { scene, ear };
}

const viewOf = (scene: Scene, n: number): unknown => scene.sessions.get(session(n))?.view;

test('a commit is sent as the objects it changed, complete, each with its own sequence', async () => {
  const { scene, ear } = await begun();
  const id = scene.opens(1);
  await quiet();
  expect(ear.changes).toEqual([{ object: 'checkout', id, sequence: 1, data: viewOf(scene, 1) }]);
  scene.happens(id, (story) => says(running(story).wait(4000), 'paid'));
  await quiet();
  const [, payment, checkout] = ear.changes;
  expect(payment).toMatchObject({
    object: 'payment',
    id: pay(1),
    data: { status: 'success', sessionId: id },
  });
  expect(payment?.data).toEqual(scene.sessions.get(id)?.rows('payment')[0]);
  expect(checkout).toMatchObject({ object: 'checkout', id, data: { status: 'success', paymentId: pay(1) } });
});

test('a commit that changes no visible object is not sent', async () => {
  const { scene, ear } = await begun();
  const id = scene.opens(1);
  await quiet();
  for (let times = 0; times < 3; times++) {
    scene.notice(id);
    await quiet();
  }
  for (const id of [
    'prj_x:sandbox',
    'we_n9bpy9ep30dg728y8n6r6p5w',
    'abcdefghjkmnpqrstvwxyz01',
    'cs_',
    '__proto___x',
  ])
    scene.notice(id);
  await quiet();
  expect(ear.changes).toHaveLength(1);
});

test('notices that arrive during a read of an actor cause one more read, and the last state is sent', async () => {
  const { scene, ear } = await begun();
  const id = scene.opens(1);
  await quiet();
  scene.reads.splice(0);
  let go = (): void => undefined;
  scene.gate = new Promise((resolve) => (go = resolve));
  scene.happens(id, (story) => picks(story, 1));
  scene.happens(id, (story) => opens(story));
  scene.happens(id, (story) => says(story.wait(4000), 'paid'));
  expect(scene.reads.filter((read) => read === id)).toHaveLength(1);
  scene.gate = null;
  go();
  await quiet();
  expect(scene.reads.filter((read) => read === id)).toHaveLength(2);
  const told = ear.said('payment');
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  expect(ear.changes.at(-1)?.data).toEqual(viewOf(scene, 1));
});

test('a socket that joins during a change receives it once: in its snapshot or right after', async () => {
  const { scene, ear } = await begun();
  const joining = ear.feed.join();
  let go = (): void => undefined;
  scene.gate = new Promise((resolve) => (go = resolve));
  const asked = ear.feed.initialState();
  await quiet();
  scene.gate = null;
  // committed after the lists were read, told before the snapshot is
  const id = scene.opens(1);
  await quiet();
  expect(ear.said('checkout')).toEqual([1]);
  go();
  const beginning = await asked;
  expect(beginning.checkouts.map((view) => view['id'])).toEqual([session(0)]);
  expect(joining.missed(beginning).changes.map((change) => change.id)).toEqual([id]);
  const late = ear.feed.join();
  expect(late.missed(await ear.feed.initialState())).toEqual({ changes: [], today: null });
});

test('a change found by a snapshot before its notice is sent to the others, and to nobody twice', async () => {
  const { scene, ear } = await begun();
  const id = scene.opens(1, { quietly: true });
  const joining = ear.feed.join();
  const beginning = await ear.feed.initialState();
  expect(ear.changes.map((change) => change.id)).toEqual([id]);
  expect(joining.missed(beginning).changes).toEqual([]);
  scene.notice(id);
  await quiet();
  expect(ear.changes).toHaveLength(1);
});

test('a lost notice is recovered within fifteen seconds: from the journal', async () => {
  const { scene, ear } = await begun();
  const id = scene.opens(1, { quietly: true });
  scene.happens(id, (story) => says(running(story).wait(4000), 'paid'), { quietly: true });
  await quiet();
  expect(ear.changes).toEqual([]);
  await scene.clock.pass(checkEveryMs);
  expect(ear.changes.map(({ object, data }) => [object, data['status']])).toEqual([
    ['payment', 'success'],
    ['checkout', 'success'],
  ]);
  await scene.clock.pass(checkEveryMs);
  expect(ear.changes).toHaveLength(2);
});

test('a lost notice without an event is recovered too, while the object is still open', async () => {
  const { scene, ear } = await begun();
  const id = scene.opens(1);
  await quiet();
  scene.happens(id, (story) => running(story), { quietly: true });
  expect(scene.journal.filter((row) => row.owner.id === id)).toHaveLength(1);
  await scene.clock.pass(checkEveryMs);
  expect(ear.said('payment')).toHaveLength(1);
});

test('an object already sent is not read again for its event', async () => {
  const { scene, ear } = await begun();
  const id = scene.opens(1);
  scene.happens(id, (story) => says(running(story).wait(4000), 'paid'));
  await quiet();
  expect(ear.said('payment')).toHaveLength(1);
  scene.reads.splice(0);
  await scene.clock.pass(checkEveryMs);
  expect(scene.reads).toContain('journal');
  expect(scene.reads).not.toContain(id);
});

test('a delivery whose notices were all lost is found by its event', async () => {
  const { scene, ear } = await begun();
  const id = scene.opens(1);
  const delivery = scene.delivers({ quietly: true });
  await scene.clock.pass(2 * checkEveryMs);
  expect(ear.said('delivery')).toHaveLength(1);
  const answered = { is: 'answered', status: 200, body: '', durationMs: 3, retryAfterMs: null } as const;
  const result = { result: answered, sentAt: scene.clock.now(), endpointFailing: false };
  scene.deliveryHappens(delivery, (story) => story.settle('webhook.post', result), { quietly: true });
  await scene.clock.pass(checkEveryMs);
  const last = ear.changes.at(-1);
  expect(last).toMatchObject({ object: 'delivery', id: delivery, data: { status: 'success', attempts: 1 } });
  expect(last?.data['payload']).toMatchObject({ data: { id } });
});

test('a delivery is sent when its visible part changes, however often it is committed', async () => {
  const { scene, ear } = await begun();
  scene.opens(1);
  const delivery = scene.delivers();
  await quiet();
  expect(ear.said('delivery')).toHaveLength(1);
  scene.deliveryHappens(delivery, (story) => story.when('awaitEnd', { deliveryId: delivery }));
  await quiet();
  expect(scene.deliveries.get(delivery)?.doc?.v).toBe(2);
  expect(ear.said('delivery')).toEqual([1]);
});

test('when the bus is back everything is checked at once', async () => {
  const { scene, ear } = await begun();
  const id = scene.opens(1, { quietly: true });
  await ear.feed.check(true);
  expect(ear.changes.map((change) => change.id)).toContain(id);
});

test('a store that does not answer loses nothing: noticed objects are read when it answers again', async () => {
  const { scene, ear } = await begun();
  scene.silent = true;
  const id = scene.opens(1);
  await quiet();
  await scene.clock.pass(seconds(20));
  expect([ear.changes, ear.feed.depth > 0]).toEqual([[], true]);
  expect(scene.warnings).toBeLessThan(6);
  await expect(ear.feed.initialState()).rejects.toThrow('the disk is away');
  scene.silent = false;
  await scene.clock.pass(seconds(2));
  expect([ear.changes.map((change) => change.id), ear.feed.depth]).toEqual([[id], 0]);
});

test('the totals of the day follow a change, once a second at most, and are correct at the end', async () => {
  const { scene, ear } = await begun();
  await scene.clock.pass(seconds(3));
  ear.days.splice(0);
  for (let n = 1; n <= 5; n++) {
    scene.opens(n);
    await scene.clock.pass(300);
  }
  await scene.clock.pass(seconds(2));
  const gaps = ear.days.slice(1).map(({ at }, n) => at - (ear.days[n]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(todayEveryMs);
  expect(ear.days.at(-1)?.today).toEqual({ paidCount: 0, paidAmount: 0, failedCount: 0, openCount: 6 });
  const before = ear.days.length;
  scene.happens(session(1), (story) => says(running(story).wait(4000), 'paid'));
  await scene.clock.pass(seconds(3));
  expect(ear.days).toHaveLength(before + 1);
  expect(ear.days.at(-1)?.today).toMatchObject({ paidCount: 1, paidAmount: 125_050 });
  await scene.clock.pass(seconds(40));
  expect(ear.days).toHaveLength(before + 1);
});

test('more changes than can be read end the feed, and say so once', async () => {
  const { scene, ear } = await begun();
  scene.gate = new Promise(() => undefined);
  for (let n = 0; n < waitingMax + 100; n++) scene.notice(mintId('cs'));
  expect([ear.overruns, ear.feed.depth <= 16, scene.watchers.size]).toEqual([1, true, 0]);
});

test('a closed feed sends nothing more', async () => {
  const { scene, ear } = await begun();
  ear.feed.close();
  scene.opens(1);
  await scene.clock.pass(seconds(60));
  expect([ear.changes, scene.watchers.size, scene.clock.isAwaited]).toEqual([[], 0, false]);
});
