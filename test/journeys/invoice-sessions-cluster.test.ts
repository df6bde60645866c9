/** Invoices paid in a cluster: each page, each provider and each return may be answered by another node. */
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { clusterMsMax, missingCluster, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import { payLinkPaidBy, preferredFirst, settledOtherwise } from './invoice-stories.ts';

const storyMsMax = 60_000;

describe.skipIf(missingCluster('invoices, in a cluster'))('a cluster of two nodes', () => {
  let cluster: ClusterOfTest;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2 });
  }, clusterMsMax);
  afterAll(() => cluster?.stop(), clusterMsMax);
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stdout.write(cluster.output());
  });

  test.each(['bank_a', 'wallet_c'] as const)(
    'row 52: a pay link paid by %s makes its invoice paid, with nothing but HTML',
    (provider) => payLinkPaidBy(cluster, provider),
    storyMsMax,
  );
  test(
    'row 52: an invoice is sent again, marked as paid or voided, and its running session ends with it',
    () => settledOtherwise(cluster),
    storyMsMax,
  );
  test(
    'row 45: the preferred provider is first on the page of an invoice: that of the plan, or the one preferred to it',
    () => preferredFirst(cluster),
    storyMsMax,
  );
});
