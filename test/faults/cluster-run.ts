/** One run of faults against a cluster: three real nodes on three nats-servers under load, with repeated
 *  faults, and at the end a complete account of what is stored. One seed is one order of faults and one choice of nodes. */
import { createHash } from 'node:crypto';
import type { FailedRequest } from '../../src/cli/demo/balancer.ts';
import { Shop } from '../../src/cli/demo/shop.ts';
import { startCluster } from '../support/cluster.ts';
import { startNatsCluster, type NatsClientLines } from '../support/nats-cluster.ts';
import { account } from './account.ts';
import { check, type Verdict } from './checker.ts';
import { clusterFaults, type Fault, type Inflicted } from './cluster-faults.ts';
import { Crowd, type Felt } from './crowd.ts';
import { allHealthy, proxied, type Ground } from './ground.ts';
import { History } from './history.ts';
import { journey, type Stage } from './journey.ts';
import { pause } from './line.ts';
import { Proxy } from './proxy.ts';
import { seeded, shuffled } from './random.ts';

export interface ClusterRunOptions {
  readonly seed: number;
  /** Their ids; all by default. */
  readonly faults: readonly string[] | 'all' | 'short';
  /** How long things stay away: as the table of faults has it, or only as long as it takes to matter. */
  readonly long: boolean;
  readonly buyers: number;
  readonly historyFile: string | null;
  readonly say: (text: string) => void;
}

export interface FaultReport extends Felt {
  readonly id: string;
  readonly title: string;
  readonly takeoverMs: number | null;
  /** Checkouts acknowledged from the first harm to the calm after it. */
  readonly accepted: number;
  readonly refused: Refused;
  readonly note: string;
  readonly problems: readonly string[];
}

/** Requests answered 503 from the first harm on. */
export interface Refused {
  readonly count: number;
  /** The longest wait for one of them, and for one sent a second after the first harm or later. */
  readonly slowestMs: number;
  readonly slowestLaterMs: number;
}

export interface ClusterReport extends Verdict {
  readonly seed: number;
  readonly faults: readonly FaultReport[];
  readonly tookMs: number;
}

export async function runCluster(options: ClusterRunOptions): Promise<ClusterReport> {
  const from = Date.now();
  const shop = await Shop.open();
  let parts: Parts | null = null;
  try {
    parts = await opened();
    const run = await Run.begin(options, parts, shop);
    const faults = await run.faults();
    await account(run.stage, run.made, shop);
    const verdict = check(run.stage.history.entries);
    const problems = [
      ...verdict.problems,
      ...faults.flatMap(({ id, problems: own }) => own.map((one) => `${id}: ${one}`)),
    ];
    return { ...verdict, problems, seed: options.seed, faults, tookMs: Date.now() - from };
  } catch (failure) {
    if (parts !== null) options.say(parts.cluster.output());
    throw failure;
  } finally {
    await parts?.stop();
    await shop.close();
  }
}

interface Parts extends Pick<Ground, 'cluster' | 'nats' | 'natsLines' | 'lines'> {
  readonly stop: () => Promise<void>;
}

/** Each node reaches the three servers of NATS through proxies, its own one first; one of them MongoDB, too. */
async function opened(): Promise<Parts> {
  const nats = await startNatsCluster();
  const natsLines: NatsClientLines[] = [];
  const store: Proxy[] = [];
  const closed = async (): Promise<void> => {
    for (const line of store) await line.close();
    await nats.stop();
  };
  try {
    for (const at of nats.servers.keys()) natsLines.push(await nats.client(at));
    const cluster = await startCluster({
      nats: null,
      nodes: natsLines.length,
      beforeNodes: async ({ mongodbUrl }) => void store.push(await Proxy.open(mongodbUrl)),
      envOf: (node, { mongodbUrl }) => ({
        NATS_URL: natsLines[node]?.url ?? '',
        ...(node === proxied ? { MONGODB_URL: store[0]?.through(mongodbUrl) ?? '' } : {}),
      }),
    });
    for (const line of natsLines) line.openAll();
    return {
      cluster,
      nats,
      natsLines,
      lines: { store, bus: natsLines[proxied]?.lines ?? [] },
      async stop() {
        for (const line of store) line.heal();
        await cluster.stop();
        await closed();
      },
    };
  } catch (failure) {
    await closed();
    throw failure;
  }
}

class Run {
  readonly stage: Stage;
  /** Checkouts begun so far. */
  made = 0;
  private readonly options: ClusterRunOptions;
  private readonly ground: Ground;
  private readonly crowd: Crowd;

  private constructor(
    options: ClusterRunOptions,
    crowd: Crowd,
    stage: Stage,
    ground: Omit<Ground, 'nextCheckout'>,
  ) {
    this.options = options;
    this.crowd = crowd;
    this.stage = stage;
    this.ground = { ...ground, nextCheckout: () => ++this.made };
  }

  static async begin(
    options: ClusterRunOptions,
    { cluster, nats, natsLines, lines }: Parts,
    shop: Shop,
  ): Promise<Run> {
    const { mongo } = cluster;
    if (mongo.server === null) throw new Error('servers that were given are nobody to hurt');
    const { seed, long } = options;
    const crowd = new Crowd();
    const history = new History(options.historyFile);
    const { api } = await cluster.merchant();
    await api.must('POST', '/v1/webhooks', { url: `${shop.url}/hooks`, events: ['*'] });
    shop.answering = ({ raw, id, type, objectId }) => {
      history.add({
        is: 'webhook',
        id,
        type,
        objectId,
        hash: createHash('sha256').update(raw).digest('hex'),
      });
      return { status: 200 };
    };
    const stage = { api, line: crowd, history, shopUrl: shop.url, seed, simulates: true };
    return new Run(options, crowd, stage, {
      cluster,
      nats,
      mongod: mongo.server,
      natsLines,
      lines,
      stage,
      crowd,
      probe: await cluster.merchant(),
      random: seeded(seed),
      seconds: (table, short) => pause((long ? table : short) * 1000),
    });
  }

  /** Load, and one fault after the other; resolves when the last buyer is done. */
  async faults(): Promise<readonly FaultReport[]> {
    let over = false;
    const buyer = async (): Promise<void> => {
      while (!over) await journey(this.stage, ++this.made);
    };
    const buyers = Array.from({ length: this.options.buyers }, buyer);
    const reports: FaultReport[] = [];
    try {
      await this.crowd.calm();
      for (const fault of this.order()) {
        const report = await this.one(fault);
        reports.push(report);
        this.options.say(lineOf(report));
      }
    } finally {
      over = true;
      await Promise.all(buyers);
    }
    return reports;
  }

  /** What ends in an error is a problem of this fault; the next ones are tried all the same. */
  private async inflicted(inflict: Fault['inflict']): Promise<Inflicted> {
    const from = Date.now();
    try {
      const found = await inflict(this.ground);
      await allHealthy(this.ground);
      return found;
    } catch (failure) {
      const [line = ''] = String(failure).split('\n');
      this.options.say(this.ground.cluster.output());
      return { hurtAt: from, healedAt: Date.now(), problems: [line] };
    }
  }

  /** Waits for the answers to all that was sent before this: what the fault left in hand at a node is not counted
   *  against the next one, which may end that node. */
  private async answered(sentBefore: number): Promise<boolean> {
    const { balancer } = this.ground.cluster.cluster;
    const until = Date.now() + answeredMsMax;
    while ((balancer.oldestAt ?? Infinity) < sentBefore) {
      if (Date.now() > until) return false;
      await pause(20);
    }
    return true;
  }

  private order(): readonly Fault[] {
    const { faults } = this.options;
    const wanted = clusterFaults.filter(
      ({ id, short }) => faults === 'all' || (faults === 'short' ? short === true : faults.includes(id)),
    );
    return shuffled(this.ground.random, wanted);
  }

  private async one({ id, title, refusedMsMax = Infinity, inflict }: Fault): Promise<FaultReport> {
    const { history } = this.stage;
    const { inFlight } = this.crowd;
    const before = acknowledged(history);
    const { hurtAt, healedAt, takeoverMs = null, note = '', problems = [] } = await this.inflicted(inflict);
    const again = (await this.crowd.calm()) ? [] : ['its clients are still not served as before'];
    if (!(await this.answered(Date.now()))) again.push('a request of its time is not answered');
    history.add({ is: 'life', ends: id, counted: true, inFlight, downMs: Date.now() - hurtAt });
    const felt = this.crowd.felt(hurtAt, healedAt);
    const { failed } = this.ground.cluster.cluster.balancer;
    const refused = refusedOf(failed, hurtAt);
    const slow =
      refused.slowestMs > refusedMsMax
        ? [`a 503 came after ${refused.slowestMs} ms, more than ${refusedMsMax}`]
        : [];
    return {
      id,
      title,
      takeoverMs,
      accepted: acknowledged(history) - before,
      refused,
      note,
      problems: [...problems, ...again, ...slow, ...wronglyRefused(failed, hurtAt)],
      ...felt,
    };
  }
}

/** Longer than any door waits. */
const answeredMsMax = 40_000;
const knownAfterMs = 1000;

function refusedOf(failed: readonly FailedRequest[], hurtAt: number): Refused {
  const all = failed.filter(({ status, sentAt }) => status === 503 && sentAt >= hurtAt);
  const slowest = (some: readonly FailedRequest[]): number =>
    Math.max(0, ...some.map(({ tookMs }) => tookMs));
  const later = all.filter(({ sentAt }) => sentAt >= hurtAt + knownAfterMs);
  return { count: all.length, slowestMs: slowest(all), slowestLaterMs: slowest(later) };
}

/** Who is to come again is told when; the simulator's pages stand for somebody else. */
const wronglyRefused = (failed: readonly FailedRequest[], hurtAt: number): readonly string[] =>
  failed
    .filter(({ what }) => !what.includes(' /sim/'))
    .filter(({ status, sentAt, retryAfter }) => status === 503 && sentAt >= hurtAt && retryAfter === null)
    .map(({ what }) => `${what}: 503 without Retry-After`);

const acknowledged = ({ entries }: History): number =>
  new Set(entries.flatMap((one) => (one.is === 'created' && one.status === 201 ? [one.n] : []))).size;

const inSeconds = (ms: number): string => (ms / 1000).toFixed(1);

export const lineOf = ({
  id,
  title,
  takeoverMs,
  accepted,
  refused,
  overMs,
  longestMs,
  note,
  problems,
}: FaultReport): string =>
  [
    `${id.padEnd(5)} ${title}`,
    `      accepted ${accepted}, longest wait ${inSeconds(longestMs)} s, all well ${inSeconds(overMs)} s after it`,
    `      ${refused.count} times 503, after ${inSeconds(refused.slowestMs)} s at most; ` +
      `from the second second on after ${inSeconds(refused.slowestLaterMs)} s`,
    ...(takeoverMs === null ? [] : [`      taken over in ${inSeconds(takeoverMs)} s`]),
    ...(note === '' ? [] : [`      ${note}`]),
    ...problems.map((one) => `      PROBLEM ${one}`),
  ].join('\n  ');
