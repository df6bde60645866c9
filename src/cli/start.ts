/** `npm start`: starts the embedded service, says where it is and what to do next, stops it on a signal. */
import { allowsPrivateHosts } from '../config.ts';
import { BadSettings, start, type Galla } from '../main.ts';
import type { Failpoint } from '../runtime/failpoint.ts';

if (process.argv.length > 2) {
  process.stderr.write(
    `galla: ${process.argv[2]}: it takes no arguments; settings are in the environment: PORT=9000\n`,
  );
  process.exit(2);
}

const { GALLA_FAILPOINT: failpointName, GALLA_FAILPOINT_AFTER: failpointAfter, ...env } = process.env;

try {
  const galla = await start({
    env,
    onFatal,
    ...(failpointName === undefined ? {} : { failpoint: dieAt(failpointName, failpointAfter) }),
  });
  process.stdout.write(banner(galla));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void leave(galla));
} catch (thrown) {
  for (const line of linesOf(thrown)) process.stderr.write(`galla: ${line}\n`);
  process.exit(1);
}

/** The disk failed: what was acknowledged is safe, what is in doubt must not be told either way. */
function onFatal(line: string): void {
  process.stderr.write(`galla: ${line}\n`);
  process.exit(1);
}

async function leave(galla: Galla): Promise<void> {
  await galla.stop();
  process.exit(0);
}

/** What is expected to go wrong has one line; anything else keeps its stack. */
function linesOf(thrown: unknown): readonly string[] {
  if (thrown instanceof BadSettings) return thrown.problems;
  if (!(thrown instanceof Error)) return [String(thrown)];
  const expected =
    [
      'ListenerUnusable',
      'DataDirInUse',
      'PortUnavailable',
      'BusUnusable',
      'StoreUnusable',
      'CannotJoin',
    ].includes(thrown.name) || thrown.cause !== undefined;
  return [expected ? thrown.message : (thrown.stack ?? thrown.message)];
}

/** For the fault tests: the process kills itself at the n-th passing of a named instant. */
function dieAt(name: string, after: string | undefined): (passed: Failpoint, kind: string) => void {
  let left = Number(after ?? 1);
  return (passed) => {
    if (passed === name && --left === 0) process.kill(process.pid, 'SIGKILL');
  };
}

function banner({ url, settings, demo }: Galla): string {
  const base = settings.baseUrl ?? url;
  return [
    '',
    '  Galla is ready.  गल्ला तयार छ।',
    '',
    ...(base === url ? [] : [`  Listens at   ${url}`]),
    `  Health       ${url}/health`,
    ...(settings.roles.includes('gateways') ? doorLines(base, settings) : []),
    ...(demo === null ? clusterLines(settings) : demoLines(base, settings, demo)),
    ...(Number(process.versions.node.split('.')[0]) === 20
      ? ['  Node 20 no longer gets fixes: take 22 or newer.', '']
      : []),
    '',
  ].join('\n');
}

function doorLines(base: string, settings: Galla['settings']): readonly string[] {
  const { simulator } = settings;
  return [
    `  API          ${base}/v1`,
    `  Dashboard    ${base}/dashboard`,
    `  Simulator    ${simulator ? `${base}/sim  (pays sandbox checkouts, no real money)` : 'off'}`,
    `  Webhooks     ${webhooksGo(settings)}`,
  ];
}

/** Where webhooks may go: a shop on the developer's own machine gets them, or it is said why it does not. */
function webhooksGo(settings: Galla['settings']): string {
  return allowsPrivateHosts(settings)
    ? 'to any address in sandbox, private ones included'
    : 'to public addresses only; WEBHOOK_ALLOW_PRIVATE_HOSTS=on allows private ones in sandbox';
}

function clusterLines({ roles }: Galla['settings']): readonly string[] {
  return [
    '  Login        operator, with GALLA_ADMIN_TOKEN as the password',
    `  Cluster      this node runs ${roles.replace(',', ' and ')}; all nodes: GET /admin/v1/nodes`,
    '',
  ];
}

function demoLines(
  base: string,
  { dataDir }: Galla['settings'],
  demo: NonNullable<Galla['demo']>,
): readonly string[] {
  return [
    `  Data         ${dataDir}`,
    '',
    '  Demo merchant (sandbox keys, and a login for the dashboard)',
    `  secret key   ${demo.secretKey}`,
    `  public key   ${demo.publishableKey}`,
    `  e-mail       ${demo.email}`,
    `  password     ${demo.password}`,
    '',
    '  Make a checkout and open the checkout_url it answers:',
    '',
    `  curl ${base}/v1/checkout -H 'Authorization: Bearer ${demo.secretKey}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"amount":125050,"description":"Order 1001","returnUrl":"https://shop.example/return"}'`,
    '',
  ];
}
