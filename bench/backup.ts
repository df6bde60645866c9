/** What a backup costs those who create: the p99 of a create while `galla backup` runs, beside the same without it. */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Api } from '../src/cli/demo/api.ts';
import { closedLoop } from './closed-loop.ts';
import { order } from './service.ts';
import { embeddedWith, said, type Subject } from './subjects.ts';
import { median, quantile, spending, type Bench, type Row } from './support.ts';

/** BENCH_STORED names another number of sessions, for a quick look. */
const sessions = Number(process.env['BENCH_STORED'] ?? 60_000);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 8);
const paced = 25;
/** After a 503; its wait is part of the create's. */
const againMs = 50;
const atOnce = 8;
const name = 'backup';
const arms = ['while a backup is made', 'no backup'] as const;

export const backupEmbedded: Bench = {
  title: 'A create while a backup is made, embedded',
  setup:
    `a service with ${sessions.toLocaleString('en')} paid sessions, and two loads: ${paced} creates a second, whatever ` +
    `became of those before, and ${atOnce} at once. Each round is one \`galla backup\` from beginning to end, then the same ` +
    `time without one; ${rounds} rounds after a warm-up, and the percentiles are those of all their creates together. The ` +
    'p99 beside a backup may be 1.3 times the other at most',
  bound:
    'the disk and the cores, which a backup shares with the service: it has the lowest priority, syncs nothing of its ' +
    'copy, and the compressed file a mebibyte at a time',
  async run(room) {
    const service = await embeddedWith(room, { name, ended: 'paid', most: sessions });
    const folder = join(room.folder, 'backups');
    mkdirSync(folder);
    const backup = async (): Promise<Made> => made(join(folder, 'one.db.gz'), join(room.folder, name));
    const loads: readonly Load[] = [
      { what: `create, ${paced} a second`, run: pacedLoop },
      { what: `create, ${atOnce} at once`, run: fullLoop },
    ];
    const rows: Row[] = [];
    for (const load of loads) rows.push(...(await inTurn(service, load, backup)));
    return rows;
  },
};

interface Made {
  readonly tookMs: number;
  readonly databaseBytes: number;
}

async function made(file: string, dataDir: string): Promise<Made> {
  const command = fileURLToPath(new URL('../src/cli/galla.js', import.meta.url));
  const args = [command, 'backup', file, '--data-dir', dataDir, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  rmSync(file);
  return JSON.parse(stdout) as Made;
}

type Create = () => Promise<void>;
interface Load {
  readonly what: string;
  /** Until `over` resolves; the latencies of all creates that were begun. */
  readonly run: (create: Create, over: Promise<unknown>) => Promise<readonly number[]>;
}

async function pacedLoop(create: Create, over: Promise<unknown>): Promise<readonly number[]> {
  let isOver = false;
  const end = over.finally(() => (isOver = true));
  const latenciesMs: number[] = [];
  const under: Promise<void>[] = [];
  const from = performance.now();
  for (let n = 0; !isOver; n++) {
    const early = from + (n * 1000) / paced - performance.now();
    if (early > 0) await pause(early);
    const begun = performance.now();
    under.push(create().then(() => void latenciesMs.push(performance.now() - begun)));
  }
  await Promise.all([end, ...under]);
  return latenciesMs;
}

async function fullLoop(create: Create, over: Promise<unknown>): Promise<readonly number[]> {
  let isOver = false;
  const end = over.finally(() => (isOver = true));
  const latenciesMs: number[] = [];
  while (!isOver) latenciesMs.push(...(await closedLoop(create, { atOnce, forMs: 250 })).latenciesMs);
  await end;
  return latenciesMs;
}

interface Sum {
  readonly latenciesMs: number[];
  ms: number;
  cpuUs: number;
}

async function inTurn(
  { pid, url, key, count }: Subject,
  { what, run }: Load,
  backup: () => Promise<Made>,
): Promise<readonly Row[]> {
  const api = new Api(url, key);
  const create = async (): Promise<void> => {
    while ((await api.post('/v1/checkout', order)).status !== 201) await pause(againMs);
  };
  const sums = arms.map((): Sum => ({ latenciesMs: [], ms: 0, cpuUs: 0 }));
  const backups: Made[] = [];
  for (let round = 0; round <= rounds; round++) {
    let lastMs = 0;
    for (const sum of sums) {
      const begun = performance.now();
      const spent = spending([pid]);
      const over = sum === sums[0] ? backup().then((one) => void backups.push(one)) : pause(lastMs);
      const latenciesMs = await run(create, over);
      lastMs = performance.now() - begun;
      if (round === 0) continue;
      sum.latenciesMs.push(...latenciesMs);
      sum.ms += lastMs;
      sum.cpuUs += spent(1).cpuUs;
    }
  }
  const mib = median(backups.map(({ databaseBytes }) => databaseBytes)) / 2 ** 20;
  const tookS = median(backups.map(({ tookMs }) => tookMs)) / 1000;
  return rowsOf(what, sums, {
    what: `backup of ${mib.toFixed(0)} MiB, ${said(count)}`,
    arm: `beside ${what}`,
    value: tookS,
    unit: 's',
  });
}

function rowsOf(what: string, sums: readonly Sum[], backup: Row): readonly Row[] {
  const rows = sums.map(({ latenciesMs, ms, cpuUs }, at) => ({
    what,
    arm: arms[at] ?? '',
    value: (latenciesMs.length * 1000) / ms,
    unit: '/s',
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    cpuUs: cpuUs / latenciesMs.length,
  }));
  const [during = Number.NaN, without = Number.NaN] = rows.map(({ p99Ms }) => p99Ms);
  const p99 = { what: `p99 of a ${what}`, arm: arms[1], value: without, unit: 'ms', ratio: during / without };
  return [...rows, p99, backup];
}
