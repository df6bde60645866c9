/** What a fault of the cluster acts on, and what measures it: nodes, servers, connections, clients, probes. */
import { randomUUID } from 'node:crypto';
import type { Merchant } from '../support/merchant.ts';
import type { ClusterOfTest } from '../support/cluster.ts';
import type { NatsClientLines, NatsCluster } from '../support/nats-cluster.ts';
import type { RunningServer } from '../support/servers.ts';
import type { Crowd } from './crowd.ts';
import type { Stage } from './journey.ts';
import { pause } from './line.ts';
import type { Proxy } from './proxy.ts';

/** The node whose line to MongoDB leads through a proxy. */
export const proxied = 0;

export interface Ground {
  readonly cluster: ClusterOfTest;
  /** Three servers. */
  readonly nats: NatsCluster;
  readonly mongod: RunningServer;
  /** Of the proxied node. */
  readonly lines: { readonly store: readonly Proxy[]; readonly bus: readonly Proxy[] };
  /** Of each node. */
  readonly natsLines: readonly NatsClientLines[];
  readonly stage: Stage;
  readonly crowd: Crowd;
  /** Somebody the crowd does not share: what is done to his sessions is in nobody's account. */
  readonly probe: Merchant;
  readonly random: () => number;
  /** How long something stays away: as the table says, or short. */
  readonly seconds: (table: number, short: number) => Promise<void>;
  /** The number of one more checkout of the crowd's merchant. */
  readonly nextCheckout: () => number;
}

const takeoverMsMax = 60_000;
const againMs = 50;
/** Enough that each node owns some. */
export const probesEach = 40;

/** Sessions all over the partitions, made before a fault. */
export function prepareProbes({ probe, crowd }: Ground): Promise<readonly string[]> {
  const body = { amount: 125_050, returnUrl: 'http://127.0.0.1:9/return' };
  return Promise.all(
    Array.from({ length: probesEach }, () => {
      const idempotencyKey = randomUUID();
      return crowd.surely('make a probe', async () => {
        const { status, body: made } = await probe.api.post('/v1/checkout', body, { idempotencyKey });
        return status === 201 ? made.text('id') : null;
      });
    }),
  );
}

/** Milliseconds from `from` until a command to every one of these sessions was executed. */
export async function untilAllServed(
  { probe }: Ground,
  ids: readonly string[],
  from: number,
): Promise<number> {
  await Promise.all(
    ids.map(async (id) => {
      for (;;) {
        const answer = await probe.api.post(`/v1/checkout/${id}/expire`).catch(() => null);
        if (answer?.status === 200) return;
        if (answer !== null && answer.status !== 503) throw new Error(`expire answered ${answer.status}`);
        if (Date.now() - from > takeoverMsMax) throw new Error(`${id} is not served`);
        await pause(againMs);
      }
    }),
  );
  return Date.now() - from;
}

/** Every node says that nothing is missing. */
export async function allHealthy({ cluster }: Pick<Ground, 'cluster'>, msMax = 60_000): Promise<void> {
  const until = Date.now() + msMax;
  for (;;) {
    const said = await Promise.all(
      cluster.urls.map((url) =>
        fetch(`${url}/health`).then(
          async (answer) => (answer.status === 200 ? null : answer.text()),
          (failure: unknown) => String(failure),
        ),
      ),
    );
    if (said.every((one) => one === null)) return;
    if (Date.now() > until) throw new Error(`not all healthy: ${said.join(' | ')}\n${cluster.output()}`);
    await pause(100);
  }
}
