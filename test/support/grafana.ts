/** config/grafana-dashboard.json, made of the metrics that docs/reference/telemetry.md lists: a panel for each.
 *  Boundary: where each metric stands, and its unit. What it is comes from that page, which tests compare with /metrics.
 *  1. A metric without a place, and a place without its metric, is an error. */
import { assert } from '../../src/kernel/assert.ts';
import { read } from './house.ts';

export const dashboardPath = 'config/grafana-dashboard.json';

interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly meaning: string;
}

interface Place {
  readonly name: string;
  /** As Grafana calls it. */
  readonly unit: string;
  /** The labels that a line is drawn for, where they are not all of them. */
  readonly by?: readonly string[];
}

const place = (name: string, unit = 'short', ...by: readonly string[]): Place => ({
  name,
  unit,
  ...(by.length === 0 ? {} : { by }),
});

/** The rows of the dashboard. */
const layout: { readonly [row: string]: readonly Place[] } = {
  Requests: [
    place('galla_http_requests_total', 'reqps', 'code'),
    place('galla_http_request_duration_seconds', 's', 'none'),
    place('galla_http_requests_in_hand'),
    place('galla_live_open'),
    place('galla_live_limits_total', 'ops'),
    place('galla_node_info', 'short', 'version'),
  ],
  Actors: [
    place('galla_asks_total', 'ops'),
    place('galla_turns_total', 'ops'),
    place('galla_turn_commands_total', 'ops'),
    place('galla_activations'),
    place('galla_mailbox_commands'),
    place('galla_mailbox_deepest'),
    place('galla_timer_late_seconds', 's'),
    place('galla_dead_total', 'ops'),
    place('galla_purged_total', 'ops'),
  ],
  Store: [
    place('galla_commits_total', 'ops'),
    place('galla_commit_duration_seconds', 's'),
    place('galla_commit_writes'),
    place('galla_backup_age_seconds', 's'),
    place('galla_backup_every_seconds', 's'),
  ],
  'What leaves': [
    place('galla_outbox_oldest_seconds', 's'),
    place('galla_events_to_dispatch'),
    place('galla_events_to_publish'),
    place('galla_effects_running'),
    place('galla_effects_waiting'),
    place('galla_provider_circuits_open'),
    place('galla_provider_degraded'),
  ],
  Cluster: [
    place('galla_partitions_owned'),
    place('galla_bus_unheard_nodes'),
    place('galla_remote_reads_total', 'ops'),
  ],
  Process: [
    place('process_cpu_seconds_total', 'percentunit'),
    place('process_resident_memory_bytes', 'bytes'),
    place('nodejs_heap_size_used_bytes', 'bytes'),
    place('nodejs_eventloop_lag_p99_seconds', 's'),
    place('nodejs_gc_duration_seconds', 's'),
    place('process_open_fds'),
  ],
};

/** What Node's own client of Prometheus reports, of which the page names only the kinds. */
const ofProcess: readonly Metric[] = [
  { name: 'process_cpu_seconds_total', type: 'counter', meaning: 'CPUs in use', labels: [] },
  { name: 'process_resident_memory_bytes', type: 'gauge', meaning: 'memory in use', labels: [] },
  { name: 'nodejs_heap_size_used_bytes', type: 'gauge', meaning: 'heap in use', labels: [] },
  {
    name: 'nodejs_eventloop_lag_p99_seconds',
    type: 'gauge',
    meaning: 'how late the event loop is',
    labels: [],
  },
  { name: 'nodejs_gc_duration_seconds', type: 'histogram', meaning: 'garbage collections', labels: [] },
  { name: 'process_open_fds', type: 'gauge', meaning: 'open files and sockets', labels: [] },
];

/** The rows of the page's table. */
const documented = (): readonly Metric[] =>
  [...read('docs/reference/telemetry.md').matchAll(/^\| `(galla_\w+)` \| (\w+) \|([^|]*)\| (.+) \|$/gm)].map(
    ([, name = '', type = '', labels = '', meaning = '']) => ({
      name,
      type: type as Metric['type'],
      labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
      meaning: meaning.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1'),
    }),
  );

/** Every metric that has a panel. */
export const metricsShown = (): readonly string[] =>
  Object.values(layout).flatMap((row) => row.map(({ name }) => name));

const rowColumns = 24;
const [panelColumns, panelLines] = [8, 7];
const prometheus = { type: 'prometheus', uid: '${datasource}' };

/** The file's text. */
export function dashboard(): string {
  const known = new Map([...documented(), ...ofProcess].map((metric) => [metric.name, metric]));
  const missing = [...known.keys()].filter((name) => !metricsShown().includes(name));
  assert(missing.length === 0, `each metric has a place in the dashboard: ${missing.join(', ')}`);
  const panels: object[] = [];
  let [id, y] = [1, 0];
  for (const [title, places] of Object.entries(layout)) {
    panels.push({
      id: id++,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { h: 1, w: rowColumns, x: 0, y },
      panels: [],
    });
    y++;
    for (const [at, one] of places.entries()) {
      const metric = known.get(one.name);
      assert(metric !== undefined, `a metric is called ${one.name}`);
      const column = at % (rowColumns / panelColumns);
      if (at > 0 && column === 0) y += panelLines;
      panels.push(panel(metric, one, { id: id++, x: column * panelColumns, y }));
    }
    y += panelLines;
  }
  return `${JSON.stringify({ ...head, panels }, null, 2)}\n`;
}

const head = {
  title: 'Galla',
  uid: 'galla',
  tags: ['galla'],
  description: 'Made by npm run reference of docs/reference/telemetry.md.',
  editable: true,
  schemaVersion: 39,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
      {
        name: 'instance',
        type: 'query',
        label: 'Node',
        datasource: prometheus,
        query: { query: 'label_values(galla_node_info, instance)', refId: 'instance' },
        refresh: 2,
        multi: true,
        includeAll: true,
        allValue: '.*',
        current: { text: 'All', value: '$__all' },
      },
    ],
  },
};

function panel(metric: Metric, { unit, by }: Place, at: { id: number; x: number; y: number }): object {
  return {
    id: at.id,
    type: 'timeseries',
    title: metric.name,
    description: metric.meaning,
    datasource: prometheus,
    gridPos: { h: panelLines, w: panelColumns, x: at.x, y: at.y },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: queries(
      metric,
      (by ?? metric.labels).filter((label) => label !== 'none'),
    ).map(({ expr, legend }, n) => ({
      refId: 'ABC'.charAt(n),
      datasource: prometheus,
      expr,
      legendFormat: legend,
    })),
  };
}

interface Query {
  readonly expr: string;
  readonly legend: string;
}

function queries({ name, type }: Metric, by: readonly string[]): readonly Query[] {
  const labels = by.length === 0 ? ['instance'] : by;
  const legend = labels.map((label) => `{{${label}}}`).join(' ');
  const rated = (series: string): string => `rate(${series}{instance=~"$instance"}[$__rate_interval])`;
  if (type === 'counter') return [{ expr: `sum by (${labels.join(', ')}) (${rated(name)})`, legend }];
  if (type === 'gauge')
    return [{ expr: `sum by (${labels.join(', ')}) (${name}{instance=~"$instance"})`, legend }];
  return [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (${rated(`${name}_bucket`)}))`,
    legend: `p${quantile * 100}`,
  }));
}
