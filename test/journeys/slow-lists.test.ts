/** Lists that take the database seconds: whoever makes them waits, and nobody else does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/cli/demo/api.ts';
import { clusterMsMax, missingClusterToHurt, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import type { Merchant } from '../support/merchant.ts';
import { withAdmin } from '../support/servers.ts';

const merchants = 10;
const listsEach = 4;
const slowMs = 3000;
const creates = 60;

describe.skipIf(missingClusterToHurt('slow lists'))(
  'while 40 lists take 3 s each',
  { timeout: 60_000 },
  () => {
    let cluster: ClusterOfTest;
    let shops: readonly Merchant[];

    beforeAll(async () => {
      cluster = await startCluster({ nodes: 1 });
      shops = await Promise.all(Array.from({ length: merchants }, () => cluster.merchant()));
      await Promise.all(shops.map((shop) => shop.checkout()));
    }, clusterMsMax);
    afterAll(() => cluster?.stop(), clusterMsMax);

    test('every checkout is made, every read is answered, and /health is 200', async () => {
      const { url } = cluster.mongo.server ?? { url: '' };
      const namespace = `${new URL(cluster.mongodbUrl).pathname.slice(1)}.payment`;
      const data = { failCommands: ['find'], namespace, blockConnection: true, blockTimeMS: slowMs };
      await withAdmin(url, (admin) => admin({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data }));
      let listed = 0;
      const lists = shops.flatMap(({ api }) =>
        Array.from({ length: listsEach }, () => api.get('/v1/payments').finally(() => listed++)),
      );
      const answers: Answer[] = [];
      for (let n = 0; n < creates; n += merchants) {
        const made = shops.map(({ api }) =>
          api.post('/v1/checkout', { amount: 1000, returnUrl: 'http://127.0.0.1:9/return' }),
        );
        answers.push(...(await Promise.all(made)), await cluster.nobody.get('/health'));
      }
      // otherwise this test has seen nothing
      expect(listed).toBe(0);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(creates);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(creates / merchants);
      const statuses = (await Promise.all(lists)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(statuses).toContain(200);
    });
  },
);
