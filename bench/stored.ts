/** What more stored sessions cost: the same requests at a service that stores few and at one that stores many. */
import { join } from 'node:path';
import { Api } from '../src/testing/demo/api.ts';
import { openMongoStore } from '../src/store/store-mongo.ts';
import { openSqliteStore } from '../src/store/store-sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { clusterMissing, clusterOn, merchantOf, mongoOf, nodeOf } from './cluster.ts';
import { collections, endedSession, fill, fillMongo, templateIn, type Filled } from './filling.ts';
import { creates, readsOf } from './scripts.ts';
import { ours } from './service.ts';
import { alternately, wrk, type Arm, type Bench, type Room, type Row, type Served } from './support.ts';

/** BENCH_STORED names another number of many, for a quick look. */
const [few, many] = [1000, Number(process.env['BENCH_STORED'] ?? 1_000_000)];
const connections = 8;
const seconds = 2;
const rounds = 3;
const createRounds = 2;
const createRestMs = 6000;

const said = (count: number): string => `${count.toLocaleString('en')} stored`;

export const storedEmbedded: Bench = {
  title: 'Few stored sessions beside many, embedded',
  setup:
    'two services, each with its own folder. The store itself fills it with copies of one ended session of one ' +
    `project (no journal, no timeline). wrk, ${connections} connections, ${rounds} rounds of ${seconds} s in ` +
    `turn after a warm-up (creates: ${createRounds}, each followed by a pause of ${createRestMs / 1000} s), ` +
    'medians. Each read picks one of 1,000 ids spread over all, none of them in memory. The list is the newest ' +
    '20 with their exact total',
  bound:
    'look-ups and inserts go down one more level of each index. The other cost of a list, besides its page, is ' +
    'its total, which is counted along an index',
  async run(room) {
    return compared(room, await embedded(room, few, 'few'), await embedded(room, many, 'many'));
  },
};

export const storedClustered: Bench = {
  title: 'Few stored sessions beside many, MongoDB',
  setup:
    'as above, but two clusters of one node each, each with its own NATS and its own database on one mongod. The ' +
    'driver fills the databases with records as the store writes them, before the store creates its indexes',
  bound: 'the CPU of the database. The total of a list is counted again every two seconds at most',
  missing: clusterMissing,
  async run(room) {
    const mongo = await mongoOf(room);
    const clustered = async (count: number, name: string): Promise<Subject> => {
      const cluster = await clusterOn(room, mongo, name);
      const before = await nodeOf(room, cluster);
      const key = await merchantOf(before, cluster);
      const template = await endedSession(new Api(before.url, key));
      await room.end(before);
      const opened = (): Promise<Store> =>
        openMongoStore({ url: cluster.mongodbUrl, collections, onWarning: () => undefined });
      const store = await opened();
      const doc = await templateIn(store, template);
      await store.close();
      const stored = told(await fillMongo(cluster.mongodbUrl, doc, count));
      await (await opened()).close();
      return { ...(await nodeOf(room, cluster)), ...stored, key, servers: mongo.pids };
    };
    return compared(room, await clustered(few, 'few'), await clustered(many, 'many'));
  },
};

/** A service and some of what it stores. */
interface Subject extends Served, Filled {
  readonly key: string;
  readonly servers: readonly number[];
}

/** Only one process may have the file: the service makes the session to copy, stops, and comes back when all is there. */
async function embedded(room: Room, count: number, name: string): Promise<Subject> {
  const before = await ours(room, { name });
  const template = await endedSession(before.api);
  await room.end(before);
  const onFatal = (line: string): void => void process.stderr.write(`${line}\n`);
  const store = await openSqliteStore({ dataDir: join(room.folder, name), collections, onFatal });
  try {
    const stored = told(await fill(store, await templateIn(store, template), count));
    await store.close();
    return { ...(await ours(room, { name })), ...stored, servers: [] };
  } finally {
    await store.close();
  }
}

function told(all: Filled): Filled {
  process.stdout.write(`${said(all.count)}, at ${Math.round(all.perSecond).toLocaleString('en')} /s\n`);
  return all;
}

/** The one that stores many comes first: its value is divided by the other's. */
async function compared(room: Room, small: Subject, large: Subject): Promise<readonly Row[]> {
  const plain = room.file('plain.lua', creates(false));
  const reads = new Map(
    [small, large].map((each) => {
      const idsFile = room.file(`ids-${each.count}.txt`, `${each.ids.join('\n')}\n`);
      return [each, room.file(`reads-${each.count}.lua`, readsOf(idsFile))] as const;
    }),
  );
  const arm = (of: Subject, path: string, script: string | undefined, restMs: number): Arm => ({
    name: said(of.count),
    run: () =>
      wrk(of.pid, {
        url: of.url + path,
        seconds,
        connections,
        restMs,
        headers: [`Authorization: Bearer ${of.key}`],
        servers: of.servers,
        ...(script === undefined ? {} : { script }),
      }),
  });
  const both = (make: (of: Subject) => Arm): readonly Arm[] => [make(large), make(small)];
  const [one, list, create] = ['/v1/checkout/', '/v1/checkout?limit=20', '/v1/checkout'];
  return [
    ...(await alternately(
      'GET of one session',
      both((of) => arm(of, one, reads.get(of), 0)),
      rounds,
    )),
    ...(await alternately(
      'GET of the newest 20',
      both((of) => arm(of, list, undefined, 0)),
      rounds,
    )),
    ...(await alternately(
      'POST, a create',
      both((of) => arm(of, create, plain, createRestMs)),
      createRounds,
    )),
  ];
}
