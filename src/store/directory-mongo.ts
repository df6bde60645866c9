/** The directory of nodes and partitions in MongoDB.
 *  Boundary: single compare-and-set writes and complete reads; the runtime decides who may own what.
 *  1. Every write names the state it expects; when it is acknowledged, a majority has it on disk.
 *  2. Looks are linearizable: a former primary never shows an old owner.
 *  3. A write without an answer rejects. No write is sent twice. */
import { MongoServerError, ReadPreference, type Collection, type Db } from 'mongodb';
import { reserved } from './mongo-schema.ts';
import type { DurationMs, Instant } from '../kernel/time.ts';
import type { Directory, DirectorySeen, NodeInfo, NodeRow, PartitionRow } from './directory.ts';

interface StoredNode {
  readonly _id: string;
  readonly hb: number;
  readonly state: 'live' | 'dead';
  readonly info: NodeInfo;
  /** In ms, by the clock of the node that registered. */
  readonly since: number;
  /** By the database's clock. */
  readonly died?: Date;
}

interface StoredPartition {
  readonly _id: number;
  readonly epoch: number;
  readonly owner: string | null;
}

/** How many partitions there are. A build that knows no facts of a cluster takes `count` for that number and
 *  starts only with its own: a text keeps it out. */
interface StoredFact {
  readonly _id: string;
  readonly count: number | string;
  /** Beside a text. */
  readonly partitions?: number;
  /** A build that knows facts has created the cluster. */
  readonly knowsFacts?: true;
}

/** A build that is kept out says: created with ... partitions. */
const notForOlder = (count: number): Pick<StoredFact, 'count' | 'partitions'> => ({
  count: `${count} (by a newer version)`,
  partitions: count,
});

const partitionsFact = 'partitions';
const duplicateKey = 11000;
const namespaceExists = 48;
/** More rows than any cluster has. A read is one reply, because only a single reply is linearizable. */
const rowsMax = 10_000;

/** Creates the collections, so that the first write need not do it. */
export async function prepareDirectory(db: Db): Promise<void> {
  const there = await db.listCollections({}, { nameOnly: true }).toArray();
  const missing = Object.values(reserved).filter((name) => !there.some((one) => one.name === name));
  await Promise.all(
    missing.map((name) => db.createCollection(name).catch(unless(namespaceExists, () => undefined))),
  );
}

/** The directory in a database, which is requested at each use; `answerMsMax` bounds each answer. */
export function createMongoDirectory(dbNow: () => Db, answerMsMax: DurationMs): Directory {
  const options = {
    readConcern: { level: 'linearizable' },
    readPreference: ReadPreference.primary,
    writeConcern: { w: 'majority', j: true, wtimeoutMS: answerMsMax },
  } as const;
  const nodes = (): Collection<StoredNode> => dbNow().collection(reserved.nodes, options);
  const partitions = (): Collection<StoredPartition> => dbNow().collection(reserved.partitions, options);
  const cluster = (): Collection<StoredFact> => dbNow().collection(reserved.cluster, options);
  const timed = { maxTimeMS: answerMsMax };
  const whole = { ...timed, batchSize: rowsMax };

  return {
    ...createFacts(cluster, timed),
    async register(inc, info, now) {
      await nodes().insertOne({ _id: inc, hb: 1, state: 'live', info, since: now });
    },
    async beat(inc, info) {
      const found = { _id: inc, state: { $ne: 'dead' as const } };
      return (await nodes().updateOne(found, { $inc: { hb: 1 }, $set: { info } })).matchedCount === 1;
    },
    async read(known) {
      const pulse = known === undefined ? null : await pulseOf(nodes(), timed);
      if (pulse !== null && pulse.version !== '' && pulse.version === known?.version)
        return {
          ...known,
          nodes: known.nodes.map((row) => ({ ...row, hb: pulse.beats.get(row.inc) ?? row.hb })),
        };
      // nodes are read after partitions, so an owner is among the nodes unless it is dead; in the other
      // order it could be missing
      const foundPartitions = await partitions().find({}, whole).toArray();
      const foundNodes = await nodes().find({}, whole).toArray();
      return {
        nodes: foundNodes.map(nodeRow),
        partitions: foundPartitions.map(partitionRow),
        // of the moment before: what has changed since then is read once more
        version: pulse?.version ?? '',
      };
    },
    async declareDead(inc, hb) {
      const found = { _id: inc, hb, state: 'live' as const };
      return (await nodes().updateOne(found, dies)).matchedCount === 1;
    },
    async leave(inc) {
      await nodes().updateOne({ _id: inc, state: 'live' }, dies);
    },
    async take({ p, epoch, owner }, inc) {
      if (epoch === 0) {
        return partitions()
          .insertOne({ _id: p, epoch: 1, owner: inc })
          .then(
            () => true,
            unless(duplicateKey, () => false),
          );
      }
      const taken = await partitions().updateOne(
        { _id: p, epoch, owner },
        { $set: { owner: inc, epoch: epoch + 1 } },
      );
      return taken.matchedCount === 1;
    },
    async give(p, epoch, inc) {
      const given = await partitions().updateOne({ _id: p, epoch, owner: inc }, { $set: { owner: null } });
      return given.matchedCount === 1;
    },
    async sweep(deadForMs, now) {
      await nodes().deleteMany({ state: 'dead', died: { $lt: new Date(now - deadForMs) } });
    },
    time: () => timeOf(dbNow()),
  };
}

interface Pulse {
  readonly version: DirectorySeen['version'];
  readonly beats: ReadonlyMap<string, number>;
}

interface LiveNodes {
  readonly _id: 'nodes';
  readonly live: readonly { readonly inc: string; readonly hb: number; readonly changes?: number }[];
}

interface Counted {
  readonly _id: 'partitions';
  readonly epochs: number;
  readonly free: number;
}

/** Heartbeats, and a version, in one answer of two rows. Owners need no counter of their own: a partition that is taken
 *  raises the sum of the epochs, and one that is only given away the number of free ones. */
const pulse = [
  { $match: { state: 'live' } },
  { $group: { _id: 'nodes', live: { $push: { inc: '$_id', hb: '$hb', changes: '$info.changes' } } } },
  {
    $unionWith: {
      coll: reserved.partitions,
      pipeline: [
        {
          $group: {
            _id: 'partitions',
            epochs: { $sum: '$epoch' },
            free: { $sum: { $cond: [{ $eq: ['$owner', null] }, 1, 0] } },
          },
        },
      ],
    },
  },
];

async function pulseOf(
  nodes: Collection<StoredNode>,
  timed: { readonly maxTimeMS: DurationMs },
): Promise<Pulse> {
  const rows = await nodes.aggregate<LiveNodes | Counted>(pulse, timed).toArray();
  const live = rows.flatMap((row) => (row._id === 'nodes' ? row.live : []));
  const counted = rows.flatMap((row) => (row._id === 'partitions' ? [row.epochs, row.free] : []));
  // a node of an older version does not tell when what it reports changes
  const isTold = live.every(({ changes }) => changes !== undefined);
  const said = live.map(({ inc, changes }) => `${inc}:${changes}`).toSorted();
  return {
    version: isTold ? [...said, ...counted].join() : '',
    beats: new Map(live.map(({ inc, hb }) => [inc, hb])),
  };
}

type Facts = Pick<Directory, 'agreeOnPartitions' | 'refusesOlder' | 'refuseOlder'>;

function createFacts(
  cluster: () => Collection<StoredFact>,
  timed: { readonly maxTimeMS: DurationMs },
): Facts {
  const agreed = async (): Promise<StoredFact> => {
    const stands = await cluster().findOne({ _id: partitionsFact }, timed);
    if (stands === null) throw new Error('the number of partitions was written and is not there');
    return stands;
  };
  return {
    async agreeOnPartitions(count) {
      await cluster()
        .insertOne({ _id: partitionsFact, ...notForOlder(count), knowsFacts: true })
        .catch(unless(duplicateKey, () => null));
      return countOf(await agreed());
    },
    async refusesOlder() {
      const { count, knowsFacts } = await agreed();
      if (typeof count === 'number') return 'not';
      return knowsFacts === true ? 'always' : 'later';
    },
    async refuseOlder() {
      const { count } = await agreed();
      if (typeof count !== 'number') return;
      await cluster().updateOne({ _id: partitionsFact, count }, { $set: notForOlder(count) });
    },
  };
}

const countOf = ({ count, partitions }: StoredFact): number =>
  typeof count === 'number' ? count : (partitions ?? 0);

async function timeOf(db: Db): Promise<Instant> {
  const hello: unknown = await db.command({ hello: 1 });
  const { localTime } = Object(hello) as { readonly localTime?: unknown };
  if (!(localTime instanceof Date)) throw new Error('the database does not tell its time');
  return localTime.getTime();
}

const dies = { $set: { state: 'dead' as const }, $currentDate: { died: true as const } };

const nodeRow = ({ _id: inc, hb, state, info, since }: StoredNode): NodeRow => ({
  inc,
  hb,
  state,
  info,
  since,
});
const partitionRow = ({ _id: p, epoch, owner }: StoredPartition): PartitionRow => ({ p, epoch, owner });

/** Converts one error code of the server into an answer; any other error is rethrown. */
const unless =
  <Answer>(code: number, answer: () => Answer) =>
  (error: unknown): Answer => {
    if (error instanceof MongoServerError && error.code === code) return answer();
    throw error;
  };
