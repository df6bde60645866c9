/** A manual retry on a service of three nodes: whether the endpoint is enabled is known everywhere at once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { clusterMsMax, missingCluster, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { change, Hooks, untilDelivery, type Hook } from '../support/hooks.ts';

const nodes = 3;
const rounds = 6;
const racesPerRound = 4;

describe.skipIf(missingCluster('retries in a cluster'))('a manual retry in a cluster', () => {
  let cluster: ClusterOfTest;
  let hook: Hook;
  let id: string;

  beforeAll(async () => {
    cluster = await startCluster({ nodes });
    const hooks = await Hooks.open(cluster);
    hook = await hooks.add({ '*': 200 });
    await hook.shop.checkout();
    id = (await untilDelivery(hook, 'checkout.created', 'success')).text('id');
  }, clusterMsMax);
  afterAll(() => cluster?.stop(), clusterMsMax);

  const at = (node: number): Api => new Api(cluster.urls[node % nodes] ?? '', hook.shop.api.key);
  const enable = (node: number, enabled: boolean) =>
    at(node).must('PATCH', `/v1/webhooks/${hook.id}`, { enabled });
  const retryAt = async (node: number): Promise<unknown> => {
    const { status, body } = await at(node).post(`/v1/webhooks/deliveries/${id}/retry`);
    return status === 200 ? 200 : [status, body.at('error.currentStatus')];
  };
  const everywhere = (): Promise<readonly unknown[]> =>
    Promise.all(Array.from({ length: nodes }, (_, node) => retryAt(node)));

  test('is refused by every node once one has disabled the endpoint, and sent once one has enabled it', async () => {
    for (let round = 0; round < rounds; round++) {
      await enable(round, false);
      expect(await everywhere()).toEqual(Array.from({ length: nodes }, () => [409, 'disabled']));
      const heard = hook.heard().length;
      await enable(round + 1, true);
      expect(await everywhere()).toEqual(Array.from({ length: nodes }, () => 200));
      await eventually(
        async () => hook.heard().length > heard || null,
        () => `a try in round ${round}`,
      );
    }
  }, 60_000);

  test('that races the end of its endpoint is either taken or refused with the reason', async () => {
    for (let round = 0; round < rounds; round++) {
      const tries = Array.from({ length: racesPerRound }, (_, node) => retryAt(node));
      const off = enable(round, false);
      for (const answer of await Promise.all(tries)) expect([200, [409, 'disabled']]).toContainEqual(answer);
      await off;
      expect(await retryAt(round + 1)).toEqual([409, 'disabled']);
      await enable(round, true);
    }
    await change(hook, { enabled: false });
    const last = Array.from({ length: racesPerRound }, (_, node) => retryAt(node));
    const gone = at(1).must('DELETE', `/v1/webhooks/${hook.id}`);
    const known = [
      [409, 'disabled'],
      [409, 'deleted'],
    ];
    for (const answer of await Promise.all(last)) expect(known).toContainEqual(answer);
    await gone;
    expect(await everywhere()).toEqual(Array.from({ length: nodes }, () => [409, 'deleted']));
  }, 60_000);
});
