/** What it takes to find a payment by a reference, without knowing its project: at a service that stores few and at one
 *  that stores many. */
import { clusterMissing, mongoOf } from './cluster.ts';
import type { Sample } from './filling.ts';
import { findsOf } from './scripts.ts';
import { clusteredWith, embeddedWith, said, type Subject } from './subjects.ts';
import { alternately, wrk, type Arm, type Bench, type Room, type Row } from './support.ts';

/** BENCH_STORED names another number of many, for a quick look. */
const [few, many] = [1000, Number(process.env['BENCH_STORED'] ?? 1_000_000)];
/** References asked for; more of them, and the search meets pages nobody has read before. */
const samples = 20_000;
const fillMsMax = 500_000;
const seconds = 3;
const rounds = 5;

const setup =
  'copies of one paid session with its payment, all of one project, each with ids, an order id and a reference of ' +
  `the provider of its own. wrk, 1 connection, so that each look-up has the service for itself, ${rounds} rounds ` +
  `of ${seconds} s in turn after a warm-up, medians. Each look-up picks one of up to ` +
  `${samples.toLocaleString('en')} references spread over all; the sessions are not in memory. Limits are off`;

export const findingEmbedded: Bench = {
  title: 'A payment found by its reference among few and many, embedded',
  setup:
    '`GET /v1/public/payment-status`. Two services, each with its own folder, filled in bulk by the writer of the store with ' +
    setup,
  bound:
    'one look-up is a search of the index of tags for each kind of reference until one matches, one for what is paid ' +
    'under it, and the document of the session. Each goes one or two levels deeper where more is stored; the request ' +
    'itself costs the same',
  async run(room) {
    const stocked = (most: number, name: string): Promise<Subject> =>
      embeddedWith(room, { name, ended: 'paid', most, samples, msMax: fillMsMax });
    return found(room, await stocked(few, 'few'), await stocked(many, 'many'));
  },
};

export const findingClustered: Bench = {
  title: 'A payment found by its reference among few and many, MongoDB',
  setup:
    'as above, but two clusters of one node each, each with its own NATS and its own database on one mongod. The ' +
    'driver fills the databases in bulk with documents as the store writes them, before the store creates its indexes',
  bound: 'the round trips to the database, one for each search and one for the session',
  missing: clusterMissing,
  async run(room) {
    const mongo = await mongoOf(room);
    const stocked = (most: number, name: string): Promise<Subject> =>
      clusteredWith(room, mongo, { name, ended: 'paid', most, samples, msMax: fillMsMax });
    return found(room, await stocked(few, 'few'), await stocked(many, 'many'));
  },
};

/** The one that stores many comes first: its value is divided by the other's. */
async function found(room: Room, small: Subject, large: Subject): Promise<readonly Row[]> {
  const arm = (of: Subject, what: string, reference: (sample: Sample) => string | null): Arm => {
    const lines = of.samples.flatMap((sample) => reference(sample) ?? []);
    const file = room.file(`${what}-${of.count}.txt`, `${lines.join('\n')}\n`);
    const script = room.file(`${what}-${of.count}.lua`, findsOf(file));
    return {
      name: said(of.count),
      run: () => wrk(of.pid, { url: of.url, seconds, connections: 1, script, servers: of.servers }),
    };
  };
  const both = (
    what: string,
    name: string,
    reference: (sample: Sample) => string | null,
  ): Promise<readonly Row[]> =>
    alternately(name, [arm(large, what, reference), arm(small, what, reference)], rounds);
  return [
    ...(await both('orders', 'by order id', ({ orderId }) => orderId)),
    ...(await both('refs', 'by reference of the provider', ({ providerRef }) => providerRef)),
    ...(await both('sessions', 'by session id, for comparison', ({ id }) => id)),
  ];
}
