/** The text printed at a start: the addresses, and what to do next. Boundary: a started service in, text
 *  out.
 *  1. The demo merchant's values have the same names as in the file where they are stored (demo.json). */
import { join, resolve } from 'node:path';
import { allowsPrivateHosts } from '../config.ts';
import type { Galla } from '../main.ts';

type Settings = Galla['settings'];
export type Started = Pick<Galla, 'url' | 'settings' | 'demo'>;

/** `nodeMajor`: the major version of the running Node. */
export function banner({ url, settings, demo }: Started, nodeMajor: number): string {
  const base = settings.baseUrl ?? url;
  const opensDoors = settings.roles.includes('gateways');
  return [
    '',
    '  Galla is ready.  गल्ला तयार छ।',
    '',
    ...(opensDoors ? [row('Start page', `${base}/`)] : []),
    ...(base === url ? [] : [row('Listens at', url)]),
    row('Health', `${url}/health`),
    ...(opensDoors ? doorLines(base, settings) : []),
    ...(demo === null ? clusterLines(settings) : demoLines(base, settings, demo)),
    ...(nodeMajor === 20 ? ['  Node 20 no longer gets fixes: use 22 or newer.', ''] : []),
    '',
  ].join('\n');
}

const row = (name: string, value: string): string => `  ${name.padEnd(14)}  ${value}`;

function doorLines(base: string, settings: Settings): readonly string[] {
  return [
    row('API', `${base}/v1  (described at ${base}/docs)`),
    row('Dashboard', `${base}/dashboard`),
    row('Simulator', simulates(settings) ? `${base}/sim  (pays sandbox checkouts, no real money)` : 'off'),
    row('Webhooks', webhooksGo(settings)),
  ];
}

const simulates = ({ simulator }: Settings): boolean => simulator !== 'off';

/** Where webhooks may be sent: a server on the developer's own machine receives them, or the text explains
 *  why not. */
const webhooksGo = (settings: Settings): string =>
  allowsPrivateHosts(settings)
    ? 'to any address in sandbox, private ones included'
    : 'to public addresses only; WEBHOOK_ALLOW_PRIVATE_HOSTS=on allows private ones in sandbox';

/** Where the password is, never the password itself. */
const operatorLine = ({ adminToken, dataDir }: Settings): string =>
  row(
    'Operator',
    `log in as operator; the password is ${
      adminToken === null ? `the text of ${join(resolve(dataDir), 'admin-token')}` : 'GALLA_ADMIN_TOKEN'
    }`,
  );

function clusterLines(settings: Settings): readonly string[] {
  return [
    operatorLine(settings),
    row('Cluster', `this node runs ${settings.roles.replace(',', ' and ')}; all nodes: GET /admin/v1/nodes`),
    '',
  ];
}

const demoFileOf = ({ dataDir }: Settings): string => join(resolve(dataDir), 'demo.json');

function demoLines(base: string, settings: Settings, demo: NonNullable<Galla['demo']>): readonly string[] {
  const returnUrl = simulates(settings) ? `${base}/sim/thanks` : 'https://shop.example/return';
  return [
    row('Data', resolve(settings.dataDir)),
    operatorLine(settings),
    '',
    `  Demo merchant: sandbox keys, and a login for the dashboard (kept in ${demoFileOf(settings)})`,
    row('secretKey', demo.secretKey),
    row('publishableKey', demo.publishableKey),
    row('email', demo.email),
    row('password', demo.password),
    '',
    '  Make a checkout and open the checkout_url it answers:',
    '',
    `  curl ${base}/v1/checkout -H 'Authorization: Bearer ${demo.secretKey}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"amount":125050,"description":"Order 1001","returnUrl":"${returnUrl}"}'`,
    '',
  ];
}
