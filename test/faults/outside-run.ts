/** One run of what misbehaves around the service: providers, shops and clients, against one real process under load. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { missingCluster } from '../support/cluster.ts';
import { houseOf } from '../support/galla.ts';
import type { Verdict } from './checker.ts';
import { gatewayPaused } from './gateway-paused.ts';
import { outsideFaults } from './outside-faults.ts';
import {
  givesBack,
  holding,
  Load,
  patientOf,
  type Outside,
  type OutsideFault,
  type Patient,
  type Suffered,
} from './outside.ts';
import { seeded, shuffled } from './random.ts';
import { entry } from './run.ts';

export interface OutsideRunOptions {
  readonly seed: number;
  /** Their ids; all by default. */
  readonly faults: readonly string[] | 'all';
  readonly long: boolean;
  /** All faults of one process at the same moment; by default one after the other. */
  readonly atOnce?: boolean;
  /** Buyers of an undisturbed merchant, all the time. */
  readonly buyers: number;
  readonly say: (text: string) => void;
}

export interface OutsideReport extends Verdict {
  readonly seed: number;
  readonly faults: readonly (Suffered & { readonly id: string; readonly title: string })[];
  readonly tookMs: number;
}

const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' } as const;
/** A machine may have much else to do. */
const readyMsMax = 90_000;

/** Those of one process, then the one that needs a cluster. */
export async function runOutside(options: OutsideRunOptions): Promise<OutsideReport> {
  const from = Date.now();
  const report = await runEmbedded(options);
  const { faults, say, long, seed, buyers } = options;
  if ((faults !== 'all' && !faults.includes('F5')) || missingCluster('F5')) return report;
  const title = 'a node that only speaks stands still, then goes on';
  const pausedMs = long ? 20_000 : 8000;
  const paused = await suffered('F5', title, () => gatewayPaused({ seed, buyers, pausedMs }), say);
  return {
    ...report,
    faults: [...report.faults, paused],
    problems: [...report.problems, ...paused.problems.map((one) => `F5: ${one}`)],
    tookMs: Date.now() - from,
  };
}

async function runEmbedded(options: OutsideRunOptions): Promise<OutsideReport> {
  const from = Date.now();
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-outside-'));
  let service = await Service.start({ dataDir, entry, env, readyMsMax });
  const { port, url } = service;
  let healthy: Patient | null = null;
  try {
    const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
    const house = await houseOf(admin, () => Promise.resolve(), await service.keys(dataDir));
    const random = seeded(options.seed);
    const outside: Outside = {
      house,
      service: () => service,
      async reborn() {
        await service.kill();
        service = await Service.start({ dataDir, entry, port, env, readyMsMax });
      },
      random,
      long: options.long,
      alone: options.atOnce !== true,
    };
    healthy = await patientOf(outside, options.seed);
    const before = holding(service);
    const load = new Load(healthy.stage, options.buyers);
    const faults: OutsideReport['faults'][number][] = [];
    const one = async ({ id, title, inflict }: OutsideFault): Promise<void> =>
      void faults.push(await suffered(id, title, () => inflict(outside), options.say));
    try {
      const all = order(options, random);
      if (options.atOnce === true) await Promise.all(all.map(one));
      else for (const fault of all) await one(fault);
    } finally {
      await load.end();
    }
    const verdict = await healthy.verdict(load.made);
    const own = faults.flatMap(({ id, problems }) => problems.map((one) => `${id}: ${one}`));
    const kept = await givesBack({ service: () => service, alone: true }, before);
    const problems = [...verdict.problems, ...own, ...kept];
    return { ...verdict, problems, seed: options.seed, faults, tookMs: Date.now() - from };
  } catch (failure) {
    options.say(`${service.running ? '' : 'the service is gone; '}it said last:\n${service.output}`);
    throw failure;
  } finally {
    await service.stop();
    await healthy?.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const order = ({ faults }: OutsideRunOptions, random: () => number): readonly OutsideFault[] =>
  shuffled(
    random,
    outsideFaults.filter(({ id }) => faults === 'all' || faults.includes(id)),
  );

async function suffered(
  id: string,
  title: string,
  inflict: () => Promise<Suffered>,
  say: (text: string) => void,
): Promise<OutsideReport['faults'][number]> {
  const from = Date.now();
  // what breaks the story of one fault is a problem of that fault
  const { figures, problems } = await inflict().catch((failure: unknown): Suffered => ({
    figures: [],
    problems: [failure instanceof Error ? failure.message : String(failure)],
  }));
  say(`${id.padEnd(5)} ${title} (${((Date.now() - from) / 1000).toFixed(0)} s)`);
  for (const figure of figures) say(`        ${figure}`);
  for (const problem of problems) say(`      ! ${problem}`);
  return { id, title, figures, problems };
}
