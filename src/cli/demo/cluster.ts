/** Several nodes of one cluster as separate processes behind a load balancer; killed, paused and started
 *  again.
 *  Boundary: NATS and MongoDB are already running, and their owner stops them.
 *  1. A node keeps its port: the balancer's list never changes.
 *  2. Every wait has a bound, and its failure includes the node's last output. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from './api.ts';
import { Balancer } from './balancer.ts';
import { freePorts, Service, type Ended } from './service.ts';

type Env = { readonly [name: string]: string };

export interface ClusterOptions {
  /** The built entry, `.../dist/src/cli/start.js`. */
  readonly entry: string;
  readonly nodes: number;
  /** The environment of this node: NATS_URL and MONGODB_URL at least. */
  readonly envOf: (node: number) => Env;
}

const readyMsMax = 90_000;

type Start = (env: Env, entry?: string) => Promise<Service>;

export class ClusterNode {
  readonly port: number;
  private readonly start: Start;
  private now: Service;

  constructor(first: Service, start: Start) {
    this.now = first;
    this.port = first.port;
    this.start = start;
  }

  /** The current process, or the last one. */
  get service(): Service {
    return this.now;
  }

  get url(): string {
    return this.now.url;
  }

  get pid(): number {
    return this.now.pid;
  }

  /** `kill -9`. */
  kill(): Promise<Ended> {
    return this.now.kill();
  }

  pause(): void {
    this.now.pause();
  }

  resume(): void {
    this.now.resume();
  }

  /** SIGTERM; resolves when it has left. */
  stop(): Promise<Ended> {
    return this.now.stop();
  }

  /** Starts it again on its port, however it ended; ready when this resolves. `entry`: of another build. */
  async restart(env: Env = {}, entry?: string): Promise<void> {
    if (this.now.running) await this.now.stop();
    this.now = await this.start(env, entry);
  }
}

export class Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly balancer: Balancer;
  /** The operator, through the balancer. */
  readonly admin: Api;
  private readonly folder: string;

  private constructor(nodes: readonly ClusterNode[], balancer: Balancer, adminToken: string, folder: string) {
    this.nodes = nodes;
    this.balancer = balancer;
    this.admin = new Api(balancer.url, adminToken);
    this.folder = folder;
  }

  /** Starts all nodes at once and waits until each is ready. */
  static async start({ entry, nodes, envOf }: ClusterOptions): Promise<Cluster> {
    const balancer = await Balancer.open();
    // nothing is stored there: a single node would keep its database in this folder
    const folder = await mkdtemp(join(tmpdir(), 'galla-cluster-'));
    const adminToken = randomBytes(24).toString('hex');
    const shared: Env = {
      BASE_URL: balancer.url,
      GALLA_ADMIN_TOKEN: adminToken,
      GALLA_SECRETS_KEY: randomBytes(32).toString('base64'),
    };
    const ports = await freePorts(nodes);
    const starting = ports.map(async (port, at) => {
      const start: Start = (env, build = entry) =>
        Service.start({
          dataDir: join(folder, String(at)),
          entry: build,
          port,
          readyMsMax,
          env: { ...shared, ...envOf(at), ...env },
        });
      return new ClusterNode(await start({}), start);
    });
    const settled = await Promise.allSettled(starting);
    const up = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const cluster = new Cluster(up, balancer, adminToken, folder);
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed !== undefined) {
      await cluster.stop();
      throw failed.reason;
    }
    balancer.send(up.map(({ url }) => url));
    return cluster;
  }

  get url(): string {
    return this.balancer.url;
  }

  node(at: number): ClusterNode {
    const found = this.nodes[at];
    if (found === undefined) throw new Error(`there are nodes 0 to ${this.nodes.length - 1}, not ${at}`);
    return found;
  }

  /** The last output of each node. */
  get output(): string {
    return this.nodes
      .map(({ service, port }, at) => `node ${at} (port ${port}, pid ${service.pid}):\n${service.output}`)
      .join('\n');
  }

  /** Stops all at once, first with a signal. */
  stop(): Promise<void> {
    return this.end((node) => {
      // a paused process does not receive signals
      node.resume();
      return node.stop();
    });
  }

  /** Ends all at once by `kill -9`, for those who do not look at how nodes leave. */
  kill(): Promise<void> {
    return this.end((node) => node.kill());
  }

  private async end(how: (node: ClusterNode) => Promise<Ended>): Promise<void> {
    await Promise.all(this.nodes.map(how));
    await this.balancer.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
