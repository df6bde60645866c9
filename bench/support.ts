/** What every bench shares: servers and load as processes of their own, arms that take turns, CPU per operation, the
 *  table. Machines are shared and noisy: an absolute figure proves nothing, a ratio from one run does. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
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
  /** Ours divided by this arm. */
  readonly ratio?: number;
  /** This arm's CPU per operation divided by ours: what the ratio would be if nothing else ran on the machine. */
  readonly cpuRatio?: number;
}

export interface Bench {
  readonly title: string;
  /** How it was measured, for whoever reads the table. */
  readonly setup: string;
  /** What holds our arm back, as the profile says. */
  readonly bound: string;
  run(room: Room): Promise<readonly Row[]>;
}

/** Where one run works: a folder, and the processes it has to end. */
export class Room {
  readonly folder = mkdtempSync(join(tmpdir(), 'galla-bench-'));
  private readonly children: ChildProcess[] = [];

  /** A server of its own process; it prints its address when it is ready. With `syncMs` each of its syncs of a file
   *  takes that much longer, as on a slower disk (see slowSyncs). */
  async serve(
    file: string,
    env: { readonly [name: string]: string } = {},
    { syncMs = 0 }: { readonly syncMs?: number } = {},
  ): Promise<Served> {
    const path = fileURLToPath(new URL(file, import.meta.url));
    const args = [...(path.endsWith('.ts') ? ['--import', 'tsx'] : []), path];
    const [command = '', ...rest] = [...(syncMs > 0 ? slowedBy(syncMs) : []), process.execPath, ...args];
    const child = spawn(command, rest, {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.children.push(child);
    return { url: await addressOf(child, file), pid: child.pid ?? 0 };
  }

  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  async close(): Promise<void> {
    for (const child of this.children) {
      const gone = new Promise((resolve) => child.once('close', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await gone;
      }
    }
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
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

/** Closed-loop load by wrk on one thread; `pid` is whose CPU is counted. Throws when anything but 2xx was answered. */
export async function wrk(pid: number, load: Load): Promise<Measured> {
  const args = ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '--latency', '--timeout', '10s'];
  for (const header of load.headers ?? []) args.push('-H', header);
  if (load.script !== undefined) args.push('-s', load.script);
  const before = cpuUs(pid);
  const text = await output('wrk', [...args, load.url]);
  await new Promise((resolve) => setTimeout(resolve, load.restMs ?? 0));
  const used = cpuUs(pid) - before;
  const bad =
    /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ??
    /Socket errors:(?!.*connect 0, read 0, write 0, timeout 0).*/.exec(text)?.[0];
  if (bad !== undefined) throw new Error(`wrk against ${load.url}: ${bad} failed\n${text}`);
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? Number.NaN);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? Number.NaN),
    p50Ms: latency(text, 50),
    p99Ms: latency(text, 99),
    cpuUs: used / requests,
  };
}

const unitMs: { readonly [unit: string]: number } = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function latency(text: string, percent: number): number {
  const [, value, unit = ''] =
    new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s|m)\\s*$`, 'm').exec(text) ?? [];
  return Number(value) * (unitMs[unit] ?? Number.NaN);
}

function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
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
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime and stime, the 14th and 15th of all, in ticks of 10 ms
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
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
    return {
      what,
      arm: name,
      value: perSecond,
      unit: '/s',
      p50Ms: median(each.map((one) => one.p50Ms)),
      p99Ms: median(each.map((one) => one.p99Ms)),
      cpuUs: cpu,
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

const columns = ['What', 'Arm', 'Value', 'p50 ms', 'p99 ms', 'CPU us/op', 'Ours / arm', 'By CPU'] as const;

/** The rows as a table of Markdown, readable as it stands; a column nobody fills is left out. */
export function table(rows: readonly Row[]): string {
  const all = rows.map((row) => [
    row.what,
    row.arm,
    `${shown(row.value)} ${row.unit}`,
    optional(row.p50Ms),
    optional(row.p99Ms),
    optional(row.cpuUs),
    times(row.ratio),
    times(row.cpuRatio),
  ]);
  const filled = columns.map((_, at) => all.some((row) => row[at] !== ''));
  const picked = (row: readonly string[]): readonly string[] => row.filter((_, at) => filled[at] === true);
  const [head, cells] = [picked(columns), all.map(picked)];
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const padded = (cell: string, at: number): string =>
    at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  const line = (row: readonly string[]): string => `| ${row.map(padded).join(' | ')} |`;
  const rules = widths.map((width, at) => (at < 2 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`));
  return [line(head), `|${rules.join('|')}|`, ...cells.map(line)].join('\n');
}

const times = (ratio: number | undefined): string => (ratio === undefined ? '' : `${ratio.toFixed(2)}x`);
const optional = (value: number | undefined): string => (value === undefined ? '' : shown(value));
const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2);
