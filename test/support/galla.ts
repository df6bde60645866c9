/** A running service for tests: started in this process through its own composition root, spoken to over real HTTP.
 *  1. A temporary data folder and a free port for each; `stop` leaves nothing behind.
 *  2. Each test makes itself a merchant: projects share nothing, not even the clock. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../../src/cli/demo/api.ts';
import { start } from '../../src/main.ts';
import { Shop } from '../../src/cli/demo/shop.ts';
import { Merchant } from './merchant.ts';

export interface DemoKeys {
  readonly secretKey: string;
  readonly publishableKey: string;
}

export interface Galla {
  readonly url: string;
  readonly dataDir: string;
  readonly keys: DemoKeys;
  /** The operator. */
  readonly admin: Api;
  /** Somebody without a key. */
  readonly nobody: Api;
  /** A client with any key text. */
  with(key: string): Api;
  /** A new merchant with keys of his own. */
  merchant(): Promise<Merchant>;
  /** A key of a project, as text. */
  key(
    projectId: string,
    fields: { kind: 'secret' | 'publishable'; mode: 'sandbox' | 'live'; access?: 'full' | 'read' },
  ): Promise<string>;
  /** A merchant's own server; closed by `stop`. */
  shop(): Promise<Shop>;
  stop(): Promise<void>;
}

/** Starts a service of its own; `env` overrides settings. */
export async function startGalla(env: { readonly [name: string]: string } = {}): Promise<Galla> {
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-test-'));
  const service = await start({
    env: { PORT: '0', GALLA_DATA_DIR: dataDir, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'silent', ...env },
  });
  const { url } = service;
  const keys = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoKeys;
  const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
  const shops: Shop[] = [];
  let merchants = 0;
  const key: Galla['key'] = async (projectId, fields) =>
    (await admin.must('POST', `/admin/v1/projects/${projectId}/keys`, fields)).body.text('key');
  return {
    url,
    dataDir,
    keys,
    admin,
    key,
    nobody: new Api(url, null),
    with: (text) => new Api(url, text),
    async merchant() {
      const at = ++merchants;
      const { body } = await admin.must('POST', '/admin/v1/merchants', {
        name: `Shop ${at}`,
        email: `shop${at}@example.com`,
      });
      const projectId = body.text('project.id');
      const [secret, publishable] = [
        await key(projectId, { kind: 'secret', mode: 'sandbox' }),
        await key(projectId, { kind: 'publishable', mode: 'sandbox' }),
      ];
      return new Merchant(projectId, new Api(url, secret), new Api(url, publishable));
    },
    async shop() {
      const shop = await Shop.open();
      shops.push(shop);
      return shop;
    },
    async stop() {
      await service.stop();
      for (const shop of shops) await shop.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
