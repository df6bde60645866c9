import { expect, test } from 'vitest';
import type { RuntimeGauges } from '../../../src/runtime/model/meters.ts';
import { read } from '../../support/house.ts';
import { createMetrics, type Metrics } from '../../../src/telemetry/metrics.ts';

let node = 'n:abc';
const warned: string[] = [];
const made = (): Metrics =>
  createMetrics({
    version: '1.2.3',
    incarnation: () => node,
    log: { warn: (_fields: object, message: string) => void warned.push(message) },
  });
const quiet: RuntimeGauges = {
  activations: () => 0,
  mailboxes: () => ({ commands: 0, deepest: 0 }),
  partitionsOwned: () => 0,
  outboxOldestMs: () => 0,
  eventLogLag: () => ({ toDispatch: 0, toPublish: 0 }),
  effects: () => [],
};

const noneOpen = { socket: 0, merchant_socket: 0, hosted_socket: 0, qr_stream: 0, event_stream: 0 };

/** The lines of ours, without comments. */
const lines = async (metrics: Metrics): Promise<readonly string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith('galla_'));

test('reports of the runtime are counted by kind and outcome', async () => {
  const metrics = made();
  const { meters } = metrics;
  meters.turn('checkout_session', 3);
  meters.turn('checkout_session', 1);
  meters.commit(17, 3, 'applied');
  meters.commit(1, 800, 'unknown');
  meters.ask('ok', 'local');
  meters.ask('unknown', 'remote');
  meters.read('owner');
  meters.timer(700);
  meters.timer(-5);
  meters.parked('webhook_delivery');
  meters.purged('journal', 64);
  const said = await lines(metrics);
  for (const line of [
    'galla_turns_total{kind="checkout_session"} 2',
    'galla_turn_commands_total{kind="checkout_session"} 4',
    'galla_commits_total{outcome="applied"} 1',
    'galla_commits_total{outcome="unknown"} 1',
    'galla_commit_writes_bucket{le="16"} 1',
    'galla_commit_writes_bucket{le="32"} 2',
    'galla_commit_writes_sum 18',
    'galla_commit_duration_seconds_bucket{le="0.005"} 1',
    'galla_commit_duration_seconds_sum 0.803',
    'galla_asks_total{outcome="ok",way="local"} 1',
    'galla_asks_total{outcome="unknown",way="remote"} 1',
    'galla_remote_reads_total{from="owner"} 1',
    'galla_timer_late_seconds_bucket{le="0.5"} 1',
    'galla_timer_late_seconds_sum 0.7',
    'galla_dead_total{kind="webhook_delivery"} 1',
    'galla_purged_total{kind="journal"} 64',
    'galla_node_info{version="1.2.3",node="n:abc"} 1',
  ]) {
    expect(said).toContain(line);
  }
});

test('a node that rejoined its cluster reports its new name, and no longer the old one', async () => {
  const metrics = made();
  const named = async (): Promise<readonly string[]> =>
    (await lines(metrics)).filter((line) => line.startsWith('galla_node_info'));
  expect(await named()).toEqual(['galla_node_info{version="1.2.3",node="n:abc"} 1']);
  node = 'n:abd';
  expect(await named()).toEqual(['galla_node_info{version="1.2.3",node="n:abd"} 1']);
});

test('gauges are read when metrics are collected', async () => {
  const metrics = made();
  let waiting = 5;
  metrics.meters.watch({
    ...quiet,
    activations: () => 12,
    mailboxes: () => ({ commands: waiting, deepest: 3 }),
    outboxOldestMs: () => 1500,
    eventLogLag: () => ({ toDispatch: 7, toPublish: 9 }),
    effects: () => (waiting === 0 ? [] : [{ kind: 'webhook.post', running: 2, waiting }]),
  });
  metrics.watchRequests(() => 4);
  metrics.watchProviders({ open: () => ['wallet_b', 'wallet_b'], degraded: () => ['qr_a'] });
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      'galla_activations 12',
      'galla_mailbox_commands 5',
      'galla_mailbox_deepest 3',
      'galla_outbox_oldest_seconds 1.5',
      'galla_events_to_dispatch 7',
      'galla_events_to_publish 9',
      'galla_effects_running{kind="webhook.post"} 2',
      'galla_effects_waiting{kind="webhook.post"} 5',
      'galla_http_requests_in_hand 4',
      'galla_provider_circuits_open{provider="wallet_b"} 2',
      'galla_provider_degraded{provider="qr_a"} 1',
    ]),
  );
  waiting = 0;
  const later = await lines(metrics);
  expect(later).toContain('galla_mailbox_commands 0');
  expect(later.filter((line) => line.startsWith('galla_effects'))).toEqual([]);
  expect(metrics.own()).toEqual({
    activations: 12,
    mailboxCommands: 0,
    outboxOldestMs: 1500,
    eventsToDispatch: 7,
    eventsToPublish: 9,
  });
});

test('open streams and sockets are counted by type, and refusals by limit', async () => {
  const metrics = made();
  metrics.live.watch(() => ({
    ...noneOpen,
    socket: 5,
    merchant_socket: 2,
    hosted_socket: 3,
    qr_stream: 1000,
  }));
  metrics.live.limit('event_stream', 'per_project');
  metrics.live.limit('qr_stream', 'per_address');
  metrics.live.limit('qr_stream', 'per_address');
  expect((await lines(metrics)).filter((line) => line.startsWith('galla_live')).toSorted()).toEqual([
    // what an alert reads is there before it happens: Prometheus sees no increase in the first value of a series
    'galla_live_limits_total{of="event_stream",limit="per_node"} 0',
    'galla_live_limits_total{of="event_stream",limit="per_project"} 1',
    'galla_live_limits_total{of="qr_stream",limit="per_address"} 2',
    'galla_live_limits_total{of="qr_stream",limit="per_node"} 0',
    'galla_live_limits_total{of="socket",limit="per_node"} 0',
    'galla_live_open{of="event_stream"} 0',
    'galla_live_open{of="hosted_socket"} 3',
    'galla_live_open{of="merchant_socket"} 2',
    'galla_live_open{of="qr_stream"} 1000',
    'galla_live_open{of="socket"} 5',
  ]);
});

test('a gauge that cannot be read is left out and logged, and the others still answer', async () => {
  const metrics = made();
  metrics.meters.watch({
    ...quiet,
    activations: () => 12,
    outboxOldestMs: () => {
      throw new Error('no');
    },
  });
  warned.length = 0;
  const said = await lines(metrics);
  expect(said).toContain('galla_activations 12');
  expect(said.filter((line) => line.startsWith('galla_outbox_oldest'))).toEqual([]);
  expect(warned).toEqual(['a gauge could not be read']);
});

test('two services in one process share no metric', async () => {
  const [one, other] = [made(), made()];
  const route = { method: 'GET', path: '/x' };
  for (const tookMs of [0.5, 1, 1.5, 40_000]) one.answered(route, 200, tookMs);
  one.answered(route, 503, 10);
  one.answered(undefined, 404, 0.2);
  expect(await lines(one)).toEqual(
    expect.arrayContaining([
      'galla_http_requests_total{method="GET",route="/x",code="200"} 4',
      'galla_http_requests_total{method="GET",route="/x",code="503"} 1',
      'galla_http_requests_total{method="any",route="none",code="404"} 1',
      'galla_http_request_duration_seconds_bucket{method="GET",route="/x",le="0.001"} 2',
      'galla_http_request_duration_seconds_bucket{method="GET",route="/x",le="0.0025"} 3',
      'galla_http_request_duration_seconds_bucket{method="GET",route="/x",le="0.01"} 4',
      'galla_http_request_duration_seconds_bucket{method="GET",route="/x",le="28"} 4',
      'galla_http_request_duration_seconds_bucket{method="GET",route="/x",le="+Inf"} 5',
      'galla_http_request_duration_seconds_sum{method="GET",route="/x"} 40.013',
      'galla_http_request_duration_seconds_count{method="GET",route="/x"} 5',
    ]),
  );
  expect((await lines(other)).filter((line) => line.startsWith('galla_http_requests_total'))).toEqual([]);
  expect(other.own()).toBeNull();
});

test('each metric appears once, with help and type before its lines', async () => {
  const metrics = made();
  metrics.meters.watch(quiet);
  metrics.answered({ method: 'GET', path: '/x' }, 200, 1);
  const text = await metrics.text();
  const types = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram|summary)$/gm)].map(
    ([, name]) => name,
  );
  expect(new Set(types).size).toBe(types.length);
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    expect(line).toMatch(/^[a-z_0-9]+(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? [-+.e\dInfNa]+$/);
    const name = (/^[a-z_0-9]+/.exec(line)?.[0] ?? '').replace(/_(?:bucket|sum|count)$/, '');
    expect(
      types.some((each) => each === name || line.startsWith(`${each}{`) || line.startsWith(`${each} `)),
      line,
    ).toBe(true);
  }
});

test('every metric of ours is listed in telemetry.md, and no other', async () => {
  const metrics = made();
  metrics.meters.watch(quiet);
  metrics.watchRequests(() => 0);
  metrics.watchUnheard(() => 0);
  metrics.watchBackups(() => 0, 86_400);
  metrics.watchProviders({ open: () => [], degraded: () => [] });
  metrics.live.watch(() => noneOpen);
  metrics.answered(undefined, 404, 1);
  const text = await metrics.text();
  const names = [...text.matchAll(/^# TYPE (galla_\S+) (\w+)$/gm)].map(([, name, sort]) => `${name} ${sort}`);
  const page = read('docs/reference/telemetry.md');
  const documented = [...page.matchAll(/^\| `(galla_\w+)` \| (\w+) \|/gm)].map(
    ([, name, sort]) => `${name} ${sort}`,
  );
  expect(documented.toSorted()).toEqual(names.toSorted());
});
