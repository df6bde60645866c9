/** What every bench shares: servers and load as processes of their own, arms that take turns, CPU per operation, the
 *  table. Machines are shared and noisy: an absolute figure proves nothing, a ratio from one run does. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly arm: string;
  /** Operations per second, or what `unit` says. */
  readonly value: number;
  readonly unit: string;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly cpuUs?: number;
  /** CPU per operation of the database and the broker behind. */
  readonly serversUs?: number;
  /** Ours divided by this arm. */
  readonly ratio?: number;
  /** This arm's CPU per operation divided by ours: what the ratio would be if nothing else ran on the machine. */
  readonly cpuRatio?: number;
}

export interface Bench {
  readonly title: string;
  /** How it was measured, for readers of the table. */
  readonly setup: string;
  /** What holds our arm back, as the profile says. */
  readonly bound: string;
  /** Why it cannot be run here; null when it can. */
  missing?(): string | null;
  run(room: Room): Promise<readonly Row[]>;
}

/** BENCH_PROFILE names a folder: each server that ends well (the service does) leaves a CPU profile there. */
const { BENCH_PROFILE: profiles = '' } = process.env;
/** What `npm start` gives to node, before the launcher. */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: { readonly start: string };
};
const serviceFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'));
const profiling = profiles === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];

/** Where one run works: a folder, and the processes it has to end. */
export class Room {
  readonly folder = mkdtempSync(join(tmpdir(), 'galla-bench-'));
  private readonly children: ChildProcess[] = [];
  private readonly closing: (() => Promise<unknown>)[] = [];

  /** A server of its own process, named from this folder; it prints its address when it is ready. With `syncMs` each
   *  of its syncs of a file takes that much longer, as on a slower disk (see slowSyncs). `said` gets what it printed. */
  async serve(
    file: string,
    env: { readonly [name: string]: string } = {},
    { syncMs = 0, said = [] }: { readonly syncMs?: number; readonly said?: string[] } = {},
  ): Promise<Served> {
    const path = fileURLToPath(new URL(file, import.meta.url));
    const args = [...profiling, ...(file.endsWith('/cli/start.js') ? serviceFlags : []), path];
    const [command = '', ...rest] = [...(syncMs > 0 ? slowedBy(syncMs) : []), process.execPath, ...args];
    const child = spawn(command, rest, {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.children.push(child);
    child.stdout.on('data', (chunk: Buffer) => void said.push(chunk.toString('utf8')));
    return { url: await addressOf(child, file), pid: child.pid ?? 0 };
  }

  /** Ends one before the room does, giving it time to go well. */
  async end({ pid }: Pick<Served, 'pid'>): Promise<void> {
    const child = this.children.find((one) => one.pid === pid);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), endMsMax);
    await gone;
    clearTimeout(late);
  }

  /** Ended with the room. */
  keep(child: ChildProcess): void {
    this.children.push(child);
  }

  /** Called when the room is closed, the latest first, after its processes have ended. */
  later(close: () => Promise<unknown>): void {
    this.closing.push(close);
  }

  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  async close(): Promise<void> {
    if (profiles !== '') await Promise.all(this.children.map(({ pid = 0 }) => this.end({ pid })));
    for (const child of this.children) {
      const gone = new Promise((resolve) => child.once('close', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await gone;
      }
    }
    for (const close of this.closing.splice(0).reverse()) await close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A tracer that stops at syncs alone and makes each wait; -D keeps the server the process that was started. */
const slowedBy = (syncMs: number): readonly string[] =>
  'strace -D -f --seccomp-bpf -qq -o /dev/null -e trace=fsync,fdatasync -e'
    .split(' ')
    .concat(`inject=fsync,fdatasync:delay_enter=${syncMs * 1000}`);

/** Whether `syncMs` works here: it needs strace, and leave to trace. */
export function slowSyncs(): boolean {
  const [command = '', ...args] = slowedBy(1);
  try {
    execFileSync(command, [...args, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What one sync of 4 KiB takes in this folder, in milliseconds: the median of many. */
export function syncMsIn(folder: string): number {
  const file = openSync(join(folder, 'sync'), 'w');
  const block = Buffer.alloc(4096);
  const took = Array.from({ length: 100 }, () => {
    const from = performance.now();
    writeSync(file, block);
    fsyncSync(file);
    return performance.now() - from;
  });
  closeSync(file);
  return median(took);
}

export interface Served {
  readonly url: string;
  readonly pid: number;
}

const readyMsMax = 20_000;
const endMsMax = 12_000;

function addressOf(child: ChildProcess, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(
      () => reject(new Error(`${what} was not ready in ${readyMsMax} ms: ${said}`)),
      readyMsMax,
    );
    child.once('close', () => reject(new Error(`${what} ended: ${said}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const url = /\bhttp:\/\/[^\s"'/]+:\d+/.exec(said)?.[0];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

export interface Load {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
  readonly headers?: readonly string[];
  /** Path of a Lua script that makes the requests. */
  readonly script?: string;
  /** How long the server goes on working for what it has answered; that CPU counts too, and nobody else runs
   *  meanwhile. */
  readonly restMs?: number;
  /** Processes whose CPU, and that of all below them, is told as that of the servers behind. */
  readonly servers?: readonly number[];
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  readonly serversUs?: number;
}

/** Closed-loop load by wrk on one thread; `pids` are whose CPU is counted. Throws when anything but 2xx was answered. */
export async function wrk(pids: number | readonly number[], load: Load): Promise<Measured> {
  const args = ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '--latency', '--timeout', '10s'];
  for (const header of load.headers ?? []) args.push('-H', header);
  if (load.script !== undefined) args.push('-s', load.script);
  const spent = spending([pids].flat(), load.servers);
  const text = await output('wrk', [...args, load.url], load.seconds * 1000 + overMsMax);
  await new Promise((resolve) => setTimeout(resolve, load.restMs ?? 0));
  const bad =
    /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ??
    /Socket errors:(?!.*connect 0, read 0, write 0, timeout 0).*/.exec(text)?.[0];
  if (bad !== undefined) throw new Error(`wrk against ${load.url}: ${bad} failed\n${text}`);
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? Number.NaN);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? Number.NaN),
    p50Ms: latency(text, 50),
    p99Ms: latency(text, 99),
    ...spent(requests),
  };
}

/** Begins to count CPU; called with the number of operations it gives what each has cost. */
export function spending(
  pids: readonly number[],
  servers: readonly number[] = [],
): (operations: number) => Pick<Measured, 'cpuUs' | 'serversUs'> {
  const now = (): readonly [number, number] => [sum(pids.map(cpuUs)), sum(servers.map(treeCpuUs))];
  const [own, theirs] = now();
  return (operations) => {
    const [ownNow, theirsNow] = now();
    const serversUs = (theirsNow - theirs) / operations;
    return { cpuUs: (ownNow - own) / operations, ...(servers.length === 0 ? {} : { serversUs }) };
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

const unitMs: { readonly [unit: string]: number } = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function latency(text: string, percent: number): number {
  const [, value, unit = ''] =
    new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s|m)\\s*$`, 'm').exec(text) ?? [];
  return Number(value) * (unitMs[unit] ?? Number.NaN);
}

/** A load that has not ended so long after its time never will. */
const overMsMax = 30_000;

function output(command: string, args: readonly string[], waitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: waitMs });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => void (text += chunk.toString('utf8')));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${command} ended with ${code}: ${text}`)),
    );
  });
}

/** CPU time a process has used, all threads, user and system. */
export function cpuUs(pid: number): number {
  const fields = statOf(pid);
  // utime and stime, the 14th and 15th of all, in ticks of 10 ms
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** The same of a process and everything it has started. */
function treeCpuUs(root: number): number {
  const below = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const stats = new Map(
    below.flatMap((name) => {
      try {
        return [[Number(name), statOf(Number(name))] as const];
      } catch {
        return []; // it has ended meanwhile
      }
    }),
  );
  const family = new Set([root]);
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const [pid, stat] of stats) if (family.has(Number(stat[1]))) family.add(pid);
  }
  // with cutime and cstime: those who have ended since count as well
  const ticks = [...family].flatMap((pid) => (stats.get(pid) ?? []).slice(11, 15).map(Number));
  return sum(ticks) * 10_000;
}

/** The fields of /proc/<pid>/stat from the third on. */
function statOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Resident memory in bytes. */
export const rssBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1024;

export interface Arm {
  readonly name: string;
  run(): Promise<Measured>;
}

/** Runs the arms in turn, `rounds` times after a warm-up, and gives the median of each; the first arm is ours. */
export async function alternately(
  what: string,
  arms: readonly Arm[],
  rounds: number,
): Promise<readonly Row[]> {
  const runs = arms.map((): Measured[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, arm] of arms.entries()) {
      const measured = await arm.run();
      if (round > 0) runs[at]?.push(measured);
    }
  }
  const [ours = Number.NaN] = runs.map((each) => median(each.map((one) => one.perSecond)));
  const [oursCpu = Number.NaN] = runs.map((each) => median(each.map((one) => one.cpuUs)));
  return arms.map(({ name }, at): Row => {
    const each = runs[at] ?? [];
    const perSecond = median(each.map((one) => one.perSecond));
    const cpu = median(each.map((one) => one.cpuUs));
    const servers = each.flatMap(({ serversUs }) => (serversUs === undefined ? [] : [serversUs]));
    return {
      what,
      arm: name,
      value: perSecond,
      unit: '/s',
      p50Ms: median(each.map((one) => one.p50Ms)),
      p99Ms: median(each.map((one) => one.p99Ms)),
      cpuUs: cpu,
      ...(servers.length === 0 ? {} : { serversUs: median(servers) }),
      ...(at === 0 ? {} : { ratio: ours / perSecond, cpuRatio: cpu / oursCpu }),
    };
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value below which `share` of all lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function machine(): string {
  const [cpu] = cpus();
  const version = execFileSync('uname', ['-sr'], { encoding: 'utf8' }).trim();
  const cores = `${cpus().length} x ${cpu?.model.trim() ?? 'unknown CPU'}`;
  return `${cores}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${version}, Node ${process.version}`;
}
