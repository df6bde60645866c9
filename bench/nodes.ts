/** The same load on clusters of one, two and three nodes, each with doors and actors. */
import { Api } from '../src/cli/demo/api.ts';
import { clusterMissing, clusterOn, merchantOf, mongoOf, nodeOf, settled, type Mongo } from './cluster.ts';
import { creates, readsOf } from './scripts.ts';
import { order } from './service.ts';
import {
  alternately,
  spending,
  wrk,
  type Arm,
  type Bench,
  type Load,
  type Measured,
  type Room,
  type Served,
} from './support.ts';

const connections = 64;
const seconds = 2;
const rounds = 3;
const createRounds = 2;
const createRestMs = 6000;
const sessions = 500;

export const nodes: Bench = {
  title: 'One node beside two and three, in a cluster',
  setup:
    `three clusters, each with its own nats-server and its own database on one mongod; wrk, ${connections} ` +
    `connections, as many to each node (of three 21 each), ${rounds} rounds of ${seconds} s in turn after ` +
    `a warm-up (creates: ${createRounds}, each followed by a pause of ${createRestMs / 1000} s), medians. Each ` +
    `read picks one of ${sessions} sessions at random. CPU: all nodes of the cluster together`,
  bound:
    'the machine. Nodes, database, broker and load share its cores. A second node cannot add throughput if one ' +
    'of each already uses both cores. So the table shows only what the distribution costs: with two nodes half of ' +
    'the requests reach a node that does not host the actor, with three two thirds. A command then goes over NATS, ' +
    'and a read asks the owner there. To see how throughput grows with nodes, measure it where each node has its ' +
    'own cores',
  missing: clusterMissing,
  async run(room) {
    const mongo = await mongoOf(room);
    const clusters = [
      await clusterOf(room, mongo, 3),
      await clusterOf(room, mongo, 2),
      await clusterOf(room, mongo, 1),
    ];
    const plain = room.file('plain.lua', creates(false));
    const arm = (of: Subject, path: string, script: string, restMs: number): Arm => ({
      name: ['one node', 'two nodes', 'three nodes'][of.nodes.length - 1] ?? '',
      run: () =>
        spread(of, {
          path,
          seconds,
          connections: Math.round(connections / of.nodes.length),
          script,
          restMs,
          headers: [`Authorization: Bearer ${of.key}`],
        }),
    });
    return [
      ...(await alternately(
        `GET of one session, ${connections} at once`,
        clusters.map((of) => arm(of, '/v1/checkout/', of.reads, 0)),
        rounds,
      )),
      ...(await alternately(
        `POST, a create, ${connections} at once`,
        clusters.map((of) => arm(of, '/v1/checkout', plain, createRestMs)),
        createRounds,
      )),
    ];
  },
};

interface Subject {
  readonly nodes: readonly Served[];
  readonly key: string;
  /** A script that reads sessions it has. */
  readonly reads: string;
  readonly servers: readonly number[];
}

async function clusterOf(room: Room, mongo: Mongo, count: number): Promise<Subject> {
  const cluster = await clusterOn(room, mongo, `nodes${count}`);
  const started: Served[] = [];
  for (let made = 0; made < count; made++) started.push(await nodeOf(room, cluster));
  const [first] = started;
  if (first === undefined) throw new Error('a cluster has nodes');
  await settled(started, cluster);
  const key = await merchantOf(first, cluster);
  const api = new Api(first.url, key);
  const ids: string[] = [];
  for (let made = 0; made < sessions; made++)
    ids.push((await api.must('POST', '/v1/checkout', order)).body.text('id'));
  const idsFile = room.file(`ids-${count}.txt`, `${ids.join('\n')}\n`);
  return {
    nodes: started,
    key,
    reads: room.file(`reads-${count}.lua`, readsOf(idsFile)),
    servers: cluster.pids,
  };
}

/** One wrk per node, all at once, reported as one: rates are added, and the worst 99th percentile is used. */
async function spread(
  of: Subject,
  { path, ...load }: Omit<Load, 'url'> & { path: string },
): Promise<Measured> {
  const spent = spending(
    of.nodes.map(({ pid }) => pid),
    of.servers,
  );
  const each = await Promise.all(of.nodes.map(({ url }) => wrk([], { ...load, url: url + path })));
  const perSecond = each.reduce((sum, one) => sum + one.perSecond, 0);
  const p50Ms = each.reduce((sum, one) => sum + one.p50Ms, 0) / each.length;
  const p99Ms = Math.max(...each.map((one) => one.p99Ms));
  return { perSecond, p50Ms, p99Ms, ...spent(perSecond * load.seconds) };
}
