/** config/nginx.conf as it stands, in front of one node of this machine: the nginx at /usr/sbin/nginx, or NGINX=path.
 *  1. Only addresses, ports and folders are others; a line that is not found to be replaced is an error.
 *  2. `stop` leaves nothing behind. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../src/cli/demo/service.ts';
import { eventually } from './eventually.ts';
import { read } from './house.ts';
import { Raw } from './raw.ts';

const binary = process.env['NGINX'] ?? '/usr/sbin/nginx';

/** Whether a suite must be skipped; says so, naming what is missing. */
export function noNginx(suite: string): boolean {
  if (existsSync(binary)) return false;
  console.warn(`SKIPPED: ${suite}: NO NGINX AT ${binary} (or NGINX=path)`);
  return true;
}

export interface Proxy {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts it in front of the node at `nodePort`. */
export async function startNginx(nodePort: number): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'galla-nginx-'));
  const [port = 0] = await freePorts(1);
  const path = join(folder, 'nginx.conf');
  await writeFile(path, configFor(folder, port, nodePort));
  const child = spawn(binary, ['-p', folder, '-c', path, '-g', 'daemon off; master_process off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`nginx ended: ${said}`);
        const raw = await Raw.open(port).catch(() => null);
        raw?.leave();
        return raw;
      },
      () => `nginx to listen; it said: ${said}`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, stop };
}

function configFor(folder: string, port: number, nodePort: number): string {
  const replaced: readonly (readonly [string, string])[] = [
    [' /tmp/', ` ${folder}/`],
    ['/dev/stdout', join(folder, 'access.log')],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    // names that come and go are for containers, and Debian's nginx is too old for them
    ['resolver 127.0.0.11 valid=2s ipv6=off;', ''],
    ['server galla-1:8080 resolve', `server 127.0.0.1:${nodePort}`],
    // the same node as a second one: nginx never gives up the only one it has
    ['server galla-2:8080 resolve', `server 127.0.0.1:${nodePort}`],
  ];
  return replaced.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`config/nginx.conf no longer has: ${from}`);
    return text.replaceAll(from, to);
  }, read('config/nginx.conf'));
}
