/** The store of a single node: one SQLite file, written and read by separate threads.
 *  Boundary: the event loop's side; it builds and parses JSON and never touches a disk.
 *  1. A batch is one text of the log, its rows included (sqlite-commits.ts); it is acknowledged when that is on disk.
 *     The tables follow (sqlite-write.ts).
 *  2. A read started after an acknowledgement sees what was acknowledged: by id it is answered from memory until
 *     the tables have it, and before any other read the log is applied where it concerns the kind. Only while the
 *     disk is full such a read may lack what was committed last.
 *  3. Only a failed disk or the end of the writing thread leaves the outcome of a commit unknown; the store
 *     then stops permanently and reports this once.
 *  4. Lists have a reader of their own: a long count does not delay the look-up of an actor. */
import { resolve } from 'node:path';
import { assert } from '../kernel/assert.ts';
import { startCalls, type Calls } from './sqlite-calls.ts';
import { SqliteCommits, unknown } from './sqlite-commits.ts';
import { DataDirInUse } from './sqlite-errors.ts';
import { isDoc, isRow, listed, orNothing, parsed, recordOf } from './sqlite-texts.ts';
import { threadModule } from './sqlite-thread.ts';
import { slotsOf, type Of } from './sqlite-schema.ts';
import type { ReaderOperations } from './sqlite-reader.ts';
import { RecentWrites } from './sqlite-recent.ts';
import type { WriterOperations } from './sqlite-writer.ts';
import {
  purgeMax,
  readManyMax,
  settleMax,
  type Collection,
  type Doc,
  type Row,
  type Store,
  type Written,
} from './store.ts';

export { DataDirInUse } from './sqlite-errors.ts';

export interface SqliteStoreOptions {
  /** Created if it is missing, accessible by its owner only. */
  readonly dataDir: string;
  readonly collections: readonly Collection[];
  /** The disk failed or a thread of the store died: one line. From then on the store refuses everything. */
  readonly onFatal: (line: string) => void;
  /** Called with the outcomes of each commit. */
  readonly onWritten?: (written: readonly Written[]) => void;
  /** The maximum number of database pages (4 KiB each); tests use it to simulate a full disk. */
  readonly pagesMax?: number;
  /** For how long a commit may wait in the log; tests keep everything there, or nothing. */
  readonly applyAfterMs?: number;
  /** Of the page caches of all connections together: half of it is the writer's. */
  readonly cacheBytes?: number;
}

const cacheBytesUsual = 128 * 2 ** 20;

interface Threads {
  readonly writer: Calls<WriterOperations>;
  /** Look-ups that a turn waits for. */
  readonly lookups: Calls<ReaderOperations>;
  readonly lists: Calls<ReaderOperations>;
}

/** Opens the database in `dataDir`. Rejects with DataDirInUse when another process has it, and with a
 *  one-line error for a database of a newer version or one that cannot be read. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const dataDir = resolve(options.dataDir);
  const { collections } = options;
  const fault = { line: null as string | null };
  const stop = (line: string): void => {
    if (fault.line !== null) return;
    fault.line = line;
    options.onFatal(line);
  };
  let ready = false;
  const onGone = (why: string): void => {
    if (ready) stop(`the store in ${dataDir} stopped: ${why}`);
  };
  const writing = await threadModule('sqlite-writer');
  const reading = await threadModule('sqlite-reader');
  const { href: checkpointer } = await threadModule('sqlite-checkpointer');
  const diskFailed = (why: string): void => stop(`the disk under ${dataDir} failed: ${why}`);
  const threads: Threads = {
    writer: startCalls('store writer', writing, onGone, ({ message }) => diskFailed(message)),
    lookups: startCalls('store reader', reading, onGone),
    lists: startCalls('store lists', reading, onGone),
  };
  try {
    const { pagesMax, applyAfterMs, cacheBytes = cacheBytesUsual } = options;
    const ofReader = { dataDir, collections, cacheBytes: cacheBytes / 4 };
    const bounds = {
      ...(pagesMax === undefined ? {} : { pagesMax }),
      ...(applyAfterMs === undefined ? {} : { applyAfterMs }),
    };
    await threads.writer.call('open', {
      dataDir,
      collections,
      checkpointer,
      cacheBytes: cacheBytes / 2,
      ...bounds,
    });
    await threads.lookups.call('open', ofReader);
    await threads.lists.call('open', ofReader);
  } catch (error) {
    await endThreads(threads);
    throw notOpened(dataDir, error);
  }
  ready = true;
  const { onWritten = () => undefined } = options;
  return createStore({ threads, collections, fault, diskFailed, onWritten });
}

/** The error in a one-line form for callers. */
function notOpened(dataDir: string, error: unknown): Error {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === 'DataDirInUse') return new DataDirInUse(dataDir);
  if (name === 'DatabaseFromTheFuture' || name === 'FolderMoved') return new Error(message, { cause: error });
  return new Error(`the store in ${dataDir} cannot be opened: ${message}`, { cause: error });
}

/** Readers first: the last connection to close removes the WAL. */
async function endThreads({ writer, lookups, lists }: Threads): Promise<void> {
  await Promise.all([lookups.end(), lists.end()]);
  await writer.end();
}

interface Opened {
  readonly threads: Threads;
  readonly collections: readonly Collection[];
  readonly fault: { readonly line: string | null };
  readonly diskFailed: (why: string) => void;
  readonly onWritten: (written: readonly Written[]) => void;
}

/** Of a failed call: only a disk failure or a dead thread leaves the outcome unknown. */
const doubting =
  (diskFailed: (why: string) => void) =>
  (error: unknown): boolean => {
    if (!(error instanceof Error)) return false;
    if (error.name === 'DiskFailed') diskFailed(error.message);
    return error.name === 'DiskFailed' || error.name === 'WorkerGone';
  };

function createStore({ threads, collections, fault, diskFailed, onWritten }: Opened): Store {
  const { writer } = threads;
  const recent = new RecentWrites();
  let ended: Promise<void> | null = null;

  const inDoubt = doubting(diskFailed);
  /** The error of a call that says that the disk failed stops the store. */
  const told = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await call();
    } catch (thrown) {
      inDoubt(thrown);
      throw thrown;
    }
  };
  const refused = (): string | null => fault.line ?? (ended === null ? null : 'the store is closed');
  const asking: Asking = async (ask) => {
    const no = refused();
    if (no !== null) throw new Error(no);
    return ask();
  };
  // step by step, so that commits go on between
  const upToDate: UpToDate = async (of, kind) => {
    if (!recent.has(of, kind)) return;
    const target = recent.newest;
    for (let full = false; !full && recent.appliedUpTo < target;)
      ({ full } = recent.applied(await writer.call('apply', undefined)));
  };

  const commits = new SqliteCommits({
    writer,
    recent,
    slots: { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') },
    // after a disk failure the outcome is unknown; a closed store has executed nothing
    refusal: () => (fault.line !== null ? unknown : ended === null ? null : closed),
    inDoubt,
    onWritten,
  });

  return {
    rowsInCommit: true,

    commit: commits.commit.bind(commits),
    putRows: (rows) => asking(() => commits.putRows(rows)),

    ...readsOf(threads, asking, { recent, upToDate }),

    settle: (docs) =>
      asking(async () => {
        // the tables hold what was committed seconds ago; a settled document is rarely younger
        for (const kind of new Set(
          docs.filter(({ kind: of, id }) => recent.get('doc', of, id)).map((doc) => doc.kind),
        ))
          await upToDate('doc', kind);
        assert(docs.length <= settleMax, `at most ${settleMax} documents are settled at once`);
        await told(() => writer.call('settle', docs));
      }),
    purge: (query) =>
      asking(async () => {
        assert(query.limit <= purgeMax, `at most ${purgeMax} records are removed at once`);
        return recent.applied(await told(() => writer.call('purge', query))).purged;
      }),

    close() {
      ended ??= endThreads(threads);
      return ended;
    },
  };
}

type Asking = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;
type Reads = Omit<Store, 'rowsInCommit' | 'commit' | 'putRows' | 'settle' | 'purge' | 'close'>;

/** Resolves when the tables hold everything of this kind, or of all, that was acknowledged. */
type UpToDate = (of: Of, kind?: string) => Promise<void>;

interface Behind {
  readonly recent: RecentWrites;
  readonly upToDate: UpToDate;
}

function readsOf({ lookups, lists }: Threads, asking: Asking, { recent, upToDate }: Behind): Reads {
  const text = async (of: Of, kind: string, id: string): Promise<string | null> => {
    const known = recent.get(of, kind, id);
    if (known !== undefined && known.json !== null) return known.json;
    if (known !== undefined) await upToDate(of, kind);
    return lookups.call('read', [of, kind, id]);
  };
  const doc = (kind: string, id: string): Promise<Doc | null> =>
    recordOf(text('doc', kind, id), `${kind}/${id}`, isDoc);
  const row = (kind: string, id: string): Promise<Row | null> =>
    recordOf(text('row', kind, id), `${kind}/${id}`, isRow);
  /** Asks once the tables hold everything of this kind, or of all. */
  const after = <Answer>(of: Of, kind: string | undefined, ask: () => Promise<Answer>): Promise<Answer> =>
    asking(async () => {
      await upToDate(of, kind);
      return ask();
    });
  return {
    read: (kind, id) => asking(() => doc(kind, id)),
    readRow: (kind, id) => asking(() => row(kind, id)),
    readMany: (kind, ids) =>
      asking(async () => {
        assert(ids.length <= readManyMax, `at most ${readManyMax} documents are read at once`);
        const found = await Promise.all(ids.map((id) => doc(kind, id).catch(orNothing)));
        return found.filter((one) => one !== null);
      }),
    readManyRows: (kind, ids) =>
      asking(async () => {
        assert(ids.length <= readManyMax, `at most ${readManyMax} rows are read at once`);
        const found = await Promise.all(ids.map((id) => row(kind, id).catch(orNothing)));
        return found.filter((one) => one !== null);
      }),
    listDocs: (query) =>
      after('doc', query.kind, async () => listed(await lists.call('list', ['doc', query]), isDoc)),
    listRows: (query) =>
      after('row', query.kind, async () => listed(await lists.call('list', ['row', query]), isRow)),
    sumRows: (query) => after('row', query.kind, () => lists.call('sumRows', query)),
    newestTagged: (query) =>
      after(recent.has('doc', query.kind) ? 'doc' : 'row', query.kind, () =>
        lists.call('newestTagged', query),
      ),
    oldestTagged: (query) => after('doc', query.kind, () => lookups.call('oldestTagged', query)),
    // nothing is left out here: a reader of the journal must not skip entries it has not seen
    journalAfter: (scope, pos, limit) =>
      after('row', 'journal', async () =>
        (await lookups.call('journalAfter', [scope, pos, limit])).map((found) =>
          parsed(found, `the journal of ${scope}`, isRow),
        ),
      ),
    due: (query) => after('doc', undefined, () => lookups.call('due', query)),
    countTimers: (clock) => after('doc', undefined, () => lookups.call('countTimers', clock)),
    busy: (query) => after('doc', undefined, () => lookups.call('busy', query)),
  };
}

const closed: Written = { is: 'error', of: 'store', reason: 'the store is closed' };
