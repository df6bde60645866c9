/** The service is killed around the one call of a refund: before it, during it, and before its answer is recorded.
 *  No refund is called twice, none is lost, every one ends. `REFUND_KILLS=100` kills that often at each of the three,
 *  `REFUND_KILLS_CLUSTER=9` nine times in a cluster. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { clusterMsMax, startCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { ledgerOf, paidPayment, refundOf } from '../support/refunds.ts';
import { entry } from './run.ts';

const killsEach = Number(process.env['REFUND_KILLS'] ?? 1);
/** Kills in a cluster of three; by hand only, because each of them takes half a minute. */
const clusterKills = Number(process.env['REFUND_KILLS_CLUSTER'] ?? 0);
const points = ['before_once_call', 'during', 'before_once_result'] as const;
type Point = (typeof points)[number];
const msMax = 60_000 + killsEach * 15_000;
/** Past the 72 hours in which look-ups decide. */
const decidedBySeconds = 73 * 3600;

interface Killed {
  readonly point: Point;
  readonly paymentId: string;
  readonly refundId: string;
}
type Ledger = { readonly refunded: number; readonly refundCalls: number };

const paid = async (shop: Merchant): Promise<readonly string[]> => {
  const ids: string[] = [];
  while (ids.length < killsEach * points.length) ids.push((await paidPayment(shop)).text('id'));
  return ids;
};

test(
  'row 37: killed before, during and after its call, no refund is called twice, none is lost, each ends',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'galla-refund-kill-'));
    const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' };
    let service = await Service.start({ dataDir, entry, env });
    const { port, url } = service;
    const restart = async (point: Point | null): Promise<void> => {
      await service.kill();
      const failing = point === null || point === 'during' ? {} : { GALLA_FAILPOINT: point };
      service = await Service.start({ dataDir, entry, port, env: { ...env, ...failing } });
    };
    try {
      const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
      const house = await houseOf(admin, () => Promise.resolve(), await service.keys(dataDir));
      const shop = await house.merchant();
      const payments = await paid(shop);
      const killed: Killed[] = [];
      const pointOf = (at: number): Point | null =>
        at < payments.length ? (points[at % points.length] ?? null) : null;
      await restart(pointOf(0));
      for (const [at, paymentId] of payments.entries()) {
        const point = pointOf(at) ?? 'during';
        const idempotencyKey = `refund-${at}`;
        const ask = () =>
          shop.api.post('/v1/refunds', { paymentId, amount: 125_050, reason: 'other' }, { idempotencyKey });
        // a fault whose use was not recorded before the last death would hit this call
        await (point === 'during' ? hangs(shop, at % 2 === 0) : shop.faults([]));
        const asked = ask().catch(() => null);
        if (point === 'during') await received(shop, paymentId).then(() => service.kill());
        await service.over;
        // nobody was told a result that was not recorded; on a slow machine the call may have timed out before
        const told = (await asked)?.body.at('status') ?? null;
        expect(
          told === null || (point === 'during' && told === 'processing'),
          `told ${JSON.stringify(told)}`,
        ).toBe(true);
        // the next death is prepared already: what is found again is not called, so it cannot come too early
        await restart(pointOf(at + 1));
        const { status, body } = await ask();
        expect(status, point).toBe(201);
        killed.push({ point, paymentId, refundId: body.text('id') });
      }
      await shop.advance(decidedBySeconds, msMax);
      for (const one of killed) await ended(shop, one);
      expect((await shop.api.must('GET', '/v1/refunds')).body.at('total')).toBe(payments.length);
    } finally {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  msMax,
);

/** Every node is prepared to die: the one that owns the session does. A node that is killed during the call may be
 *  another one; then the call ends as a timeout. */
test.skipIf(clusterKills === 0)(
  'in a cluster, killed around its call, no refund is called twice, none is lost, each ends',
  async () => {
    const house = await startCluster({ nodes: 3 });
    try {
      const { cluster } = house;
      const shop = await house.merchant();
      const killed: Killed[] = [];
      for (let at = 0; at < clusterKills; at++) {
        const point = points[at % points.length] ?? 'during';
        const env = point === 'during' ? {} : { GALLA_FAILPOINT: point };
        const paymentId = (await paidPayment(shop)).text('id');
        for (const node of cluster.nodes) {
          await node.stop();
          await node.restart(env);
        }
        if (point === 'during') await hangs(shop, at % 2 === 0);
        const sending = { idempotencyKey: `refund-${at}` };
        const body = { paymentId, amount: 125_050, reason: 'other' };
        const asked = shop.api.post('/v1/refunds', body, sending).catch(() => null);
        if (point === 'during') await received(shop, paymentId).then(() => cluster.node(at % 3).kill());
        const dead = await Promise.race(cluster.nodes.map((node) => node.service.over.then(() => node)));
        await asked;
        await dead.restart();
        const { body: refund } = await eventually(
          async () => {
            const answer = await shop.api.post('/v1/refunds', body, sending);
            return answer.status === 201 ? answer : null;
          },
          () => `refund ${at}`,
          60_000,
        );
        killed.push({ point, paymentId, refundId: refund.text('id') });
      }
      for (const node of cluster.nodes) {
        await node.stop();
        await node.restart();
      }
      await shop.advance(decidedBySeconds, 600_000);
      for (const one of killed) await ended(shop, one);
    } finally {
      await house.stop();
    }
  },
  clusterMsMax + 60_000 * (clusterKills + 10),
);

/** The next call is not answered; the money is refunded, or it is not. */
const hangs = (shop: Merchant, isDone: boolean): Promise<void> =>
  shop.faults([{ call: 'refund', kind: isDone ? 'refund_timeout_done' : 'refund_timeout_lost', times: 1 }]);

const received = (shop: Merchant, paymentId: string): Promise<true> =>
  eventually(
    async () => ((await ledgerOf(shop, paymentId)) as Ledger).refundCalls === 1 || null,
    () => `the call for ${paymentId}`,
  );

async function ended(shop: Merchant, { point, paymentId, refundId }: Killed): Promise<void> {
  const { refunded, refundCalls } = (await ledgerOf(shop, paymentId)) as Ledger;
  const refund = await refundOf(shop, refundId);
  const of = `${refundId}, killed ${point}`;
  expect(refundCalls, of).toBe(point === 'before_once_call' ? 0 : 1);
  expect(refund.at('status'), of).toBe(refunded > 0 ? 'succeeded' : 'requires_action');
  const payment = await shop.payment(paymentId);
  expect(payment.value, of).toMatchObject({
    refundedAmount: refunded,
    status: refunded > 0 ? 'refunded' : 'success',
    needsReview: false,
  });
}
