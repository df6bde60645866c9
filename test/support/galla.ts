/** A running service for tests: started in this process through its own composition root, called over real HTTP.
 *  Boundary: the service alone; test/support/cluster.ts starts several nodes and looks the same from outside.
 *  1. A temporary data folder and a free port for each; `stop` leaves nothing behind.
 *  2. Each test makes itself a merchant: projects share nothing, not even the clock. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../../src/cli/demo/api.ts';
import { start, type Galla as Service, type StartOptions } from '../../src/main.ts';
import { Shop } from '../../src/cli/demo/shop.ts';
import { Merchant } from './merchant.ts';
import { onFatal } from './alone.ts';

export interface DemoKeys {
  readonly secretKey: string;
  readonly publishableKey: string;
}

/** A service as its clients see it, of one node or of many. */
export interface House {
  readonly url: string;
  /** Of each node itself. */
  readonly urls: readonly string[];
  /** Of a merchant who is there from the start. */
  readonly keys: DemoKeys;
  /** The operator. */
  readonly admin: Api;
  /** Somebody without a key. */
  readonly nobody: Api;
  /** A client with any key text. */
  readonly with: (key: string) => Api;
  /** A new merchant with keys of its own. */
  readonly merchant: () => Promise<Merchant>;
  /** A key of a project, as text. */
  readonly key: (projectId: string, fields: KeyFields) => Promise<string>;
  /** A merchant's own server; closed by `stop`. */
  readonly shop: () => Promise<Shop>;
  /** What its processes said last, if they are processes of their own. */
  readonly output: () => string | Promise<string>;
  readonly stop: () => Promise<void>;
}

export interface KeyFields {
  readonly kind: 'secret' | 'publishable';
  readonly mode: 'sandbox' | 'live';
  readonly access?: 'full' | 'read';
}

export interface Galla extends House {
  readonly dataDir: string;
  /** For what no client can bring about. */
  readonly node: Service['node'];
}

/** Starts a service of its own; `env` overrides settings. A data folder that is given stays when it stops. `releases`:
 *  the versions of the API, when they are not those that are released. */
export async function startGalla(
  env: { readonly [name: string]: string } = {},
  releases?: StartOptions['releases'],
): Promise<Galla> {
  const given = env['GALLA_DATA_DIR'];
  const dataDir = given ?? (await mkdtemp(join(tmpdir(), 'galla-test-')));
  const service = await start({
    onFatal,
    // no balancer looks at it, and no test that uses it sends requests while it stops
    drain: { noticeMs: 0, stillComingMs: 0 },
    ...(releases === undefined ? {} : { releases }),
    env: { PORT: '0', GALLA_DATA_DIR: dataDir, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'silent', ...env },
  });
  const keys = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoKeys;
  const admin = new Api(service.url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
  const end = async (): Promise<void> => {
    await service.stop();
    if (given === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  return { ...(await houseOf(admin, end, keys)), dataDir, node: service.node };
}

/** What tests ask of a service, by its operator API; `end` ends the service itself. Without `keys` a merchant is made
 *  to have some. */
export async function houseOf(admin: Api, end: () => Promise<void>, keys?: DemoKeys): Promise<House> {
  const url = admin.baseUrl;
  const shops: Shop[] = [];
  let merchants = 0;
  const key: House['key'] = async (projectId, fields) =>
    (await admin.must('POST', `/admin/v1/projects/${projectId}/keys`, fields)).body.text('key');
  const made = async () => {
    const at = ++merchants;
    const { body } = await admin.must('POST', '/admin/v1/merchants', {
      name: `Shop ${at}`,
      email: `shop${at}@example.com`,
    });
    const projectId = body.text('project.id');
    const secretKey = await key(projectId, { kind: 'secret', mode: 'sandbox' });
    const publishableKey = await key(projectId, { kind: 'publishable', mode: 'sandbox' });
    return { projectId, secretKey, publishableKey };
  };
  return {
    url,
    urls: [url],
    keys: keys ?? (await made()),
    admin,
    key,
    nobody: new Api(url, null),
    with: (text) => new Api(url, text),
    async merchant() {
      const { projectId, secretKey, publishableKey } = await made();
      return new Merchant(projectId, new Api(url, secretKey), new Api(url, publishableKey));
    },
    async shop() {
      const shop = await Shop.open();
      shops.push(shop);
      return shop;
    },
    output: () => '',
    async stop() {
      await end();
      for (const shop of shops) await shop.close();
    },
  };
}
