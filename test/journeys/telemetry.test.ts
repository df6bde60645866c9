/** Every number of docs/reference/telemetry.md, read from a running service under work of every kind: each of them
 *  moves, and `/admin/v1/nodes` says the same.
 *  1. Numbers begin with the process, so what this story damages on the disk it damages before the last start. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { io } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { clusterMsMax, missingCluster, startCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { startGalla, type House } from '../support/galla.ts';
import { read } from '../support/house.ts';
import { Merchant } from '../support/merchant.ts';
import { numbersOf, sumOf } from '../support/numbers.ts';
import { code, premium, streamAt } from '../support/qr-shop.ts';
import { forgetScreens, Screen } from '../support/screen.ts';
import type { StreamReader } from '../gateways/sse/reader.ts';

const storyMsMax = 120_000;
const workMsMax = 60_000;
/** How long the merchant's server takes for each webhook: more of them come than may be under way at once. */
const webhookMs = 200;
const lookEveryMs = 20;
const sessionsPerRound = 30;
const asksAtOnce = 60;
/** A session's life, and some. */
const expirySeconds = 3600;

const names = [...read('docs/reference/telemetry.md').matchAll(/^\| `(galla_\w+)` \|/gm)].map(
  ([, name = '']) => name,
);
const sorts = ['socket', 'merchant_socket', 'hosted_socket', 'qr_stream', 'event_stream'];
const loads = ['activations', 'mailboxCommands', 'outboxOldestMs', 'eventsToDispatch', 'eventsToPublish'];
const gaugeOf: { readonly [load: string]: string } = {
  activations: 'galla_activations',
  mailboxCommands: 'galla_mailbox_commands',
  outboxOldestMs: 'galla_outbox_oldest_seconds',
  eventsToDispatch: 'galla_events_to_dispatch',
  eventsToPublish: 'galla_events_to_publish',
};

/** A session whose expiry can only fail, and whose merchant it is. */
interface Damaged {
  readonly sessionId: string;
  readonly merchant: Merchant;
}

/** Its document still reads, and what needs no refund of it works; its expiry can only fail. */
const [sound, senseless] = ['"refunds":[]', '"refunds":null'];

const opened: StreamReader[] = [];
let server: Server | null = null;
afterEach(() => {
  forgetScreens();
  for (const reader of opened.splice(0)) reader.leave();
  server?.closeAllConnections();
  server?.close();
});

/** A merchant's server that takes its time. */
async function slowServer(): Promise<string> {
  const made = createServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end(), webhookMs));
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

/** What has been seen above nothing, of each node, until told to stop: series' names, sorts of what is live, and what
 *  `/admin/v1/nodes` calls `own`. */
async function watched(house: House, over: () => boolean, moved: Set<string>): Promise<void> {
  while (!over()) {
    for (const url of house.urls) {
      const numbers = await numbersOf(url);
      for (const name of names) if ((sumOf(numbers, name) ?? 0) > 0) moved.add(name);
      for (const of of sorts)
        if ((numbers.get(`galla_live_open{of="${of}"}`) ?? 0) > 0) moved.add(`live ${of}`);
      for (const way of ['local', 'remote'])
        if ((numbers.get(`galla_asks_total{outcome="ok",way="${way}"}`) ?? 0) > 0) moved.add(`asks ${way}`);
      const seen = await nodeAt(house, url);
      for (const load of loads) if ((seen?.own[load] ?? 0) > 0) moved.add(`own ${load}`);
    }
    await pauseMs(lookEveryMs);
  }
}

const pauseMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Seen {
  readonly id: string;
  readonly version: string;
  readonly partitions: number;
  readonly own: { readonly [load: string]: number };
}

/** The node that answers here, as it shows itself; undefined while it does not. */
async function nodeAt({ admin }: House, url: string): Promise<Seen | undefined> {
  const answer = await fetch(`${url}/admin/v1/nodes`, {
    headers: { authorization: `Bearer ${admin.key ?? ''}` },
  });
  const { data } = (await answer.json()) as { readonly data: readonly Seen[] };
  const [one, ...more] = data.filter(({ own }) => own !== null);
  expect(more).toEqual([]);
  return one;
}

/** Screens, pages and streams, one of each sort and one stream too many. */
async function followed(house: House): Promise<void> {
  const shop = await premium(house);
  const [qr, hosted] = [await code(shop), await shop.checkout()];
  opened.push(await streamAt(house.url, qr.text('id')));
  await Screen.of(shop.api.key ?? '', house.url);
  const page = io(`${house.url}/hosted`, {
    transports: ['websocket'],
    auth: { session: hosted.at('id') },
    reconnection: false,
    forceNew: true,
  });
  afterThis.push(() => page.disconnect());
  const [first = ''] = house.urls;
  const headers = [`Authorization: Bearer ${shop.api.key ?? ''}`];
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) {
    const reader = await streamAt(first, '', { path: '/v1/events/stream', headers });
    opened.push(reader);
    statuses.push(reader.status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
}

const afterThis: (() => void)[] = [];
afterEach(() => {
  for (const end of afterThis.splice(0)) end();
});

/** Paid sessions with their webhooks, and one session of whom much is asked at once. */
async function round(merchant: Merchant): Promise<void> {
  const crowded = await merchant.checkout();
  const paid = Array.from({ length: sessionsPerRound }, async () => {
    const session = await merchant.checkout();
    await merchant.simulate(session.text('id'), 'success');
    await merchant.untilStatus(session.text('id'), 'success');
  });
  const asked = Array.from({ length: asksAtOnce }, () =>
    merchant.api.post(`/v1/checkout/${crowded.text('id')}/expire`),
  );
  await Promise.all([...paid, ...asked]);
}

/** No provider fails in this story, and no server of NATS; provider-health.test.ts and nats-servers.test.ts see them
 *  move. */
const ofFailures: readonly string[] = [
  'galla_provider_circuits_open',
  'galla_provider_degraded',
  'galla_bus_unheard_nodes',
];

/** Tells the whole story to a service that has just started. */
async function tell(house: House, damaged: Damaged, never: readonly string[]): Promise<void> {
  const moved = new Set<string>();
  const wanted = [
    ...names,
    ...sorts.map((of) => `live ${of}`),
    ...loads.map((load) => `own ${load}`),
    'asks local',
    ...(house.urls.length > 1 ? ['asks remote'] : []),
  ].filter((one) => !never.includes(one) && !ofFailures.includes(one));
  let over = false;
  const watching = watched(house, () => over, moved);
  const still = (): readonly string[] => wanted.filter((one) => !moved.has(one));
  try {
    const merchant = await house.merchant();
    await merchant.api.must('POST', '/v1/webhooks', { url: await slowServer(), events: ['*'] });
    await followed(house);
    await damaged.merchant.advance(expirySeconds);
    const until = Date.now() + workMsMax;
    while (still().length > 0 && Date.now() < until) {
      // that comes by itself, some seconds after the start: more work would only pile up webhooks
      if (still().every((one) => one === 'galla_purged_total')) await pauseMs(lookEveryMs);
      else await round(merchant);
    }
  } finally {
    over = true;
    await watching;
  }
  expect(still()).toEqual([]);
  for (const one of never) expect([one, moved.has(one)]).toEqual([one, false]);
  const { body } = await house.admin.must('GET', '/admin/v1/dead');
  expect(body.list('data').map((dead) => dead.at('to'))).toEqual([`checkout_session/${damaged.sessionId}`]);
  for (const url of house.urls) await agrees(house, url);
  const partitions = await Promise.all(
    house.urls.map(async (url) => sumOf(await numbersOf(url), 'galla_partitions_owned') ?? 0),
  );
  expect(partitions.reduce((sum, owned) => sum + owned, 0)).toBe(256);
}

/** Both say the same of this node, as soon as it stands still for as long as both take. */
async function agrees(house: House, url: string): Promise<void> {
  let said: unknown = null;
  await eventually(
    async () => {
      const before = await numbersOf(url);
      const seen = await nodeAt(house, url);
      if (seen === undefined) return null;
      const { id, version, partitions, own } = seen;
      const shown = {
        id: [...before.keys()].find((series) => series.startsWith('galla_node_info')),
        partitions: sumOf(before, 'galla_partitions_owned'),
        ...Object.fromEntries(
          loads.map((load) => {
            const value = sumOf(before, gaugeOf[load] ?? '') ?? Number.NaN;
            return [load, load.endsWith('Ms') ? value * 1000 : value];
          }),
        ),
      };
      const told = { id: `galla_node_info{version="${version}",node="${id}"}`, partitions, ...own };
      said = { shown, told };
      return JSON.stringify(shown) === JSON.stringify(told) ? true : null;
    },
    () => `both to say the same: ${JSON.stringify(said)}`,
  );
}

/** A record of an idempotency key that is older than a day: it is removed after the next start. */
async function somethingOld(house: House): Promise<void> {
  const merchant = await house.merchant();
  const body = { amount: 10_000, returnUrl: 'https://shop.example/return' };
  // nodes that have just started still take over from each other: a 503 is sent again, as any client does
  let status = 0;
  await eventually(
    async () => {
      ({ status } = await merchant.api.post('/v1/checkout', body, { idempotencyKey: 'old' }));
      return status === 201 ? true : null;
    },
    () => `a checkout; the last answer was ${status}`,
  );
  await merchant.advance(26 * 3600);
}

/** A session that will be damaged: nothing of it is left to send. */
async function soundSession(house: House): Promise<{ readonly session: Body; readonly merchant: Merchant }> {
  const merchant = await house.merchant();
  const session = await merchant.checkout();
  await merchant.untilEvents(1, 'checkout.created');
  await somethingOld(house);
  return { session, merchant };
}

describe('embedded', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'galla-telemetry-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test('every metric changes, and the operator sees the same', { timeout: storyMsMax }, async () => {
    const env = { GALLA_DATA_DIR: dataDir, GALLA_BACKUP_DIR: join(dataDir, 'backups') };
    const before = await startGalla(env);
    const { session, merchant } = await soundSession(before);
    const sessionId = session.text('id');
    await before.stop();
    const database = new Database(join(dataDir, 'galla.db'));
    const damage = database.prepare('UPDATE docs SET json = replace(json, ?, ?) WHERE id = ?');
    expect(damage.run(sound, senseless, sessionId).changes).toBe(1);
    database.close();
    const house = await startGalla(env);
    try {
      const again = new Merchant(
        merchant.projectId,
        house.with(merchant.api.key ?? ''),
        house.with(merchant.publishable.key ?? ''),
      );
      // nothing is published where there is nobody to publish for, and no actor lives elsewhere
      const never = ['galla_events_to_publish', 'own eventsToPublish', 'galla_remote_reads_total'];
      await tell(house, { sessionId, merchant: again }, never);
    } finally {
      await house.stop();
    }
  });
});

describe.skipIf(missingCluster('the numbers of a cluster'))('a cluster of 3 nodes', () => {
  test(
    'every metric of each node changes, and the operator sees the same',
    { timeout: storyMsMax + clusterMsMax },
    async () => {
      const house = await startCluster();
      const client = new MongoClient(house.mongodbUrl);
      try {
        const { session, merchant } = await soundSession(house);
        const sessionId = session.text('id');
        const { nodes } = house.cluster;
        await Promise.all(nodes.map((node) => node.stop()));
        const sessions = client
          .db()
          .collection<{ readonly _id: string; readonly json: string }>('checkout_session');
        const { json = '' } = (await sessions.findOne({ _id: sessionId })) ?? {};
        expect(json).toContain(sound);
        await sessions.updateOne({ _id: sessionId }, { $set: { json: json.replace(sound, senseless) } });
        await Promise.all(nodes.map((node) => node.restart()));
        // a cluster makes no backups of itself
        const never = ['galla_backup_age_seconds', 'galla_backup_every_seconds'];
        await tell(house, { sessionId, merchant }, never);
      } catch (failure) {
        process.stdout.write(house.output());
        throw failure;
      } finally {
        await client.close();
        await house.stop();
      }
    },
  );
});
