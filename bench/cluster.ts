/** Servers and nodes of a cluster, each a process of its own: NATS, MongoDB, and the service as it ships. */
import { randomBytes } from 'node:crypto';
import { Api } from '../src/cli/demo/api.ts';
import { eventually } from '../test/support/eventually.ts';
import { look } from '../test/support/server-parts.ts';
import { mongoForTests, startNats, type TestMongo } from '../test/support/servers.ts';
import type { Room, Served } from './support.ts';

/** Why there can be no cluster here; null when there can. */
export function clusterMissing(): string | null {
  const nats = look('nats-server');
  const none = nats.is === 'missing' ? nats.why : 'NATS_URL was given, and a bench starts NATS itself';
  const whys = [nats.is === 'binary' ? null : none, mongoMissing()].filter((why) => why !== null);
  return whys.length === 0 ? null : whys.join('; ');
}

export function mongoMissing(): string | null {
  const found = look('mongod');
  return found.is === 'missing' ? found.why : null;
}

export interface Mongo {
  url(database: string): string;
  /** Whose CPU its work costs; none when it was given. */
  readonly pids: readonly number[];
}

/** A MongoDB of this room's own, or the one MONGODB_URL names, in databases of its own. */
export async function mongoOf(room: Room): Promise<Mongo> {
  const mongo: TestMongo = await mongoForTests();
  room.later(() => mongo.stop());
  const own = randomBytes(4).toString('hex');
  const { server } = mongo;
  return {
    url: (database) => mongo.url(`galla_bench_${own}_${database}`),
    pids: server === null ? [] : [server.pid()],
  };
}

/** What the nodes of one cluster are given. */
export interface Cluster {
  readonly env: { readonly [name: string]: string };
  readonly adminToken: string;
  readonly natsUrl: string;
  readonly mongodbUrl: string;
  /** Of the servers it has for itself or shares. */
  readonly pids: readonly number[];
}

/** A cluster without nodes yet: a NATS of its own, a database of its own. */
export async function clusterOn(room: Room, mongo: Mongo, name: string): Promise<Cluster> {
  const nats = await startNats();
  room.later(() => nats.stop());
  const adminToken = randomBytes(16).toString('hex');
  const mongodbUrl = mongo.url(name);
  const env = {
    PORT: '0',
    NATS_URL: nats.url,
    MONGODB_URL: mongodbUrl,
    GALLA_ADMIN_TOKEN: adminToken,
    GALLA_SECRETS_KEY: randomBytes(32).toString('base64'),
    GALLA_RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  };
  return { env, adminToken, natsUrl: nats.url, mongodbUrl, pids: [nats.pid(), ...mongo.pids] };
}

export async function nodeOf(room: Room, { env }: Cluster, roles = 'actors,gateways'): Promise<Served> {
  const served = await room.serve('../src/cli/start.js', { ...env, GALLA_ROLES: roles });
  await healthy(served.url);
  return served;
}

const readyMsMax = 30_000;

/** Waits until a node has its partitions and both its servers. */
export async function healthy(url: string): Promise<void> {
  await eventually(
    async () => ((await fetch(`${url}/health`)).status === 200 ? true : null),
    () => `${url} to be healthy`,
    readyMsMax,
  );
}

const stillLooks = 3;
const lookEveryMs = 700;

/** Waits until each of these nodes owns partitions and none moves any more. */
export async function settled(nodes: readonly Served[], { adminToken }: Cluster): Promise<void> {
  const admin = new Api(nodes[0]?.url ?? '', adminToken);
  const seen = { owned: '', times: 0 };
  await eventually(
    async () => {
      const { body } = await admin.must('GET', '/admin/v1/nodes');
      const counts = body.list('data').map((node) => Number(node.at('partitions')));
      const whole = body.list('unowned').length === 0 && counts.filter((n) => n > 0).length === nodes.length;
      const owned = whole ? counts.join(' ') : '';
      seen.times = owned !== '' && owned === seen.owned ? seen.times + 1 : 0;
      seen.owned = owned;
      if (seen.times >= stillLooks) return true;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      return null;
    },
    () => `${nodes.length} nodes to share the partitions`,
    readyMsMax,
  );
}

/** A new merchant's secret sandbox key. */
export async function merchantOf({ url }: Served, { adminToken }: Cluster): Promise<string> {
  const admin = new Api(url, adminToken);
  const { body } = await admin.must('POST', '/admin/v1/merchants', {
    name: 'Bench Pasal',
    email: `bench${randomBytes(4).toString('hex')}@example.com`,
    plan: 'premium',
  });
  const path = `/admin/v1/projects/${body.text('project.id')}/keys`;
  return (await admin.must('POST', path, { kind: 'secret', mode: 'sandbox' })).body.text('key');
}
