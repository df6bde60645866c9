/** `galla doctor`: what keeps the service from its work, or will, one line each, and what to do.
 *  1. It changes nothing: no folder is created, no stream, no row. Only with `--live` it calls providers.
 *  2. Exit code 1 if there is a problem; a warning leaves it 0. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../compose/data-dir.ts';
import { isCluster, readSettings, type Settings } from '../../config.ts';
import { findingsOf, type Finding, type FindingIs } from '../../kernel/finding.ts';
import { clockSkewMsMax } from '../../runtime/cluster/clock-check.ts';
import { configurationFindings } from '../doctor/configuration.ts';
import { dataFolderFindings } from '../doctor/data-folder.ts';
import { machineFindings, portFinding } from '../doctor/machine.ts';
import { outsideFindings } from '../doctor/outside.ts';
import { healthOf, serviceFindings } from '../doctor/service.ts';
import { exitCodes, print, say } from '../output.ts';

export interface DoctorOptions {
  readonly url?: string;
  /** A file: what is on a command line other users of the machine can read. */
  readonly adminTokenFile?: string;
  readonly live?: boolean;
  /** Files that start the service. */
  readonly deployment?: readonly string[];
  readonly json?: boolean;
}

export async function doctor({ url, adminTokenFile, live, deployment, json }: DoctorOptions): Promise<void> {
  const adminToken = adminTokenFile === undefined ? undefined : firstLineOf(adminTokenFile);
  if (adminToken === '') {
    say(
      `the operator's token cannot be read from ${adminTokenFile ?? ''}: name a file with the token in its first line`,
    );
    process.exitCode = exitCodes.usage;
    return;
  }
  const named = { url: url?.replace(/\/$/, ''), adminToken };
  const files = await filesFindings(deployment ?? []);
  const findings = [...files, ...(await examine(process.env, named, live === true))];
  const count = (is: FindingIs): number => findings.filter((one) => one.is === is).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(({ check, is, says }) => `${is.padEnd(8)} ${check.padEnd(width)}  ${says}`);
  const summary = `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`;
  print({ ok: problems === 0, findings }, [...lines, summary], json);
  if (problems > 0) process.exitCode = exitCodes.refused;
}

/** Empty: there is none, or no such file. */
function firstLineOf(file: string): string {
  try {
    return (readFileSync(file, 'utf8').split(/\r?\n/)[0] ?? '').trim();
  } catch {
    // the caller says so
    return '';
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

type Env = { readonly [name: string]: string | undefined };

/** The service that was named; undefined: the one that the settings start. */
interface Named {
  readonly url: string | undefined;
  readonly adminToken: string | undefined;
}

async function examine(env: Env, named: Named, live: boolean): Promise<readonly Finding[]> {
  const read = readSettings(env);
  if ('problems' in read) {
    const { problem, unknown } = findingsOf('settings');
    const rest = unknown('store, servers and service were not looked at: correct the settings first');
    return [...(await machineFindings()), ...read.problems.map(problem), rest];
  }
  const { settings } = read;
  return [
    ...(await machineFindings()),
    ...configurationFindings(settings),
    ...(isCluster(settings) ? await serverFindings(settings) : dataFolderFindings(settings)),
    ...(await outsideFindings(settings)),
    ...(live ? await askedLive(settings) : []),
    ...(await runningFindings(settings, named)),
  ];
}

async function serverFindings({ mongodbUrl, natsUrl, natsReplicas }: Settings): Promise<readonly Finding[]> {
  // loaded here: an embedded service needs neither driver
  const [{ examineMongo }, { examineNats }] = await Promise.all([
    import('../../store/store-mongo.ts'),
    import('../../bus/bus-nats.ts'),
  ]);
  const [mongo, nats] = await Promise.all([
    examineMongo(mongodbUrl ?? '', clockSkewMsMax),
    examineNats(natsUrl ?? '', natsReplicas),
  ]);
  return [...mongo, ...nats];
}

async function filesFindings(files: readonly string[]): Promise<readonly Finding[]> {
  if (files.length === 0) return [];
  const { deploymentFindings } = await import('../doctor/deployment/deployment.ts');
  return files.flatMap((file) => deploymentFindings(file));
}

async function askedLive(settings: Settings): Promise<readonly Finding[]> {
  const { liveFindings } = await import('../doctor/live.ts');
  return liveFindings(settings);
}

async function runningFindings(
  settings: Settings,
  { url: named, adminToken: given }: Named,
): Promise<readonly Finding[]> {
  const { warning, problem } = findingsOf('service');
  const { host, port, dataDir } = settings;
  const url = named ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
  const health = port === 0 && named === undefined ? null : await healthOf(url);
  const ofPort = named === undefined ? [await portFinding(host, port, health !== null)] : [];
  if (health === null) {
    const text = `no service of ours answers at ${url}`;
    return [
      ...ofPort,
      named === undefined
        ? warning(`${text}: galla start, or name a service with --url`)
        : problem(`${text}: start it`),
    ];
  }
  const own = isCluster(settings) ? null : tokenIn(dataDir);
  const adminToken = given ?? settings.adminToken ?? own;
  return [...ofPort, ...(await serviceFindings({ url, adminToken }, health))];
}

function tokenIn(dataDir: string): string | null {
  try {
    return readText(dataDir, 'admin-token')?.trim() ?? null;
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    // another finding tells of the folder's permissions
    if (code === 'EACCES' || code === 'ENOTDIR') return null;
    throw new Error(`${join(dataDir, 'admin-token')} cannot be read`, { cause: thrown });
  }
}
