/** How the memory budget (GALLA_MEMORY_MB) is shared: SQLite's page caches, the newest events of each project, and the
 *  rest for actors.
 *  1. What buffers and code need comes on top. */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { isCluster, type Settings } from '../config.ts';
import { tailBudgetCharsMax } from '../runtime/delivery/journal-tail-cache.ts';

export const mib: number = 2 ** 20;
/** Of what the process may use. */
const usualShare = 1 / 4;
/** SQLite gets a quarter of the budget, at most so much: the pages of a busy day. */
const sqliteShare = 1 / 4;
const sqliteBytesMax = 128 * mib;
/** Less would be spent on the newest events alone. */
export const budgetMibMin = 64;

export interface MemoryBudget {
  /** Of the page caches of all connections together; 0 in a cluster. */
  readonly sqliteBytes: number;
  readonly actorBytes: number;
}

/** What this process may use in bytes: the memory of the machine, of its container (cgroup), or what V8 may allocate,
 *  whichever is least. */
export function usableBytes(): number {
  // 0 or a huge number where nothing limits it
  const limit = process.constrainedMemory() ?? 0;
  const bounds = [totalmem(), getHeapStatistics().heap_size_limit, ...(limit > 0 ? [limit] : [])];
  return Math.min(...bounds);
}

export function memoryBudget(settings: Settings, usable: number = usableBytes()): MemoryBudget {
  const usual = Math.max(budgetMibMin, Math.floor((usable * usualShare) / mib));
  const bytes = (settings.memoryMb ?? usual) * mib;
  const sqliteBytes = isCluster(settings) ? 0 : Math.min(sqliteBytesMax, bytes * sqliteShare);
  return { sqliteBytes, actorBytes: bytes - sqliteBytes - tailBudgetCharsMax };
}
