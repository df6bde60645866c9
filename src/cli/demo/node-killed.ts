/** Last part of the cluster's demo: one of three nodes is killed at the worst moment, and the others go on. */
import { setTimeout as pause } from 'node:timers/promises';
import { checkouts, compare, findPayment, orders, payAndVanish, type Asked } from './killed.ts';
import { eventually, expect } from './printer.ts';
import type { ClusterWorld } from './world.ts';

/** Any of them is as good. */
const victim = 1;
/** Some are committed by then, hardly any is answered. */
const killAfterMs = 5;
const againMs = 200;
const patienceMs = 30_000;

export async function showNodeKilled(world: ClusterWorld): Promise<void> {
  const { printer } = world;
  printer.chapter('kill -9');
  const paidId = await printer.step('A buyer pays, but is never sent back: we do not know yet', () =>
    payAndVanish(world),
  );
  const asked = await printer.step(`A node is killed while ${checkouts} checkouts are under way`, () =>
    killUnderWay(world),
  );
  await printer.step('Every checkout is there, made once', () => compare(world, asked));
  await printer.step('The payment is found by asking the provider', () => findPayment(world, paidId));
  await printer.step('The node starts again and takes its share', () => comeBack(world));
}

/** The shop asks again with the same key for as long as it is not answered, as any shop should. */
async function killUnderWay({ api, shop, cluster }: ClusterWorld) {
  const asked = orders(shop.url);
  let again = 0;
  const ask = async (one: Asked): Promise<void> => {
    const until = performance.now() + patienceMs;
    const { idempotencyKey } = one;
    while (one.answer === null && performance.now() < until) {
      const answer = await api.post('/v1/checkout', one.body, { idempotencyKey }).catch(() => null);
      if (answer?.status === 201) one.answer = answer;
      else if (answer === null || answer.status === 503 || answer.status === 409) {
        again++;
        await pause(againMs);
      } else throw new Error(`${one.body.referenceId} was answered ${answer.status}: ${answer.text}`);
    }
    expect(one.answer !== null, `${one.body.referenceId} was not answered within ${patienceMs} ms`);
  };
  const underWay = asked.map(ask);
  await pause(killAfterMs);
  const node = cluster.node(victim);
  const from = performance.now();
  const { signal } = await node.kill();
  expect(signal === 'SIGKILL', 'the node was not killed');
  await Promise.all(underWay);
  return {
    value: asked,
    facts: [
      ['process', `node ${victim + 1}, pid ${node.pid}, ended by ${signal}`],
      ['answered', `all ${checkouts}, after ${again} repetitions with the same key`],
      ['the last', `${((performance.now() - from) / 1000).toFixed(1)} s after the kill`],
    ] as const,
  };
}

async function comeBack({ cluster }: ClusterWorld) {
  const node = cluster.node(victim);
  await node.restart();
  const shares = await eventually('three nodes with partitions', 20_000, async () => {
    const { body } = await cluster.admin.must('GET', '/admin/v1/nodes');
    const live = body.list('data').filter((one) => one.at('state') === 'live');
    const owned = live.map((one) => Number(one.at('partitions')));
    return live.length === cluster.nodes.length && owned.every((count) => count > 0) ? owned : null;
  });
  return {
    value: null,
    facts: [
      ['ready', `${Math.round(node.service.readyMs)} ms after the start, pid ${node.pid}`],
      ['partitions', shares.join(' + ')],
    ] as const,
  };
}
