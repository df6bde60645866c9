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
  const take = takesTogether(partitions, timed);

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
      if (known !== undefined && known.version !== '') {
        const { version, beats } = await pulseOf(nodes(), timed);
        const alive = ({ inc, hb, ...row }: NodeRow): NodeRow => ({ inc, ...row, hb: beats.get(inc) ?? hb });
        if (version === known.version) return { ...known, nodes: known.nodes.map(alive) };
      }
      return seenOf(await partitions().aggregate<StoredNode | StoredPartition>(everything, whole).toArray());
    },
    async declareDead(inc, hb) {
      const found = { _id: inc, hb, state: 'live' as const };
      return (await nodes().updateOne(found, dies)).matchedCount === 1;
    },
    async leave(inc) {
      await nodes().updateOne({ _id: inc, state: 'live' }, dies);
    },
    async take(row, inc) {
      if (row.epoch > 0) return take(row, inc);
      return partitions()
        .insertOne({ _id: row.p, epoch: 1, owner: inc })
        .then(
          () => true,
          unless(duplicateKey, () => false),
        );
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

/** Nodes after partitions, so that an owner is among the nodes unless it is dead; in the other order it could be
 *  missing. */
const everything = [{ $unionWith: reserved.nodes }];

function seenOf(rows: readonly (StoredNode | StoredPartition)[]): DirectorySeen {
  const isNode = (row: StoredNode | StoredPartition): row is StoredNode => typeof row._id === 'string';
  const nodes = rows.filter(isNode).map(nodeRow);
  const partitions = rows.filter((row) => !isNode(row)).map((row) => partitionRow(row as StoredPartition));
  const live = nodes.filter(({ state }) => state === 'live');
  const epochs = partitions.reduce((sum, { epoch }) => sum + epoch, 0);
  const free = partitions.filter(({ owner }) => owner === null).length;
  return {
    nodes,
    partitions,
    version: versionOf(
      live.map(({ inc, info }) => ({ inc, changes: info.changes })),
      { epochs, free },
    ),
  };
}

interface LiveNode {
  readonly inc: string;
  readonly changes?: number | undefined;
}

interface Counted {
  readonly epochs: number;
  readonly free: number;
}

/** Owners need no counter of their own: a partition that is taken raises the sum of the epochs, and one that is only
 *  given away the number of free ones. A node of an older version does not tell when what it reports changes. */
function versionOf(live: readonly LiveNode[], { epochs, free }: Counted): DirectorySeen['version'] {
  if (live.some(({ changes }) => changes === undefined)) return '';
  const told = live.map(({ inc, changes }) => `${inc}:${changes}`).toSorted();
  return [...told, epochs, free].join();
}

/** Heartbeats, and what the version is made of, in one answer of two rows. */
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

type PulseRow =
  | { readonly _id: 'nodes'; readonly live: readonly (LiveNode & { readonly hb: number })[] }
  | ({ readonly _id: 'partitions' } & Counted);

async function pulseOf(
  nodes: Collection<StoredNode>,
  timed: { readonly maxTimeMS: DurationMs },
): Promise<{ readonly version: DirectorySeen['version']; readonly beats: ReadonlyMap<string, number> }> {
  const rows = await nodes.aggregate<PulseRow>(pulse, timed).toArray();
  const live = rows.flatMap((row) => (row._id === 'nodes' ? row.live : []));
  const counted = rows.find((row) => row._id === 'partitions') ?? { epochs: 0, free: 0 };
  return { version: versionOf(live, counted), beats: new Map(live.map(({ inc, hb }) => [inc, hb])) };
}

interface WaitingTake {
  readonly row: PartitionRow;
  readonly inc: string;
  readonly resolve: (taken: boolean) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Takes of one moment go in one command: who takes over from another node takes many. Where not every one has found
 *  its row the rows tell which have. */
function takesTogether(
  partitions: () => Collection<StoredPartition>,
  timed: { readonly maxTimeMS: DurationMs },
): (row: PartitionRow, inc: string) => Promise<boolean> {
  let waiting: WaitingTake[] = [];
  const send = async (batch: readonly WaitingTake[]): Promise<void> => {
    const updates = batch.map(({ row: { p, epoch, owner }, inc }) => ({
      updateOne: { filter: { _id: p, epoch, owner }, update: { $set: { owner: inc, epoch: epoch + 1 } } },
    }));
    const { matchedCount } = await partitions().bulkWrite(updates, { ordered: false });
    if (matchedCount === batch.length) return batch.forEach(({ resolve }) => resolve(true));
    const ids = batch.map(({ row }) => row.p);
    const found = await partitions()
      .find({ _id: { $in: ids } }, timed)
      .toArray();
    const now = new Map(found.map((row) => [row._id, row]));
    for (const { row, inc, resolve } of batch) {
      const { owner, epoch } = now.get(row.p) ?? {};
      resolve(owner === inc && epoch === row.epoch + 1);
    }
  };
  return (row, inc) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, inc, resolve, reject });
      if (waiting.length > 1) return;
      setImmediate(() => {
        const batch = waiting;
        waiting = [];
        send(batch).catch((thrown: unknown) => batch.forEach((one) => one.reject(thrown)));
      });
    });
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
