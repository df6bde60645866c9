/** Faults between the servers of NATS. Payments go on while they last: a node that its server has cut off from the
 *  others goes to another one, or hands its partitions over.
 *  Boundary: what share of the throughput is left is for nats-servers.test.ts, whose clients have a pace. */
import { eventually } from '../support/eventually.ts';
import type { Fault, Inflicted } from './cluster-faults.ts';
import { prepareProbes, untilAllServed, type Ground } from './ground.ts';
import { pause } from './line.ts';
import { between } from './random.ts';

/** Nodes have noticed by then. */
const noticedMs = 8000;
const saidMsMax = 30_000;
const resetEveryMs = 1000;

/** Long enough to matter, and until all clients are served as they were before. */
async function servedMeanwhile(
  ground: Ground,
  hurtAt: number,
): Promise<Pick<Inflicted, 'note' | 'problems'>> {
  const away = ground.seconds(30, noticedMs / 1000);
  await pause(noticedMs);
  const isCalm = await ground.crowd.calm();
  const seconds = ((Date.now() - hurtAt) / 1000).toFixed(1);
  await away;
  return isCalm
    ? { note: `all were served as before ${seconds} s after it began` }
    : { problems: ['its clients are not served as before while it lasts'] };
}

const anyNode = ({ random, natsLines }: Ground): number => between(random, 0, natsLines.length - 1);

/** Any, but one that has a node. */
const anyServer = (ground: Ground): number => ground.natsLines[anyNode(ground)]?.server() ?? 0;

const during =
  (begin: (ground: Ground, server: number) => unknown, end: (ground: Ground, server: number) => unknown) =>
  async (ground: Ground): Promise<Inflicted> => {
    const server = anyServer(ground);
    const hurtAt = Date.now();
    try {
      await begin(ground, server);
      const found = await servedMeanwhile(ground, hurtAt);
      return { ...found, hurtAt, healedAt: Date.now() };
    } finally {
      await end(ground, server);
    }
  };

/** A node and its server are cut off from everything else. */
async function alone(ground: Ground): Promise<Inflicted> {
  const { cluster, nats, natsLines } = ground;
  const { balancer } = cluster.cluster;
  const ids = await prepareProbes(ground);
  const at = anyNode(ground);
  const server = natsLines[at]?.server() ?? 0;
  const url = cluster.urls[at] ?? '';
  const others = cluster.urls.filter((one) => one !== url);
  const hurtAt = Date.now();
  try {
    for (const [node, lines] of natsLines.entries()) {
      if (node === at) lines.only(server);
      else lines.not(server);
    }
    nats.split(server);
    await says(url, '"missing":["bus"]');
    balancer.send(others);
    const takeoverMs = await untilAllServed(ground, ids, hurtAt);
    await Promise.all(others.map((one) => says(one, '"away":["nodes"]')));
    const found = await servedMeanwhile(ground, hurtAt);
    return { ...found, hurtAt, healedAt: Date.now(), takeoverMs };
  } finally {
    nats.heal();
    for (const lines of natsLines) lines.openAll();
    balancer.send(cluster.urls);
  }
}

/** Waits until the node's /health contains this. */
const says = (url: string, text: string): Promise<true> =>
  eventually(
    async () => ((await (await fetch(`${url}/health`)).text()).includes(text) ? true : null),
    () => `${url}/health to say ${text}`,
    saidMsMax,
  );

async function resetInTurn(ground: Ground): Promise<Inflicted> {
  const hurtAt = Date.now();
  let turn = 0;
  const resetting = setInterval(() => {
    for (const line of ground.natsLines[turn++ % ground.natsLines.length]?.lines ?? []) line.reset();
  }, resetEveryMs);
  await ground.seconds(30, noticedMs / 1000);
  clearInterval(resetting);
  return { hurtAt, healedAt: Date.now() };
}

const cutOff = during(
  ({ nats }, server) => nats.split(server),
  ({ nats }) => nats.heal(),
);
const standsStill = during(
  ({ nats }, server) => nats.servers[server]?.pause(),
  ({ nats }, server) => nats.servers[server]?.resume(),
);
const forgotten = during(
  ({ nats }) => nats.forgetInterest(),
  ({ nats }) => nats.heal(),
);

export const natsFaults: readonly Fault[] = [
  { id: 'N1', title: 'a server of NATS is cut off from the others', inflict: cutOff },
  { id: 'N2', title: 'the same, and its node reaches no other server', inflict: alone },
  { id: 'N3', title: 'a server of NATS stands still', inflict: standsStill },
  {
    id: 'N4',
    title: 'the connections to NATS are reset, of one node each second in turn',
    inflict: resetInTurn,
  },
  { id: 'N5', title: 'each server of NATS forgets what is served at the others', inflict: forgotten },
];
