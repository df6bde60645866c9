/** A cluster for tests: nats-server, mongod and some nodes as real processes behind a load balancer, spoken to over
 *  HTTP like a service of one.
 *  1. Where servers were given by NATS_URL and MONGODB_URL they are used, in a database of the test's own.
 *  2. `stop` leaves nothing behind: no process, no folder, no database. It kills the nodes: a test that looks at how one
 *     leaves stops that node itself. */
import { fileURLToPath } from 'node:url';
import { Cluster, type ClusterNode } from '../../src/cli/demo/cluster.ts';
import { houseOf, type House } from './galla.ts';
import { find, missing, missingToHurt } from './server-parts.ts';
import { mongoForTests, startNats, type NatsOptions, type RunningServer, type TestMongo } from './servers.ts';

export const entry = fileURLToPath(new URL('../../dist/src/cli/start.js', import.meta.url));

export interface ClusterOfTest extends House {
  readonly cluster: Cluster;
  readonly output: () => string;
  node(at: number): ClusterNode;
  /** null: it was given, and must not be harmed. */
  readonly nats: RunningServer | null;
  readonly mongo: TestMongo;
  /** The database all nodes share. */
  readonly mongodbUrl: string;
}

type Env = { readonly [name: string]: string };

export interface Servers {
  readonly natsUrl: string;
  readonly mongodbUrl: string;
}

export interface ClusterSpec {
  /** Of another build than this one. */
  readonly entry?: string;
  readonly nodes?: number;
  /** null: its owner has started it, and `envOf` says where it is. */
  readonly nats?: NatsOptions | null;
  readonly env?: Env;
  /** Settings of one node only, for example to reach the servers through a proxy. */
  readonly envOf?: (node: number, servers: Servers) => Env;
  /** The nodes the balancer sends to; all by default. */
  readonly behind?: readonly number[];
  /** Called when the servers are there and no node is yet. */
  readonly beforeNodes?: (servers: Servers) => Promise<void>;
}

/** How long a cluster may take to come up; for hooks. */
export const clusterMsMax = 180_000;

/** Starts servers and nodes; all or nothing. */
export async function startCluster(spec: ClusterSpec = {}): Promise<ClusterOfTest> {
  const { nodes = 3, env = {}, envOf, behind, beforeNodes, entry: build = entry } = spec;
  const found = find('nats-server');
  const nats = found.is === 'given' || spec.nats === null ? null : await startNats(spec.nats);
  const natsUrl = found.is === 'given' ? found.url : (nats?.url ?? '');
  let mongo: TestMongo | null = null;
  try {
    const opened = await mongoForTests();
    mongo = opened;
    const mongodbUrl = opened.url(`galla_test_${process.pid}_${Date.now().toString(36)}`);
    const servers = { natsUrl, mongodbUrl };
    await beforeNodes?.(servers);
    const cluster = await Cluster.start({
      entry: build,
      nodes,
      envOf: (at) => ({
        NATS_URL: natsUrl,
        MONGODB_URL: mongodbUrl,
        GALLA_RATE_LIMITS: 'off',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on',
        LOG_LEVEL: 'warn',
        ...env,
        ...envOf?.(at, servers),
      }),
    });
    if (behind !== undefined) cluster.balancer.send(behind.map((at) => cluster.node(at).url));
    const house = await houseOf(cluster.admin, async () => {
      await cluster.kill();
      await Promise.all([opened.stop(), nats?.stop()]);
    });
    return {
      ...house,
      cluster,
      urls: cluster.nodes.map(({ url }) => url),
      output: () => cluster.output,
      node: (at) => cluster.node(at),
      nats,
      mongo: opened,
      mongodbUrl,
    };
  } catch (failure) {
    await mongo?.stop();
    await nats?.stop();
    throw failure;
  }
}

/** Whether a suite that needs a cluster must be skipped; said loudly. */
export const missingCluster = (suite: string): boolean =>
  [missing('nats-server', suite), missing('mongod', suite)].includes(true);

/** The same, of a suite that hurts its servers. */
export const missingClusterToHurt = (suite: string): boolean =>
  [missingToHurt('nats-server', suite), missingToHurt('mongod', suite)].includes(true);
