/** The Restate server and its SDK: too large for a development dependency, so fetched when a bench wants them.
 *  1. Exact versions, in a cache folder of their own; no script of theirs runs at the installation.
 *  2. It listens on loopback only and sends no telemetry. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../test/support/eventually.ts';
import type { Room } from './support.ts';

const [serverVersion, sdkVersion] = ['1.7.12', '1.17.2'];
const installMsMax = 240_000;
const startMsMax = 30_000;

const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const folder = join(cache, 'galla-bench', `restate-${serverVersion}-${sdkVersion}`);
const own = join(folder, 'node_modules', '@restatedev');
const binary = join(own, `restate-server-${process.platform}-${process.arch}`, 'bin', 'restate-server');

/** The SDK's module, for the service that plays the counter. */
export const sdkModule = join(own, 'restate-sdk', 'dist', 'node.js');

/** Installs them unless they are there (about 225 MB); why that cannot be done, or null. */
export function restateMissing(): string | null {
  if (existsSync(binary) && existsSync(sdkModule)) return null;
  const packages = [`@restatedev/restate-server@${serverVersion}`, `@restatedev/restate-sdk@${sdkVersion}`];
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...packages];
  process.stdout.write(`Fetching ${packages.join(' and ')} into ${folder} (225 MB)\n`);
  const { status } = spawnSync('npm', args, { stdio: 'ignore', timeout: installMsMax });
  if (status === 0 && existsSync(binary)) return null;
  return `npm could not install ${packages.join(' and ')}`;
}

export interface Restate {
  /** Where callers call. */
  readonly url: string;
  readonly pid: number;
  readonly version: string;
}

/** One Restate server as it comes, on a folder of the room's; knows the services at `serviceUrl`. */
export async function startRestate(room: Room, serviceUrl: string): Promise<Restate> {
  const [node = 0, admin = 0, ingress = 0] = await freePorts(3);
  const here = (port: number): string => `127.0.0.1:${port}`;
  const child = spawn(binary, ['--no-logo', '--listen-mode', 'tcp'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      RESTATE_BASE_DIR: join(room.folder, 'restate'),
      RESTATE_NODE_NAME: 'bench',
      RESTATE_BIND_ADDRESS: here(node),
      RESTATE_ADVERTISED_ADDRESS: `http://${here(node)}`,
      RESTATE_ADMIN__BIND_ADDRESS: here(admin),
      RESTATE_INGRESS__BIND_ADDRESS: here(ingress),
      RESTATE_DISABLE_TELEMETRY: 'true',
      // it looks for newer versions of itself
      RESTATE_LOG_FILTER: 'error,octocrab=off',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  room.keep(child);
  const [url, adminUrl] = [`http://${here(ingress)}`, `http://${here(admin)}`];
  await eventually(
    () => (child.exitCode === null ? healthy(url, adminUrl) : Promise.reject(new Error('it ended at once'))),
    () => 'a Restate server that is healthy',
    startMsMax,
  );
  const registered = await fetch(`${adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: serviceUrl }),
    signal: AbortSignal.timeout(startMsMax),
  });
  if (!registered.ok) throw new Error(`Restate did not take the service: ${await registered.text()}`);
  return { url, pid: child.pid ?? 0, version: serverVersion };
}

async function healthy(url: string, adminUrl: string): Promise<true | null> {
  try {
    const both = await Promise.all([fetch(`${url}/restate/health`), fetch(`${adminUrl}/health`)]);
    return both.every(({ ok }) => ok) ? true : null;
  } catch {
    return null;
  }
}

/** So many different ones. */
async function freePorts(count: number): Promise<readonly number[]> {
  const probes = Array.from({ length: count }, () => createServer());
  await Promise.all(
    probes.map((probe) => new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))),
  );
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port);
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}
