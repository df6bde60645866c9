/** NATS silently loses messages between two nodes: those to one of them, or those of it. No client waits
 *  longer than a moment for it, with a key or without. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { Proxy } from '../faults/proxy.ts';
import { clusterMsMax, missingClusterToHurt, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import type { Merchant } from '../support/merchant.ts';

/** Enough that some are for actors of the other node. */
const each = 8;
const lostForMs = 400;
/** A second of silence, a new connection, and a machine with much else to do; far less than an ask may take. */
const momentMs = 5000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(missingClusterToHurt('questions that get lost'))(
  'while words between two nodes get lost',
  () => {
    let cluster: ClusterOfTest;
    let line: Proxy;
    let merchant: Merchant;

    beforeAll(async () => {
      cluster = await startCluster({
        nodes: 2,
        beforeNodes: async ({ natsUrl }) => {
          line = await Proxy.open(natsUrl);
        },
        envOf: (node, { natsUrl }): Record<string, string> =>
          node === 0 ? { NATS_URL: line.through(natsUrl) } : {},
      });
      merchant = await cluster.merchant();
    }, clusterMsMax);
    afterAll(async () => {
      await cluster?.stop();
      await line?.close();
    }, clusterMsMax);
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') process.stdout.write(cluster.output());
    });

    test.each([
      ['what one is told', 'in'],
      ['what one says', 'out'],
    ] as const)('%s: every request succeeds, soon and once', async (_what, harm) => {
      const before = await sessions();
      line.hurt(harm);
      const asked = cluster.urls.flatMap((url) =>
        Array.from({ length: each }, (_, n) => create(url, n % 2 === 0)),
      );
      await pause(lostForMs);
      line.heal();
      const answers = await Promise.all(asked);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      const longestMs = Math.max(...answers.map(({ tookMs }) => tookMs));
      expect(longestMs).toBeGreaterThan(lostForMs);
      expect(longestMs).toBeLessThan(momentMs);
      expect((await sessions()) - before).toBe(answers.length);
    });

    async function create(url: string, isKeyed: boolean): Promise<{ status: number; tookMs: number }> {
      const from = performance.now();
      const body = { amount: 125_050, returnUrl: 'http://127.0.0.1:9/return' };
      const how = isKeyed ? { idempotencyKey: randomUUID() } : {};
      const { status } = await new Api(url, merchant.api.key).post('/v1/checkout', body, how);
      return { status, tookMs: performance.now() - from };
    }

    async function sessions(): Promise<number> {
      const { body } = await merchant.api.must('GET', '/v1/checkout?limit=1');
      return Number(body.at('total'));
    }
  },
);
