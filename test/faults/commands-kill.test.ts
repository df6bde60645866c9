/** Commands are published twice each, in a random order, while nodes and NATS are killed: each has one effect and one
 *  outcome. `COMMANDS_KILLED=10000` by hand; a seed in `COMMANDS_SEED` gives the same order and the same kills. */
import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from 'nats';
import { expect, test } from 'vitest';
import { clusterMsMax, missingClusterToHurt, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { seeded, shuffled } from './random.ts';

const count = Number(process.env['COMMANDS_KILLED'] ?? 200);
const seed = Number(process.env['COMMANDS_SEED'] ?? 29);
/** Every so many messages something is killed. */
const killEvery = Math.max(100, Math.round((2 * count) / 16));
const publishersMax = 32;
const msMax = clusterMsMax + 120_000 + count * 120;
/** A message waits so long for its PubAck before it is published again. */
const ackMsMax = 2000;

interface Sent {
  readonly subject: string;
  readonly id: string;
  readonly text: string;
}
interface Told {
  readonly id: string;
  readonly status: number;
  readonly body: { readonly [name: string]: unknown };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Each cancels a subscription of its own: executed twice, it would be refused the second time. */
async function made(shop: Merchant): Promise<readonly Sent[]> {
  // a busy machine answers 503 at times; one more subscription does no harm
  const post = async (path: string, body: object): Promise<string> => {
    for (;;) {
      const answer = await shop.api.post(`/v1/billing/${path}`, body);
      if (answer.status === 201) return answer.body.text('id');
      if (answer.status !== 503) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
      await pause(1000);
    }
  };
  const plan = { name: 'Monthly', amount: 150_000, intervalUnit: 'month', trialDays: 14 };
  const [planId, customerId] = [await post('plans', plan), await post('customers', { name: 'Asha Rai' })];
  const ids: string[] = [];
  const open = async (): Promise<void> => {
    while (ids.length < count) {
      const at = ids.push('') - 1;
      ids[at] = await post('subscriptions', { planId, customerId });
    }
  };
  await Promise.all(Array.from({ length: 16 }, open));
  return ids.map((id) => ({
    subject: `command.${shop.projectId}.sandbox.subscription.${id}.billing`,
    id: randomUUID(),
    text: JSON.stringify({ command: 'cancel', at: new Date().toISOString() }),
  }));
}

/** Until the stream has it, also while NATS is away. */
async function publish(nc: NatsConnection, { subject, id, text }: Sent, replyTo: string): Promise<void> {
  const given = headers();
  given.set('Reply-To', replyTo);
  for (;;) {
    try {
      await jetstream(nc).publish(subject, text, { msgID: id, headers: given, timeout: ackMsMax });
      return;
    } catch {
      await pause(100);
    }
  }
}

test.skipIf(missingClusterToHurt('commands under kills'))(
  `${count} commands, published twice each while nodes and NATS are killed, have one effect and one outcome each`,
  async () => {
    const house: ClusterOfTest = await startCluster({ nodes: 2, nats: { syncAlways: true } });
    const nats = house.nats ?? expect.unreachable();
    const nc = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 200 });
    try {
      const random = seeded(seed);
      const shop = await house.merchant();
      const commands = await made(shop);
      const outcome = `outcome.${shop.projectId}.billing.run`;
      const told = new Map<string, Set<string>>();
      nc.subscribe(outcome, {
        callback: (_err, msg) => {
          const { id, status, body } = msg.json<Told>();
          told.set(id, (told.get(id) ?? new Set()).add(JSON.stringify([status, body])));
        },
      });
      const queue = shuffled(random, [...commands, ...commands]);
      let published = 0;
      const kills = { node: 0, nats: 0 };
      const publishing = async (): Promise<void> => {
        for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
          await publish(nc, one, outcome);
          published++;
        }
      };
      const killing = async (): Promise<void> => {
        for (let next = killEvery; next < 2 * count; next += killEvery) {
          while (published < next) await pause(20);
          if (random() < 0.4) {
            kills.nats++;
            await nats.restart();
          } else {
            kills.node++;
            const node = house.node(random() < 0.5 ? 0 : 1);
            await node.kill();
            // on a busy machine a start may give up
            await node.restart().catch(() => node.restart());
          }
        }
      };
      await Promise.all([killing(), ...Array.from({ length: publishersMax }, publishing)]);
      expect(published).toBe(2 * count);
      // an outcome that was told while nobody could hear is told again to a repeat
      await eventually(
        async () => {
          const missing = commands.filter(({ id }) => !told.has(id));
          for (const one of missing.slice(0, publishersMax)) await publish(nc, one, outcome);
          if (missing.length > 0) await pause(2000);
          return missing.length === 0 ? true : null;
        },
        () => `all outcomes; ${count - told.size} are missing`,
        120_000 + count * 30,
      );
      for (const [id, outcomes] of told) expect([...outcomes], id).toHaveLength(1);
      for (const outcomes of told.values()) expect([...outcomes][0]).toMatch(/^\[200,/);
      const { body } = await shop.api.must('GET', '/v1/billing/subscriptions?status=cancelled&limit=1');
      expect(body.at('total')).toBe(count);
      const events = await eventually(
        async () => {
          const all = await shop.api.must('GET', '/v1/events?type=subscription.cancelled&limit=1');
          return Number(all.body.at('total')) >= count ? all : null;
        },
        () => `${count} events`,
        60_000,
      );
      expect(events.body.at('total')).toBe(count);
      process.stdout.write(
        `\n${count} commands: ${2 * count} published, ${kills.node} nodes and ${kills.nats} times NATS killed\n`,
      );
    } finally {
      await nc.close();
      await house.stop();
    }
  },
  msMax,
);
