/** kill -9 in the middle of a daily run and of a statement: both continue where they were, on any node, and nothing is
 *  done twice. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { entry, missingCluster, startCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf, type House } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { itemsOf, paidPayment, statementNow, untilCompared, uploaded } from '../support/statements.ts';

const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' } as const;
/** More than two pages of a run. */
const payments = 45;
const unknownRows = 12_000;
const day = 86_400;
const endMsMax = 90_000;

const dailyLooks = async (shop: Merchant, id: string): Promise<number> =>
  (await shop.api.must('GET', `/v1/payments/${id}/timeline?limit=100`)).body
    .list('data')
    .filter((one) => one.at('kind') === 'poll' && one.at('cause') === 'daily_lookup').length;

/** `interrupt` kills and brings back. */
async function story(house: House, interrupt: () => Promise<void>): Promise<void> {
  const shop = await house.merchant();
  const paid: Body[] = [];
  while (paid.length < payments)
    paid.push(...(await Promise.all(Array.from({ length: 15 }, () => paidPayment(shop)))));

  const unknown = Array.from({ length: unknownRows }, (_, at) => `NO-${at},1`);
  const known = paid.map((one) => `${one.text('providerRef')},1250.50`);
  const rows = [...unknown.slice(0, 9_000), ...known, ...known.slice(0, 3), ...unknown.slice(9_000)];
  const statement = await uploaded(shop, `reference,amount\n${rows.join('\n')}\n`);
  const id = statement.text('id');
  await eventually(
    async () => (Number((await statementNow(shop, id)).at('rows')) > 0 ? true : null),
    () => 'the first rows',
  );
  expect((await statementNow(shop, id)).at('status')).toBe('processing');
  await interrupt();
  const done = await untilCompared(shop, id, endMsMax);
  expect(done.value).toMatchObject({
    status: 'done',
    rows: rows.length,
    matched: payments,
    unmatchedStatement: unknownRows + 3,
  });
  const matched = await itemsOf(shop, done, '&result=matched');
  expect(new Set(matched.map((item) => item.at('paymentId'))).size).toBe(payments);
  expect(matched.map((item) => item.at('line'))).toEqual(known.map((_, at) => 9_002 + at));

  // the first page is under way, or has just ended
  await shop.faults([{ call: 'lookup', kind: 'delay', delayMs: 300 }]);
  // its answer would come when the run has ended; the kill cuts it off
  const advancing = shop.api.post('/v1/test/clock/advance', { bySeconds: day }).catch(() => null);
  const newest = (await shop.api.must('GET', '/v1/payments?limit=1')).body.list('data')[0]?.text('id') ?? '';
  await eventually(
    async () => ((await dailyLooks(shop, newest)) > 0 ? true : null),
    () => 'the first daily look-up',
    endMsMax,
  );
  expect((await shop.clock()).at('status')).toBe('advancing');
  await interrupt();
  await eventually(
    async () => ((await shop.clock().catch(() => null))?.at('status') === 'ready' ? true : null),
    () => 'the clock to be ready',
    endMsMax,
  );
  await advancing;
  const looks = await Promise.all(paid.map((one) => dailyLooks(shop, one.text('id'))));
  expect(looks).toEqual(paid.map(() => 1));
  expect(await shop.events('reconciliation.mismatch')).toEqual([]);
}

test('a service killed in the middle of a statement and of a daily run continues after its start', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-books-kill-'));
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
}, 120_000);

describe.skipIf(missingCluster('books, in a cluster'))('in a cluster', () => {
  test('a node killed in the middle of both leaves them to the others', async () => {
    const house = await startCluster({ nodes: 2 });
    try {
      // both nodes, one after the other: one of them was the owner
      let next = 0;
      await story(house, async () => {
        for (let times = 0; times < 2; times++) {
          const node = house.node(next++ % 2);
          await node.kill();
          await node.restart();
        }
      });
    } finally {
      await house.stop();
    }
  }, 240_000);
});
