/** Keeps the write-ahead log bounded by copying it into the database at good moments.
 *  Boundary: the writer's thread; called after each transaction, works between them.
 *  1. Nothing written for `idleMs`: copied. Grown beyond `logBytesMax`: copied even under load.
 *  2. A failure of the disk is thrown; a full disk is not one: the log waits for room. */
import { statSync } from 'node:fs';
import { sqliteCode, type Connection } from './sqlite-bind.ts';
import { DiskFailed } from './sqlite-errors.ts';

/** Copying holds up whoever writes next: a short log is copied in 5 ms, one of 16 MiB in 15 to 20, and that was the
 *  slowest hundredth of all writes. */
export const logBytesMax = 4 * 1024 * 1024;
const idleMs = 100;
/** A reader can hold the log's end back; how much it then grows before the next try. */
const logGrowthBytes = logBytesMax;

const canWait: ReadonlySet<string | null> = new Set(['SQLITE_FULL', 'SQLITE_BUSY']);

/** Copies the log now: `PASSIVE` what readers allow, `TRUNCATE` waits for them and leaves it empty. */
export function copyLog(connection: Connection, how: 'PASSIVE' | 'TRUNCATE'): void {
  try {
    connection.pragma(`wal_checkpoint(${how})`);
  } catch (error) {
    if (canWait.has(sqliteCode(error))) return;
    // An error of this build's own: the driver's do not survive the way out of the thread.
    throw new DiskFailed(error instanceof Error ? error.message : String(error));
  }
}

export interface LogKeeper {
  written(): void;
  stop(): void;
}

/** What it throws ends the thread: nobody is there to catch it, and nothing may be written after it. */
export function keepLogShort(connection: Connection, path: string): LogKeeper {
  let idle: NodeJS.Timeout | undefined;
  let soon: NodeJS.Immediate | undefined;
  let triedAtBytes = 0;
  const copyIfLong = (): void => {
    soon = undefined;
    // The file is cut back when the log starts over, to the bound or to its first transaction: one that shrank is new.
    const { size } = statSync(path);
    if (size <= logBytesMax || size < triedAtBytes) triedAtBytes = 0;
    if (size <= Math.max(logBytesMax, triedAtBytes + logGrowthBytes)) return;
    triedAtBytes = size;
    copyLog(connection, 'PASSIVE');
  };
  return {
    written() {
      // After the answer has left: whoever waits for this write does not wait for the copying.
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
