/** The arms of `bench -- paid`, and what is outside of both. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Api } from '../src/cli/demo/api.ts';
import { restMs, rivalRestMs } from './paid-plan.ts';
import type { Target } from './paid-lane.ts';
import type { Room, Served } from './support.ts';

const postgresReadyMsMax = 20_000;
const adminToken = 'bench-admin-token-0123456789';

export interface Arm extends Target {
  readonly name: string;
  /** Roots of its processes. */
  readonly pids: readonly number[];
  readonly restMs: number;
  /** Has its database write what it holds back, so that the other arm's turn does not pay for it. */
  readonly settle: () => void;
}

interface Place {
  readonly room: Room;
  readonly folder: string;
  readonly outside: Outside;
  /** Of both arms. */
  readonly env: { readonly [name: string]: string };
}

export interface Outside extends Served {
  readonly hook: string;
}

export async function startOutside(room: Room, host: string, { key, cert }: Certificate): Promise<Outside> {
  const env = { SHOP_HOST: host, TLS_KEY: key, TLS_CERT: cert };
  const said: string[] = [];
  const served = await room.serve('./rivals/outside.js', env, { said });
  const hook = / hook (\S+)/.exec(said.join(''))?.[1];
  if (hook === undefined) throw new Error('the shop has no address');
  return { ...served, hook };
}

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** For the shop's address, valid for a day; both arms are told to trust it. */
export function certificate(folder: string, host: string): Certificate {
  const [key, cert] = [join(folder, 'shop.key'), join(folder, 'shop.pem')];
  const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=shop'.split(
    ' ',
  );
  const names = ['-addext', `subjectAltName=IP:${host}`];
  execFileSync('openssl', ['req', ...made, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key, cert };
}

export async function galla({ room, folder, outside, env }: Place): Promise<Arm> {
  const served = await room.serve('../src/cli/start.js', {
    ...env,
    PORT: '0',
    GALLA_DATA_DIR: join(folder, 'galla'),
    GALLA_RATE_LIMITS: 'off',
    GALLA_ADMIN_TOKEN: adminToken,
    GALLA_WALLET_B_URL: outside.url,
    LOG_LEVEL: 'error',
  });
  const admin = new Api(served.url, adminToken);
  const merchant = { name: 'Bench', email: 'bench@example.com', plan: 'premium' };
  const project = (await admin.must('POST', '/admin/v1/merchants', merchant)).body.text('project.id');
  const made = await admin.must('POST', `/admin/v1/projects/${project}/keys`, {
    kind: 'secret',
    mode: 'live',
  });
  const key = made.body.text('key');
  const settings = { mode: 'live', credentials: { secretKey: 'bench' } };
  await admin.must('PUT', `/admin/v1/projects/${project}/providers/wallet_b`, settings);
  const endpoint = { url: outside.hook, events: ['payment.succeeded'] };
  await new Api(served.url, key).must('POST', '/v1/webhooks', endpoint);
  return {
    name: 'Galla',
    url: served.url,
    outside: outside.url,
    key,
    pids: [served.pid],
    restMs,
    settle: () => undefined,
  };
}

export async function rival(
  place: Place,
  from: { readonly bin: string; readonly packages: string },
): Promise<Arm> {
  const { room, outside, env } = place;
  const postgres = await startPostgres(place, from.bin);
  const served = await room.serve('./rivals/paying.js', {
    ...env,
    PACKAGES: from.packages,
    PG: postgres.socket,
    PROVIDER: outside.url,
    HOOK: outside.hook,
    KEY: 'bench',
    NODE_ENV: 'production',
  });
  return {
    name: 'fastify + pg (bench/rivals/paying.ts)',
    url: served.url,
    outside: outside.url,
    key: 'bench',
    pids: [served.pid, postgres.pid],
    restMs: rivalRestMs,
    settle: postgres.checkpoint,
  };
}

/** PostgreSQL with its defaults, and a cache that holds everything; it refuses to run as root. */
async function startPostgres(
  { room, folder }: Place,
  bin: string,
): Promise<{ readonly socket: string; readonly pid: number; readonly checkpoint: () => void }> {
  const [data, socket] = [join(folder, 'pg'), join(folder, 'pg-socket')];
  const asPostgres =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  for (const each of [data, socket]) mkdirSync(each);
  if (asPostgres.length > 0) {
    const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    execFileSync('chmod', ['755', folder]);
    for (const each of [data, socket]) chownSync(each, id('-u'), id('-g'));
  }
  const run = (...args: readonly string[]): readonly [string, readonly string[]] => {
    const [command = '', ...rest] = [...asPostgres, ...args];
    return [command, rest];
  };
  const [initdb, initdbArgs] = run(join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust');
  execFileSync(initdb, initdbArgs, { stdio: 'ignore' });
  const settings = [
    '-c',
    'listen_addresses=',
    '-c',
    `unix_socket_directories=${socket}`,
    '-c',
    'shared_buffers=512MB',
  ];
  const [postgres, args] = run(join(bin, 'postgres'), '-D', data, ...settings);
  const child = spawn(postgres, args, { stdio: 'ignore' });
  room.keep(child);
  const [psql, psqlArgs] = run(join(bin, 'psql'), '-q', '-h', socket, '-U', 'postgres', '-c', 'CHECKPOINT');
  const checkpoint = (): void => void execFileSync(psql, psqlArgs, { stdio: 'ignore' });
  const until = performance.now() + postgresReadyMsMax;
  const [ready, readyArgs] = run(join(bin, 'pg_isready'), '-q', '-h', socket);
  for (;;) {
    try {
      execFileSync(ready, readyArgs, { stdio: 'ignore' });
      return { socket, pid: child.pid ?? 0, checkpoint };
    } catch (thrown) {
      if (performance.now() > until) throw thrown;
      await pause(100);
    }
  }
}
