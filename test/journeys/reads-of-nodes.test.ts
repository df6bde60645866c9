/** What a door of one node asks of the store for an object that lives on another one, counted by the database. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, type Answer } from '../../src/cli/demo/api.ts';
import { mintId } from '../../src/kernel/id.ts';
import { clusterMsMax, missingClusterToHurt, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks, untilDelivery } from '../support/hooks.ts';
import type { Merchant } from '../support/merchant.ts';
import { ownedBy } from '../support/owners.ts';
import { withAdmin } from '../support/servers.ts';

const body = { amount: 125_050, returnUrl: 'http://127.0.0.1:9/return' };

interface Asked {
  readonly ns: string;
  readonly n: number;
}

describe.skipIf(missingClusterToHurt('reads between two nodes'))(
  'a door of a node that is not the owner',
  () => {
    let cluster: ClusterOfTest;
    let merchant: Merchant;
    let door: Api;
    let isElsewhere: (id: string) => boolean;

    beforeAll(async () => {
      cluster = await startCluster({ nodes: 2 });
      merchant = await cluster.merchant();
      door = new Api(cluster.node(0).url, merchant.api.key);
      isElsewhere = await ownedBy(cluster, 1);
      await door.must('POST', '/v1/checkout', body);
    }, clusterMsMax);
    afterAll(() => cluster?.stop(), clusterMsMax);

    /** Linearizable reads of these kinds during `work`. */
    async function linearizable(kinds: readonly string[], work: () => Promise<unknown>): Promise<number> {
      const stats = async (): Promise<readonly Asked[]> => {
        const { rows } = await withAdmin(cluster.mongo.server?.url ?? '', (admin) =>
          admin({ gatewayStats: 1, readConcern: 'linearizable', reset: true }),
        );
        return rows as readonly Asked[];
      };
      await stats();
      await work();
      const asked = (await stats()).filter(({ ns }) => kinds.includes(ns.slice(ns.indexOf('.') + 1)));
      return asked.reduce((sum, { n }) => sum + n, 0);
    }

    const create = (idempotencyKey?: string): Promise<Answer> =>
      door.post('/v1/checkout', body, idempotencyKey === undefined ? {} : { idempotencyKey });

    /** Creates until one lives on the other node; says what that one has cost. */
    const createdElsewhere = (isKeyed: boolean): Promise<{ readonly id: string; readonly reads: number }> =>
      eventually(
        async () => {
          let id = '';
          const reads = await linearizable(['checkout_session', 'keyed_answer'], async () => {
            const answer = await create(isKeyed ? randomUUID() : undefined);
            expect(answer.status).toBe(201);
            id = answer.body.text('id');
          });
          return isElsewhere(id) ? { id, reads } : null;
        },
        () => 'a session on the other node',
      );

    test.each([
      ['with a key', true],
      ['without a key', false],
    ] as const)('creates a checkout %s and reads nothing back', async (_how, isKeyed) => {
      expect((await createdElsewhere(isKeyed)).reads).toBe(0);
    });

    test('shows a session that its owner shows, without a read of the store', async () => {
      const { id } = await createdElsewhere(false);
      const path = `/v1/checkout/${id}`;
      const shown = (await new Api(cluster.node(1).url, merchant.api.key).must('GET', path)).body;
      // an owner that has no time is not waited for: then the store is asked
      await eventually(
        async () => {
          const reads = await linearizable(['checkout_session'], async () => {
            expect((await door.must('GET', path)).body).toEqual(shown);
          });
          expect(reads).toBeLessThanOrEqual(1);
          return reads === 0 || null;
        },
        () => 'an answer of the owner',
      );
      const metrics = await (
        await fetch(`${cluster.node(0).url}/metrics`, {
          headers: { Authorization: `Bearer ${cluster.admin.key}` },
        })
      ).text();
      expect(metrics).toMatch(/galla_remote_reads_total\{from="owner"\} [1-9]/);
    });

    test('asks the store once for an id that does not exist', async () => {
      await eventually(
        async () => {
          const id = mintId('cs');
          if (!isElsewhere(id)) return null;
          const reads = await linearizable(['checkout_session'], async () => {
            expect((await door.get(`/v1/checkout/${id}`)).status).toBe(404);
          });
          expect(reads).toBe(1);
          return true;
        },
        () => 'an id of the other node',
      );
    });

    test('a webhook is sent without a linearizable read of its endpoint and its text', async () => {
      const hook = await (await Hooks.open(cluster)).add({ '*': 200 });
      await hook.shop.checkout();
      await untilDelivery(hook, 'checkout.created', 'success');
      const reads = await linearizable(['webhook_endpoint', 'journal'], async () => {
        const heard = hook.heard().length;
        await hook.shop.checkout();
        await eventually(
          async () => hook.heard().length > heard || null,
          () => 'the webhook',
        );
      });
      expect(reads).toBe(0);
    });
  },
);
