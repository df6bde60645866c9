/** One cluster of three nodes for all files of a run whose stories need no settings of their own and harm no node.
 *  Boundary: vitest's main process keeps it (`setup`); files borrow it with `borrowCluster`.
 *  1. It starts when the first file asks, and stops when no file has used it for a while, or at the end of the run.
 *  2. Projects share nothing: a story that looks at the whole service, or at a node's process, starts a cluster of its
 *     own. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Api } from '../../src/cli/demo/api.ts';
import type { ClusterOfTest } from './cluster.ts';
import type { House } from './galla.ts';

/** The environment variable with the address where files ask for it: none that a service would take for a setting. */
const addressName = 'TESTS_CLUSTER_URL';
/** So long is no file between two that use it. */
const unusedMsMax = 30_000;

class ClusterOfRun {
  private cluster: Promise<ClusterOfTest> | null = null;
  private users = 0;
  private unused: NodeJS.Timeout | undefined;

  async answer({ url }: IncomingMessage): Promise<object> {
    if (url === '/output') return { output: (await this.cluster)?.output() ?? '' };
    if (url === '/leave') return this.left();
    const { admin, urls } = await this.borrowed();
    return { url: admin.baseUrl, urls, adminToken: admin.key };
  }

  async stop(): Promise<void> {
    clearTimeout(this.unused);
    const { cluster } = this;
    this.cluster = null;
    await (await cluster)?.stop();
  }

  private async borrowed(): Promise<ClusterOfTest> {
    clearTimeout(this.unused);
    this.users++;
    // only here: a run that needs no cluster loads none of it
    this.cluster ??= import('./cluster.ts').then(({ startCluster }) => startCluster());
    try {
      return await this.cluster;
    } catch (failure) {
      this.cluster = null;
      this.users--;
      throw failure;
    }
  }

  private left(): object {
    if (--this.users === 0) this.unused = setTimeout(() => void this.stop(), unusedMsMax);
    return {};
  }
}

/** Called by vitest before any worker starts; those inherit the address. Returns what ends it. */
export async function setup(): Promise<() => Promise<void>> {
  // each project of the configuration calls it
  if (process.env[addressName] !== undefined) return async () => undefined;
  const kept = new ClusterOfRun();
  const server = createServer((request, response) => void reply(kept, request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  server.unref();
  process.env[addressName] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    await kept.stop();
    server.closeAllConnections();
    server.close();
  };
}

async function reply(kept: ClusterOfRun, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    response.end(JSON.stringify(await kept.answer(request)));
  } catch (failure) {
    response.statusCode = 500;
    response.end(String(failure));
  }
}

async function ask<Answer>(path: string): Promise<Answer> {
  const address = process.env[addressName];
  if (address === undefined) throw new Error(`${addressName} is not set: vitest.config.ts sets it`);
  const response = await fetch(`${address}${path}`);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

/** The cluster of this run, started if it is not there; `stop` gives it back. */
export async function borrowCluster(): Promise<House> {
  const { houseOf } = await import('./galla.ts');
  const { url, urls, adminToken } = await ask<{
    readonly url: string;
    readonly urls: readonly string[];
    readonly adminToken: string;
  }>('/borrow');
  const house = await houseOf(new Api(url, adminToken), async () => void (await ask('/leave')));
  return { ...house, urls, output: async () => (await ask<{ readonly output: string }>('/output')).output };
}
