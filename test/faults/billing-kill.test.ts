/** A hundred invoices that are opened at once, and kill -9 in the middle of many that open by themselves: each period is
 *  billed once, numbers have no gap, and each event is there once. `BILLING_KILLED=500` opens that many around the kill. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { invoiceNumberText } from '../../actors/subscription/view.ts';
import { scopeOf } from '../../src/runtime/model/address.ts';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { Billing } from '../support/billing.ts';
import {
  clusterMsMax,
  entry,
  missingClusterToHurt,
  startCluster,
  type ClusterOfTest,
} from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf, type House } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { ownedBy } from '../support/owners.ts';

const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' } as const;
const atOnce = 100;
const around = Number(process.env['BILLING_KILLED'] ?? 80);
/** Long enough to make all of them before the first one ends. */
const trialMs = 4000 + around * 20;
const createdAtOnce = 20;
const endMsMax = 60_000 + around * 100;

/** Every entry of a list; nodes that take over may not answer yet. */
async function every({ api }: Merchant, path: string): Promise<readonly Body[]> {
  const found: Body[] = [];
  for (let page = 1; ; page++) {
    const { body } = await api.must('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`);
    found.push(...body.list('data'));
    if (found.length >= Number(body.at('total'))) return found;
  }
}

const opened = async (shop: Merchant): Promise<number> =>
  Number((await shop.api.must('GET', '/v1/billing/invoices?status=open&limit=1')).body.at('total'));

/** The numbers from 1 on. */
const numbers = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => invoiceNumberText(at + 1));

async function story(house: House, kill: (shop: Merchant) => Promise<void>): Promise<void> {
  const shop = await house.merchant();
  const billing = new Billing(shop);
  const plan = await billing.plan();
  const customerId = (await billing.customer()).text('id');
  const subscribe = async (at: number, fields: object = {}): Promise<Body> => {
    const url = house.urls[at % house.urls.length] ?? house.url;
    const body = { planId: plan.text('id'), customerId, ...fields };
    return (await new Api(url, shop.api.key).must('POST', '/v1/billing/subscriptions', body)).body;
  };

  const first = await Promise.all(Array.from({ length: atOnce }, (_, at) => subscribe(at)));
  expect(first.map((one) => one.at('latestInvoice.status'))).toEqual(first.map(() => 'open'));
  const numberOf = (invoice: Body): string => invoice.text('invoiceNumber');
  expect((await every(shop, '/v1/billing/invoices')).map(numberOf).toSorted()).toEqual(numbers(atOnce));

  const waiting: Body[] = [];
  for (let made = 0; made < around; made += createdAtOnce) {
    const trialEndsAt = new Date(Date.now() + trialMs).toISOString();
    const some = Array.from({ length: createdAtOnce }, (_, at) => subscribe(at, { trialEndsAt }));
    waiting.push(...(await Promise.all(some)));
  }
  await eventually(
    async () => (await opened(shop)) > atOnce || null,
    () => 'the first trial to end',
  );
  await kill(shop);
  const from = performance.now();
  const all = atOnce + waiting.length;
  await eventually(
    async () => (await opened(shop).catch(() => 0)) === all || null,
    () => `${all} invoices`,
    endMsMax,
  );
  if (around > 80)
    process.stdout.write(`all billed ${Math.round(performance.now() - from)} ms after the kill\n`);

  const invoices = await every(shop, '/v1/billing/invoices');
  expect(invoices.map(numberOf).toSorted()).toEqual(numbers(all));
  const billed = invoices.map((one) => one.text('subscriptionId')).toSorted();
  expect(billed).toEqual([...first, ...waiting].map((one) => one.text('id')).toSorted());
  // Pages shift while events arrive, so a list is read only once it has stopped growing.
  const ofBilling = '/v1/events?type=invoice.created,subscription.activated';
  await eventually(
    async () =>
      Number((await shop.api.must('GET', `${ofBilling}&limit=1`)).body.at('total')) >= 2 * all || null,
    () => `${2 * all} events`,
  );
  const events = await every(shop, ofBilling);
  const about = (type: string): readonly string[] =>
    events.filter((one) => one.at('type') === type).map((one) => one.text('data.id'));
  expect(about('invoice.created').toSorted()).toEqual(invoices.map((one) => one.text('id')).toSorted());
  expect(about('subscription.activated').toSorted()).toEqual(billed);
  // what happened late happened for its own period
  for (const subscription of await every(shop, '/v1/billing/subscriptions'))
    expect(subscription.value).toMatchObject({ status: 'active', displayStatus: 'active', cyclesBilled: 1 });
}

test(
  'row 55: a hundred invoices opened at once are numbered 1 to 100, and a service killed while others open loses no number',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'galla-billing-kill-'));
    let service = await Service.start({ dataDir, entry, env });
    const { port, url } = service;
    try {
      const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
      const house = await houseOf(admin, () => Promise.resolve(), await service.keys(dataDir));
      await story(house, async () => {
        await service.kill();
        service = await Service.start({ dataDir, entry, port, env });
      });
    } finally {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  endMsMax + 60_000,
);

describe.skipIf(missingClusterToHurt('billing through the death of nodes'))('in a cluster', () => {
  let cluster: ClusterOfTest | null = null;
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stdout.write(cluster?.output() ?? '');
  });

  test(
    'row 55: a hundred opened through three nodes are numbered 1 to 100; the node of the invoice book and another die',
    async () => {
      const house = await startCluster({ nodes: 3, env });
      cluster = house;
      try {
        await story(house, async (shop) => {
          const book = scopeOf(shop.projectId, 'sandbox');
          const owns = await Promise.all([0, 1, 2].map((node) => ownedBy(house, node)));
          const owner = owns.findIndex((isOwn) => isOwn(book));
          expect(owner).toBeGreaterThanOrEqual(0);
          await house.node(owner).kill();
          await house.node((owner + 1) % 3).kill();
        });
      } finally {
        await house.stop();
      }
    },
    clusterMsMax + endMsMax,
  );
});
