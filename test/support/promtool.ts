/** Debian's promtool (package `prometheus`), by PATH or PROMTOOL=path: it evaluates our rules as Prometheus does.
 *  1. What is missing is said in one loud line. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onPath } from '../../src/cli/demo/servers.ts';
import { metricsIn, rulesPath } from './alerts.ts';
import { root } from './house.ts';
import type { Numbers } from './numbers.ts';

export const promtool = process.env['PROMTOOL'] ?? onPath('promtool');
const runMsMax = 30_000;

/** Whether what needs it must be skipped. */
export function noPromtool(suite: string): boolean {
  if (promtool !== null) return false;
  process.stdout.write(
    `\nSKIPPED: ${suite}: NO PROMTOOL ON PATH (Debian: prometheus), AND NO PROMTOOL=path\n`,
  );
  return true;
}

export interface Ran {
  readonly code: number | null;
  readonly said: string;
}

export function run(...args: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(promtool ?? 'promtool', args, {
    encoding: 'utf8',
    timeout: runMsMax,
  });
  return { code: status, said: stdout + stderr };
}

/** What a node showed before something happened, and what it showed then. */
export interface Seen {
  readonly before: Numbers;
  readonly after: Numbers;
  /** It happens once; otherwise it goes on, and each counter grows by the same again at each scrape. */
  readonly once?: boolean;
}

const everySeconds = 15;
const scrapesBefore = 4;
/** Twelve minutes: longer than every `for` and every range of the rules. */
const scrapesAfter = 48;
/** A minute after what happens only once: within every range of the rules. */
const scrapesAfterOnce = 4;
const evalTimeOf = ({ once = false }: Seen): string =>
  `${(scrapesBefore + (once ? scrapesAfterOnce : scrapesAfter)) * everySeconds}s`;

/** Runs the rules on these series; returns what promtool said against it, or null where `alert` fires as told. With no
 *  `alert`, none at all may fire. */
export function disagreement(seen: Seen, alert: string | null, expr: string | null): string | null {
  const series = seriesOf(seen, expr === null ? null : metricsIn(expr));
  const evalTime = evalTimeOf(seen);
  return tried(
    series,
    alert === null
      ? { expr: 'ALERTS{alertstate="firing"}', eval_time: evalTime, exp_samples: [] }
      : {
          expr: `count by (alertname) (ALERTS{alertstate="firing", alertname="${alert}"}) > bool 0`,
          eval_time: evalTime,
          exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }],
        },
  );
}

interface Series {
  readonly series: string;
  readonly values: string;
}

export function tried(series: readonly Series[], expected: object): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'galla-rules-'));
  const file = join(folder, 'rules.test.json');
  const interval = `${everySeconds}s`;
  const text = {
    rule_files: [join(root, rulesPath)],
    evaluation_interval: interval,
    // JSON is YAML
    tests: [{ interval, input_series: series, promql_expr_test: [expected] }],
  };
  try {
    writeFileSync(file, JSON.stringify(text));
    const { code, said } = run('test', 'rules', file);
    return code === 0 ? null : said;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As Prometheus would have scraped them, of one node. `metrics`: those that matter; null: all of ours. */
function seriesOf(
  { before, after, once = false }: Seen,
  metrics: readonly string[] | null,
): readonly Series[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].filter((series) => {
    const [bare = ''] = series.split('{');
    return metrics === null ? /^(?:galla|nodejs)_/.test(bare) : metrics.includes(bare);
  });
  return names.map((series) => ({
    series: labelled(series),
    values: `${earlier(before.get(series))} ${later(series, before.get(series) ?? 0, after.get(series), once)}`,
  }));
}

function labelled(series: string): string {
  const [, name = series, labels] = /^(\w+)\{(.*)\}$/.exec(series) ?? [];
  return `${name}{job="galla",instance="node"${labels === undefined ? '' : `,${labels}`}}`;
}

/** `1x3` stands for four values. */
const earlier = (value: number | undefined): string =>
  value === undefined ? `_x${scrapesBefore}` : `${value}x${scrapesBefore - 1}`;

function later(series: string, from: number, to: number | undefined, once: boolean): string {
  if (to === undefined) return `_x${scrapesAfter}`;
  const isCounter = /_(?:total|bucket|sum|count)(?:\{|$)/.test(series);
  return isCounter && !once ? `${to}+${to - from}x${scrapesAfter - 1}` : `${to}x${scrapesAfter - 1}`;
}
