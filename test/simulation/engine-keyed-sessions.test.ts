/** Keyed POSTs whose session is its own record, through the death and the slowness of their doors, and through the change from
 *  records to sessions (docs/decisions/0039). */
import { expect, test, vi } from 'vitest';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { projectAt } from '../../actors/project/messages.ts';
import { hours, minutes, seconds, type DurationMs } from '../../src/kernel/time.ts';
import { Closing } from '../../src/compose/closing.ts';
import { allNewMs, openKeyedForm, type KeyedFormParts } from '../../src/compose/keyed-form.ts';
import type { Break } from './breaks.ts';
import { withBrokenActors } from './broken-actors.ts';
import { insist, pause } from './client.ts';
import { inWorld, killWhen, longStories, until, writesOf, type StoryOptions } from './directed.ts';
import { atHome, ownerOf } from './homes.ts';
import { changeForm, idKeyOf, keyedPost, type Gap, type HttpAnswer, type KeyedPost } from './keyed-post.ts';
import { parts } from './parts.ts';
import type { Parts, Process } from './process.ts';
import { between } from './random.ts';
import { orderOf, shopProject, shopScope } from './shop-work.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const timesEach = 100;

const postOf = (world: World, key: string, older: boolean): KeyedPost => ({
  older,
  scope: shopScope,
  key,
  // the session's id is derived: this is the one a record would take
  sessionId: `cs_${world.tick().toString(32).padStart(24, '0')}`,
  open: { order: orderOf(() => 0.5, key), lifeMs: minutes(60) },
});

interface Asked {
  readonly key?: string;
  /** The one that serves, by default. */
  readonly at?: Process | null;
  readonly gap?: (gap: Gap) => Promise<void>;
  /** Which processes are of the build before. */
  readonly isOlder?: (process: Process) => boolean;
}

/** One request; null when the connection broke. What a client received is shown to the laws. */
async function request(world: World, asked: Asked = {}): Promise<HttpAnswer | null> {
  const { key = 'ref-1', at = world.serving, gap, isOlder = () => false } = asked;
  if (at?.serving !== true) return null;
  const answer = await world.through(at, keyedPost(world, at, postOf(world, key, isOlder(at)), gap), null);
  if (answer?.status === 201) world.checkers.replied({ key, body: answer.body, objectId: answer.sessionId });
  return answer;
}

/** Asks until it is answered. */
async function answered(world: World, asked: Asked = {}): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await request(world, asked);
    if (answer?.status === 201) return answer.body;
    await pause(world, 500);
  }
  throw new Error('the key is never answered');
}

const sessions = (world: World): readonly SessionState[] =>
  world.store.disk.docs('checkout_session').map(({ body }) => body as unknown as SessionState);

const inForm = (options: StoryOptions, story: (world: World) => Promise<void>): Promise<World> =>
  inWorld(options, async (world) => {
    await changeForm(world, 'none');
    await story(world);
  });

/** A door whose process dies in a gap; whatever that left, the next requests find it. */
async function diesIn(world: World, dies: (world: World) => Promise<HttpAnswer | null>): Promise<void> {
  const first = await dies(world);
  const bodies = [await answered(world), await answered(world)];
  if (first?.status === 201) bodies.push(first.body);
  expect(new Set(bodies).size).toBe(1);
  expect(sessions(world).length).toBe(1);
  expect(world.store.disk.docs('idempotency_key')).toEqual([]);
}

const isCreation = (sent: Parameters<typeof writesOf>[0]): boolean =>
  writesOf(sent, 'checkout_session').some(({ expect: was }) => was === 0);

const fiveGaps: readonly (readonly [string, (world: World) => Promise<HttpAnswer | null>])[] = [
  [
    'before the commit',
    (world) => {
      killWhen(world, 'before', isCreation);
      return request(world);
    },
  ],
  [
    'while the store has the commit and nobody knows',
    (world) => {
      killWhen(world, 'after', isCreation);
      return request(world);
    },
  ],
  [
    'between the commit and the row of its answer, where that is another write',
    (world) => {
      // rows that go with their document are there with it
      if (world.seed % 2 === 0) killWhen(world, 'after', isCreation);
      else
        killWhen(
          world,
          'before',
          (sent) => sent.is === 'rows' && sent.rows.some(({ kind }) => kind === 'keyed_answer'),
        );
      return request(world);
    },
  ],
  [
    'between the commit and the answer',
    (world) =>
      request(world, {
        gap: (reached) => {
          if (reached !== 'openKeyed') return Promise.resolve();
          world.kill(between(world.chance, 1, 300));
          return new Promise(() => undefined);
        },
      }),
  ],
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
    const world = await inForm({ seed, rowsInCommit: seed % 2 === 0 }, (world) => diesIn(world, dies));
    expect(world.boots).toBe(2);
  }
});

test('engine test 21: kills at any instant, while the client keeps asking: one object', async () => {
  for (let seed = 1; seed <= timesEach; seed++) {
    await inForm({ seed, rowsInCommit: seed % 2 === 0 }, async (world) => {
      for (let kills = 0; kills < 4; kills++) {
        world.scheduler.after(between(world.chance, 1, 400), () => world.kill(between(world.chance, 1, 300)));
        await request(world);
        await pause(world, between(world.chance, 100, 900));
      }
      await answered(world);
      expect(sessions(world).length).toBe(1);
    });
  }
});

/** The commits of sessions take so long from now on. */
function slowly(world: World, ms: DurationMs): void {
  world.store.interception.before = (sent) => (writesOf(sent, 'checkout_session').length > 0 ? ms : 'land');
}

test('a second request is a conflict at once while the first one is at the store, and waits after 30 s', async () => {
  for (const seed of [1, 2, 3, 4]) {
    await inForm({ seed, rowsInCommit: seed % 2 === 0 }, async (world) => {
      // the store answers after the door has given up
      slowly(world, seconds(45));
      const first = request(world);
      await pause(world, 20);
      const askedAt = world.scheduler.now();
      expect(await request(world)).toEqual({ status: 409 });
      expect(world.scheduler.now() - askedAt).toBeLessThan(5);
      await pause(world, seconds(28));
      expect(await request(world)).toEqual({ status: 409 });
      await pause(world, seconds(2));
      const late = request(world);
      await pause(world, 100);
      expect(sessions(world)).toEqual([]);
      expect([(await first)?.status, (await late)?.status]).toEqual([503, 503]);
      world.store.interception.before = () => 'land';
      await answered(world);
      expect(sessions(world).length).toBe(1);
    });
  }
});

test('a second request is no conflict once the node of the first door is dead', async () => {
  for (const seed of [1, 2, 3]) {
    await inForm({ seed, nodes: 3 }, async (world) => {
      await answered(world);
      const [doc] = world.store.disk.docs('checkout_session');
      const owner = ownerOf(world, doc?.id ?? '');
      const [door, other] = world.processes.filter((one) => one !== owner);
      if (door === undefined || other === undefined) throw new Error('three processes');
      // the life is over: the next request commits the next number, slowly
      await passDay(world, 1);
      slowly(world, seconds(14));
      const first = request(world, { at: door });
      await pause(world, 100);
      expect(await request(world, { at: other })).toEqual({ status: 409 });
      world.kill(null, door);
      await until(
        world,
        () => !owner.node.client.incarnationsAlive.some((inc) => inc.startsWith(`${door.incarnation}-`)),
      );
      const second = await request(world, { at: other });
      expect([await first, second?.status]).toEqual([null, second?.status]);
      expect(second?.status).not.toBe(409);
      world.store.interception.before = () => 'land';
      await answered(world, { at: other });
      world.boot();
    });
  }
});

/** The test clock of the shop's project. */
async function withClock(world: World): Promise<void> {
  await insist(world, {
    identity: { from: 'k:project', seq: 1, done: 0 },
    to: projectAt(shopProject),
    command: 'open',
    by: 'operator',
    scope: 'system',
    data: { merchantId: 'mer_bb', name: 'Shop', providers: [] },
  });
}

let walks = 0;
/** The life of every key is over. */
async function passDay(world: World, n = ++walks): Promise<void> {
  if (world.store.disk.doc('project', shopProject) === null) await withClock(world);
  const to = world.clockNow(shopScope) + hours(24) + seconds(1);
  const identity = { from: `k:advance.${n}`, seq: 1, done: 0 };
  await insist(world, {
    to: projectAt(shopProject),
    command: 'advanceClock',
    data: { to },
    by: 'system',
    scope: 'system',
    identity,
  });
  await until(world, (doc) => doc('project', shopProject)?.body?.['status'] === 'ready');
}

test('each life of a key is another session, with a number that is committed first, whoever dies between', async () => {
  for (let seed = 1; seed <= 25; seed++) {
    await inForm({ seed, rowsInCommit: seed % 2 === 0, withinMs: minutes(30) }, async (world) => {
      const lives = new Set([await answered(world)]);
      for (const gap of ['next', 'openKeyed', null] as const) {
        await passDay(world, lives.size);
        // dies between the number and the session, or between the session and the answer
        await request(world, {
          gap: (reached) => {
            if (reached !== gap) return Promise.resolve();
            world.kill(between(world.chance, 1, 300));
            return new Promise(() => undefined);
          },
        });
        const bodies = new Set([await answered(world), await answered(world)]);
        expect(bodies.size).toBe(1);
        for (const body of bodies) lives.add(body);
      }
      expect(lives.size).toBe(4);
      const made = sessions(world).map(({ keyed }) => [keyed?.generation, keyed?.latest]);
      expect(made.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
        [1, 4],
        [2, undefined],
        [3, undefined],
        [4, undefined],
      ]);
    });
  }
});

/** Requests with many keys, each repeated at any process, while the form changes. */
async function changing(world: World): Promise<void> {
  const keys = Array.from({ length: 24 }, (_, n) => `ref-${n}`);
  const asks = keys.map(async (key, n) => {
    await pause(world, n * 400);
    for (let copies = 0; copies < 4; copies++) {
      await request(world, { key });
      await pause(world, between(world.chance, 20, 900));
    }
    await answered(world, { key });
  });
  await pause(world, seconds(3));
  await changeForm(world, 'begin');
  await Promise.all(asks);
  const made = sessions(world).map(({ order }) => order.referenceId);
  expect(new Set(made)).toEqual(new Set(keys));
  expect(made.length).toBe(keys.length);
}

const changesWith = (seed: number, broken?: Break): Promise<World> =>
  inWorld({ seed, nodes: 3, ...(broken === undefined ? {} : { broken }) }, async (world) => {
    await changing(world);
    const forms = new Set(sessions(world).map(({ keyed }) => keyed !== undefined));
    expect(forms).toEqual(new Set([true, false]));
  });

test('while nodes learn one after the other that sessions are their own record, each key makes one object', async () => {
  for (let seed = 1; seed <= 12; seed++) await changesWith(seed);
});

test('a build that does not close records while some node still begins them is caught', async () => {
  const outcomes: string[] = [];
  for (let seed = 1; seed <= 12 && outcomes.length === 0; seed++)
    await changesWith(seed, 'recordsStayOpen').catch((error: unknown) => outcomes.push(String(error)));
  expect(outcomes[0]).toMatch(/a keyed POST (makes one object|is answered with the same bytes)/);
});

test('a build that forgets the life of a key at a takeover is caught', async () => {
  const outcomes: string[] = [];
  for (let seed = 1; seed <= 12 && outcomes.length === 0; seed++)
    await forgetting(seed).catch((error: unknown) => outcomes.push(String(error)));
  expect(outcomes[0]).toMatch(/a keyed POST/);
});

async function forgetting(seed: number): Promise<void> {
  const partsOf = (): Parts => withBrokenActors(parts, 'keyForgotten');
  await inForm({ seed, partsOf }, async (world) => {
    await answered(world);
    world.kill(100);
    await pause(world, 500);
    await answered(world);
  });
}

const without = (on: Parts['actors'][number]['on'], command: string): typeof on =>
  Object.fromEntries(Object.entries(on).filter(([name]) => name !== command));

/** The build before: it knows neither keyed sessions nor closed records. */
const olderParts: Parts = {
  ...parts,
  actors: parts.actors.map((actor) => {
    if (actor.kind === 'checkout_session') return { ...actor, schema: 7, on: without(actor.on, 'openKeyed') };
    return actor.kind === 'idempotency_key' ? { ...actor, schema: 1, on: without(actor.on, 'close') } : actor;
  }),
};

const older = ['n:1', 'n:2', 'n:3'];
const isOlder = ({ incarnation }: Process): boolean => older.includes(incarnation);

/** A process of the new build begins to look whether the form may change, as src/main.ts lets it. */
async function looksForForm(world: World, process: Process): Promise<void> {
  const { connection, scheduler, ownership } = process;
  const form: KeyedFormParts = {
    idKey: idKeyOf(process),
    store: connection,
    scheduler,
    ownership,
    cluster: { directory: connection.directory, isMember: () => process.serving },
    log: { warn: () => undefined, error: () => undefined },
  };
  await openKeyedForm(form, new Closing());
}

test('old and new nodes side by side: records until no old node has lived for a minute, then sessions', async () => {
  for (const seed of [1, 2]) {
    const partsOf = (boot: number): Parts => (boot > 3 ? parts : olderParts);
    await inWorld({ seed, nodes: 3, partsOf, withinMs: minutes(10) }, async (world) => {
      world.store.directory.refusesOlder = 'not';
      let over = false;
      let keys = 0;
      const client = async (): Promise<void> => {
        while (!over) {
          const key = `ref-${keys++}`;
          for (let copies = between(world.chance, 1, 4); copies > 0; copies--) {
            await request(world, { key, isOlder });
            await pause(world, between(world.chance, 20, 1500));
          }
          await answered(world, { key, isOlder });
        }
      };
      const clients = [client(), client(), client()];
      await pause(world, seconds(3));
      for (const process of world.processes.slice()) {
        await world.stop(500, process);
        await until(world, () => world.whole && atHome(world));
        // whichever of the build before is left: no session is its own record yet
        expect(sessions(world).every(({ keyed }) => keyed === undefined)).toBe(true);
      }
      const newSince = world.scheduler.now();
      expect(world.processes.some(isOlder)).toBe(false);
      await Promise.all(world.processes.map((process) => looksForForm(world, process)));
      await until(world, () => world.store.disk.rows('cluster_fact').length > 0);
      expect(world.scheduler.now() - newSince).toBeGreaterThan(allNewMs);
      expect(world.store.directory.refusesOlder).toBe('later');
      await pause(world, seconds(20));
      over = true;
      await Promise.all(clients);
      const made = sessions(world);
      expect(made.length).toBe(keys);
      expect(new Set(made.map(({ keyed }) => keyed !== undefined))).toEqual(new Set([true, false]));
    });
  }
});
