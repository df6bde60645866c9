/** The guide's job on a cluster of one node. NATS asks nobody for a password here: what its permissions allow is tried by
 *  test/docs/compose-servers.test.ts. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterMsMax, missingCluster, startCluster, type ClusterOfTest } from '../../support/cluster.ts';
import { root } from '../../support/house.ts';
import { ledgerOf } from './ledger.ts';

const ledger = ledgerOf('billing-job.md');

describe.skipIf(missingCluster('the guide of the billing job'))('the guide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'galla-billing-job-'));
  let house: ClusterOfTest;
  beforeAll(async () => {
    house = await startCluster({ nodes: 1 });
  }, clusterMsMax);
  afterAll(async () => {
    await house?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const shell = (line: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn('sh', ['-euc', line], { cwd: root });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
      child.on('exit', (code) => (code === 0 ? resolve(said) : reject(new Error(said))));
    });

  test('the job cancels subscriptions at the end of their period, and started again says the same', async () => {
    const shop = await house.merchant();
    const made = async (path: string, body: object): Promise<string> =>
      (await shop.api.must('POST', `/v1/billing/${path}`, body)).body.text('id');
    const planId = await made('plans', { name: 'Monthly', amount: 150_000, intervalUnit: 'month' });
    const customerId = await made('customers', { name: 'Asha Rai' });
    const [first, second] = [
      await made('subscriptions', { planId, customerId }),
      await made('subscriptions', { planId, customerId }),
    ];
    await shop.api.must('POST', `/v1/billing/subscriptions/${second}/cancel`, {});

    const block = ledger.take('sh', 'NATS_PASSWORD=');
    const line = block.lines
      .join('\n')
      .replace('nats://127.0.0.1:4222', house.nats?.url ?? process.env['NATS_URL'] ?? '')
      .replace('prj_ID', shop.projectId)
      .replace('job.json', join(folder, 'job.json'))
      .replace('sub_1', first)
      .replace('sub_2', second);
    const said = await shell(line);
    ledger.note(block, block.lines);
    const expected = [`${first} 200 cancelAtPeriodEnd true`, `${second} 409 invalid_state`];
    expect(said.trim().split('\n').toSorted()).toEqual(expected.toSorted());
    expect((await shell(line)).trim().split('\n').toSorted()).toEqual(expected.toSorted());
    const events = await shop.api.must('GET', `/v1/events?objectId=${first}&type=subscription.updated`);
    expect(Number(events.body.at('total'))).toBeLessThanOrEqual(1);
  }, 120_000);
});
