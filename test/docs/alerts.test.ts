/** The alerts of Prometheus and the dashboard of Grafana are about metrics that exist, and the runbook has all of them.
 *  That each alert fires is in test/journeys/alerts.test.ts, that each metric moves in test/journeys/telemetry.test.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { alerts, bareName, metricsIn, rulesPath, runbook, runbookPath } from '../support/alerts.ts';
import { dashboard, dashboardPath, metricsShown } from '../support/grafana.ts';
import { read, root } from '../support/house.ts';
import { numbersIn } from '../support/numbers.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { noPromtool, run } from '../support/promtool.ts';
import { withGenerated } from '../support/reference.ts';

const backups = mkdtempSync(join(tmpdir(), 'galla-backups-'));
afterAll(() => rmSync(backups, { recursive: true, force: true }));
const galla = gallaOfFile({ GALLA_BACKUP_DIR: backups });
const skipsPromtool = noPromtool('the syntax of the alerts of Prometheus');
const telemetry = read('docs/reference/telemetry.md');
const rowOf = (metric: string): string | undefined =>
  telemetry.split('\n').find((line) => line.startsWith(`| \`${metric}\` |`));

test('every alert reads metrics and labels that telemetry.md lists', () => {
  const unknown = alerts().flatMap(({ alert, expr }) => [
    ...metricsIn(expr)
      .filter((name) => name.startsWith('galla_') && rowOf(bareName(name)) === undefined)
      .map((name) => `${alert}: ${name}`),
    ...[...expr.matchAll(/(galla_\w+)\{(\w+)="(\w+)"\}/g)]
      .filter(
        ([, name = '', label = '', value = '']) =>
          rowOf(name)?.includes(`\`${label}\``) !== true ||
          (label !== 'code' && rowOf(name)?.includes(`\`${value}\``) !== true),
      )
      .map(([series]) => `${alert}: ${series}`),
  ]);
  expect(alerts().length).toBeGreaterThan(15);
  expect(unknown).toEqual([]);
});

test('every alert has a severity, what to do, and its own section of the runbook, once', () => {
  const names = alerts().map(({ alert }) => alert);
  expect(new Set(names).size).toBe(names.length);
  for (const { alert, labels, annotations } of alerts()) {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.runbook_url).toBe(`${runbookPath}#${alert.toLowerCase()}`);
    for (const text of [annotations.summary, annotations.description, annotations.action])
      expect(text, alert).toMatch(/\S{2}/);
  }
  const text = read(runbookPath);
  expect(withGenerated(text, [runbook()]), 'npm run reference').toBe(text);
  expect(withGenerated(text, ['something else'])).not.toBe(text);
  const sections = [...text.matchAll(/^### (Galla\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(names);
});

test('a bound that a rule repeats is that of the sources', () => {
  const rules = read(rulesPath);
  for (const part of ['(galla_partitions_owned) != 256', '[5m]) >= 128', 'galla_effects_waiting >= 50'])
    expect(rules).toContain(part);
  expect(read('src/runtime/cluster/ownership.ts')).toMatch(/partitionsOfCluster = 256\b/);
  expect(read('src/runtime/activation/mailbox.ts')).toMatch(/mailboxMax = 128\b/);
  expect(read('src/runtime/delivery/effect-lane.ts')).toMatch(/waitingPerLaneMin = 50\b/);
});

test.skipIf(skipsPromtool)('row 123: promtool accepts the rules', () => {
  const { code, said } = run('check', 'rules', join(root, rulesPath));
  expect(code, said).toBe(0);
  expect(said).toContain(`SUCCESS: ${alerts().length} rules found`);
});

interface Panels {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

test('row 123: the dashboard of Grafana shows every metric of telemetry.md, and is made of it', () => {
  expect(read(dashboardPath), 'npm run reference').toBe(dashboard());
  const documented = [...telemetry.matchAll(/^\| `(galla_\w+)` \|/gm)].map(([, name = '']) => name);
  expect(metricsShown()).toEqual(expect.arrayContaining(documented));
  const { panels } = JSON.parse(dashboard()) as Panels;
  const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  expect(shown.length).toBeGreaterThanOrEqual(documented.length);
  expect(shown.filter(({ title, expr }) => !metricsIn(expr).map(bareName).includes(title))).toEqual([]);
});

test('row 123: every panel reads a metric that a service has', async () => {
  await galla.admin.must('GET', '/admin/v1/nodes');
  const text = await (await fetch(`${galla.url}/metrics`)).text();
  expect(numbersIn(text).size).toBeGreaterThan(100);
  expect(metricsShown().filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
});
