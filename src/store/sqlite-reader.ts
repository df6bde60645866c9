/** A thread with a read-only connection: look-ups, lists and totals never wait behind a commit.
 *  Boundary: started by store-sqlite.ts after the writer has opened the database. */
import { parentPort } from 'node:worker_threads';
import { openConnection } from './sqlite-bind.ts';
import { answerCalls } from './sqlite-calls.ts';
import { createReader, type ListedTexts, type Reader } from './sqlite-read.ts';
import { databaseFile, slotsOf, type Of } from './sqlite-schema.ts';
import type {
  Collection,
  Due,
  ListQuery,
  Store,
  Sum,
  SumQuery,
  Tagged,
  TaggedQuery,
  TagQuery,
} from './store.ts';

export interface OpenReader {
  readonly dataDir: string;
  readonly collections: readonly Collection[];
  /** Of its page cache. */
  readonly cacheBytes: number;
}

export type ReaderOperations = {
  open(input: OpenReader): null;
  read(input: readonly [of: Of, kind: string, id: string]): string | null;
  list(input: readonly [of: Of, query: ListQuery]): ListedTexts;
  sumRows(query: SumQuery): Sum;
  newestTagged(query: TagQuery): readonly Tagged[];
  oldestTagged(query: TaggedQuery): ReturnType<Reader['oldestTagged']>;
  journalAfter(input: readonly [scope: string, after: number, limit: number]): readonly string[];
  due(query: Parameters<Store['due']>[0]): readonly Due[];
  countTimers(clock: string): number;
  busy(query: Parameters<Store['busy']>[0]): readonly { kind: string; id: string }[];
};

/** In WAL mode readers wait only while the WAL is being rebuilt. */
const busyMs = 5000;

function openReader({ dataDir, collections, cacheBytes }: OpenReader) {
  const connection = openConnection(databaseFile(dataDir), busyMs);
  connection.exec(`PRAGMA cache_size = -${Math.floor(cacheBytes / 1024)}`);
  connection.exec('PRAGMA query_only = ON');
  const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };
  return { connection, reader: createReader(connection, slots, () => performance.now()) };
}

function serve(port: NonNullable<typeof parentPort>): void {
  let opened: ReturnType<typeof openReader> | null = null;
  const reader = (): Reader => {
    if (opened === null) throw new Error('the store is not open');
    return opened.reader;
  };
  answerCalls<ReaderOperations>(
    port,
    {
      open(input) {
        opened = openReader(input);
        return null;
      },
      read: (input) => reader().read(...input),
      list: (input) => reader().list(...input),
      sumRows: (query) => reader().sumRows(query),
      newestTagged: (query) => reader().newestTagged(query),
      oldestTagged: (query) => reader().oldestTagged(query),
      journalAfter: (input) => reader().journalAfter(...input),
      due: (query) => reader().due(query),
      countTimers: (clock) => reader().countTimers(clock),
      busy: (query) => reader().busy(query),
    },
    () => opened?.connection.close(),
  );
}

if (parentPort !== null) serve(parentPort);
