/** Invoices paid in a cluster: each page, each provider and each return may be answered by another node. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buttonFor, press } from '../../src/testing/demo/buyer.ts';
import { clusterMsMax, missingCluster } from '../support/cluster.ts';
import { startWithGateway, type ClusterWithGateway } from '../support/gateway-node.ts';
import { atTheProvider, invoiceSession, paymentOf } from '../support/invoice-session.ts';

const storyMsMax = 60_000;

describe.skipIf(missingCluster('invoices, in a cluster'))('a cluster of two nodes', () => {
  let parts: ClusterWithGateway;
  beforeAll(async () => {
    parts = await startWithGateway(2, (line) => expect.unreachable(line));
  }, clusterMsMax);
  afterAll(() => parts?.stop(), clusterMsMax);
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stdout.write(parts.cluster.output());
  });

  test.each(['bank_a', 'wallet_c'] as const)(
    'row 5: an invoice is paid by %s',
    async (provider) => {
      const { cluster, gateway } = parts;
      const shop = await cluster.merchant();
      const made = await invoiceSession(gateway.node, cluster.url, shop);
      const back = await press(buttonFor(await atTheProvider(made, provider), 'do', 'pay'));
      expect(back.hops.at(-1)?.to ?? back.url).toContain('status=success');
      expect((await paymentOf(shop, made))?.value).toMatchObject({
        status: 'success',
        provider,
        invoiceId: made.invoiceId,
        providerRef: expect.stringMatching(/^(?:BA|TRK)/) as string,
      });
      await shop.untilEvents(1, 'payment.succeeded');
    },
    storyMsMax,
  );
});
