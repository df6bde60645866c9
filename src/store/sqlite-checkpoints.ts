/** Keeps the write-ahead log (WAL) bounded by checkpointing it at suitable moments.
 *  Boundary: runs in the writer's thread; called after each transaction, works between transactions.
 *  1. After `idleMs` without a write or a commit the WAL is checkpointed. If it exceeds `walBytesMax`, it is
 *     checkpointed even under load.
 *  2. A disk failure is thrown. A full disk is not a failure: the WAL waits for room. */
import { statSync } from 'node:fs';
import { waitsForRoom, type Connection } from './sqlite-bind.ts';
import { DiskFailed } from './sqlite-errors.ts';

/** A checkpoint delays the next write: a short WAL takes 5 ms, one of 16 MiB 15 to 20 ms, which was the p99
 *  of all writes. */
export const walBytesMax = 4 * 1024 * 1024;
const idleMs = 100;
/** A reader can prevent the WAL from being reset; this is how much it may grow before the next try. */
const walGrowthBytes = walBytesMax;

/** Runs a checkpoint now: `PASSIVE` copies what readers allow, `TRUNCATE` waits for them and empties the
 *  WAL. Nothing is done within a transaction. */
export function copyWal(connection: Connection, how: 'PASSIVE' | 'TRUNCATE'): void {
  if (connection.inTransaction) return;
  try {
    connection.pragma(`wal_checkpoint(${how})`);
  } catch (error) {
    if (waitsForRoom(error)) return;
    // An error class of this build: the driver's error objects cannot leave the thread.
    throw new DiskFailed(error instanceof Error ? error.message : String(error));
  }
}

export interface WalKeeper {
  /** The WAL may have grown. */
  written(): void;
  /** The store is not idle: something was committed to the log. */
  postpone(): void;
  stop(): void;
}

/** `unasked` runs each checkpoint; after an error of one nothing may be written any more. */
export function keepWalShort(
  connection: Connection,
  path: string,
  unasked: (work: () => void) => void,
): WalKeeper {
  let idle: NodeJS.Timeout | undefined;
  let soon: NodeJS.Immediate | undefined;
  let triedAtBytes = 0;
  let isCopied = true;
  const whenIdle = (): void => {
    isCopied = true;
    unasked(() => copyWal(connection, 'PASSIVE'));
  };
  const copyIfLong = (): void => {
    soon = undefined;
    // The file is truncated when the WAL starts over, to the bound or to its first transaction: a file that
    // became smaller is a new WAL.
    const { size } = statSync(path);
    if (size <= walBytesMax || size < triedAtBytes) triedAtBytes = 0;
    if (size <= Math.max(walBytesMax, triedAtBytes + walGrowthBytes)) return;
    triedAtBytes = size;
    copyWal(connection, 'PASSIVE');
  };
  const postpone = (): void => {
    if (isCopied) return;
    if (idle === undefined) idle = setTimeout(whenIdle, idleMs);
    else idle.refresh();
  };
  return {
    written() {
      // Runs after the answer was sent, so that the caller of this write does not wait for the checkpoint.
      soon ??= setImmediate(() => unasked(copyIfLong));
      isCopied = false;
      postpone();
    },
    postpone,
    stop() {
      clearTimeout(idle);
      clearImmediate(soon);
    },
  };
}
