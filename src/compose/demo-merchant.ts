/** The merchant created by a first start, so that a new user can call the service at once. Uses our own
 *  operator API. */
import { readText, writeText } from './data-dir.ts';
import { isLoopback } from '../kernel/loopback.ts';
import type { Settings } from '../config.ts';

/** Sandbox keys and a login created by us; the only ones ever stored in clear. */
export interface DemoMerchant {
  readonly merchantId: string;
  readonly projectId: string;
  readonly email: string;
  readonly password: string;
  /** Absent in files written by versions without a dashboard. */
  readonly opensDashboard?: boolean;
  readonly secretKey: string;
  readonly publishableKey: string;
}

const file = 'demo.json';

/** Posts to our own API, and returns the answer's JSON. Rejects for any answer but 2xx. */
type Call = (path: string, body: object) => Promise<{ readonly [key: string]: unknown }>;

/** Our own API at `url`, called with this bearer token. */
export const apiOf =
  (url: string, token: string): Call =>
  async (path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as { readonly [key: string]: unknown };
  };

/** The one created earlier, otherwise a new one. */
export async function demoMerchant(dataDir: string, call: Call): Promise<DemoMerchant> {
  const known = readText(dataDir, file);
  if (known !== null) return withLogin(dataDir, JSON.parse(known) as DemoMerchant, call);
  const email = 'demo@example.com';
  const made = await call('/admin/v1/merchants', { name: 'Demo Pasal', email, plan: 'premium' });
  const project = textIn(made['project'], 'id');
  const [secretKey, publishableKey] = await Promise.all(
    ['secret', 'publishable'].map(async (kind) => {
      const key = await call(`/admin/v1/projects/${project}/keys`, {
        kind,
        mode: 'sandbox',
        name: `Demo ${kind} key`,
      });
      return textIn(key, 'key');
    }),
  );
  return written(dataDir, {
    merchantId: textIn(made['merchant'], 'id'),
    projectId: project,
    email,
    password: textIn(made, 'password'),
    secretKey: secretKey ?? '',
    publishableKey: publishableKey ?? '',
    opensDashboard: true,
  });
}

/** Its secret key from the file: read each time, so that a changed file takes effect. */
function demoKeyIn(dataDir: string): string {
  const known = readText(dataDir, file);
  if (known === null)
    throw new Error(`${file} is missing in the data folder ${dataDir}; restart to create it`);
  return (JSON.parse(known) as DemoMerchant).secretKey;
}

/** A merchant created before there was a dashboard gets a password for it. */
async function withLogin(dataDir: string, demo: DemoMerchant, call: Call): Promise<DemoMerchant> {
  if (demo.opensDashboard === true) return demo;
  const answer = await call(`/admin/v1/merchants/${demo.merchantId}/reset-password`, {});
  return written(dataDir, { ...demo, password: textIn(answer, 'password'), opensDashboard: true });
}

function written(dataDir: string, demo: DemoMerchant): DemoMerchant {
  writeText(dataDir, file, `${JSON.stringify(demo, null, 2)}\n`);
  return demo;
}

function textIn(object: unknown, name: string): string {
  const value = (object as { readonly [key: string]: unknown } | undefined)?.[name];
  if (typeof value !== 'string') throw new Error(`the operator API answered without ${name}`);
  return value;
}

/** The test payment of the start page: a checkout of the demo merchant, created through our own API with
 *  its key. */
export interface DemoPaymentOptions {
  readonly settings: Pick<Settings, 'host' | 'simulator'>;
  /** Where the demo merchant's keys are stored; null: there is none. */
  readonly demoDir: string | null;
  /** Our address for browsers. */
  readonly baseUrl: string;
  /** The address for our own calls. */
  readonly listenerUrl: string;
}

/** Creates one and returns the session's id. null unless the service can be reached only from this machine,
 *  and has a demo merchant and the simulator. */
export function demoPayment({
  settings,
  demoDir,
  baseUrl,
  listenerUrl,
}: DemoPaymentOptions): ((order: object) => Promise<string>) | null {
  const isOwnMachine = isLoopback(settings.host) && isLoopback(new URL(baseUrl).hostname);
  if (demoDir === null || settings.simulator === 'off' || !isOwnMachine) return null;
  return async (order) => {
    const { id } = await apiOf(listenerUrl, demoKeyIn(demoDir))('/v1/checkout', order);
    if (typeof id !== 'string') throw new Error('the API answered a checkout without an id');
    return id;
  };
}
