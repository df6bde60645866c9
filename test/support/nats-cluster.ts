/** Three nats-servers that form a cluster, for tests that hurt it. Every connection between two of them, and every one
 *  of a client, leads through a proxy of its own.
 *  1. No server learns another way: what they tell each other of themselves leads to a closed door. */
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../../src/cli/demo/service.ts';
import { Proxy } from '../faults/proxy.ts';
import { eventually } from './eventually.ts';
import { startNats, withNats, type RunningServer } from './servers.ts';

export const serversOfCluster = 3;
/** Servers try their missing routes about once a second. */
const routesSettleMs = 3000;

/** What is done to the cluster of servers as a whole is done to all of them. */
export interface NatsCluster extends Pick<RunningServer, 'pause' | 'resume'> {
  readonly servers: readonly RunningServer[];
  kill(): Promise<void>;
  restart(empty?: boolean): Promise<void>;
  /** The addresses of all servers for one client, its own first; and its connections to them, in this order. */
  client(first: number): Promise<NatsClientLines>;
  /** Cuts a server off from the others; its clients keep their connections. */
  split(server: number): void;
  heal(): void;
  /** The servers make their connections anew, and forget on the way what their clients serve. */
  forgetInterest(): Promise<void>;
  stop(): Promise<void>;
}

export interface NatsClientLines {
  readonly url: string;
  /** To each server, the client's first one first. */
  readonly lines: readonly Proxy[];
  /** Until this is called only its first server can be reached. */
  openAll(): void;
  /** The server it is connected to; null: none. */
  server(): number | null;
  /** Leaves it connections to this server alone, or to all but this one. */
  only(server: number): void;
  not(server: number): void;
}

interface Route {
  readonly from: number;
  readonly to: number;
  readonly line: Proxy;
}

export async function startNatsCluster(): Promise<NatsCluster> {
  const ports = await freePorts(serversOfCluster);
  const all = ports.map((_, at) => at);
  const closed = await Proxy.open('nats://127.0.0.1:9');
  closed.hurt('cut');
  const routes: Route[] = [];
  for (const from of all)
    for (const to of all)
      if (from !== to)
        routes.push({ from, to, line: await Proxy.open(`nats-route://127.0.0.1:${ports[to] ?? 0}`) });
  const configOf = (at: number): string => {
    const own = routes.filter(({ from }) => from === at).map(({ line }) => line.through('nats-route://h:1'));
    return [
      `server_name: s${at}`,
      `cluster {`,
      `  name: galla`,
      `  listen: "127.0.0.1:${ports[at] ?? 0}"`,
      `  no_advertise: true`,
      `  advertise: "${new URL(closed.through('nats://h:1')).host}"`,
      `  routes: [${own.map((url) => `"${url}"`).join(', ')}]`,
      `}`,
    ].join('\n');
  };
  const servers = await Promise.all(all.map((at) => startNats({ config: configOf(at) })));
  const clients: Proxy[] = [];
  const heal = (): void => {
    for (const { line } of routes) line.heal();
  };
  const whole = (): Promise<void> => untilWhole(servers);
  await whole();
  return {
    servers,
    pause: () => servers.forEach((server) => server.pause()),
    resume: () => servers.forEach((server) => server.resume()),
    kill: async () => void (await Promise.all(servers.map((server) => server.kill()))),
    async restart(empty) {
      await Promise.all(servers.map((server) => server.restart(empty)));
      await whole();
    },
    async client(first) {
      const order = all.map((at) => (first + at) % serversOfCluster);
      const lines: Proxy[] = [];
      for (const at of order) lines.push(await Proxy.open(servers[at]?.url ?? ''));
      clients.push(...lines);
      for (const line of lines.slice(1)) line.hurt('cut');
      return {
        url: lines.map((line) => line.through('nats://h:1')).join(','),
        lines,
        openAll: () => lines.forEach((line) => line.heal()),
        server: () => order[lines.findIndex((line) => line.open > 0)] ?? null,
        only: (server) => lines.forEach((line, at) => order[at] !== server && line.hurt('cut')),
        not: (server) => lines[order.indexOf(server)]?.hurt('cut'),
      };
    },
    split(server) {
      for (const { from, to, line } of routes) if (from === server || to === server) line.hurt('cut');
    },
    heal,
    async forgetInterest() {
      for (const { line } of routes) {
        line.falsify(
          (said) => Buffer.from(said.toString('latin1').replaceAll('actor.', 'actox.'), 'latin1'),
          true,
        );
        line.reset();
      }
      await whole();
      // a second line between two servers, which may take the place of the first one, would be an honest one
      await pause(routesSettleMs);
      await whole();
      heal();
    },
    async stop() {
      heal();
      await Promise.all(servers.map((server) => server.stop()));
      for (const line of [...clients, ...routes.map(({ line }) => line), closed]) await line.close();
    },
  };
}

/** What is said at one server is heard at each other. */
async function untilWhole(servers: readonly RunningServer[]): Promise<void> {
  for (const one of servers)
    for (const other of servers)
      if (one !== other)
        await withNats(one.url, async (from) =>
          withNats(other.url, async (to) => {
            let heard = false;
            to.subscribe('whole', { callback: () => void (heard = true) });
            await to.flush();
            await eventually(
              async () => {
                from.publish('whole');
                await from.flush();
                return heard ? true : null;
              },
              () => 'servers of NATS that are connected',
            );
          }),
        );
}
