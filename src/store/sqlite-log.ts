/** Keeps the write-ahead log (WAL) bounded by checkpointing it at suitable moments.
 *  Boundary: runs in the writer's thread; called after each transaction, works between transactions.
 *  1. After `idleMs` without a write the WAL is checkpointed. If it exceeds `logBytesMax`, it is
 *     checkpointed even under load.
 *  2. A disk failure is thrown. A full disk is not a failure: the WAL waits for room. */
import { statSync } from 'node:fs';
import { sqliteCode, type Connection } from './sqlite-bind.ts';
import { DiskFailed } from './sqlite-errors.ts';

/** A checkpoint delays the next write: a short WAL takes 5 ms, one of 16 MiB 15 to 20 ms, which was the p99
 *  of all writes. */
export const logBytesMax = 4 * 1024 * 1024;
const idleMs = 100;
/** A reader can prevent the WAL from being reset; this is how much it may grow before the next try. */
const logGrowthBytes = logBytesMax;

const canWait: ReadonlySet<string | null> = new Set(['SQLITE_FULL', 'SQLITE_BUSY']);

/** Runs a checkpoint now: `PASSIVE` copies what readers allow, `TRUNCATE` waits for them and empties the
 *  log. */
export function copyLog(connection: Connection, how: 'PASSIVE' | 'TRUNCATE'): void {
  try {
    connection.pragma(`wal_checkpoint(${how})`);
  } catch (error) {
    if (canWait.has(sqliteCode(error))) return;
    // An error class of this build: the driver's error objects cannot leave the thread.
    throw new DiskFailed(error instanceof Error ? error.message : String(error));
  }
}

export interface LogKeeper {
  written(): void;
  stop(): void;
}

/** An error thrown here ends the thread: it is not caught, and nothing may be written afterwards. */
export function keepLogShort(connection: Connection, path: string): LogKeeper {
  let idle: NodeJS.Timeout | undefined;
  let soon: NodeJS.Immediate | undefined;
  let triedAtBytes = 0;
  const copyIfLong = (): void => {
    soon = undefined;
    // The file is truncated when the log starts over, to the bound or to its first transaction: a file that
    // became smaller is a new log.
    const { size } = statSync(path);
    if (size <= logBytesMax || size < triedAtBytes) triedAtBytes = 0;
    if (size <= Math.max(logBytesMax, triedAtBytes + logGrowthBytes)) return;
    triedAtBytes = size;
    copyLog(connection, 'PASSIVE');
  };
  return {
    written() {
      // Runs after the answer was sent, so that the caller of this write does not wait for the checkpoint.
      soon ??= setImmediate(copyIfLong);
      clearTimeout(idle);
      idle = setTimeout(() => copyLog(connection, 'PASSIVE'), idleMs);
    },
    stop() {
      clearTimeout(idle);
      clearImmediate(soon);
    },
  };
}
