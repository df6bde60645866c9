/** Many seeds on all cores: worker processes run them, their verdicts are reported in the order of the seeds.
 *  1. What a seed tells depends on nothing but the seed: not on who ran it, nor on what ran before.
 *  2. All workers run one and the same copy of the code, made when the fleet sets out: whoever edits the tree meanwhile
 *     does not change a run of hours.
 *  3. A worker that dies or hangs is a verdict on the seed it was at; the others go on. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minutes } from '../../src/kernel/time.ts';
import type { Break } from './breaks.ts';
import type { FromWorker, Stint } from './fleet-worker.ts';
import type { Run } from './simulation.ts';

/** Seeds a worker is given at once. */
const stintSeedsMax = 10;
/** Seeds that may be run while an earlier one is not yet decided. */
const seedsAheadMax = 2000;
/** A seed makes much that is soon forgotten, and every core has a worker: none is left for the collector's own threads. */
const execArgv = [
  '--enable-source-maps',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--single-threaded-gc',
];
/** Wall time of one seed; the slowest takes seconds. */
const seedMsMax = minutes(5);

export interface FleetOptions {
  readonly first: number;
  readonly count: number;
  readonly broken: Break | null;
  readonly jobs: number;
  /** Ends it all. */
  readonly stop: AbortSignal;
}

/** Runs the seeds; `hear` gets every run in the order of the seeds and stops all by returning false. */
export async function runFleet(options: FleetOptions, hear: (run: Run) => boolean): Promise<void> {
  const here = dirname(fileURLToPath(import.meta.url));
  const dist = join(here, '..', '..', 'dist');
  await mkdir(dist, { recursive: true });
  const folder = await mkdtemp(join(dist, 'simulation-'));
  try {
    const script = join(folder, 'fleet-worker.js');
    await build({
      entryPoints: [join(here, 'fleet-worker.ts')],
      outfile: script,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: true,
    });
    await new Fleet(options, script, hear).sail();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A worker and the seeds it still has to run. */
interface Hand {
  readonly child: ChildProcess;
  at: number;
  end: number;
  watchdog: NodeJS.Timeout | null;
  hangs: boolean;
}

class Fleet {
  readonly #options: FleetOptions;
  readonly #script: string;
  readonly #hear: (run: Run) => boolean;
  readonly #hands = new Set<Hand>();
  readonly #idle = new Set<Hand>();
  /** Results that must wait for those of earlier seeds. */
  readonly #early = new Map<number, Run>();
  #given: number;
  #heard: number;
  #done: () => void = () => undefined;
  #fail: (why: Error) => void = () => undefined;
  #over = false;

  constructor(options: FleetOptions, script: string, hear: (run: Run) => boolean) {
    this.#options = options;
    this.#script = script;
    this.#hear = hear;
    this.#given = options.first;
    this.#heard = options.first;
  }

  /** Resolves when every seed was reported, or the caller has stopped. */
  async sail(): Promise<void> {
    const over = new Promise<void>((resolve, reject) => {
      [this.#done, this.#fail] = [resolve, reject];
    });
    const { jobs, stop } = this.#options;
    stop.addEventListener('abort', this.#done);
    for (let job = 0; job < jobs; job++) this.#hire([0, 0]);
    try {
      await over;
    } finally {
      this.#over = true;
      for (const { child, watchdog } of this.#hands) {
        if (watchdog !== null) clearTimeout(watchdog);
        child.kill('SIGKILL');
      }
    }
  }

  get #end(): number {
    return this.#options.first + this.#options.count;
  }

  #hire([at, end]: readonly [number, number]): void {
    const child = fork(this.#script, { execArgv });
    const hand: Hand = { child, at, end, watchdog: null, hangs: false };
    this.#hands.add(hand);
    child.on('message', (message: FromWorker) => {
      if (message.is === 'run') {
        hand.at = message.run.seed + 1;
        this.#ran(message.run);
      } else if (hand.at < hand.end) return this.#send(hand, [hand.at, hand.end]);
      this.#next(hand);
    });
    child.on('exit', (code, signal) => this.#lost(hand, signal ?? `code ${code}`));
  }

  /** What a worker does after each seed: the rest of its stint, or a new one. */
  #next(hand: Hand): void {
    if (hand.at < hand.end) return this.#watch(hand);
    if (hand.watchdog !== null) clearTimeout(hand.watchdog);
    const at = this.#given;
    const end = Math.min(at + stintSeedsMax, this.#end);
    if (this.#over || at >= end || end > this.#heard + seedsAheadMax) return void this.#idle.add(hand);
    this.#given = end;
    this.#send(hand, [at, end]);
  }

  #send(hand: Hand, [at, end]: readonly [number, number]): void {
    hand.at = at;
    hand.end = end;
    const stint: Stint = { first: at, count: end - at, broken: this.#options.broken };
    hand.child.send(stint);
    this.#watch(hand);
  }

  #watch(hand: Hand): void {
    if (hand.watchdog !== null) clearTimeout(hand.watchdog);
    hand.watchdog = setTimeout(() => {
      hand.hangs = true;
      hand.child.kill('SIGKILL');
    }, seedMsMax);
  }

  #lost(hand: Hand, how: string): void {
    this.#hands.delete(hand);
    this.#idle.delete(hand);
    if (hand.watchdog !== null) clearTimeout(hand.watchdog);
    if (this.#over) return;
    if (hand.at >= hand.end) return this.#fail(new Error(`a worker that had nothing to do ended by ${how}`));
    const what = hand.hangs ? `it was not over after ${seedMsMax} ms of real time` : `it ended by ${how}`;
    const wrong = { rule: 'a seed comes to its end and leaves its process alive', what };
    this.#ran({ seed: hand.at, wrong, events: 0, boots: 0, lastedMs: 0 });
    this.#hire([hand.at + 1, hand.end]);
  }

  #ran(run: Run): void {
    if (this.#over) return;
    this.#early.set(run.seed, run);
    for (let next = this.#early.get(this.#heard); next !== undefined; next = this.#early.get(this.#heard)) {
      this.#early.delete(this.#heard);
      this.#heard += 1;
      this.#over = !this.#hear(next) || this.#heard === this.#end;
      if (this.#over) return this.#done();
    }
    const idle = [...this.#idle];
    this.#idle.clear();
    for (const hand of idle) this.#next(hand);
  }
}
