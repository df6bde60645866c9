/** Durable creates on a node of a cluster: POST /v1/checkout, acknowledged by MongoDB before the answer. */
import { clusterMissing, clusterOn, merchantOf, mongoOf, nodeOf } from './cluster.ts';
import { Api } from '../src/cli/demo/api.ts';
import { leftBy } from './leaving.ts';
import { creates } from './scripts.ts';
import { alternately, wrk, type Arm, type Bench, type Row, type Served } from './support.ts';

const seconds = 2;
const rounds = 3;
const connections = 64;
const manyConnections = 256;
/** A committed event is cleared from its session's outbox by a commit of its own, five seconds later; so it is by who
 *  leaves the same. */
const restMs = 6000;

export const creatingMongo: Bench = {
  title: 'Durable create on a cluster: POST /v1/checkout, committed (w: majority, j) before the answer',
  setup:
    'one node, nats-server and a MongoDB replica set of one member on this machine; wrk, 1 thread, ' +
    `${connections} connections (${manyConnections} and 1 where the row says so), a sandbox key, ${rounds} ` +
    `rounds of ${seconds} s in turn after a warm-up, medians. The rivals: node:http and the mongodb driver, one ` +
    'awaited insertOne per request with the same write concern on the same server. One lean document: only what ' +
    'a list needs, with its key under a unique index (bench/rivals/inserting-mongo.ts). The same documents: the ' +
    'session as we store it, under the same eight indexes; then its event in the journal; then the session ' +
    'without the event to send. Each is a separate command. The last two follow after the answer, when ours do ' +
    '(bench/rivals/inserting-mongo-whole.ts). The limit: a bare uWebSockets.js server that writes only the lean ' +
    'document, in batches (bench/rivals/inserting-mongo-batches.ts). After each round of ours and of "the same ' +
    `documents" there is a pause of ${restMs / 1000} s, in which the arm finishes the work that follows a ` +
    'create. The CPU of this work is counted. Servers: the database with all its processes, and nats-server',
  bound:
    'CPU. Database, node, load and rival share two cores, and no arm waits for the disk. The lean rival needs ' +
    'about 1.1 ms of CPU per create, for one document in one command. A create here is three documents (the ' +
    'session with its lists, timer and outbox; its event in the journal; the session again, when its outbox is ' +
    "cleared) and a share of the write that stores the log's position. With 64 at once there is only a quarter " +
    'of a command per create, so the remaining cost is the documents themselves. In this database a session with ' +
    'its eight indexes costs about 0.2 ms in a batch of 32 (1.5 ms alone). Writing it again costs about 0.5 ms, ' +
    'because this database moves a changed document in all its indexes. The arm "limit" shows what shared ' +
    'commands can reach for one document under two indexes. Five times the rate of the lean rival would leave ' +
    '0.22 ms of two cores per create. That is less than the writes of its three documents take in the largest ' +
    'batches, before any request is read. One at a time, nothing is shared: a create pays for its own command, ' +
    'for the three commands of its log (position, entry, subscribers) at most every 20 ms, and for the idle work ' +
    'of a node, which is spread over few creates. (The idle work is a heartbeat and four reads a second, about 4 ' +
    '% of one core with the database.) With a key there are three commits one after the other (the key, the ' +
    'session, the answer), but the rival stores its key in its one document. In sandbox the test clock of a ' +
    'project is read four times a second. The database here may be a stand-in for MongoDB, which has its own ' +
    'cost per write',
  missing: clusterMissing,
  async run(room) {
    const mongo = await mongoOf(room);
    const cluster = await clusterOn(room, mongo, 'creating');
    const node = await nodeOf(room, cluster);
    const key = await merchantOf(node, cluster);
    const rival = await room.serve('./rivals/inserting-mongo.js', {
      RIVAL_URL: mongo.url('rival'),
      KEY: key,
    });
    const template = await leftBy(new Api(node.url, key), cluster.mongodbUrl);
    const whole = await room.serve('./rivals/inserting-mongo-whole.js', {
      RIVAL_URL: mongo.url('whole'),
      TEMPLATE: room.file('template.json', JSON.stringify(template)),
      KEY: key,
    });
    const limit = await room.serve('./rivals/inserting-mongo-batches.js', { RIVAL_URL: mongo.url('limit') });
    const plain = room.file('plain.lua', creates(false));
    const keyed = room.file('keyed.lua', creates(true));
    const rests = new Map([
      [node.pid, restMs],
      [whole.pid, restMs],
    ]);
    const arm = (name: string, { url, pid }: Served, script: string, at: number): Arm => ({
      name,
      run: () =>
        wrk(pid, {
          url: `${url}/v1/checkout`,
          seconds,
          connections: at,
          script,
          headers: [`Authorization: Bearer ${key}`],
          restMs: rests.get(pid) ?? 0,
          servers: cluster.pids,
        }),
    });
    const compare = (what: string, script: string, at: number, isKeyed = false): Promise<readonly Row[]> =>
      alternately(
        what,
        [
          arm('Galla', node, script, at),
          arm('node:http + insertOne, of one lean document', rival, script, at),
          ...(isKeyed ? [] : [arm('node:http + insertOne, of the same documents', whole, script, at)]),
          ...(isKeyed || at === 1 ? [] : [arm('limit: one lean document, in batches', limit, script, at)]),
        ],
        rounds,
      );
    return [
      ...(await compare(`create, ${connections} at once`, plain, connections)),
      ...(await compare(`create, ${manyConnections} at once`, plain, manyConnections)),
      ...(await compare(`create with a key, ${connections} at once`, keyed, connections, true)),
      ...(await compare('create, one at a time', plain, 1)),
    ];
  },
};
