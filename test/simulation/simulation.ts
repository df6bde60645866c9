/** One run: a world from a seed, its troubles, its end. */
import { minutes, seconds } from '../../src/kernel/time.ts';
import { climateOf, heal, trouble } from './chaos.ts';
import type { Wrong } from './checkers/checkers.ts';
import { parts } from './parts.ts';
import { between } from './random.ts';
import { tallyClient } from './tally-work.ts';
import { World, type Break } from './world.ts';

export interface Run {
  readonly seed: number;
  readonly wrong: Wrong | null;
  /** Virtual events run, and processes started. */
  readonly events: number;
  readonly boots: number;
}

export interface RunOptions {
  readonly seed: number;
  readonly broken?: Break | null;
  readonly trace?: (line: string) => void;
}

const troubleMsMax = seconds(60);
/** Everything that was begun is over this long after the last trouble. */
const settleMsMax = minutes(12);
const quietMs = seconds(70);

/** Runs one seed to its end or to the first broken law. */
export async function simulate(options: RunOptions): Promise<Run> {
  const world = new World({ ...options, parts, rowsInCommit: options.seed % 4 === 0 });
  const { chance, scheduler } = world;
  const climate = climateOf(chance);
  world.boot();
  const clients = Array.from({ length: between(chance, 2, 4) }, (_, n) => tallyClient(world, {
    client: `c${n}`, tallies: between(chance, 1, 3), moves: between(chance, 5, 14), pauseMsMax: between(chance, 1, 4000),
    poisoned: chance() < 0.3 ? 0.2 : 0,
  }));
  let done = false;
  let healed = false;
  void Promise.all(clients).then(() => {
    done = true;
  });
  trouble(world, climate, () => healed);
  const wrong = (): boolean => world.wrong !== null;
  const started = scheduler.now();
  await scheduler.run(() => done || wrong(), started + troubleMsMax);
  healed = true;
  heal(world);
  const healedAt = scheduler.now();
  await scheduler.run(() => (done && world.process?.serving === true) || wrong(), healedAt + settleMsMax);
  if (!done) world.checkers.fail('every caller gets an answer once all is healed', 'a client still waits');
  await settle(world, healedAt);
  if (!wrong()) world.checkers.ended();
  world.kill(null);
  return { seed: options.seed, wrong: world.wrong, events: scheduler.ran, boots: world.boots };
}

/** Lets the world come to rest: what a dead process sent lands, scans find it, every row is cleared. */
async function settle(world: World, healedAt: number): Promise<void> {
  const { scheduler, store } = world;
  const lateAt = healedAt + quietMs;
  while (world.wrong === null && scheduler.now() < healedAt + settleMsMax) {
    await scheduler.run(() => world.wrong !== null, scheduler.now() + seconds(5));
    const restless = store.disk.docs().some(({ kind, busy, wake }) =>
      busy || (wake !== null && (kind === 'tally' || wake < scheduler.now() + seconds(25))));
    if (!restless && scheduler.now() >= lateAt) return;
  }
}
