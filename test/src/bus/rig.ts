/** What the tests of the cluster bus share: a log that remembers, buses that are closed, plain connections beside them. */
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type NatsConnection } from 'nats';
import { openNatsBus, type NatsBusOptions } from '../../../src/bus/bus-nats.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { until } from '../../contract/bus.contract.ts';
import { find } from '../../support/server-parts.ts';
import { startNats, type NatsOptions, type RunningServer } from '../../support/servers.ts';

/** Whether there is no nats-server these tests may start, stop and hurt; says so once per file. */
export function noNatsToStart(suite: string): boolean {
  const found = find('nats-server');
  if (found.is !== 'binary')
    process.stdout.write(`\nSKIPPED: ${suite}: NEEDS A nats-server OF ITS OWN ON PATH\n`);
  return found.is !== 'binary';
}

export interface Rig {
  readonly server: RunningServer;
  /** Every line logged by any bus, `level message`. */
  readonly lines: string[];
  bus(over?: Partial<NatsBusOptions>): Promise<Bus>;
  /** Another program on the same NATS. */
  stranger(): Promise<NatsConnection>;
  /** One more server, which knows nothing of the first. */
  another(): Promise<RunningServer>;
  close(): Promise<void>;
}

export async function openRig(options: NatsOptions = {}): Promise<Rig> {
  const server = await startNats(options);
  const lines: string[] = [];
  const log = {
    warn: (_fields: object, message: string) => void lines.push(`warn ${message}`),
    error: (_fields: object, message: string) => void lines.push(`error ${message}`),
  };
  const ends: (() => Promise<void>)[] = [];
  return {
    server,
    lines,
    async bus(over = {}) {
      const bus = await openNatsBus({
        url: server.url,
        name: 'test',
        partitions: 256,
        log,
        waitMs: 5000,
        ...over,
      });
      ends.push(() => bus.close());
      return bus;
    },
    async stranger() {
      const nc = await connect({ servers: server.url, reconnectTimeWait: 200, maxReconnectAttempts: -1 });
      ends.push(() => nc.close());
      return nc;
    },
    async another() {
      const other = await startNats();
      ends.push(() => other.stop());
      return other;
    },
    async close() {
      await Promise.all(ends.map((end) => end()));
      await server.stop();
    },
  };
}

/** Pauses a server (SIGSTOP); resolves when the last of its threads is stopped. */
export async function putToSleep(server: RunningServer): Promise<void> {
  server.pause();
  const tasks = `/proc/${server.pid()}/task`;
  const isStill = (task: string): boolean => / T /.test(readFileSync(`${tasks}/${task}/stat`, 'utf8'));
  await until(() => readdirSync(tasks).every(isStill), 'a server that stands still');
}
