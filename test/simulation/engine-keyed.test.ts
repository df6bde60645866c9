/** Keyed POSTs through the death and the slowness of their doors (the engine's list of demands, by number). */
import { expect, test, vi } from 'vitest';
import { mintId } from '../../src/kernel/id.ts';
import { minutes, seconds } from '../../src/kernel/time.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import { pause } from './client.ts';
import { inWorld, killWhen, longStories, writesOf } from './directed.ts';
import { keyedPost, type Gap, type HttpAnswer, type KeyedPost } from './keyed-post.ts';
import { between, bytesFrom } from './random.ts';
import { orderOf, shopScope } from './shop-work.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const timesEach = 100;

const postIn = (world: World): KeyedPost => ({
  scope: shopScope,
  key: 'ref-1',
  sessionId: mintId('cs', undefined, bytesFrom(world.chance)),
  open: { order: orderOf(() => 0.5, 'ref-1'), lifeMs: minutes(60) },
});

/** One request; null when the connection broke. What a client received is shown to the laws. */
async function request(world: World, at?: (gap: Gap) => Promise<void>): Promise<HttpAnswer | null> {
  const { process } = world;
  if (process?.serving !== true) return null;
  const answer = await world.through(process, keyedPost(world, process, postIn(world), at), null);
  if (answer?.status === 201) {
    world.checkers.replied({ key: 'ref-1', body: answer.body, objectId: answer.sessionId });
  }
  return answer;
}

/** Asks until it is answered. */
async function answered(world: World): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await request(world);
    if (answer?.status === 201) return answer.body;
    await pause(world, 500);
  }
  throw new Error('the key is never answered');
}

async function buyerStarts(world: World): Promise<void> {
  const [session] = world.store.disk.docs('checkout_session');
  const paymentId = mintId('pay', session?.id, bytesFrom(world.chance));
  const data = { paymentId, provider: 'wallet_b', variant: null };
  await world.ask(checkoutSessionAt(session?.id ?? ''), 'start', data, { by: 'buyer', scope: null });
}

const sessions = (world: World): number => world.store.disk.docs('checkout_session').length;

/** A door whose process dies in a gap; whatever that left, the next requests find it. */
async function diesIn(world: World, dies: (world: World) => Promise<HttpAnswer | null>): Promise<void> {
  const first = await dies(world);
  const bodies = [await answered(world), await answered(world)];
  if (first?.status === 201) bodies.push(first.body);
  expect(new Set(bodies).size).toBe(1);
  expect(sessions(world)).toBe(1);
}

const killIn =
  (gap: Gap) =>
  (world: World): Promise<HttpAnswer | null> =>
    request(world, (reached) => {
      if (reached !== gap) return Promise.resolve();
      world.kill(between(world.chance, 1, 300));
      return new Promise(() => undefined);
    });

const fiveGaps: readonly (readonly [string, (world: World) => Promise<HttpAnswer | null>])[] = [
  [
    'before begin is committed',
    (world) => {
      killWhen(world, 'before', (sent) => writesOf(sent, 'idempotency_key').length > 0);
      return request(world);
    },
  ],
  ['between begin and the target', killIn('begin')],
  ['between the target and complete', killIn('open')],
  ['between complete and the answer', killIn('complete')],
  [
    'after the answer has left',
    async (world) => {
      const answer = await request(world);
      world.kill(between(world.chance, 1, 300));
      return answer;
    },
  ],
];

test.each(fiveGaps)('engine test 21: a kill %s, 100 times: one object, equal bytes', async (_gap, dies) => {
  for (let seed = 1; seed <= timesEach; seed++) {
    const world = await inWorld({ seed, rowsInCommit: seed % 2 === 0 }, (world) => diesIn(world, dies));
    expect(world.boots).toBe(2);
  }
});

test('engine test 21: kills at any instant, while the client keeps asking: one object', async () => {
  for (let seed = 1; seed <= timesEach; seed++) {
    await inWorld({ seed, rowsInCommit: seed % 2 === 0 }, async (world) => {
      for (let kills = 0; kills < 4; kills++) {
        world.scheduler.after(between(world.chance, 1, 400), () => world.kill(between(world.chance, 1, 300)));
        await request(world);
        await pause(world, between(world.chance, 100, 900));
      }
      await answered(world);
      expect(sessions(world)).toBe(1);
    });
  }
});

test('engine test 25: a gateway that stalls 60 s between begin and its ask creates nothing twice', async () => {
  for (const takesOverAt of [seconds(35), seconds(65)]) {
    for (const seed of [1, 2, 3, 4]) {
      await inWorld({ seed, rowsInCommit: seed % 2 === 0 }, async (world) => {
        const stalled = request(world, (gap) => pause(world, gap === 'begin' ? seconds(60) : 0));
        await pause(world, seconds(10));
        expect(await request(world)).toEqual({ status: 409 });
        await pause(world, takesOverAt - seconds(10));
        const bodies = [await answered(world)];
        // what the late door will read of it has changed by then
        await buyerStarts(world);
        const late = await stalled;
        if (late?.status === 201) bodies.push(late.body);
        bodies.push(await answered(world));
        expect(new Set(bodies).size).toBe(1);
        expect(sessions(world)).toBe(1);
      });
    }
  }
});
