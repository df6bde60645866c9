/** A soak: three nodes serve half of the load they can serve, for long, and one of them is killed each minute.
 *  1. Nodes 1 and 2 are killed in turn and started again at once. Node 0 lives all the time: a leak would show there.
 *  2. The first minute is at full load: as many buyers as given, one checkout after the other. What they complete in
 *     its last part is full load; the rest of the run begins half as many checkouts a second, whatever the answers. */
import type { ClusterNode } from '../../src/cli/demo/cluster.ts';
import type { Service } from '../../src/cli/demo/service.ts';
import { startCluster, type ClusterOfTest } from '../support/cluster.ts';
import type { Verdict } from './checker.ts';
import { Crowd } from './crowd.ts';
import { allHealthy } from './ground.ts';
import { History, type Sample } from './history.ts';
import { creating, journey, type Stage } from './journey.ts';
import { pause } from './line.ts';
import { holding, patientOf } from './outside.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** At full load. */
  readonly buyers: number;
  readonly historyFile: string | null;
  readonly say: (text: string) => void;
}

export interface SoakReport extends Verdict {
  readonly fullPerSecond: number;
  readonly kills: number;
  /** From the kill until the node's /health was ok again. */
  readonly backMs: readonly number[];
  /** Nodes that ended while they started; they are started again. */
  readonly failedStarts: number;
  /** Not begun, because too many were under way. */
  readonly heldBack: number;
  readonly creates: Creates;
  /** Answers of 500 and above, and requests cut off, by what was asked; near a kill, and at other times. */
  readonly failedNearKills: ReadonlyMap<string, number>;
  readonly failedOtherwise: ReadonlyMap<string, number>;
  readonly requests: number;
  readonly tookMs: number;
}

/** How long merchants waited until a checkout was acknowledged, repeats included. */
export interface Creates {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
  /** Of those that began when no node had been killed for `nearKillMs`. */
  readonly calmP50Ms: number;
  readonly calmP99Ms: number;
}

export const sampleEveryMs = 10_000;
const minuteMs = 60_000;
const warmUpMs = 15_000;
/** The instant of a minute at which a node is killed. */
const killAtMs = 30_000;
/** A takeover takes 8 s at most; then the node comes back and takes its share. */
const nearKillMs = 15_000;
const underWayMax = 400;
const killed = [1, 2] as const;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const cluster = await startCluster();
  try {
    return await soaked(options, cluster);
  } catch (failure) {
    options.say(cluster.output());
    throw failure;
  } finally {
    await cluster.stop();
  }
}

async function soaked(options: SoakOptions, cluster: ClusterOfTest): Promise<SoakReport> {
  const { seed, buyers, minutes, say } = options;
  const from = Date.now();
  const line = new TimedCrowd();
  const patient = await patientOf({ house: cluster }, seed, line, new History(options.historyFile));
  const load = new Paced({ ...patient.stage, simulates: true });
  const { balancer } = cluster.cluster;
  const watch = new Watch(cluster, line, patient.stage.history, say);
  try {
    const fullPerSecond = await load.full(buyers);
    say(`full load: ${fullPerSecond.toFixed(2)} checkouts a second of ${buyers} buyers`);
    const until = Date.now() + minutes * minuteMs;
    const half = load.begins(fullPerSecond / 2, until);
    const watching = watch.until(until);
    const { kills, backMs, failedStarts } = await killing(cluster, patient.stage, until);
    await Promise.all([half, watching]);
    await allHealthy({ cluster });
    say('the load has ended; everything is read back');
    const verdict = await patient.verdict(load.made);
    const near = ({ sentAt, tookMs }: (typeof balancer.failed)[number]): boolean =>
      isNear(kills, sentAt + tookMs);
    return {
      ...verdict,
      fullPerSecond,
      kills: kills.length,
      backMs,
      failedStarts,
      heldBack: load.heldBack,
      creates: line.creates(kills),
      failedNearKills: byKind(balancer.failed.filter(near)),
      failedOtherwise: byKind(balancer.failed.filter((one) => !near(one))),
      requests: [...balancer.answered.values()].reduce((sum, count) => sum + count, 0),
      tookMs: Date.now() - from,
    };
  } finally {
    load.over = true;
    await patient.close();
  }
}

/** One node each minute; resolves at the end with when each was killed. */
async function killing(
  cluster: ClusterOfTest,
  { line, history }: Stage,
  until: number,
): Promise<Pick<SoakReport, 'backMs' | 'failedStarts'> & { readonly kills: readonly number[] }> {
  const [kills, backMs]: [number[], number[]] = [[], []];
  let failedStarts = 0;
  for (let due = Date.now() + killAtMs; due < until - nearKillMs; due += minuteMs) {
    await pause(Math.max(0, due - Date.now()));
    const at = killed[kills.length % killed.length] ?? 1;
    const node = cluster.node(at);
    const killedAt = Date.now();
    kills.push(killedAt);
    await node.kill();
    history.add({ is: 'life', ends: 'kill', counted: true, inFlight: line.inFlight, downMs: 0 });
    // as a supervisor does
    while (!(await started(node))) failedStarts++;
    backMs.push(Date.now() - killedAt);
  }
  await pause(Math.max(0, until - Date.now()));
  return { kills, backMs, failedStarts };
}

const started = (node: ClusterNode): Promise<boolean> =>
  node.restart().then(
    () => true,
    () => false,
  );

const isNear = (kills: readonly number[], at: number): boolean =>
  kills.some((killedAt) => at >= killedAt && at < killedAt + nearKillMs);

function byKind(failed: readonly { readonly what: string; readonly status: number }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { what, status } of failed) {
    // ids differ, and so do nodes
    const kind = what.replace(/ at .*/, '').replace(/\/[a-z]+_[\w-]+/g, '/{id}');
    const name = `${kind}: ${status === 0 ? 'cut off' : status}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const percentile = (sorted: readonly number[], part: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;

class TimedCrowd extends Crowd {
  private readonly waited: { readonly from: number; readonly ms: number }[] = [];
  private taken = 0;

  override async surely<Value>(what: string, work: () => Promise<Value | null>): Promise<Value> {
    const from = Date.now();
    const value = await super.surely(what, work);
    if (what === creating) this.waited.push({ from, ms: Date.now() - from });
    return value;
  }

  /** Those that were acknowledged since the last call, sorted. */
  taking(): readonly number[] {
    const fresh = this.waited.slice(this.taken);
    this.taken = this.waited.length;
    return fresh.map(({ ms }) => ms).toSorted((a, b) => a - b);
  }

  creates(kills: readonly number[]): Creates {
    const sortedOf = (some: readonly { readonly ms: number }[]): readonly number[] =>
      some.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const all = sortedOf(this.waited);
    const calm = sortedOf(
      this.waited.filter(({ from, ms }) => !isNear(kills, from) && !isNear(kills, from + ms)),
    );
    return {
      count: all.length,
      p50Ms: percentile(all, 0.5) ?? 0,
      p99Ms: percentile(all, 0.99) ?? 0,
      mostMs: all.at(-1) ?? 0,
      calmP50Ms: percentile(calm, 0.5) ?? 0,
      calmP99Ms: percentile(calm, 0.99) ?? 0,
    };
  }
}

/** Checkouts that are begun and paid. */
class Paced {
  made = 0;
  heldBack = 0;
  over = false;
  private done = 0;
  private readonly stage: Stage;
  private readonly underWay = new Set<Promise<void>>();

  constructor(stage: Stage) {
    this.stage = stage;
  }

  /** A minute of so many buyers; what they complete in a second. */
  async full(buyers: number): Promise<number> {
    const until = Date.now() + minuteMs;
    const buyer = async (): Promise<void> => {
      while (!this.over && Date.now() < until) await this.one();
    };
    const all = Promise.all(Array.from({ length: buyers }, buyer));
    await pause(warmUpMs);
    const before = this.done;
    await pause(minuteMs - warmUpMs);
    const perSecond = ((this.done - before) * 1000) / (minuteMs - warmUpMs);
    await all;
    return perSecond;
  }

  /** Begins so many a second; resolves when the last one has ended. */
  async begins(perSecond: number, until: number): Promise<void> {
    const everyMs = 1000 / perSecond;
    for (let due = Date.now(); !this.over && due < until; due += everyMs) {
      await pause(Math.max(0, due - Date.now()));
      if (this.underWay.size >= underWayMax) this.heldBack++;
      else {
        const one = this.one();
        this.underWay.add(one);
        void one.finally(() => this.underWay.delete(one));
      }
    }
    await Promise.all(this.underWay);
  }

  private async one(): Promise<void> {
    await journey(this.stage, ++this.made);
    this.done++;
  }
}

/** Samples into the history. */
class Watch {
  private readonly cluster: ClusterOfTest;
  private readonly line: TimedCrowd;
  private readonly history: History;
  private readonly say: (text: string) => void;
  private before = new Map<number, number>();

  constructor(cluster: ClusterOfTest, line: TimedCrowd, history: History, say: (text: string) => void) {
    this.cluster = cluster;
    this.line = line;
    this.history = history;
    this.say = say;
  }

  async until(end: number): Promise<void> {
    this.sample();
    for (let due = Date.now() + sampleEveryMs; due <= end; due += sampleEveryMs) {
      await pause(Math.max(0, due - Date.now()));
      const sample = this.sample();
      this.history.add(sample);
      this.say(lineOf(sample));
    }
  }

  private sample(): Sample {
    const { answered } = this.cluster.cluster.balancer;
    const waited = this.line.taking();
    const failed = [...answered]
      .map(([status, count]) => [status, count - (this.before.get(status) ?? 0)] as const)
      .filter(([status, count]) => count > 0 && (status === 0 || status >= 500));
    this.before = new Map(answered);
    return {
      is: 'sample',
      at: Date.now(),
      nodes: this.cluster.cluster.nodes.map(({ service }) => heldBy(service)),
      creates: waited.length,
      p50Ms: percentile(waited, 0.5),
      p99Ms: percentile(waited, 0.99),
      failed: Object.fromEntries(failed),
    };
  }
}

/** null: it is dead. */
function heldBy(service: Service): Sample['nodes'][number] {
  try {
    const held = holding(service);
    // it has just died and holds nothing
    return held.rssMiB > 0 ? held : null;
  } catch {
    return null;
  }
}

const lineOf = ({ at, nodes, creates, p50Ms, p99Ms, failed }: Sample): string =>
  [
    new Date(at).toISOString().slice(11, 19),
    ...nodes.map((node) => (node === null ? 'dead' : `${node.rssMiB.toFixed(0)} MiB ${node.descriptors} fd`)),
    `${creates} creates, p50 ${p50Ms ?? '-'} ms, p99 ${p99Ms ?? '-'} ms`,
    JSON.stringify(failed),
  ].join(' | ');
