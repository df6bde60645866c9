/** What `galla doctor` finds out about the machine: Node, the HTTP listener, the clock, disks, and the port. */
import { execFile } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { listenerProblem } from '../../compose/port.ts';
import { findingsOf, type Finding } from '../../kernel/finding.ts';
import { seconds } from '../../kernel/time.ts';

/** As `engines` in package.json. */
const nodeMin = [20, 19] as const;
const nodeEnd = 27;
const gib = 2 ** 30;
const freeBytesMin = gib / 4;
const freeBytesCalm = gib;
const commandMsMax = seconds(5);

export async function machineFindings(): Promise<readonly Finding[]> {
  return [nodeFinding(process.versions.node), await listenerFinding(), ...(await ntpFinding())];
}

export function nodeFinding(version: string): Finding {
  const { ok, warning, problem } = findingsOf('node');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < nodeMin[0] || (major === nodeMin[0] && minor < nodeMin[1]);
  if (isOld || major >= nodeEnd)
    return problem(`Node ${version}: use Node ${nodeMin.join('.')} to ${nodeEnd - 1}, 22 is the best choice`);
  return major === nodeMin[0]
    ? warning(`Node ${version} no longer gets fixes: use 22 or newer`)
    : ok(`Node ${version}`);
}

async function listenerFinding(): Promise<Finding> {
  const { ok, problem } = findingsOf('listener');
  const why = await listenerProblem();
  return why === null ? ok('the HTTP listener can be loaded') : problem(why);
}

/** Whether the machine says that its clock follows a time server; nothing where it has no such command. */
async function ntpFinding(): Promise<readonly Finding[]> {
  const { ok, unknown, warning } = findingsOf('clock');
  try {
    const args = ['show', '--property=NTPSynchronized', '--value'];
    const { stdout } = await promisify(execFile)('timedatectl', args, { timeout: commandMsMax });
    return stdout.trim() === 'yes'
      ? [ok('the clock follows a time server')]
      : [warning('the clock follows no time server: payments expire, and keys end, at wrong times. Run NTP')];
  } catch {
    return [unknown('no timedatectl works here: make sure that the clock follows a time server (NTP)')];
  }
}

/** Of the disk under this folder, or under where it will be. */
export function diskFinding(check: string, folder: string): Finding {
  const { ok, warning, problem } = findingsOf(check);
  let there = resolve(folder);
  while (!existsSync(there)) there = dirname(there);
  const { bavail, bsize } = statfsSync(there);
  const free = bavail * bsize;
  const text = `${(free / gib).toFixed(1)} GiB free under ${folder}`;
  if (free < freeBytesMin) return problem(`${text}: without space no write is possible; free some`);
  return free < freeBytesCalm ? warning(`${text}: free some, or watch it`) : ok(text);
}

/** Whether a service could listen here. `isOurs`: one of ours answers there. */
export async function portFinding(host: string, port: number, isOurs: boolean): Promise<Finding> {
  const { ok, problem } = findingsOf('port');
  if (isOurs) return ok(`the service listens at ${host}:${port}`);
  if (port === 0) return ok('PORT=0: a free port is picked at the start');
  const code = await new Promise<string | null>((resolvePort) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolvePort(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolvePort(null)));
  });
  if (code === null) return ok(`${host}:${port} is free`);
  const why: { readonly [code: string]: string } = {
    EADDRINUSE: 'another program uses it: end that, or set PORT',
    EACCES: 'this user may not use it: set PORT to 1024 or more',
    EADDRNOTAVAIL: 'this machine has no such address: set HOST',
  };
  return problem(`${host}:${port}: ${why[code] ?? `it cannot be used (${code}): set HOST and PORT`}`);
}
