/** The store of a cluster: one collection per kind in a MongoDB replica set, and the directory of its
 *  nodes.
 *  Boundary: combines the parts and refuses calls after `close`; each part documents its own rules.
 *  1. An acknowledged write is on the disks of a majority.
 *  2. Documents and rows are written separately: rows are carried in their document until they are stored.
 *  3. After `close` nothing is sent: a write is refused, a read rejects. */
import { connectMongo, answerMsUsual, StoreUnusable } from './mongo-connect.ts';
import { createCommits } from './mongo-commit.ts';
import { createMongoDirectory, prepareDirectory } from './directory-mongo.ts';
import { moveMarkIn, type MoveMark } from './mongo-move-mark.ts';
import { createPurge } from './mongo-purge.ts';
import { createReads } from './mongo-read.ts';
import { createRowWriter } from './mongo-rows.ts';
import { createSettle } from './mongo-settle.ts';
import { prepareCollections, reserved } from './mongo-schema.ts';
import type { Db } from 'mongodb';
import type { DurationMs } from '../kernel/time.ts';
import type { Line } from './mongo-command.ts';
import type { Directory } from './directory.ts';
import type { Collection, Store, Written } from './store.ts';

/** Loaded together, and only by those who have a MongoDB. */
export { examineMongo } from './mongo-examine.ts';

export interface MongoStoreOptions {
  /** `mongodb://...`; its path names the database, `galla` when there is none. */
  readonly url: string;
  readonly collections: readonly Collection[];
  /** Logs one line for the operator. */
  readonly onWarning: (line: string) => void;
  /** Called with the outcomes of each commit. */
  readonly onWritten?: (written: readonly Written[]) => void;
  /** How long a database operation may take before it counts as unanswered; 5 s. */
  readonly answerMsMax?: DurationMs;
  /** The name of this client in the server's log. */
  readonly appName?: string;
  /** Refuses a database on which no cluster has worked, and creates nothing in it. */
  readonly onlyUsed?: boolean;
}

export interface MongoStore extends Store {
  /** In the same database, with its own connections. */
  readonly directory: Directory;
  /** One cheap read that only a primary answers, without asking the other members; rejects without an answer. */
  readonly probe: () => Promise<unknown>;
  /** Whether an embedded service is, or was, moved into this database. */
  readonly moveMark: () => Promise<MoveMark | null>;
}

/** Opens the database, its collections and indexes. Rejects with one line for a server that cannot be used. */
export async function openMongoStore(options: MongoStoreOptions): Promise<MongoStore> {
  const { collections, answerMsMax = answerMsUsual, appName = 'galla' } = options;
  const connected = await connectMongo({
    url: options.url,
    onWarning: options.onWarning,
    answerMsMax,
    appName,
    async prepare(db) {
      if (options.onlyUsed === true) await assertUsed(db);
      await prepareDirectory(db);
      await prepareCollections(db, collections);
    },
  });
  const { documents, lists, directory } = connected;
  const line: Line = {
    get db() {
      return documents.db;
    },
    answerMsMax,
    latest: null,
  };
  const commits = createCommits(line);
  const rows = createRowWriter(line);
  const reads = createReads(
    () => documents.used,
    () => lists.used,
    line,
    collections,
  );
  let ended: Promise<void> | null = null;
  const asking =
    <Args extends readonly unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      if (ended !== null) throw new Error('the store is closed');
      return ask(...args);
    };

  return {
    rowsInCommit: false,
    directory: createMongoDirectory(() => directory.db, answerMsMax),
    async commit(writes) {
      const written = ended === null ? await commits.commit(writes) : writes.map(() => closed);
      options.onWritten?.(written);
      return written;
    },
    putRows: asking((given) => rows.put(given)),
    read: asking(reads.read),
    readRow: asking(reads.readRow),
    readMany: asking(reads.readMany),
    readManyRows: asking(reads.readManyRows),
    listDocs: asking(reads.listDocs),
    listRows: asking(reads.listRows),
    sumRows: asking(reads.sumRows),
    newestTagged: asking(reads.newestTagged),
    oldestTagged: asking(reads.oldestTagged),
    journalAfter: asking(reads.journalAfter),
    due: asking(reads.due),
    countTimers: asking(reads.countTimers),
    busy: asking(reads.busy),
    settle: asking(createSettle(line)),
    purge: asking(createPurge(line, collections)),
    probe: asking(reads.probe),
    moveMark: asking(() => moveMarkIn(directory.db)),
    close() {
      ended ??= connected.close();
      return ended;
    },
  };
}

async function assertUsed(db: Db): Promise<void> {
  if ((await db.collection(reserved.partitions).findOne({}, { maxTimeMS: answerMsUsual })) === null)
    throw new StoreUnusable(
      `no cluster has worked on the database ${db.databaseName}: check the address and the name of the database ` +
        'in MONGODB_URL',
    );
}

const closed: Written = { is: 'error', of: 'store', reason: 'the store is closed' };
