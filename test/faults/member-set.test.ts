/** What only a set of several members can show of running nodes: its primary changes while clients create checkouts. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { clusterMsMax, missingCluster, startCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { missingMemberSet, stepDown } from '../support/member-set.ts';
import { pause } from './line.ts';

const suite = 'elections of MongoDB, seen by the clients of nodes';
const skipped = (await missingMemberSet(suite)) || missingCluster(suite);
const elections = 3;
const betweenElectionsMs = 8000;
const clients = 8;
const answeredMsMax = 60_000;
const order = { amount: 125_050, returnUrl: 'http://127.0.0.1:9/return' };

describe.skipIf(skipped)(suite, () => {
  test(
    'a create that is repeated with its key is answered once, with the same bytes, and is there afterwards',
    async () => {
      const cluster = await startCluster({ nodes: 2 });
      const { api } = await cluster.merchant();
      const answered = new Map<string, string>();
      let isOver = false;
      const creating = Array.from({ length: clients }, async () => {
        while (!isOver) {
          const idempotencyKey = randomUUID();
          const text = await eventually(
            async () => {
              const answer = await api.post('/v1/checkout', order, { idempotencyKey }).catch(() => null);
              return answer?.status === 201 ? answer.text : null;
            },
            () => 'a checkout',
            answeredMsMax,
          );
          answered.set(idempotencyKey, text);
        }
      });
      for (let election = 0; election < elections; election++) {
        await pause(betweenElectionsMs);
        await stepDown(cluster.mongodbUrl);
      }
      await pause(betweenElectionsMs);
      isOver = true;
      await Promise.all(creating);
      expect(answered.size).toBeGreaterThan(elections * clients);
      for (const [idempotencyKey, text] of answered) {
        const again = await api.post('/v1/checkout', order, { idempotencyKey });
        expect(again).toMatchObject({ status: 201, text });
        const { id } = JSON.parse(text) as { readonly id: string };
        expect((await api.get(`/v1/checkout/${id}`)).status).toBe(200);
      }
      await cluster.stop();
    },
    clusterMsMax + 120_000,
  );
});
