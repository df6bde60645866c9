/** Keeps the write-ahead log (WAL) bounded by checkpointing it at suitable moments, in a thread of its own.
 *  Boundary: runs in the writer's thread; called after each transaction.
 *  1. After `idleMs` without a write or a commit the WAL is checkpointed. If it exceeds `walBytesMax`, it is
 *     checkpointed even under load.
 *  2. The WAL starts over with a transaction that begins after a whole checkpoint. So the writer should begin none
 *     while one is running; when it has done so all the same, the thread goes once more.
 *  3. The WAL never starts over while the thread begins a checkpoint: SQLite before 3.51.3 would then take frames of
 *     the new WAL for copied ones. So there is always something to copy when one begins, and the writer copies nothing
 *     while one is running.
 *  4. A disk failure is thrown. A full disk is not a failure: the WAL waits for room. */
import { statSync } from 'node:fs';
import { waitsForRoom, type Connection } from './sqlite-bind.ts';
import { startCalls, type Calls } from './sqlite-calls.ts';
import { DiskFailed } from './sqlite-errors.ts';

/** A page that changes often is copied once for so many bytes of the WAL, however often it is in there. */
export const walBytesMax = 16 * 1024 * 1024;
const idleMs = 100;
/** A reader can prevent the WAL from being reset; this is how much it may grow before the next try. */
const walGrowthBytes = walBytesMax;
/** Above this the writer waits for the end of a checkpoint that is running. */
export const walBytesWaiting = 3 * walBytesMax;
/** A checkpoint that takes longer will never end. */
const runningMsMax = 60_000;
/** The thread goes so many times in a row; what is left then, the writer copies. */
const runsMax = 3;

/** Runs a checkpoint now: `PASSIVE` copies what readers allow, `TRUNCATE` waits for them and empties the
 *  WAL. Nothing is done within a transaction. True: the whole WAL was copied, and if nothing was written meanwhile the
 *  database file is synced. */
export function copyWal(connection: Connection, how: 'PASSIVE' | 'TRUNCATE'): boolean {
  if (connection.inTransaction) return false;
  try {
    const [busy, frames, copied] = connection.statement(`PRAGMA wal_checkpoint(${how})`).first([]) ?? [];
    return busy === 0 && frames === copied;
  } catch (error) {
    if (waitsForRoom(error)) return false;
    // An error class of this build: the driver's error objects cannot leave the thread.
    throw new DiskFailed(error instanceof Error ? error.message : String(error));
  }
}

/** The calls of the thread (sqlite-checkpointer.ts). */
export type CheckpointerOperations = {
  /** `running` is set to 0 when a checkpoint has ended: a thread that has nothing else to do may wait for that. */
  open(input: { readonly path: string; readonly running: Int32Array }): null;
  /** As copyWal. Throws DiskFailed. */
  checkpoint(): boolean;
};

export interface WalKeeper {
  /** The WAL may have grown. Waits where it is far too long. Throws DiskFailed. */
  written(): void;
  /** Copies now what can be copied, in this thread, after a checkpoint that is running. Throws DiskFailed. */
  copyNow(): void;
  /** The store is not idle: something was committed to the log. */
  postpone(): void;
  /** A transaction that begins now makes the WAL longer. */
  readonly isRunning: boolean;
  /** Resolves when no checkpoint is running and none will be. */
  stop(): Promise<void>;
}

export interface Checkpoints {
  /** The writer's. */
  readonly connection: Connection;
  /** Path of the database. */
  readonly path: string;
  /** Module of the thread. */
  readonly module: URL;
  /** Runs work that nobody has asked for; after an error of it nothing may be written any more. */
  readonly unasked: (work: () => void) => void;
  /** Asked when a checkpoint begins; what it returns is run when it has ended, with whether the tables as they were at
   *  its beginning are on disk. */
  readonly begins: () => (isOnDisk: boolean) => void;
  /** Commits something small, so that there is something to copy. False: there is no room for it. */
  readonly touch: () => boolean;
}

export function keepWalShort(checkpoints: Checkpoints): WalKeeper {
  const { connection, path, unasked } = checkpoints;
  const wal = `${path}-wal`;
  const thread = checkpointer(checkpoints);
  let idle: NodeJS.Timeout | undefined;
  let soon: NodeJS.Immediate | undefined;
  let triedAtBytes = 0;
  let isCopied = true;
  let isStopped = false;
  const whenIdle = (): void => {
    isCopied = true;
    if (!connection.inTransaction) thread.run();
  };
  const copyIfLong = (): void => {
    soon = undefined;
    if (thread.isRunning || connection.inTransaction) return;
    // The file is truncated when the WAL starts over, to the bound or to its first transaction: a file that
    // became smaller is a new WAL.
    const { size } = statSync(wal);
    if (size <= walBytesMax || size < triedAtBytes) triedAtBytes = 0;
    if (size <= Math.max(walBytesMax, triedAtBytes + walGrowthBytes)) return;
    triedAtBytes = size;
    thread.run();
  };
  const postpone = (): void => {
    if (isCopied || isStopped) return;
    if (idle === undefined) idle = setTimeout(() => unasked(whenIdle), idleMs);
    else idle.refresh();
  };
  return {
    written() {
      if (isStopped) return;
      thread.written();
      if (thread.isRunning && statSync(wal).size > walBytesWaiting) thread.waitForIt();
      // Runs after the answer was sent, so that the caller of this write does not wait for it.
      soon ??= setImmediate(() => unasked(copyIfLong));
      isCopied = false;
      postpone();
    },
    copyNow() {
      thread.waitForIt();
      copyWal(connection, 'PASSIVE');
    },
    postpone,
    get isRunning() {
      return thread.isRunning;
    },
    stop() {
      isStopped = true;
      clearTimeout(idle);
      clearImmediate(soon);
      return thread.end();
    },
  };
}

/** The thread, started when it is needed first. */
function checkpointer({ connection, path, module, unasked, begins, touch }: Checkpoints) {
  const running = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let calls: Calls<CheckpointerOperations> | null = null;
  let isRunning = false;
  let allRuns = Promise.resolve();
  let isWritten = false;
  let isEnded = false;
  const failed = (why: string): void =>
    unasked(() => {
      throw new DiskFailed(why);
    });
  const started = (): Calls<CheckpointerOperations> => {
    if (calls !== null) return calls;
    calls = startCalls<CheckpointerOperations>('store checkpoints', module, failed);
    void calls.call('open', { path, running }).catch(({ message }: Error) => failed(message));
    return calls;
  };
  const runOnce = async (): Promise<boolean> => {
    if (isEnded || connection.inTransaction || !touch()) return false;
    isWritten = false;
    Atomics.store(running, 0, 1);
    return started().call('checkpoint', undefined, 'now');
  };
  /** Whether the whole WAL was copied, and the file synced. */
  const runs = async (): Promise<boolean> => {
    for (let run = 0; run < runsMax; run++) if ((await runOnce()) && !isWritten) return true;
    return false;
  };
  return {
    get isRunning() {
      return isRunning;
    },
    run(): void {
      if (isRunning) return;
      isRunning = true;
      const then = begins();
      allRuns = runs().then(
        (isOnDisk) => {
          isRunning = false;
          unasked(() => then(isOnDisk || copyWal(connection, 'PASSIVE')));
        },
        (error: unknown) => failed(error instanceof Error ? error.message : String(error)),
      );
    },
    written(): void {
      isWritten = true;
    },
    /** Returns at once when no checkpoint is running. */
    waitForIt(): void {
      if (Atomics.wait(running, 0, 1, runningMsMax) === 'timed-out')
        throw new DiskFailed(`a checkpoint has not ended in ${runningMsMax / 1000} s`);
    },
    async end(): Promise<void> {
      isEnded = true;
      await calls?.end();
      // What follows the last checkpoint uses the connection, which is closed next.
      await allRuns;
    },
  };
}
