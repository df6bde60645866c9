/** The thread that owns the only writing connection and the lock file.
 *  Boundary: started by store-sqlite.ts; answers its calls one after the other, and applies the log between them.
 *  1. While it lives, no other process can open the folder.
 *  2. At start the whole old WAL is checkpointed and synced before any call is answered: the sync that
 *     should have made it durable may have failed. Then the log of commits is applied. After a stop in good order
 *     there is neither.
 *  3. After a disk failure every call is refused.
 *  4. A commit waits in the log for at most about a second, and in bounded numbers: beyond that, commits wait until
 *     some of it is applied.
 *  5. Checkpoints are made by another thread (sqlite-checkpoints.ts); the tables wait while one is running. */
import { parentPort } from 'node:worker_threads';
import { openConnection, waitsForRoom } from './sqlite-bind.ts';
import { answerCalls } from './sqlite-calls.ts';
import { DiskFailed, StoreStopped } from './sqlite-errors.ts';
import { openCommitLog, type CommitLog } from './sqlite-commit-log.ts';
import { copyWal, keepWalShort, walBytesMax, type WalKeeper } from './sqlite-checkpoints.ts';
import { assertUsable, lockFolder, makeFile } from './sqlite-lock.ts';
import { databaseFile, prepareSchema, slotsOf } from './sqlite-schema.ts';
import { Writer } from './sqlite-write.ts';
import type { Lines } from './sqlite-wire.ts';
import type { Collection, Purged, PurgeQuery, SettledDoc, Written } from './store.ts';

export interface OpenWriter {
  readonly dataDir: string;
  readonly collections: readonly Collection[];
  /** Module of the thread of checkpoints. */
  readonly checkpointer: string;
  /** Of its page cache. */
  readonly cacheBytes: number;
  /** The maximum number of database pages; tests use it to simulate a full disk. */
  readonly pagesMax?: number;
  /** For how long a commit may wait in the log while others follow; tests use it to keep everything there. */
  readonly applyAfterMs?: number;
}

/** Where the log stands: the number of the newest commit, and up to which number the tables are up to date. */
export interface LogPosition {
  readonly committed: number;
  readonly appliedUpTo: number;
}

export type WriterOperations = {
  open(input: OpenWriter): null;
  /** `results` null: all applied. DiskFailed: the outcome is unknown and the store stops. */
  commit(lines: Lines): LogPosition & { readonly results: readonly Written[] | null };
  /** `stored` false: there was no room and nothing was stored. */
  putRows(lines: Lines): LogPosition & { readonly stored: boolean };
  settle(docs: readonly SettledDoc[]): null;
  purge(query: PurgeQuery): LogPosition & { readonly purged: Purged };
  /** One step towards tables that are up to date; `full`: there was no room for it. */
  apply(): LogPosition & { readonly full: boolean };
};

const pageBytes = 4096;
/** When a commit has waited for this long, it and those after it are applied: the versions that a record gets within
 *  this time cost one write of the tables. */
const applyAfterMsUsual = 200;
/** One step of applying: a commit that arrives meanwhile waits for its end. */
const applyStepMs = 0.4;
/** Above either, a commit applies some of the log before it is appended: its caller waits. */
const unappliedMsMax = 1000;
export const unappliedCharsMax = 16 * 1024 * 1024;
const applyFirstMs = 10;
/** Time until the next try after a full disk. */
const applyAgainMs = 1000;
/** How long to wait for a lock that another tool holds on the database. */
const busyMs = 5000;

/** `unasked` runs work that fails for nobody: an error of it stops the store. */
function openWriter(
  { dataDir, collections, checkpointer, cacheBytes, pagesMax, applyAfterMs = applyAfterMsUsual }: OpenWriter,
  unasked: <Result>(work: () => Result) => Result | undefined,
) {
  const lock = lockFolder(dataDir);
  const path = databaseFile(dataDir);
  assertUsable(dataDir, lock);
  makeFile(path);
  const connection = openConnection(path, busyMs);
  try {
    connection.exec(`PRAGMA page_size = ${pageBytes}`);
    const mode = connection.pragma('journal_mode = WAL');
    if (mode !== 'wal') throw new Error(`${path} cannot keep a write-ahead log`);
    connection.exec('PRAGMA synchronous = FULL');
    connection.exec(`PRAGMA cache_size = -${Math.floor(cacheBytes / 1024)}`);
    connection.pragma('wal_autocheckpoint = 0');
    connection.pragma(`journal_size_limit = ${walBytesMax}`);
    const held = connection.pragma('wal_checkpoint(TRUNCATE)');
    if (held !== 0) throw new Error(`${path} is held open by another process`);
    prepareSchema(connection, path, collections);
    if (pagesMax !== undefined) connection.pragma(`max_page_count = ${pagesMax}`);
    const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };
    const log = openCommitLog(connection, path);
    const checkpoints = keepWalShort({
      connection,
      path,
      module: new URL(checkpointer),
      unasked,
      touch: () => writer.touch(),
      begins() {
        const { appliedUpTo } = writer;
        return (isOnDisk) => {
          if (isOnDisk) writer.onDisk(appliedUpTo);
          behind.goOn();
        };
      },
    });
    const writer = new Writer(connection, slots, log, () => performance.now(), checkpoints);
    // what the log held is in the tables now
    copyWal(connection, 'TRUNCATE');
    const applySome = () =>
      unasked(() => {
        const outcome = applied(() => writer.applySome(applyStepMs));
        checkpoints.written();
        return outcome;
      }) ?? 'all';
    const behind = applyBehind(writer, checkpoints, applySome, applyAfterMs);
    return { lock, connection, checkpoints, writer, log, behind };
  } catch (error) {
    connection.close();
    lock.close();
    throw error;
  }
}

/** `full`: there was no room; the log keeps it. Throws DiskFailed: what was acknowledged is in the log, and nothing
 *  may be written after it. */
function applied(apply: () => boolean): 'all' | 'more' | 'full' {
  try {
    return apply() ? 'more' : 'all';
  } catch (error) {
    if (waitsForRoom(error)) return 'full';
    throw error instanceof DiskFailed ? error : new DiskFailed(String(error), { cause: error });
  }
}

/** Nothing is left of the log. Throws as `applied` expects. */
function ended(writer: Writer, log: CommitLog): false {
  writer.applyAll();
  log.end();
  return false;
}

/** Applies the log behind the commits, in steps between the calls, and while no checkpoint is running. `applySome` as
 *  above. */
function applyBehind(
  { unapplied }: Pick<Writer, 'unapplied'>,
  checkpoints: Pick<WalKeeper, 'isRunning'>,
  applySome: () => 'all' | 'more' | 'full',
  afterMs: number,
) {
  let timer: NodeJS.Timeout | undefined;
  let step: NodeJS.Immediate | undefined;
  let isHeld = false;
  const later = (delayMs: number): void => {
    if (!Number.isFinite(delayMs)) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      next();
    }, delayMs);
  };
  let isStopped = false;
  const next = (): void => {
    clearImmediate(step);
    clearTimeout(timer);
    [step, timer] = [undefined, undefined];
    isHeld = checkpoints.isRunning && !isStopped;
    if (isHeld || isStopped) return;
    const outcome = applySome();
    if (outcome === 'full') later(applyAgainMs);
    else if (outcome === 'more' && unapplied.inPortion) step = setImmediate(next);
    else if (outcome === 'more') later(Math.max(0, afterMs - unapplied.waitedMs(performance.now())));
  };
  return {
    /** Something was committed. */
    soon(): void {
      if (step === undefined && !isHeld) later(afterMs);
    },
    /** A checkpoint has ended. */
    goOn(): void {
      if (isHeld) next();
    },
    stop(): void {
      [isStopped, isHeld] = [true, false];
      clearTimeout(timer);
      clearImmediate(step);
    },
  };
}

type Open = ReturnType<typeof openWriter>;

/** Room in the log first: its callers wait. False: there is none, because the disk is full. */
function withRoom({ writer, checkpoints }: Open): boolean {
  const { unapplied } = writer;
  const applySome = () => {
    checkpoints.written();
    return applied(() => writer.applySome(applyFirstMs));
  };
  if (unapplied.waitedMs(performance.now()) > unappliedMsMax) applySome();
  while (unapplied.chars > unappliedCharsMax) if (applySome() === 'full') return false;
  return true;
}

const positionOf = ({ writer: { committed, appliedUpTo } }: Open): LogPosition => ({
  committed,
  appliedUpTo,
});

/** Runs a call; `walGrows`: it writes the database, not only the log of commits. */
type Guarded = <Result>(work: (open: Open) => Result, walGrows?: boolean) => Result;

/** The calls of an open store. */
const operationsOf = (guarded: Guarded): Omit<WriterOperations, 'open'> => ({
  commit: (lines) =>
    guarded((open) => {
      const results = open.writer.commit(lines, withRoom(open));
      open.behind.soon();
      const all = results.every((result) => result.is === 'applied');
      return { ...positionOf(open), results: all ? null : results };
    }, false),
  putRows: (lines) =>
    guarded((open) => {
      const stored = withRoom(open) && open.writer.putRows(lines);
      open.behind.soon();
      return { ...positionOf(open), stored };
    }, false),
  settle: (docs) =>
    guarded((open) => {
      open.writer.settle(docs);
      return null;
    }),
  purge: (query) => guarded((open) => ({ purged: open.writer.purge(query), ...positionOf(open) })),
  apply: () =>
    guarded((open) => {
      const full = applied(() => open.writer.applySome(applyStepMs)) === 'full';
      return { ...positionOf(open), full };
    }),
});

function serve(port: NonNullable<typeof parentPort>): void {
  let opened: Open | null = null;
  let failed: DiskFailed | null = null;

  const guarded: Guarded = (work, walGrows = true) => {
    if (failed !== null) throw new StoreStopped(failed.message);
    if (opened === null) throw new Error('the store is not open');
    try {
      const result = work(opened);
      if (walGrows) opened.checkpoints.written();
      else opened.checkpoints.postpone();
      return result;
    } catch (error) {
      if (error instanceof DiskFailed) failed = error;
      throw error;
    }
  };
  /** Work that nobody has asked for. */
  const unasked = <Result>(work: () => Result): Result | undefined => {
    if (failed !== null) return undefined;
    try {
      return work();
    } catch (error) {
      failed = error instanceof DiskFailed ? error : new DiskFailed(String(error), { cause: error });
      report(failed);
      return undefined;
    }
  };
  const report = answerCalls<WriterOperations>(
    port,
    {
      open(input) {
        opened = openWriter(input, unasked);
        return null;
      },
      ...operationsOf(guarded),
    },
    async () => {
      if (opened === null) return;
      opened.behind.stop();
      await opened.checkpoints.stop();
      const { writer, connection, lock, log } = opened;
      // without room for it, the log is applied at the next start
      if (unasked(() => applied(() => ended(writer, log))) !== 'all') log.close();
      if (failed === null) copyWal(connection, 'TRUNCATE');
      connection.close();
      lock.close();
    },
  );
}

if (parentPort !== null) serve(parentPort);
