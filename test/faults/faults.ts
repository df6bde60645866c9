/** `npm run faults -- [--seed N] [--checkouts N] [--kills N] [--hits N] [--buyers N] [--history FILE]`: kill -9 of the
 *  real process under load, again and again. Exit code 0 when nothing was lost and nothing happened twice.
 *  `--cluster [--seed N] [--buyers N] [--only F1,F6] [--short] [--history FILE]`: three nodes, and every fault of the
 *  table; `--short` injects each fault as briefly as possible.
 *  `--outside [--seed N] [--buyers N] [--only F18,F27] [--short]`: providers, shops and clients misbehave around one real
 *  process, and around a cluster's gateway (F5).
 *  `--upgrade-from DIR [--seed N] [--buyers N]`: an older build, DIR, is replaced by this one under load, in a cluster
 *  and on the folder of a single service.
 *  `--soak [--minutes N] [--seed N] [--buyers N] [--history FILE]`: three nodes at half load, one of which is killed each
 *  minute. `--buyers` of them are full load.
 *  `--deaths N`, `--pauses N [--seed N]`: three nodes, of which one is killed N times and what follows is timed part by
 *  part; or nine nodes, which stand still N times for up to 4 s, and none may be declared dead.
 *  `--check FILE` judges a history written before, without a service; `--picture FILE` draws that of a soak. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { check } from './checker.ts';
import { runCluster, type ClusterReport } from './cluster-run.ts';
import { readHistory } from './history.ts';
import { deaths, pauses, type Death } from './membership-runs.ts';
import { runOutside, type OutsideReport } from './outside-run.ts';
import { failpoints } from './plan.ts';
import { seeded } from './random.ts';
import { inFlightMin, run, type Report } from './run.ts';
import { soakPicture } from './soak-picture.ts';
import { soak, type SoakReport } from './soak.ts';
import { upgradeCluster, upgradeEmbedded, type UpgradeReport } from './upgrade.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    checkouts: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '20' },
    hits: { type: 'string', default: '20' },
    buyers: { type: 'string' },
    cluster: { type: 'boolean', default: false },
    outside: { type: 'boolean', default: false },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
    history: { type: 'string' },
    check: { type: 'string' },
    'upgrade-from': { type: 'string' },
    soak: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    picture: { type: 'string' },
    deaths: { type: 'string' },
    pauses: { type: 'string' },
  },
});

type Rows = readonly (readonly [string, string | number])[];

const say = (text: string): void => void process.stdout.write(`  ${text}\n`);

if (values.check !== undefined) {
  const verdict = check(readHistory(values.check));
  if (values.picture !== undefined) writeFileSync(values.picture, soakPicture(readHistory(values.check)));
  for (const problem of verdict.problems) say(problem);
  say(`${verdict.accepted} accepted, ${verdict.lost} lost, ${verdict.problems.length} problems`);
  process.exitCode = verdict.problems.length === 0 ? 0 : 1;
} else if (values['upgrade-from'] !== undefined) {
  const from = resolve(values['upgrade-from']);
  const upgrade = { from, seed: Number(values.seed), buyers: Number(values.buyers ?? 6), say };
  tellUpgrade(await upgradeCluster(upgrade));
  tellUpgrade(await upgradeEmbedded(upgrade));
} else if (values.soak) {
  tellSoak(
    await soak({
      minutes: Number(values.minutes),
      seed: Number(values.seed),
      buyers: Number(values.buyers ?? 16),
      historyFile: values.history ?? null,
      say,
    }),
  );
} else if (values.deaths !== undefined) {
  tellDeaths(await deaths({ count: Number(values.deaths), random: seeded(Number(values.seed)), say }));
} else if (values.pauses !== undefined) {
  const dead = await pauses({ count: Number(values.pauses), random: seeded(Number(values.seed)), say });
  tellRows(
    [
      ['pauses', values.pauses],
      ['declared dead', dead],
    ],
    {
      problems: dead === 0 ? [] : ['a node that only stood still was declared dead'],
    },
  );
} else if (values.outside) {
  tellOutside(
    await runOutside({
      seed: Number(values.seed),
      faults: values.only?.split(',') ?? 'all',
      long: !values.short,
      buyers: Number(values.buyers ?? 4),
      say,
    }),
  );
} else if (values.cluster) {
  tellCluster(
    await runCluster({
      seed: Number(values.seed),
      faults: values.only?.split(',') ?? 'all',
      long: !values.short,
      buyers: Number(values.buyers ?? 8),
      historyFile: values.history ?? null,
      say,
    }),
  );
} else {
  const report = await run({
    seed: Number(values.seed),
    checkouts: Number(values.checkouts),
    kills: Number(values.kills),
    hitsEach: Number(values.hits),
    buyers: Number(values.buyers ?? 48),
    historyFile: values.history ?? null,
    say,
  });
  tell(report, Number(values.hits));
}

/** Each part of what follows a death: the median and the longest. */
function tellDeaths(found: readonly Death[]): void {
  const row = (name: string, part: (death: Death) => number): readonly [string, string] => {
    const sorted = found.map(part).sort((a, b) => a - b);
    return [name, `median ${middle(sorted)} ms, most ${sorted.at(-1) ?? 0} ms`];
  };
  tellRows(
    [
      ['deaths', found.length],
      row('the fence', ({ fence }) => fence),
      row('noticed', ({ noticed }) => noticed),
      row('claimed', ({ claimed }) => claimed),
      row('subscribed, scanned, first commits', ({ served }) => served),
      row('all after the fence', ({ noticed, claimed, served }) => noticed + claimed + served),
    ],
    { problems: [] },
  );
}

/** The verdict over the whole run; each fault was reported when it ended. */
function tellCluster(report: ClusterReport): void {
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  const taken = report.faults.flatMap(({ takeoverMs }) => (takeoverMs === null ? [] : [takeoverMs]));
  const rows: Rows = [
    ['seed', report.seed],
    ['took', `${seconds(report.tookMs)} s`],
    ['faults', report.faults.length],
    ['checkouts accepted', report.accepted],
    ['checkouts lost', report.lost],
    ['sessions paid', report.paid],
    ['charges at the provider', report.charges],
    ['outward duplicates', report.outwardDuplicates],
    ['webhooks received', report.deliveries],
    ['webhooks told again under the same id', report.duplicateDeliveries],
    ['slowest takeover after a death', taken.length === 0 ? '-' : `${seconds(Math.max(...taken))} s`],
    ['problems', report.problems.length],
  ];
  tellRows(rows, report);
}

function tellRows(rows: Rows, { problems }: { readonly problems: readonly string[] }): void {
  process.stdout.write('\n');
  for (const [name, value] of rows) say(`${name.padEnd(40)} ${value}`);
  for (const problem of problems) say(`  ${problem}`);
  process.stdout.write('\n');
  if (problems.length > 0) process.exitCode = 1;
}

function tellUpgrade(report: UpgradeReport): void {
  tellRows(
    [
      ['upgraded', report.mode],
      ['took', `${(report.tookMs / 1000).toFixed(1)} s${report.note === '' ? '' : `; ${report.note}`}`],
      ['requests of the load', report.requests],
      ['failed once, answered when repeated', report.repeated],
      ['failed after one repeat', report.failedTwice],
      ['checkouts acknowledged, read one by one', report.read],
      ['keys asked again', report.asked],
      ['checkouts lost', report.lost],
      ['sessions paid', report.paid],
      ['charges at the provider', report.charges],
      ['outward duplicates', report.outwardDuplicates],
      ['webhooks received', report.deliveries],
      ['webhooks told again under the same id', report.duplicateDeliveries],
      ['problems', report.problems.length],
    ],
    report,
  );
}

function tellSoak(report: SoakReport): void {
  const { creates } = report;
  const failed = (kinds: ReadonlyMap<string, number>): Rows =>
    [...kinds].toSorted(([, a], [, b]) => b - a).map(([kind, count]) => [`  ${kind}`, count]);
  const sorted = report.backMs.toSorted((a, b) => a - b);
  tellRows(
    [
      ['took', `${(report.tookMs / 1000).toFixed(0)} s`],
      ['full load, checkouts a second', report.fullPerSecond.toFixed(2)],
      ['kills', report.kills],
      ['killed until its /health is ok', `median ${middle(sorted)} ms, most ${sorted.at(-1) ?? 0} ms`],
      ['nodes that did not start at the first try', report.failedStarts],
      ['requests', report.requests],
      ['creates', creates.count],
      ['creates p50, p99, most', `${creates.p50Ms}, ${creates.p99Ms}, ${creates.mostMs} ms`],
      ['the same away from kills, p50, p99', `${creates.calmP50Ms}, ${creates.calmP99Ms} ms`],
      ['held back, because too many were under way', report.heldBack],
      ['failed within 15 s of a kill', sum(report.failedNearKills)],
      ...failed(report.failedNearKills),
      ['failed at other times', sum(report.failedOtherwise)],
      ...failed(report.failedOtherwise),
      ['checkouts accepted', report.accepted],
      ['checkouts lost', report.lost],
      ['sessions paid', report.paid],
      ['charges at the provider', report.charges],
      ['outward duplicates', report.outwardDuplicates],
      ['webhooks received', report.deliveries],
      ['webhooks told again under the same id', report.duplicateDeliveries],
      ['problems', report.problems.length],
    ],
    report,
  );
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, count) => all + count, 0);
}

/** The verdict over the undisturbed buyers; each fault was reported when it ended. */
function tellOutside(report: OutsideReport): void {
  const rows: Rows = [
    ['seed', report.seed],
    ['took', `${(report.tookMs / 1000).toFixed(1)} s`],
    ['faults', report.faults.length],
    ['checkouts of a merchant nobody hurts', report.accepted],
    ['lost', report.lost],
    ['paid', report.paid],
    ['outward duplicates', report.outwardDuplicates],
    ['problems', report.problems.length],
  ];
  tellRows(rows, report);
}

function tell(report: Report, hitsEach: number): void {
  const missed = failpoints.filter((name) => (report.deaths[name] ?? 0) < hitsEach);
  const seconds = report.recoveryMs.map((ms) => ms / 1000).sort((a, b) => a - b);
  const rows: Rows = [
    ['seed', report.seed],
    ['took', `${(report.tookMs / 1000).toFixed(0)} s`],
    ['restarts', report.restarts],
    [
      `deaths with >= ${inFlightMin} requests in flight`,
      Object.entries(report.deaths)
        .map(([name, count]) => `${name} ${count}`)
        .join(', '),
    ],
    ['recovery, seconds', `median ${middle(seconds).toFixed(2)}, worst ${(seconds.at(-1) ?? 0).toFixed(2)}`],
    ['checkouts accepted', report.accepted],
    ['checkouts lost', report.lost],
    ['sessions paid', report.paid],
    ['charges at the provider', report.charges],
    ['webhooks received', report.deliveries],
    ['outward duplicates', report.outwardDuplicates],
    ['webhooks told again under the same id', report.duplicateDeliveries],
    ['problems', report.problems.length],
  ];
  const few = missed.map((name) => `${name} was hit only ${report.deaths[name] ?? 0} of ${hitsEach} times`);
  tellRows(rows, { problems: [...report.problems, ...few] });
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
