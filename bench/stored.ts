/** What more stored sessions cost: the same requests at a service that stores few and at one that stores many. */
import { clusterMissing, mongoOf } from './cluster.ts';
import { creates, readsOf } from './scripts.ts';
import { clusteredWith, embeddedWith, said, type Subject } from './subjects.ts';
import { alternately, wrk, type Arm, type Bench, type Room, type Row } from './support.ts';

/** BENCH_STORED names another number of many, for a quick look. */
const [few, many] = [1000, Number(process.env['BENCH_STORED'] ?? 1_000_000)];
const connections = 8;
const seconds = 2;
const rounds = 3;
const createRounds = 2;
const createRestMs = 6000;

export const storedEmbedded: Bench = {
  title: 'Few stored sessions beside many, embedded',
  setup:
    'two services, each with its own folder, filled by the writer of the store with copies of one ended session of ' +
    `one project (no journal, no timeline). wrk, ${connections} connections, ${rounds} rounds of ${seconds} s in ` +
    `turn after a warm-up (creates: ${createRounds}, each followed by a pause of ${createRestMs / 1000} s), ` +
    'medians. Each read picks one of 1,000 ids spread over all, none of them in memory. The list is the newest ' +
    '20 with their exact total',
  bound:
    'look-ups and inserts go down one more level of each index. The other cost of a list, besides its page, is ' +
    'its total, which is counted along an index',
  async run(room) {
    const embedded = (most: number, name: string): Promise<Subject> =>
      embeddedWith(room, { name, ended: 'expired', most });
    return compared(room, await embedded(few, 'few'), await embedded(many, 'many'));
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
    const clustered = (most: number, name: string): Promise<Subject> =>
      clusteredWith(room, mongo, { name, ended: 'expired', most });
    return compared(room, await clustered(few, 'few'), await clustered(many, 'many'));
  },
};

/** The one that stores many comes first: its value is divided by the other's. */
async function compared(room: Room, small: Subject, large: Subject): Promise<readonly Row[]> {
  const plain = room.file('plain.lua', creates(false));
  const reads = new Map(
    [small, large].map((each) => {
      const idsFile = room.file(`ids-${each.count}.txt`, `${each.samples.map(({ id }) => id).join('\n')}\n`);
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
