/** Each alert of config/prometheus-rules.yml, seen to fire: what it is about happens to a service that runs, or is
 *  reported as the runtime reports it where it takes a cluster or minutes, and promtool evaluates what /metrics says then.
 *  1. Without promtool only the metrics are looked at, and that is said loudly.
 *  2. Nothing here waits: a cause goes on for twelve minutes of promtool's time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import { mailboxMax } from '../../src/runtime/activation/mailbox.ts';
import type { RuntimeGauges } from '../../src/runtime/model/meters.ts';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts';
import { alerts, metricsIn } from '../support/alerts.ts';
import { eventually } from '../support/eventually.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { Merchant } from '../support/merchant.ts';
import { numbersIn, numbersOf, type Numbers } from '../support/numbers.ts';
import { disagreement, noPromtool, tried, type Seen } from '../support/promtool.ts';

const skipsPromtool = noPromtool('the alerts of Prometheus, evaluated');
const storyMsMax = 60_000;
const byName = new Map(alerts().map((one) => [one.alert, one]));
/** Each that was seen to fire. */
const fired: string[] = [];

/** Expects that what the alert reads has changed, and that it fires by that. */
function expectFires(alert: string, seen: Seen): void {
  const expr = byName.get(alert)?.expr ?? '';
  const read = metricsIn(expr);
  const moved = [...seen.after].filter(
    ([series, value]) => read.includes(series.split('{')[0] ?? '') && value !== seen.before.get(series),
  );
  expect(moved, `what ${alert} reads has changed`).not.toEqual([]);
  if (!skipsPromtool) expect(disagreement(seen, alert, expr), alert).toBeNull();
  fired.push(alert);
}

describe('row 123: alerts of a service that runs', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'galla-alerts-'));
  const backups = join(dataDir, 'backups-of-last-year');
  let galla: Galla;
  let damaged: { readonly id: string; readonly merchant: Merchant };
  let calm: Numbers;
  let server: Server;

  beforeAll(async () => {
    // its expiry can only fail
    const before = await startGalla({ GALLA_DATA_DIR: dataDir });
    const first = await before.merchant();
    const id = (await first.checkout()).text('id');
    await first.untilEvents(1, 'checkout.created');
    await before.stop();
    const database = new Database(join(dataDir, 'galla.db'));
    const sql = 'UPDATE docs SET json = replace(json, ?, ?) WHERE id = ?';
    expect(database.prepare(sql).run('"refunds":[]', '"refunds":null', id).changes).toBe(1);
    database.close();
    galla = await startGalla({ GALLA_DATA_DIR: dataDir });
    const { projectId, api, publishable } = first;
    const merchant = new Merchant(projectId, galla.with(api.key ?? ''), galla.with(publishable.key ?? ''));
    damaged = { id, merchant };
    // accepts, and never answers
    server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await galla.merchant();
    calm = await numbersOf(galla.url);
  }, storyMsMax);
  afterAll(async () => {
    await galla.stop();
    server.closeAllConnections();
    server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** The numbers, as soon as they are as said. */
  const until = (is: (numbers: Numbers) => boolean, what: string): Promise<Numbers> =>
    eventually(
      async () => {
        const numbers = await numbersOf(galla.url);
        return is(numbers) ? numbers : null;
      },
      () => what,
    );

  test.skipIf(skipsPromtool)('none fires while nothing is wrong', () => {
    expect(disagreement({ before: calm, after: calm }, null, null)).toBeNull();
  });

  test('a command that meets a defect, and one that nobody can take', { timeout: storyMsMax }, async () => {
    const before = await numbersOf(galla.url);
    expect((await damaged.merchant.api.post(`/v1/checkout/${damaged.id}/expire`)).status).toBe(500);
    expectFires('GallaDefect', { before, after: await numbersOf(galla.url), once: true });
    await damaged.merchant.advance(3600);
    const parked = await until(
      (numbers) => [...numbers.keys()].some((series) => series.startsWith('galla_dead_total')),
      'a dead letter',
    );
    expectFires('GallaDeadLetters', { before, after: parked, once: true });
  });

  test('webhook endpoints that do not answer', { timeout: storyMsMax }, async () => {
    const merchant = await galla.merchant();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await merchant.api.must('POST', '/v1/webhooks', { url, events: ['*'] });
    const before = await numbersOf(galla.url);
    await Promise.all(Array.from({ length: 150 }, () => merchant.checkout()));
    const waiting = await until(
      (numbers) => (numbers.get('galla_effects_waiting{kind="webhook.post"}') ?? 0) >= 50,
      'webhooks to wait',
    );
    expectFires('GallaEffectsWaiting', { before, after: waiting });
  });

  test('a provider whose answers cannot be read', { timeout: storyMsMax }, async () => {
    const merchant = await galla.merchant();
    const before = await numbersOf(galla.url);
    await merchant.faults([{ call: 'start', kind: 'outage_200' }]);
    const vain = await merchant.checkout();
    for (let tries = 0; tries < 5; tries++)
      await press(buttonFor(await open(vain.text('checkout_url')), 'provider', 'wallet_b'));
    const isOpen = 'galla_provider_circuits_open{provider="wallet_b"}';
    const after = await until((numbers) => (numbers.get(isOpen) ?? 0) > 0, 'the circuit to open');
    expectFires('GallaProviderDown', { before, after });
  });

  test('an event loop that stands still', async () => {
    const before = await numbersOf(galla.url);
    const after = await eventually(
      async () => {
        const end = Date.now() + 700;
        while (Date.now() < end);
        // its timer is due now
        await pause(20);
        const numbers = await numbersOf(galla.url);
        return (numbers.get('nodejs_eventloop_lag_p99_seconds') ?? 0) > 0.5 ? numbers : null;
      },
      () => 'the event loop to be late',
    );
    expectFires('GallaEventLoopSlow', { before, after });
  });

  test('no backup for a year', { timeout: storyMsMax }, async () => {
    const other = await startGalla({ GALLA_BACKUP_DIR: backups });
    try {
      const before = await numbersOf(other.url);
      expect(before.get('galla_backup_every_seconds')).toBe(24 * 3600);
      await other.stop();
      writeFileSync(join(backups, 'galla-2025-11-28T23-00-00Z.db.gz'), '');
      const again = await startGalla({ GALLA_BACKUP_DIR: backups });
      try {
        expectFires('GallaBackupOld', { before, after: await numbersOf(again.url) });
      } finally {
        await again.stop();
      }
    } finally {
      await other.stop();
    }
  });
});

describe('row 123: alerts of what takes a cluster or minutes, as the runtime reports it', () => {
  /** What a node reports to its metrics. */
  interface Reported {
    readonly metrics: Metrics;
    readonly gauges: { -readonly [name in keyof RuntimeGauges]: RuntimeGauges[name] };
    readonly troubled: { degraded: string[] };
    readonly unheard: { nodes: number };
  }

  function reported(): Reported {
    const metrics = createMetrics({
      version: '1.2.3',
      incarnation: () => 'n:a',
      log: { warn: () => undefined },
    });
    const gauges: Reported['gauges'] = {
      activations: () => 0,
      mailboxes: () => ({ commands: 0, deepest: 0 }),
      partitionsOwned: () => 256,
      outboxOldestMs: () => 0,
      eventLogLag: () => ({ toDispatch: 0, toPublish: 0 }),
      effects: () => [],
    };
    const [troubled, unheard] = [{ degraded: [] as string[] }, { nodes: 0 }];
    metrics.meters.watch(
      Object.fromEntries(
        Object.keys(gauges).map((name) => [name, () => gauges[name as keyof RuntimeGauges]()]),
      ) as unknown as RuntimeGauges,
    );
    metrics.watchProviders({ open: () => [], degraded: () => troubled.degraded });
    metrics.watchUnheard(() => unheard.nodes);
    metrics.answered(undefined, 404, 1);
    metrics.meters.ask('ok', 'local');
    metrics.meters.commit(1, 3, 'applied');
    return { metrics, gauges, troubled, unheard };
  }

  const causes: { readonly [alert: string]: (to: Reported) => void } = {
    GallaRequestsRejected: ({ metrics }) => metrics.answered(undefined, 503, 1),
    GallaOverloaded: ({ gauges }) =>
      (gauges.mailboxes = () => ({ commands: mailboxMax, deepest: mailboxMax })),
    GallaPartitionsUnowned: ({ gauges }) => (gauges.partitionsOwned = () => 128),
    GallaWritesRefused: ({ metrics }) => metrics.meters.commit(1, 3, 'error'),
    GallaWritesUnknown: ({ metrics }) => metrics.meters.commit(1, 3, 'unknown'),
    GallaStoreSlow: ({ metrics }) => metrics.meters.commit(1, 800, 'applied'),
    GallaAnswersUnknown: ({ metrics }) => metrics.meters.ask('unknown', 'remote'),
    GallaOutboxStuck: ({ gauges }) => (gauges.outboxOldestMs = () => 61_000),
    GallaWebhooksLate: ({ gauges }) => (gauges.eventLogLag = () => ({ toDispatch: 101, toPublish: 0 })),
    GallaEventsUnpublished: ({ gauges }) => (gauges.eventLogLag = () => ({ toDispatch: 0, toPublish: 101 })),
    GallaTimersLate: ({ metrics }) => metrics.meters.timer(20_000),
    GallaConnectionsFull: ({ metrics }) => metrics.live.limit('qr_stream', 'per_node'),
    GallaProviderDegraded: ({ troubled }) => troubled.degraded.push('wallet_b'),
    GallaNodesUnheard: ({ unheard }) => (unheard.nodes = 1),
  };
  const once: ReadonlySet<string> = new Set(['GallaWritesRefused', 'GallaConnectionsFull']);

  test.each(Object.entries(causes))('%s', async (alert, cause) => {
    const node = reported();
    const before = numbersIn(await node.metrics.text());
    cause(node);
    expectFires(alert, { before, after: numbersIn(await node.metrics.text()), once: once.has(alert) });
  });
});

test.skipIf(skipsPromtool)('row 123: a node that does not answer Prometheus', () => {
  const down = {
    expr: 'ALERTS{alertstate="firing"}',
    eval_time: '3m',
    exp_samples: [
      {
        labels:
          'ALERTS{alertname="GallaNodeDown",alertstate="firing",instance="node",job="galla",severity="critical"}',
        value: 1,
      },
    ],
  };
  expect(tried([{ series: 'up{job="galla",instance="node"}', values: '1x4 0x20' }], down)).toBeNull();
});

test('row 123: every alert was seen to fire', () => {
  // Prometheus itself makes the series that one of them reads
  const wanted = [...byName.keys()].filter((alert) => alert !== 'GallaNodeDown');
  expect([...new Set(fired)].toSorted()).toEqual(wanted.toSorted());
});
