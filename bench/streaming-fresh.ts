/** How old an event is when a reader has it: from the store's acknowledgement of its commit to the frame in another
 *  process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../src/cli/demo/api.ts';
import { clusterMissing, clusterOn, merchantOf, mongoOf, nodeOf } from './cluster.ts';
import { Followers } from './streaming-crowd.ts';
import { opened } from './streaming-sessions.ts';
import type { Steady } from './streaming-steady.ts';
import { quantile, type Bench, type Room, type Row } from './support.ts';

const rounds = 3;
/** Streams that get their event in one round, and as many before the first. */
const streams = 120;
const perSecond = 20;
const settings = { PORT: '0', GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'error' };

const watched =
  `${streams * (rounds + 1)} open Direct-QR sessions (copies of one, without its look-ups). Each has one ` +
  `reader, all in one process of readers. The merchant ends ${perSecond} sessions a second, and their streams ` +
  `send this. ${rounds} rounds of ${streams} in turn with the peers, after a warm-up of the same size; medians ` +
  'and 99th percentiles of all. Measured on one clock: from the instant when the committing process has the ' +
  "store's acknowledgement (before view rows, answer and notice) to the instant when the reader has the frame";

export const freshEmbedded: Bench = {
  title: 'From commit to wire: an event of a watched stream, embedded',
  setup:
    `${watched}. One process commits and serves the streams. Its peer commits nothing: it makes a function call, ` +
    'then writes to a bare uWebSockets.js stream',
  bound:
    'the event loop. The commit has just given it work: the answer, outbox and timers of the same turn come ' +
    'before the streams. Then come the kernel and the reader, as for the peer',
  run: async (room) => compared(room, 'embedded', await embedded(room)),
};

export const freshClustered: Bench = {
  title: 'From commit to wire: an event of a watched stream, across nodes',
  setup:
    `${watched}. One node hosts the actors (GALLA_ROLES=actors); another node, which hosts none, serves the ` +
    'streams. The peers commit nothing. The first: nats.js publishes, a subscriber in another process receives ' +
    'and does the same bare write. The second: the same, but the subscriber does one findOne of the session ' +
    'before it writes',
  bound:
    'the database: view rows are written before anybody is notified. The notice carries the session, so the node ' +
    'with the streams reads nothing (docs/decisions/0062)',
  missing: clusterMissing,
  run: async (room) => compared(room, 'across nodes', await across(room)),
};

/** Where events are made, where streams are, and of whom. */
interface Arm {
  readonly name: string;
  readonly maker: string;
  readonly streams: string;
  readonly ids: readonly string[];
}

async function embedded(room: Room): Promise<readonly Arm[]> {
  const dataDir = join(room.folder, 'fresh');
  const { url: maker } = await room.serve('./streaming-committing.js', {
    ...settings,
    GALLA_DATA_DIR: dataDir,
  });
  const url = await streamsOf(maker);
  const { secretKey } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as {
    readonly secretKey: string;
  };
  const raw = await room.serve('./rivals/streaming-raw.js');
  const ids = await sessions(maker, new Api(url, secretKey));
  return [
    { name: 'Galla', maker, streams: url, ids },
    { name: 'function call, bare write', maker: raw.url, streams: await streamsOf(raw.url), ids },
  ];
}

async function across(room: Room): Promise<readonly Arm[]> {
  const cluster = await clusterOn(room, await mongoOf(room), 'fresh');
  const { natsUrl, mongodbUrl } = cluster;
  const host = await room.serve('./streaming-committing.js', { ...cluster.env, GALLA_ROLES: 'actors' });
  const doors = await nodeOf(room, cluster, 'gateways');
  const ids = await sessions(host.url, new Api(doors.url, await merchantOf(doors, cluster)));
  const raw = async (env: { readonly [name: string]: string }): Promise<string> =>
    (await room.serve('./rivals/streaming-raw.js', { NATS_URL: natsUrl, ...env })).url;
  const says = await raw({ RAW: 'says' });
  return [
    { name: 'Galla', maker: host.url, streams: doors.url, ids },
    {
      name: 'raw nats.js publish, bare write',
      maker: says,
      streams: await raw({ RAW: 'writes' }),
      ids,
    },
    {
      name: 'raw nats.js publish, findOne, bare write',
      maker: says,
      streams: await raw({ RAW: 'writes', MONGODB_URL: mongodbUrl }),
      ids,
    },
  ];
}

const streamsOf = async (maker: string): Promise<string> => (await (await fetch(maker)).json()) as string;

async function sessions(maker: string, api: Api): Promise<readonly string[]> {
  const body = JSON.stringify({ id: await opened(api), count: streams * (rounds + 1) });
  return (await told(`${maker}/copies`, body)) as readonly string[];
}

async function told(url: string, body: string): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', body });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function compared(room: Room, what: string, arms: readonly Arm[]): Promise<readonly Row[]> {
  const followed = arms.map((arm) => ({ arm, crowd: new Followers(room), waits: [] as number[] }));
  for (const { arm, crowd } of followed) await crowd.follow(arm.ids, [arm.streams]);
  for (let round = 0; round <= rounds; round++)
    for (const { arm, crowd, waits } of followed) {
      const each = await heard(arm, crowd, arm.ids.slice(round * streams, (round + 1) * streams));
      if (round > 0) waits.push(...each);
    }
  for (const { crowd } of followed) await crowd.leave();
  const medians = followed.map(({ waits }) => quantile(waits, 0.5));
  return followed.map(({ arm, waits }, at): Row => ({
    what: `commit to reader, ${what}: median`,
    arm: arm.name,
    value: medians[at] ?? Number.NaN,
    unit: 'ms',
    p99Ms: quantile(waits, 0.99),
    ...(at === 0 ? {} : { ratio: (medians[0] ?? Number.NaN) / (medians[at] ?? Number.NaN) }),
  }));
}

/** For the last frames on their way. */
const lastMs = 1500;

/** Each of these streams receives one event; how long each took. Throws when one does not receive it. */
async function heard(arm: Arm, crowd: Followers, ids: readonly string[]): Promise<readonly number[]> {
  const made = (await told(
    arm.maker,
    JSON.stringify({ ids, perSecond } satisfies Steady),
  )) as readonly number[];
  await new Promise((resolve) => setTimeout(resolve, lastMs));
  const at = new Map((await crowd.report()).heard.map((one) => [one.id, one.at]));
  const tookMs = ids.map((id, place) => (at.get(id) ?? Number.NaN) - (made[place] ?? Number.NaN));
  const lost = tookMs.filter((took) => Number.isNaN(took)).length;
  if (lost > 0) throw new Error(`${arm.name}: ${lost} of ${ids.length} streams did not hear their event`);
  return tookMs;
}
