/** A rolling upgrade under load: an older build is replaced by this one, one node after the other in a cluster, or one
 *  service on its folder. What was acknowledged before, during and after it must be there, with the same bytes.
 *  1. A try counts as failed when it was cut off or answered 5xx while the service was there. A single service is away
 *     between its two builds: tries of that time are not counted. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { startCluster } from '../support/cluster.ts';
import { houseOf, type House } from '../support/galla.ts';
import type { Verdict } from './checker.ts';
import { Crowd } from './crowd.ts';
import type { Stage } from './journey.ts';
import { pause } from './line.ts';
import { Load, patientOf } from './outside.ts';
import { rolling } from './rolling.ts';
import { entry } from './run.ts';

export interface UpgradeOptions {
  /** A checkout of the older build, built. */
  readonly from: string;
  readonly seed: number;
  readonly buyers: number;
  readonly say: (text: string) => void;
}

export interface UpgradeReport extends Verdict {
  readonly mode: 'cluster' | 'embedded';
  /** Requests of the load: keyed creates and reads. */
  readonly requests: number;
  /** Those that failed once, and were answered when they were repeated. */
  readonly repeated: number;
  readonly failedTwice: number;
  /** Keyed creates sent once more at the end: each must answer the same bytes. */
  readonly asked: number;
  /** Acknowledged checkouts read one by one at the end. */
  readonly read: number;
  readonly note: string;
  readonly tookMs: number;
}

/** How long each build serves the load by itself. */
const aloneMs = 10_000;
const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' } as const;
const readyMsMax = 90_000;

export async function upgradeCluster(options: UpgradeOptions): Promise<UpgradeReport> {
  const cluster = await startCluster({ entry: startOf(options.from) });
  try {
    return await upgraded('cluster', options, cluster, async () => rolling({ cluster }, entry));
  } catch (failure) {
    options.say(cluster.output());
    throw failure;
  } finally {
    await cluster.stop();
  }
}

export async function upgradeEmbedded(options: UpgradeOptions): Promise<UpgradeReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-upgrade-'));
  let service = await Service.start({ dataDir, entry: startOf(options.from), env, readyMsMax });
  const { port, url } = service;
  try {
    const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
    const house = await houseOf(admin, () => Promise.resolve(), await service.keys(dataDir));
    return await upgraded('embedded', options, house, async (line) => {
      const from = Date.now();
      line.isThere = false;
      const { code, signal } = await service.stop();
      service = await Service.start({ dataDir, entry, port, env, readyMsMax });
      line.isThere = true;
      const note = `away for ${((Date.now() - from) / 1000).toFixed(1)} s`;
      return {
        note,
        problems: code === 0 ? [] : [`the older build ended with ${signal ?? `exit code ${code}`}`],
      };
    });
  } catch (failure) {
    options.say(service.output);
    throw failure;
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const startOf = (checkout: string): string => join(checkout, 'dist/src/cli/start.js');

interface Replaced {
  readonly note?: string;
  readonly problems?: readonly string[];
}

async function upgraded(
  mode: UpgradeReport['mode'],
  { seed, buyers }: UpgradeOptions,
  house: House,
  replace: (line: CountingCrowd) => Promise<Replaced>,
): Promise<UpgradeReport> {
  const from = Date.now();
  const line = new CountingCrowd();
  const patient = await patientOf({ house }, seed, line);
  try {
    const load = new Load(patient.stage, buyers);
    let replaced: Replaced;
    try {
      await pause(aloneMs);
      replaced = await replace(line);
      await pause(aloneMs);
    } finally {
      await load.end();
    }
    const { note = '', problems = [] } = replaced;
    const { read, problems: unread } = await readAll(patient.stage);
    const verdict = await patient.verdict(load.made);
    const failed = line.failedTwice.map((what) => `failed after one repeat: ${what}`);
    return {
      ...verdict,
      problems: [...verdict.problems, ...problems, ...unread, ...failed],
      mode,
      requests: line.requests,
      repeated: line.repeated,
      failedTwice: line.failedTwice.length,
      asked: load.made,
      read,
      note,
      tookMs: Date.now() - from,
    };
  } finally {
    await patient.close();
  }
}

/** Reads each acknowledged checkout by its id. */
async function readAll({ api, history }: Stage): Promise<{ read: number; problems: readonly string[] }> {
  const texts = history.entries.flatMap((one) =>
    one.is === 'created' && one.status === 201 ? [one.text] : [],
  );
  const ids = new Set(texts.map((text) => String((JSON.parse(text) as { id?: unknown }).id)));
  const problems: string[] = [];
  for (const id of ids) {
    const { status } = await api.get(`/v1/checkout/${id}`);
    if (status !== 200) problems.push(`${id} was acknowledged and is answered ${status}`);
  }
  return { read: ids.size, problems };
}

class CountingCrowd extends Crowd {
  isThere = true;
  requests = 0;
  repeated = 0;
  readonly failedTwice: string[] = [];

  override async surely<Value>(what: string, work: () => Promise<Value | null>): Promise<Value> {
    this.requests++;
    let failed = 0;
    const value = await super.surely(what, async () => {
      const wasThere = this.isThere;
      let isAnswered = false;
      try {
        const found = await work();
        isAnswered = found !== null;
        return found;
      } finally {
        if (!isAnswered && wasThere && this.isThere) failed++;
      }
    });
    if (failed === 1) this.repeated++;
    if (failed > 1) this.failedTwice.push(`${what}, ${failed} times`);
    return value;
  }
}
