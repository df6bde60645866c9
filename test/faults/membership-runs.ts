/** Runs by hand about which nodes are alive, against real nodes.
 *  1. Deaths: one of three nodes is killed, and what follows the fence is timed part by part, as the directory and
 *     clients show it.
 *  2. Pauses: nodes stand still for up to 4 s, two of three at a time. None of them may be declared dead. */
import { MongoClient } from 'mongodb';
import { setTimeout as pause } from 'node:timers/promises';
import { sessionLifeMs } from '../../src/runtime/cluster/membership.ts';
import { reserved } from '../../src/store/mongo-schema.ts';
import { startCluster, type ClusterOfTest } from '../support/cluster.ts';

export interface MembershipOptions {
  readonly count: number;
  readonly random: () => number;
  readonly say: (text: string) => void;
}

/** Milliseconds, each from the end of the part before. */
export interface Death {
  /** From the last heartbeat of the node until others may take what it had. */
  readonly fence: number;
  /** Until it was declared dead. */
  readonly noticed: number;
  /** Until no partition named it as its owner. */
  readonly claimed: number;
  /** Until a command was executed for each of the sessions: subscribed, scanned, first commits. */
  readonly served: number;
}

const pauseMsMax = 4000;
const betweenPausesMsMax = 1500;
/** A paused node costs nothing, and an idle one little: many at a time make a thousand pauses a matter of minutes. */
const nodesToPause = 9;
const pausedAtOnce = 6;
const sessionsEach = 40;
const lookEveryMs = 10;
const againMs = 20;
const servedMsMax = 60_000;

interface NodeSeen {
  readonly _id: string;
  readonly hb: number;
  readonly state: string;
}

/** Follows the directory in the database, beside the nodes. */
class Directory {
  readonly lastBeatAt = new Map<string, number>();
  readonly deadAt = new Map<string, number>();
  /** When no partition named a dead node as its owner any more. */
  readonly claimedAt = new Map<string, number>();
  private readonly client: MongoClient;
  private readonly beats = new Map<string, number>();
  private over = false;
  private readonly looking: Promise<void>;

  private constructor(client: MongoClient) {
    this.client = client;
    this.looking = this.look();
  }

  static async open(url: string): Promise<Directory> {
    return new Directory(await new MongoClient(url).connect());
  }

  async close(): Promise<void> {
    this.over = true;
    await this.looking;
    await this.client.close();
  }

  private async look(): Promise<void> {
    const db = this.client.db();
    const nodes = db.collection<NodeSeen>(reserved.nodes);
    const partitions = db.collection(reserved.partitions);
    while (!this.over) {
      const rows = await nodes.find().project<NodeSeen>({ hb: 1, state: 1 }).toArray();
      const now = Date.now();
      for (const { _id, hb, state } of rows) {
        if (this.beats.get(_id) !== hb) this.lastBeatAt.set(_id, now);
        this.beats.set(_id, hb);
        if (state === 'dead' && !this.deadAt.has(_id)) this.deadAt.set(_id, now);
      }
      for (const inc of this.deadAt.keys()) {
        if (this.claimedAt.has(inc)) continue;
        if ((await partitions.countDocuments({ owner: inc })) === 0) this.claimedAt.set(inc, Date.now());
      }
      await pause(lookEveryMs);
    }
  }
}

async function withCluster<Result>(
  work: (cluster: ClusterOfTest, directory: Directory) => Promise<Result>,
  nodes = 3,
): Promise<Result> {
  const cluster = await startCluster({ nodes });
  try {
    const directory = await Directory.open(cluster.mongodbUrl);
    try {
      return await work(cluster, directory);
    } finally {
      await directory.close();
    }
  } finally {
    await cluster.stop();
  }
}

export const deaths = ({ count, random, say }: MembershipOptions): Promise<readonly Death[]> =>
  withCluster(async (cluster, directory) => {
    const merchant = await cluster.merchant();
    const found: Death[] = [];
    for (let done = 0; done < count; done++) {
      const ids = await Promise.all(
        Array.from({ length: sessionsEach }, async () => (await merchant.checkout()).text('id')),
      );
      const before = new Set(directory.deadAt.keys());
      const node = cluster.node(Math.floor(random() * cluster.urls.length));
      await node.kill();
      const killedAt = Date.now();
      await Promise.all(ids.map((id) => untilExecuted(cluster, merchant.api.key ?? '', id, node.url)));
      const servedAt = Date.now();
      const [inc] = [...directory.deadAt.keys()].filter((one) => !before.has(one));
      if (inc === undefined) throw new Error('no node was declared dead');
      const fencedAt = (directory.lastBeatAt.get(inc) ?? killedAt) + sessionLifeMs;
      const deadAt = directory.deadAt.get(inc) ?? servedAt;
      const claimedAt = directory.claimedAt.get(inc) ?? servedAt;
      const death = {
        fence: fencedAt - killedAt,
        noticed: deadAt - fencedAt,
        claimed: claimedAt - deadAt,
        served: servedAt - claimedAt,
      };
      say(`death ${done + 1}: ${JSON.stringify(death)}`);
      found.push(death);
      await node.restart();
    }
    return found;
  });

/** Asks the nodes that live, in turn, until the command was executed. */
async function untilExecuted(cluster: ClusterOfTest, key: string, id: string, gone: string): Promise<void> {
  const doors = cluster.urls.filter((url) => url !== gone);
  const until = Date.now() + servedMsMax;
  for (let at = 0; Date.now() < until; at++) {
    const answer = await fetch(`${doors[at % doors.length]}/v1/checkout/${id}/expire`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(servedMsMax),
    }).catch(() => null);
    await answer?.arrayBuffer();
    // ended by an earlier try whose answer was lost
    if (answer?.status === 200 || answer?.status === 409) return;
    await pause(againMs);
  }
  throw new Error(`${id} was not served within ${servedMsMax} ms`);
}

/** How many nodes were declared dead. */
export const pauses = ({ count, random, say }: MembershipOptions): Promise<number> =>
  withCluster(async (cluster, directory) => {
    let left = count;
    const paused = new Set<number>();
    const lane = async (): Promise<void> => {
      while (left-- > 0) {
        const free = cluster.urls.map((_, at) => at).filter((at) => !paused.has(at));
        const at = free[Math.floor(random() * free.length)] ?? 0;
        paused.add(at);
        cluster.node(at).pause();
        await pause(random() * pauseMsMax);
        cluster.node(at).resume();
        await pause(random() * betweenPausesMsMax);
        paused.delete(at);
        if (left > 0 && left % 100 === 0) say(`${left} pauses left, ${directory.deadAt.size} declared dead`);
      }
    };
    await Promise.all(Array.from({ length: pausedAtOnce }, lane));
    return directory.deadAt.size;
  }, nodesToPause);
