/** A world without random faults, for one scenario. All laws are on, and at its end the
 *  world must come to rest like after any run. */
import { minutes, seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { Doc, Write } from '../../src/store/store.ts';
import type { Request } from '../support/simulated/store-sim-line.ts';
import { heal } from './chaos.ts';
import { pause } from './client.ts';
import type { Break } from './breaks.ts';
import { atHome } from './homes.ts';
import { parts } from './parts.ts';
import type { Parts } from './process.ts';
import { settle } from './settle.ts';
import { World } from './world.ts';

/** A busy machine takes its time; nothing in a story depends on how much. */
export const longStories = { testTimeout: 120_000 };

export interface StoryOptions {
  readonly seed?: number;
  readonly rowsInCommit?: boolean;
  readonly endsWithProcess?: boolean;
  /** Processes side by side; 1 by default. */
  readonly nodes?: number;
  readonly partsOf?: (boot: number) => Parts;
  readonly broken?: Break;
  /** How long the story itself may take. */
  readonly withinMs?: DurationMs;
}

const roomyBytes = 64 * 2 ** 20;

/** Runs a story against a process that already serves; throws when a law is broken or the story does not end. */
export async function inWorld(options: StoryOptions, story: (world: World) => Promise<void>): Promise<World> {
  const { seed = 1, withinMs = minutes(5) } = options;
  const world = new World({ parts, ...options, seed });
  const { scheduler } = world;
  world.lateness = { often: 0, msMax: 0 };
  // who is in memory is part of the story
  world.actorBytesMax = roomyBytes;
  for (let count = 0; count < world.nodes; count++) world.boot();
  await scheduler.run(() => world.whole, scheduler.now() + seconds(30));
  if (world.clustered) await scheduler.run(() => atHome(world), scheduler.now() + seconds(30));
  let [over, failed] = [false, null as unknown];
  story(world).then(
    () => {
      over = true;
    },
    (thrown: unknown) => {
      [over, failed] = [true, thrown];
    },
  );
  const ended = await scheduler.run(() => over || world.wrong !== null, scheduler.now() + withinMs);
  if (failed !== null) throw failed;
  if (!ended) world.checkers.fail('a story ends', `it was not over after ${withinMs} ms`);
  world.store.interception.before = () => 'land';
  world.store.interception.after = () => undefined;
  heal(world);
  for (let missing = world.nodes - world.processes.length; missing > 0; missing--) world.boot();
  await settle(world, scheduler.now());
  if (world.wrong === null) world.ended();
  if (world.wrong !== null) throw new Error(`seed ${seed}: ${world.wrong.rule}: ${world.wrong.what}`);
  while (world.process !== null) world.kill(null, world.process);
  return world;
}

/** Both ways a store may write rows, each with these seeds. */
export async function everyWay(
  seeds: number,
  story: (world: World) => Promise<void>,
  withinMs?: DurationMs,
): Promise<void> {
  for (let seed = 1; seed <= seeds; seed++) {
    const options = { seed, rowsInCommit: seed % 2 === 0, ...(withinMs === undefined ? {} : { withinMs }) };
    await inWorld(options, story);
  }
}

/** The writes of one kind in a request. */
export const writesOf = (request: Request, kind: string): readonly Write[] =>
  request.is === 'commit' ? request.writes.filter(({ doc }) => doc.kind === kind) : [];

const lookAgainMs = 15;

/** Waits for a condition on what is durable; the story fails by its own end when it never holds. */
export async function until(
  world: World,
  holds: (doc: (kind: string, id: string) => Doc | null) => boolean,
): Promise<void> {
  while (!holds((kind, id) => world.store.disk.doc(kind, id))) await pause(world, lookAgainMs);
}

/** The process dies at the first moment `now` holds of a request: before it lands, or after. */
export function killWhen(
  world: World,
  when: 'before' | 'after',
  now: (request: Request) => boolean,
  back = 200,
): { done: boolean } {
  const killed = { done: false };
  let struck: Request | null = null;
  const strike = (request: Request): boolean => {
    // a batch travels in parts: none of it arrives
    if (request === struck) return true;
    if (killed.done || !now(request)) return false;
    killed.done = true;
    struck = request;
    world.kill(back);
    return true;
  };
  if (when === 'before') world.store.interception.before = (request) => (strike(request) ? 'drop' : 'land');
  else world.store.interception.after = (request) => void strike(request);
  return killed;
}
