/** Remote and local asks: one node hosts the actors, another has gateways only, NATS is between them. */
import { mintId } from '../src/kernel/id.ts';
import { scopeOf, type Mode } from '../src/runtime/model/address.ts';
import type { Answered, Told } from './asker.ts';
import { clusterMissing, clusterOn, mongoOf } from './cluster.ts';
import {
  alternately,
  spending,
  type Arm,
  type Bench,
  type Measured,
  type Row,
  type Served,
} from './support.ts';

const forMs = 1500;
const rounds = 3;
const crowd = 64;
const sessions = 64;

export const remote: Bench = {
  title: 'Remote ask: a command to an actor of another node, over NATS',
  setup:
    'three processes on one nats-server: a node with gateways only (GALLA_ROLES=gateways), which asks; the node ' +
    'that hosts the actors; and the rival, which answers raw nats.js requests. The asking process sends these on ' +
    'a separate connection, with request and reply of the same length. For the ask that commits, the rival ' +
    'parses the order and awaits one insertOne (w: majority, j) before it replies. Local: the hosting node asks ' +
    `itself. ${rounds} rounds of ${forMs / 1000} s in turn after a warm-up, medians. CPU: asking and answering ` +
    'process together. Servers: nats-server, and the database with all its processes',
  bound:
    'both use the same three processes and two messages each way. Ours adds the check of the envelope on ' +
    'arrival, the mailbox, the state table and the reply. A nats.js request adds a promise race, a random token ' +
    'and a timer, which our bus does not need. A local ask uses none of this. A command that commits waits for ' +
    'its group commit in both cases. In sandbox a turn first reads the test clock of its project from the store, ' +
    'because another node may have changed it; live mode has no such clock',
  missing: clusterMissing,
  async run(room) {
    const mongo = await mongoOf(room);
    const cluster = await clusterOn(room, mongo, 'remote');
    const asker = (roles: string): Promise<Served> =>
      room.serve('./asker.js', { ...cluster.env, GALLA_ROLES: roles });
    const owner = await asker('actors');
    const doors = await asker('gateways');
    const echo = await room.serve('./rivals/echoing.js', {
      NATS_URL: cluster.natsUrl,
      RIVAL_URL: mongo.url('rival'),
    });
    const [live, sandbox] = [await endedIn(doors, 'live'), await endedIn(doors, 'sandbox')];

    const arm = (name: string, asks: Served, works: readonly Served[], given: Given): Arm => ({
      name,
      async run(): Promise<Measured> {
        const pids = works.map(({ pid }) => pid);
        const spent = spending(pids, cluster.pids);
        const { perSecond, p50Ms, p99Ms, count } = await toldTo(asks, { ...live, ...given, forMs });
        return { perSecond, p50Ms, p99Ms, ...spent(count) };
      },
    });
    const asked = async (atOnce: number): Promise<readonly Row[]> => {
      const how = atOnce === 1 ? 'one at a time' : `${atOnce} at once`;
      const raw = arm('raw nats.js request', doors, [doors, echo], { what: 'raw', atOnce });
      const remotely = arm('Galla', doors, [doors, owner], { what: 'expire', atOnce });
      const locally = arm('Galla', owner, [owner], { what: 'expire', atOnce });
      return [
        ...(await alternately(`remote ask, nothing changes, ${how}`, [remotely, raw], rounds)),
        ...(await alternately(`local ask, nothing changes, ${how}`, [locally, raw], rounds)),
      ];
    };
    const stored = arm('raw request, one insertOne', doors, [doors, echo], {
      what: 'rawStored',
      atOnce: crowd,
    });
    const remotely = arm('Galla, remote', doors, [doors, owner], { what: 'open', atOnce: crowd });
    const locally = arm('Galla, local', owner, [owner], { what: 'open', atOnce: crowd });
    const raw = arm('raw nats.js request', doors, [doors, echo], { what: 'raw', atOnce: crowd });
    const clocked = arm('Galla', doors, [doors, owner], { what: 'expire', atOnce: crowd, ...sandbox });
    return [
      ...(await asked(1)),
      ...(await asked(crowd)),
      ...(await alternately(`the same in sandbox, remote, ${crowd} at once`, [clocked, raw], rounds)),
      ...(await alternately(`ask that commits, ${crowd} at once`, [remotely, stored, locally], rounds)),
    ];
  },
};

type Given = Pick<Told, 'what' | 'atOnce'> & Partial<Told>;

/** Ended sessions of a project of their own. */
async function endedIn(doors: Served, mode: Mode): Promise<Pick<Told, 'scope' | 'ids'>> {
  const scope = scopeOf(mintId('prj'), mode);
  const make: Told = { what: 'make', scope, ids: [], atOnce: 1, forMs: 0 };
  const ids: string[] = [];
  for (let made = 0; made < sessions; made++) ids.push((await toldTo(doors, make)).id);
  return { scope, ids };
}

const tellMsMax = 60_000;

async function toldTo({ url }: Served, told: Told): Promise<Answered> {
  const signal = AbortSignal.timeout(told.forMs + tellMsMax);
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(told), signal });
  if (answer.status !== 200) throw new Error(`${told.what}: ${await answer.text()}`);
  return (await answer.json()) as Answered;
}
