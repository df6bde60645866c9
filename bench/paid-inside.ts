/** The run of `bench -- paid`, inside its network namespace: starts both arms, lets them take turns, writes the rows. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { certificate, galla, rival, startOutside, type Arm, type Outside } from './paid-arms.ts';
import { kindsIn } from './paid-kinds.ts';
import { inLanes, type Lanes } from './paid-lane.ts';
import { lanes, memoryAfter, restMs, rounds, seconds } from './paid-plan.ts';
import { busyUs, spentBy, type Spent } from './paid-spent.ts';
import { median, quantile, Room, rssBytes, type Row } from './support.ts';

const { FOLDER = '', SHOP_HOST = '', PG_BIN = '', PACKAGES = '' } = process.env;

interface Round extends Spent {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly reportedMs: number;
  /** CPU that neither this arm nor what is outside has used, in cores. */
  readonly foreign: number;
}

const room = new Room();

async function measured(): Promise<readonly Row[]> {
  const tls = certificate(FOLDER, SHOP_HOST);
  const outside = await startOutside(room, SHOP_HOST, tls);
  const place = { room, folder: FOLDER, outside, env: { NODE_EXTRA_CA_CERTS: tls.cert } };
  const ours = await galla(place);
  const arms = [ours, await rival(place, { bin: PG_BIN, packages: PACKAGES })];
  const rows: Row[] = [];
  for (const count of lanes) rows.push(...(await compared(arms, count, outside)));
  rows.push(...(await remembered(ours)));
  await pause(restMs);
  await room.end({ pid: ours.pids[0] ?? 0 });
  return [...rows, ...kindsIn(join(FOLDER, 'galla'))];
}

async function compared(arms: readonly Arm[], count: number, outside: Outside): Promise<readonly Row[]> {
  const all = arms.map((): Round[] => []);
  for (let round = 0; round <= rounds; round++)
    for (const [at, arm] of arms.entries()) {
      const one = await roundOf(arm, count, outside);
      if (round > 0) all[at]?.push(one);
    }
  const what = count === 1 ? 'one lane' : `${count} lanes`;
  const of = (at: number, field: keyof Round): number => median((all[at] ?? []).map((one) => one[field]));
  return [
    ...arms.map(({ name }, at): Row => ({
      what: `paid checkout, ${what}`,
      arm: name,
      value: of(at, 'perSecond'),
      unit: '/s',
      p50Ms: of(at, 'p50Ms'),
      p99Ms: of(at, 'p99Ms'),
      cpuUs: of(at, 'cpuUs'),
      ...(at === 0
        ? {}
        : { ratio: of(0, 'perSecond') / of(at, 'perSecond'), cpuRatio: of(at, 'cpuUs') / of(0, 'cpuUs') }),
    })),
    ...arms.map(({ name }, at): Row => ({
      what: `written a checkout, ${what}`,
      arm: name,
      value: of(at, 'writtenKib'),
      unit: 'KiB',
      ...(at === 0 ? {} : { ratio: of(0, 'writtenKib') / of(at, 'writtenKib') }),
    })),
    ...arms.map(({ name }, at): Row => ({
      what: `return to webhook, ${what}`,
      arm: name,
      value: of(at, 'reportedMs'),
      unit: 'ms',
      ...(at === 0 ? {} : { ratio: of(0, 'reportedMs') / of(at, 'reportedMs') }),
    })),
    { what: `CPU of others, ${what}`, arm: 'worst round', value: worst(all) * 100, unit: '% of a core' },
  ];
}

const worst = (all: readonly (readonly Round[])[]): number =>
  Math.max(...all.flatMap((rounds) => rounds.map(({ foreign }) => foreign)));

async function roundOf(arm: Arm, count: number, outside: Outside): Promise<Round> {
  await fetch(`${outside.url}/reset`, { method: 'POST' });
  const [spent, provider, driver] = [spentBy(arm.pids), spentBy([outside.pid]), process.cpuUsage()];
  const busyFrom = busyUs();
  const from = performance.now();
  const until = from + seconds * 1000;
  const done = await inLanes(arm, count, () => performance.now() < until);
  await pause(arm.restMs);
  const own = spent(done.count);
  const { user, system } = process.cpuUsage(driver);
  const known = (own.cpuUs + provider(done.count).cpuUs) * done.count + user + system;
  await exactlyOnce(arm, done, outside);
  const { perSecond, tookMs, reportedMs } = done;
  const foreign = (busyUs() - busyFrom - known) / ((performance.now() - from) * 1000);
  arm.settle();
  execFileSync('sync');
  const round = {
    ...own,
    perSecond,
    foreign,
    p50Ms: median(tookMs),
    p99Ms: quantile(tookMs, 0.99),
    reportedMs: median(reportedMs),
  };
  process.stdout.write(
    `${arm.name}, ${count}: ${perSecond.toFixed(0)}/s, ${(own.cpuUs / 1000).toFixed(1)} ms, `,
  );
  process.stdout.write(`${own.writtenKib.toFixed(0)} KiB, others ${(foreign * 100).toFixed(0)} %\n`);
  return round;
}

/** Throws unless each paid checkout was reported, under one id, and none besides. */
async function exactlyOnce({ name }: Arm, { count }: Lanes, { url }: Outside): Promise<void> {
  const ledger = (await (await fetch(`${url}/ledger`)).json()) as { readonly [of: string]: number };
  const { started, paid, reported, reportedTwice } = ledger;
  if (started === count && paid === count && reported === count && reportedTwice === 0) return;
  throw new Error(`${name}: ${count} checkouts, but ${JSON.stringify(ledger)}`);
}

/** Memory after so many checkouts more. */
async function remembered(arm: Arm): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let made = 0;
  for (const target of memoryAfter) {
    const more = target - made;
    await inLanes(arm, 32, (count) => count < more - 31);
    made = target;
    await pause(restMs);
    rows.push({
      what: `memory after ${target.toLocaleString('en')} checkouts more`,
      arm: arm.name,
      value: rssBytes(arm.pids[0] ?? 0) / 2 ** 20,
      unit: 'MiB',
    });
  }
  return rows;
}

process.once('SIGTERM', () => void room.close().finally(() => process.exit(130)));
try {
  writeFileSync(join(FOLDER, 'rows.json'), JSON.stringify(await measured()));
} finally {
  await room.close();
}
