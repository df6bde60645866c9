/** The store of a single node: one SQLite file, written and read by separate threads.
 *  Boundary: the event loop's side; it builds and parses JSON and never touches a disk.
 *  1. A batch is one transaction, its rows included; it is acknowledged when its log is on disk.
 *  2. A read started after an acknowledgement sees what was acknowledged.
 *  3. Only a failed disk or the end of the writing thread leaves the outcome of a commit unknown; the store
 *     then stops permanently and reports this once.
 *  4. Lists have a reader of their own: a long count does not delay the look-up of an actor. */
import { resolve } from 'node:path';
import { assert } from '../kernel/assert.ts';
import { startCalls, type Calls } from './sqlite-calls.ts';
import { DataDirInUse } from './sqlite-errors.ts';
import { threadModule } from './sqlite-thread.ts';
import { slotsOf } from './sqlite-schema.ts';
import { rowRecord, writeRecord, type WriteRecord } from './sqlite-wire.ts';
import type { ListedTexts } from './sqlite-read.ts';
import type { ReaderOperations } from './sqlite-reader.ts';
import type { WriterOperations } from './sqlite-writer.ts';
import {
  DocumentUnreadable,
  purgeMax,
  readManyMax,
  settleMax,
  type Collection,
  type Doc,
  type Listed,
  type Purged,
  type PurgeQuery,
  type Row,
  type SettledDoc,
  type Store,
  type Write,
  type Written,
} from './store.ts';

export { DataDirInUse } from './sqlite-errors.ts';

export interface SqliteStoreOptions {
  /** Created if it is missing, accessible by its owner only. */
  readonly dataDir: string;
  readonly collections: readonly Collection[];
  /** The disk failed or a thread of the store died: one line. From then on the store refuses everything. */
  readonly onFatal: (line: string) => void;
  /** The maximum number of database pages (8 KiB each); tests use it to simulate a full disk. */
  readonly pagesMax?: number;
}

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
  const threads: Threads = {
    writer: startCalls('store writer', writing, onGone),
    lookups: startCalls('store reader', reading, onGone),
    lists: startCalls('store lists', reading, onGone),
  };
  try {
    const { pagesMax } = options;
    const bound = pagesMax === undefined ? {} : { pagesMax };
    await threads.writer.call('open', { dataDir, collections, ...bound });
    await threads.lookups.call('open', { dataDir, collections });
    await threads.lists.call('open', { dataDir, collections });
  } catch (error) {
    await endThreads(threads);
    throw notOpened(dataDir, error);
  }
  ready = true;
  return createStore(threads, collections, fault, (why) => stop(`the disk under ${dataDir} failed: ${why}`));
}

/** The error in a one-line form for callers. */
function notOpened(dataDir: string, error: unknown): Error {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === 'DataDirInUse') return new DataDirInUse(dataDir);
  if (name === 'DatabaseFromTheFuture') return new Error(message, { cause: error });
  return new Error(`the store in ${dataDir} cannot be opened: ${message}`, { cause: error });
}

/** Readers first: the last connection to close removes the log. */
async function endThreads({ writer, lookups, lists }: Threads): Promise<void> {
  await Promise.all([lookups.end(), lists.end()]);
  await writer.end();
}

function createStore(
  threads: Threads,
  collections: readonly Collection[],
  fault: { readonly line: string | null },
  diskFailed: (why: string) => void,
): Store {
  const { writer } = threads;
  const docSlots = slotsOf(collections, 'doc');
  const rowSlots = slotsOf(collections, 'row');
  let ended: Promise<void> | null = null;

  /** The result of a failed call: only a disk failure or a dead thread leaves the outcome unknown. */
  const inDoubt = (error: unknown): boolean => {
    if (!(error instanceof Error)) return false;
    if (error.name === 'DiskFailed') diskFailed(error.message);
    return error.name === 'DiskFailed' || error.name === 'WorkerGone';
  };
  const refused = (): string | null => fault.line ?? (ended === null ? null : 'the store is closed');
  const asking: Asking = async (ask) => {
    const no = refused();
    if (no !== null) throw new Error(no);
    return ask();
  };

  return {
    rowsInCommit: true,

    commit(writes) {
      // after a disk failure the outcome is unknown; a closed store has executed nothing
      if (fault.line !== null) return Promise.resolve(writes.map(() => unknown));
      if (ended !== null) return Promise.resolve(writes.map(() => closed));
      return committed(
        writes,
        (write) => writeRecord(write, docSlots, rowSlots),
        async (records) => {
          try {
            return await writer.call('commit', records);
          } catch (error) {
            return records.map(() => (inDoubt(error) ? unknown : failed(error)));
          }
        },
      );
    },

    putRows: (rows) =>
      asking(async () => {
        try {
          const stored = await writer.call(
            'putRows',
            rows.map((row) => rowRecord(row, rowSlots)),
          );
          return stored ? 'applied' : 'unknown';
        } catch (error) {
          if (inDoubt(error)) return 'unknown';
          throw error;
        }
      }),

    ...readsOf(threads, asking),

    settle: (docs) => asking(() => settled(writer, docs, inDoubt)),
    purge: (query) => asking(() => purged(writer, query, inDoubt)),

    close() {
      ended ??= endThreads(threads);
      return ended;
    },
  };
}

/** `failed` is told why it failed. */
async function settled(
  writer: Threads['writer'],
  docs: readonly SettledDoc[],
  failed: (error: unknown) => void,
): Promise<void> {
  assert(docs.length <= settleMax, `at most ${settleMax} documents are settled at once`);
  try {
    await writer.call('settle', docs);
  } catch (thrown) {
    failed(thrown);
    throw thrown;
  }
}

/** The same. */
async function purged(
  writer: Threads['writer'],
  query: PurgeQuery,
  failed: (error: unknown) => void,
): Promise<Purged> {
  assert(query.limit <= purgeMax, `at most ${purgeMax} records are removed at once`);
  try {
    return await writer.call('purge', query);
  } catch (thrown) {
    failed(thrown);
    throw thrown;
  }
}

/** One result per write. A write that cannot be serialised fails alone; the others are sent. */
async function committed(
  writes: readonly Write[],
  record: (write: Write) => WriteRecord,
  send: (records: readonly WriteRecord[]) => Promise<readonly Written[] | null>,
): Promise<readonly Written[]> {
  const records = writes.map((write) => attempt(() => record(write)));
  const sent = records.flatMap((one) => (one instanceof Error ? [] : [one]));
  // null: all were applied
  const results = sent.length === 0 ? null : await send(sent);
  let next = 0;
  return records.map((one) => (one instanceof Error ? failed(one) : (results?.[next++] ?? applied)));
}

type Asking = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;
type Reads = Omit<Store, 'rowsInCommit' | 'commit' | 'putRows' | 'settle' | 'purge' | 'close'>;

const readsOf = ({ lookups, lists }: Threads, asking: Asking): Reads => ({
  read: (kind, id) => asking(() => recordOf(lookups.call('read', ['doc', kind, id]), `${kind}/${id}`, isDoc)),
  readRow: (kind, id) =>
    asking(() => recordOf(lookups.call('read', ['row', kind, id]), `${kind}/${id}`, isRow)),
  readMany: (kind, ids) =>
    asking(async () => {
      assert(ids.length <= readManyMax, `at most ${readManyMax} documents are read at once`);
      const one = (id: string): Promise<Doc | null> =>
        recordOf(lookups.call('read', ['doc', kind, id]), `${kind}/${id}`, isDoc).catch(orNothing);
      return (await Promise.all(ids.map(one))).filter((doc) => doc !== null);
    }),
  readManyRows: (kind, ids) =>
    asking(async () => {
      assert(ids.length <= readManyMax, `at most ${readManyMax} rows are read at once`);
      const one = (id: string): Promise<Row | null> =>
        recordOf(lookups.call('read', ['row', kind, id]), `${kind}/${id}`, isRow).catch(orNothing);
      return (await Promise.all(ids.map(one))).filter((row) => row !== null);
    }),
  listDocs: (query) => asking(async () => listed(await lists.call('list', ['doc', query]), isDoc)),
  listRows: (query) => asking(async () => listed(await lists.call('list', ['row', query]), isRow)),
  sumRows: (query) => asking(() => lists.call('sumRows', query)),
  newestTagged: (query) => asking(() => lists.call('newestTagged', query)),
  oldestTagged: (query) => asking(() => lookups.call('oldestTagged', query)),
  // nothing is left out here: a reader of the journal must not skip entries it has not seen
  journalAfter: (scope, after, limit) =>
    asking(async () =>
      (await lookups.call('journalAfter', [scope, after, limit])).map((text) =>
        parsed(text, `the journal of ${scope}`, isRow),
      ),
    ),
  due: (query) => asking(() => lookups.call('due', query)),
  countTimers: (clock) => asking(() => lookups.call('countTimers', clock)),
  busy: (query) => asking(() => lookups.call('busy', query)),
});

const applied: Written = { is: 'applied' };
const unknown: Written = { is: 'unknown' };
const closed: Written = { is: 'error', of: 'store', reason: 'the store is closed' };
const failed = (error: unknown): Written => ({ is: 'error', of: 'document', reason: String(error) });

function attempt<Result>(work: () => Result): Result | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** A stored text is what this port was given, unless it was damaged: then it is no longer JSON, or has the
 *  wrong kind. Its inner shape is trusted as written. */
type IsA<Item> = (value: unknown) => value is Item;
const hasFields = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name));
const isDoc: IsA<Doc> = (value): value is Doc =>
  hasFields(value, 'kind', 'id', 'v', 'body', 'seen', 'out', 'timers');
const isRow: IsA<Row> = (value): value is Row => hasFields(value, 'kind', 'id', 'v', 'body', 'owner');

/** Throws DocumentUnreadable. */
function parsed<Item>(text: string, name: string, isA: IsA<Item>): Item {
  const value = attempt((): unknown => JSON.parse(text));
  if (value instanceof Error) throw new DocumentUnreadable(`${name} is stored as no JSON: ${value.message}`);
  if (!isA(value)) throw new DocumentUnreadable(`${name} is stored as something else`);
  return value;
}

/** Rejects with DocumentUnreadable for a damaged document, also when the database itself reports the
 *  damage. */
async function recordOf<Item>(
  asked: Promise<string | null>,
  name: string,
  isA: IsA<Item>,
): Promise<Item | null> {
  try {
    const text = await asked;
    return text === null ? null : parsed(text, name, isA);
  } catch (error) {
    // an error from a thread arrives as a name and a message
    if (
      error instanceof Error &&
      error.name === 'DocumentUnreadable' &&
      !(error instanceof DocumentUnreadable)
    )
      throw new DocumentUnreadable(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** For reads that omit damaged documents. */
function orNothing(thrown: unknown): null {
  if (thrown instanceof DocumentUnreadable) return null;
  throw thrown;
}

/** The readable documents of a page; unreadable ones are counted and left out. */
const listed = <Item>({ texts, total }: ListedTexts, isA: IsA<Item>): Listed<Item> => ({
  items: texts.flatMap((text) => {
    const item = attempt(() => parsed(text, 'a record', isA));
    return item instanceof Error ? [] : [item];
  }),
  total,
});
