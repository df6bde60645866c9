/** What misbehaves around the service is set against one real process under load: this is the process, the load, and
 *  what is measured of them. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Service } from '../../src/cli/demo/service.ts';
import { Shop } from '../../src/cli/demo/shop.ts';
import type { House } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { account } from './account.ts';
import { check, type Verdict } from './checker.ts';
import { Crowd } from './crowd.ts';
import { History } from './history.ts';
import { journey, type Stage } from './journey.ts';
import { pause, type Line } from './line.ts';

export interface Outside {
  readonly house: House;
  readonly service: () => Service;
  /** `kill -9`, and a start at the same address; resolves when it answers again. */
  readonly reborn: () => Promise<void>;
  readonly random: () => number;
  /** As many and as long as the table of faults says, or only as much as it takes to matter. */
  readonly long: boolean;
  /** Nothing else is inflicted meanwhile: what the process holds is this fault's. */
  readonly alone: boolean;
}

/** In the short form the merchant's clock goes ten times as fast meanwhile: look-ups that are 30 s apart are not waited
 *  for. */
export async function hurried<Value>(
  { long }: Pick<Outside, 'long'>,
  { api }: Merchant,
  work: () => Promise<Value>,
): Promise<Value> {
  if (long) return work();
  const state = { over: false };
  const hurry = async (): Promise<void> => {
    while (!state.over) {
      // one that still moves does as well
      await api.post('/v1/test/clock/advance', { bySeconds: 9 }).catch(() => null);
      await pause(1000);
    }
  };
  const [value] = await Promise.all([work().finally(() => (state.over = true)), hurry()]);
  return value;
}

/** What came of a fault: figures for people, and what must not be. */
export interface Suffered {
  readonly figures: readonly string[];
  readonly problems: readonly string[];
}

export interface OutsideFault {
  readonly id: string;
  readonly title: string;
  readonly inflict: (outside: Outside) => Promise<Suffered>;
}

/** A merchant used by nobody else, with a server that receives its webhooks. */
export interface Patient {
  readonly merchant: Merchant;
  readonly stage: Stage;
  readonly shop: Shop;
  /** Reads back everything and judges it; `made`: checkouts of `journey` begun. */
  verdict(made: number): Promise<Verdict>;
  close(): Promise<void>;
}

const calmMsMax = 60_000;

/** Again while it is told to come later: a machine with much else to do turns requests away, and says so. */
export async function calmly<Value>(work: () => Promise<Value>): Promise<Value> {
  const until = Date.now() + calmMsMax;
  for (;;) {
    try {
      return await work();
    } catch (failure) {
      if (!String(failure).includes(' answered 503') || Date.now() > until) throw failure;
      await pause(250);
    }
  }
}

export async function patientOf(
  { house }: Pick<Outside, 'house'>,
  seed: number,
  line: Line = new Crowd(),
  history = new History(null),
): Promise<Patient> {
  const merchant = await calmly(() => house.merchant());
  const shop = await Shop.open();
  await calmly(() => merchant.endpoint(shop));
  shop.answering = ({ raw, id, type, objectId }) => {
    const hash = createHash('sha256').update(raw).digest('hex');
    history.add({ is: 'webhook', id, type, objectId, hash });
    return { status: 200 };
  };
  const stage = { api: merchant.api, line, history, shopUrl: shop.url, seed, simulates: false };
  return {
    merchant,
    stage,
    shop,
    async verdict(made) {
      await account(stage, made, shop);
      return check(history.entries);
    },
    close: () => shop.close(),
  };
}

/** Buyers who pay at an undisturbed merchant, one checkout after the other. */
export class Load {
  made = 0;
  private over = false;
  private readonly buyers: Promise<unknown>;

  constructor(stage: Stage, count: number) {
    const buyer = async (): Promise<void> => {
      while (!this.over) await journey(stage, ++this.made);
    };
    this.buyers = Promise.all(Array.from({ length: count }, buyer));
  }

  async end(): Promise<void> {
    this.over = true;
    await this.buyers;
  }
}

/** Creates a checkout every so often and remembers how long each answer took. */
export class Probe {
  private readonly tookMs: number[] = [];
  private failed = 0;
  private turnedAway = 0;
  private over = false;
  private readonly done: Promise<void>;

  constructor(merchant: Merchant, everyMs = 50) {
    this.done = this.run(merchant, everyMs);
  }

  /** Ends it. */
  async felt(): Promise<{
    readonly count: number;
    readonly p50: number;
    readonly p99: number;
    readonly failed: number;
    readonly turnedAway: number;
  }> {
    this.over = true;
    await this.done;
    const sorted = this.tookMs.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return {
      count: sorted.length,
      p50: at(0.5),
      p99: at(0.99),
      failed: this.failed,
      turnedAway: this.turnedAway,
    };
  }

  private async run(merchant: Merchant, everyMs: number): Promise<void> {
    const body = { amount: 5000, returnUrl: 'http://127.0.0.1:9/return' };
    const asked: Promise<void>[] = [];
    while (!this.over) {
      const from = performance.now();
      asked.push(
        merchant.api.post('/v1/checkout', body).then(
          ({ status }) => {
            this.tookMs.push(performance.now() - from);
            if (status === 503) this.turnedAway++;
            else if (status !== 201) this.failed++;
          },
          () => void this.failed++,
        ),
      );
      await pause(everyMs);
    }
    await Promise.all(asked);
  }
}

/** What a process holds. */
export interface Holding {
  readonly rssMiB: number;
  readonly descriptors: number;
}

export function holding({ pid }: Service): Holding {
  const [, kib = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { rssMiB: Number(kib) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** It must have given back descriptors within this time (I10). */
const giveBackMsMax = 60_000;
/** Connections of the load come and go. */
const descriptorsSlack = 40;

/** Waits until it holds about as many descriptors as before; the problem when it does not. What others hold at the same
 *  time is judged at the end of all. */
export async function givesBack(
  { service, alone }: Pick<Outside, 'service' | 'alone'>,
  before: Holding,
): Promise<readonly string[]> {
  if (!alone) return [];
  const until = Date.now() + giveBackMsMax;
  const enough = before.descriptors * 1.1 + descriptorsSlack;
  while (holding(service()).descriptors > enough && Date.now() < until) await pause(250);
  const { descriptors } = holding(service());
  return descriptors > enough
    ? [`${descriptors} descriptors a minute later, ${before.descriptors} before`]
    : [];
}

/** While `work` runs: how long a create takes, and the most memory seen. */
export async function measured<Result>(
  { house, service }: Pick<Outside, 'house' | 'service'>,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly figures: readonly string[]; readonly failed: number }> {
  const merchant = await calmly(() => house.merchant());
  const before = holding(service());
  const probe = new Probe(merchant);
  let most = before.rssMiB;
  const looking = setInterval(() => {
    try {
      most = Math.max(most, holding(service()).rssMiB);
    } catch {
      // it was killed, and is not there again yet
    }
  }, 200);
  try {
    const result = await work();
    const { count, p50, p99, failed, turnedAway } = await probe.felt();
    const figures = [
      `creates meanwhile: ${count}, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${turnedAway} told to come later, ${failed} failed`,
      `memory: ${before.rssMiB.toFixed(0)} MiB before, ${most.toFixed(0)} at most`,
    ];
    return { result, figures, failed };
  } finally {
    clearInterval(looking);
  }
}
