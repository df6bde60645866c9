/** The faults of a cluster: what is disturbed, for how long, and what must then be true. Each starts, ends, and reports when it
 *  ended; clients keep paying meanwhile.
 *  1. A fault that leaves something behind cleans it up: the next one begins on a whole cluster. */
import { failPoint, withAdmin } from '../support/servers.ts';
import { between } from './random.ts';
import { prepareProbes, proxied, untilAllServed, type Ground } from './ground.ts';
import { pause } from './line.ts';
import { natsFaults } from './nats-faults.ts';
import { poison } from './poison.ts';
import { rolling } from './rolling.ts';
import { returnTenTimes } from './returns.ts';
import type { Failpoint } from './plan.ts';

export interface Inflicted {
  /** When it began to hurt, and when everything was there again; real time. */
  readonly hurtAt: number;
  readonly healedAt: number;
  /** From the end of a node until every partition was served again; null where no node ended. */
  readonly takeoverMs?: number;
  /** What else is worth telling. */
  readonly note?: string;
  /** What must not be. */
  readonly problems?: readonly string[];
}

export interface Fault {
  readonly id: string;
  readonly title: string;
  /** Part of the short selection. */
  readonly short?: true;
  /** Nobody is to wait longer for a 503: nothing here is gone for long. */
  readonly refusedMsMax?: number;
  readonly inflict: (ground: Ground) => Promise<Inflicted>;
}

/** A takeover after kill -9, seen from outside, takes no longer. */
export const takeoverMsMax = 8000;
const deathMsMax = 60_000;
const healthCheckMs = 1000;

const anyNode = ({ cluster, random }: Ground): number => between(random, 0, cluster.urls.length - 1);

async function killed(ground: Ground): Promise<Inflicted> {
  const ids = await prepareProbes(ground);
  const node = ground.cluster.node(anyNode(ground));
  const hurtAt = Date.now();
  await node.kill();
  const takeoverMs = await untilAllServed(ground, ids, hurtAt);
  await node.restart();
  return { hurtAt, healedAt: hurtAt, takeoverMs, problems: late(takeoverMs) };
}

const late = (takeoverMs: number): readonly string[] =>
  takeoverMs <= takeoverMsMax ? [] : [`the takeover took ${takeoverMs} ms, more than ${takeoverMsMax}`];

/** Started again with a failpoint armed, the node kills itself at that instant under load. */
const failing =
  (name: Failpoint, range: readonly [number, number]) =>
  async (ground: Ground): Promise<Inflicted> => {
    const ids = await prepareProbes(ground);
    const node = ground.cluster.node(anyNode(ground));
    await node.stop();
    const after = between(ground.random, ...range);
    await node.restart({ GALLA_FAILPOINT: name, GALLA_FAILPOINT_AFTER: String(after) });
    const died = await Promise.race([node.service.over, pause(deathMsMax)]);
    const hurtAt = Date.now();
    if (died === undefined || died.signal !== 'SIGKILL')
      throw new Error(`${name} was not passed ${after} times`);
    const takeoverMs = await untilAllServed(ground, ids, hurtAt);
    await node.restart();
    return { hurtAt, healedAt: hurtAt, takeoverMs, note: `at passing ${after}`, problems: late(takeoverMs) };
  };

/** A node is paused; the balancer notices after a moment, as one that looks at /health does. */
async function stopped(ground: Ground): Promise<Inflicted> {
  const { cluster } = ground;
  const ids = await prepareProbes(ground);
  const node = cluster.node(anyNode(ground));
  const hurtAt = Date.now();
  node.pause();
  const away = ground.seconds(30, 9);
  await pause(healthCheckMs);
  cluster.cluster.balancer.send(cluster.urls.filter((url) => url !== node.url));
  const takeoverMs = await untilAllServed(ground, ids, hurtAt);
  await away;
  node.resume();
  const healedAt = Date.now();
  cluster.cluster.balancer.send(cluster.urls);
  return { hurtAt, healedAt, takeoverMs };
}

type Server = 'nats' | 'mongod';

const killedServer =
  (server: Server, table: number, short: number, empty = false) =>
  async (ground: Ground): Promise<Inflicted> => {
    const hurtAt = Date.now();
    await ground[server].kill();
    await ground.seconds(table, short);
    await ground[server].restart(empty);
    return { hurtAt, healedAt: Date.now() };
  };

const pausedServer =
  (server: Server, table: number, short: number) =>
  async (ground: Ground): Promise<Inflicted> => {
    const hurtAt = Date.now();
    ground[server].pause();
    await ground.seconds(table, short);
    ground[server].resume();
    return { hurtAt, healedAt: Date.now() };
  };

async function steppedDown(ground: Ground): Promise<Inflicted> {
  const hurtAt = Date.now();
  await withAdmin(ground.mongod.url, (admin) => admin({ replSetStepDown: 4, force: true }));
  await pause(4000);
  return { hurtAt, healedAt: Date.now() };
}

const onLine =
  (line: 'store' | 'bus', harm: 'cut' | 'in' | 'out', table: number, short: number) =>
  async (ground: Ground): Promise<Inflicted> => {
    const hurtAt = Date.now();
    for (const one of ground.lines[line]) one.hurt(harm);
    await ground.seconds(table, short);
    for (const one of ground.lines[line]) one.heal();
    return { hurtAt, healedAt: Date.now(), note: `node ${proxied}` };
  };

/** Every connection of one node to its servers is reset, every second. */
async function resetEverySecond(ground: Ground): Promise<Inflicted> {
  const hurtAt = Date.now();
  let over = false;
  const away = ground.seconds(20, 6).then(() => {
    over = true;
  });
  while (!over) {
    for (const one of [...ground.lines.store, ...ground.lines.bus]) one.reset();
    await Promise.race([away, pause(1000)]);
  }
  return { hurtAt, healedAt: Date.now(), note: `node ${proxied}` };
}

async function slowed(ground: Ground): Promise<Inflicted> {
  const hurtAt = Date.now();
  const lines = [...ground.lines.store, ...ground.lines.bus];
  for (const one of lines) one.slow(100);
  await ground.seconds(20, 5);
  for (const one of lines) one.heal();
  return { hurtAt, healedAt: Date.now(), note: `node ${proxied}` };
}

/** The database's own fail points, for so many commands of any node. */
const commandsFail =
  (how: { readonly errorCode?: number; readonly closeConnection?: true; readonly closeAfter?: true }) =>
  async (ground: Ground): Promise<Inflicted> => {
    const hurtAt = Date.now();
    const failCommands = ['insert', 'update', 'findAndModify'];
    await failPoint(ground.mongod.url, 30, { failCommands, appName: 'galla', ...how });
    await pause(3000);
    await failPoint(ground.mongod.url, 'off');
    return { hurtAt, healedAt: Date.now(), note: 'up to 30 writes' };
  };

export const clusterFaults: readonly Fault[] = [
  { id: 'F1', title: 'a node is killed (kill -9)', short: true, inflict: killed },
  { id: 'F2a', title: 'a node dies before its commit', inflict: failing('before_commit', [60, 150]) },
  {
    id: 'F2b',
    title: 'a node dies after its commit, before it answers and publishes',
    inflict: failing('after_commit', [60, 150]),
  },
  {
    id: 'F3',
    title: 'a node dies between a webhook or a provider call and its record',
    inflict: failing('before_result', [15, 50]),
  },
  { id: 'F4', title: 'an owner stands still (SIGSTOP), then goes on', inflict: stopped },
  { id: 'F6', title: 'NATS is killed and comes back', short: true, inflict: killedServer('nats', 5, 1) },
  { id: 'F6b', title: 'NATS is away for long', inflict: killedServer('nats', 120, 10) },
  { id: 'F7', title: 'NATS stands still', inflict: pausedServer('nats', 30, 5) },
  { id: 'F8', title: 'NATS comes back without its store', inflict: killedServer('nats', 2, 1, true) },
  {
    id: 'F10',
    title: 'MongoDB is killed and comes back',
    short: true,
    inflict: killedServer('mongod', 5, 1),
  },
  { id: 'F11a', title: 'MongoDB stands still', inflict: pausedServer('mongod', 10, 8) },
  { id: 'F11b', title: 'MongoDB stands still for long', inflict: pausedServer('mongod', 60, 15) },
  { id: 'F14a', title: 'the primary steps down for 4 s', inflict: steppedDown },
  { id: 'F14b', title: 'MongoDB says it is no primary', inflict: commandsFail({ errorCode: 10107 }) },
  {
    id: 'F14c',
    title: 'MongoDB says it steps down, and cuts',
    inflict: commandsFail({ errorCode: 189, closeConnection: true }),
  },
  { id: 'F15a', title: 'a node is cut off from MongoDB', inflict: onLine('store', 'cut', 15, 8) },
  { id: 'F15b', title: 'what a node tells MongoDB is lost', inflict: onLine('store', 'out', 15, 8) },
  {
    id: 'F15c',
    title: 'what MongoDB answers a node is lost',
    short: true,
    inflict: onLine('store', 'in', 15, 7),
  },
  { id: 'F15d', title: 'a node is cut off from NATS', inflict: onLine('bus', 'cut', 15, 6) },
  { id: 'F15e', title: 'what a node tells NATS is lost', inflict: onLine('bus', 'out', 15, 6) },
  { id: 'F15f', title: 'what NATS tells a node is lost', inflict: onLine('bus', 'in', 15, 6) },
  { id: 'F16a', title: 'both servers answer a node 200 ms later', inflict: slowed },
  {
    id: 'F16b',
    title: 'every connection of a node is reset each second',
    // what was lost in a reset is asked again after a second
    refusedMsMax: 5000,
    inflict: resetEverySecond,
  },
  { id: 'S1', title: 'MongoDB refuses writes (shutting down)', inflict: commandsFail({ errorCode: 91 }) },
  {
    id: 'S2',
    title: 'the line is cut before a write is executed',
    inflict: commandsFail({ closeConnection: true }),
  },
  {
    id: 'S3',
    title: 'the line is cut after a write was executed',
    short: true,
    inflict: commandsFail({ closeAfter: true }),
  },
  {
    id: 'F20',
    title: 'each return of a buyer comes ten times at once',
    short: true,
    inflict: returnTenTimes,
  },
  { id: 'F30', title: 'a stored document cannot be read', inflict: poison },
  {
    id: 'F31',
    title: 'each node is restarted (SIGTERM), one after the other',
    // needs CPUs of its own: a starved machine answers 503 whether or not anybody restarts
    inflict: (ground) => rolling(ground),
  },
  ...natsFaults,
];
