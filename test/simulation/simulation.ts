/** One run: a world from a seed, its troubles, its end. */
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { Break } from './breaks.ts';
import { climateOf, clusterClimateOf, heal, trouble, type Climate } from './chaos.ts';
import type { MakeChecker } from './checkers/checker.ts';
import type { Wrong } from './checkers/checkers.ts';
import { billing } from './billing-work.ts';
import { withBrokenActors } from './broken-actors.ts';
import { parts } from './parts.ts';
import { between, chanceOf } from './random.ts';
import { settle, settleMsMax } from './settle.ts';
import { shop } from './shop-work.ts';
import { hermit, hermitId, mayfly, mayflyPrefix, tallyClient } from './tally-work.ts';
import { Versions } from './versions.ts';
import { World, worldStart } from './world.ts';

export interface Run {
  readonly seed: number;
  readonly wrong: Wrong | null;
  /** Virtual events run, and processes started. */
  readonly events: number;
  readonly boots: number;
  /** How long the world lasted, on its own clock. */
  readonly lastedMs: DurationMs;
}

export interface RunOptions {
  readonly seed: number;
  readonly broken?: Break | null;
  readonly laws?: readonly MakeChecker[];
  readonly trace?: (line: string) => void;
}

const troubleMsMax = seconds(60);
/** Sometimes all clients pause, so that actors leave memory in between. */
const slowShare = 0.05;
const slowFactor = 60;
/** Of the seeds that have subscriptions beside their other work. */
const billingShare = 0.15;

/** Runs one seed to its end or to the first broken law. */
export async function simulate(options: RunOptions): Promise<Run> {
  const unheard: unknown[] = [];
  const hear = (thrown: unknown): void => void unheard.push(thrown);
  process.on('unhandledRejection', hear);
  const run = await simulated(options);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  process.off('unhandledRejection', hear);
  if (run.wrong !== null || unheard.length === 0) return run;
  const [first] = unheard;
  const what = first instanceof Error ? (first.stack ?? first.message) : String(first);
  return { ...run, wrong: { rule: 'nothing rejects unheard', what } };
}

async function simulated(options: RunOptions): Promise<Run> {
  const nodes = nodesOf(options.seed);
  const versions = new Versions(options.seed, nodes > 1);
  const { partsOf, outdated } = versions;
  const world = new World({
    nodes,
    ...options,
    parts,
    partsOf: (boot) => withBrokenActors(partsOf(boot), options.broken),
    outdated,
    rowsInCommit: options.seed % 4 === 0,
    endsWithProcess: options.seed % 4 === 0 && nodes === 1,
  });
  const { scheduler } = world;
  const wrong = (): boolean => world.wrong !== null;
  const climate = world.clustered ? clusterClimateOf(world.chance) : climateOf(world.chance);
  const slow = world.chance() < slowShare ? slowFactor : 1;
  for (let count = 0; count < world.nodes; count++) world.boot();
  let [done, healed] = [false, false];
  void Promise.all(workOf(world, slow, climate, versions)).then(() => {
    done = true;
  });
  trouble(world, climate, () => healed);
  await scheduler.run(() => done || wrong(), scheduler.now() + troubleMsMax * slow);
  healed = true;
  heal(world);
  versions.upgrade(world);
  const healedAt = scheduler.now();
  await scheduler.run(() => (done && world.whole) || wrong(), healedAt + settleMsMax);
  if (!done) world.checkers.fail('every caller gets an answer once all is healed', 'a client still waits');
  await settle(world, healedAt);
  if (!wrong()) world.ended();
  while (world.process !== null) world.kill(null, world.process);
  const lastedMs = scheduler.now() - worldStart;
  return { seed: options.seed, wrong: world.wrong, events: scheduler.ran, boots: world.boots, lastedMs };
}

/** Every other seed is a cluster of two to four; one whose rows go with their documents is always one process. */
const nodesOf = (seed: number): number => (seed % 2 === 0 ? 1 : 2 + (Math.floor(seed / 2) % 3));

/** Most seeds have one kind of work, some have both. */
function workOf(
  world: World,
  slow: number,
  { haunted }: Climate,
  { mixed: loud }: Versions,
): readonly Promise<void>[] {
  const { chance } = world;
  const kind = chance();
  const tallies = between(chance, 1, 3);
  const clients = kind < 0.6 ? between(chance, 2, 4) : 0;
  const work: Promise<void>[] = Array.from({ length: clients }, (_, n) =>
    tallyClient(world, {
      client: `c${n}`,
      tallies,
      moves: between(chance, 5, 14),
      pauseMsMax: slow * between(chance, 1, 4000),
      poisoned: chance() < 0.3 ? 0.2 : 0,
      loud,
    }),
  );
  if (kind >= 0.4) {
    work.push(
      shop(world, {
        endpoints: between(chance, 0, 2),
        sessions: between(chance, 1, 3),
        pauseMsMax: slow * between(chance, 1, 8000),
        advances: chance() < 0.2 ? between(chance, 1, 3) : 0,
      }),
    );
  }
  if (chanceOf(world.seed, 'billing')() < billingShare)
    work.push(
      billing(world, {
        subscriptions: between(chance, 1, 2),
        calls: between(chance, 3, 10),
        walks: between(chance, 2, 6),
        pauseMsMax: slow * between(chance, 100, 6000),
      }),
    );
  // an actor that dies young, one that is seldom changed: what a dead process had sent of them lands late
  if (haunted?.prefix === hermitId) work.push(hermit(world, between(chance, 3, 6)));
  const mayflies = haunted?.prefix === mayflyPrefix ? between(chance, 2, 4) : 0;
  for (let n = 0; n < mayflies; n++) work.push(mayfly(world, String(n), slow * between(chance, 1, 3000)));
  return work;
}
