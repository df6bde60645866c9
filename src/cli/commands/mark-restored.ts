/** `galla mark-restored`: begins the era of a cluster whose database was restored. */
import { setTimeout as pause } from 'node:timers/promises';
import { collections } from '../../compose/collections.ts';
import { realScheduler, seconds, type DurationMs } from '../../kernel/time.ts';
import { beginEra } from '../../runtime/cluster/eras.ts';
import type { DirectorySeen } from '../../store/directory.ts';
import { openMongoStore, type MongoStore } from '../../store/store-mongo.ts';
import { highestOf } from '../backup/restore.ts';
import { exitCodes, print, say } from '../output.ts';
import { eraLine } from './restore.ts';

export interface MarkOptions {
  readonly backupAt?: number;
  readonly invoicesFrom?: number;
  readonly era?: number;
  readonly json?: boolean;
}

/** A node that lives has sent a heartbeat meanwhile: one a second, and some may be late. */
const watchMs: DurationMs = seconds(4);

/** Rejects with EraRefused or StoreUnusable, or when the database does not answer. */
export async function markRestored(options: MarkOptions): Promise<void> {
  const url = process.env['MONGODB_URL'];
  if (url === undefined || url === '') {
    say('MONGODB_URL is not set: set it to the restored database, as the nodes have it');
    process.exitCode = exitCodes.usage;
    return;
  }
  const store = await openMongoStore({ url, collections: collections(), onWarning: say, onlyUsed: true });
  try {
    const refusal = await refusalOf(store);
    if (refusal !== null) {
      say(refusal);
      process.exitCode = exitCodes.refused;
      return;
    }
    const invoicesFrom = options.invoicesFrom ?? null;
    const backupAt = options.backupAt ?? null;
    const begins = { era: options.era ?? null, backupAt, highest: highestOf(invoicesFrom) };
    const { era } = await beginEra({ store, scheduler: realScheduler }, begins);
    print({ era, backupAt, invoicesFrom }, [eraLine(era, invoicesFrom), 'start the nodes now'], options.json);
  } finally {
    await store.close();
  }
}

/** null: no node works on it. */
async function refusalOf({ directory }: MongoStore): Promise<string | null> {
  const before = await directory.read();
  await pause(watchMs);
  const [alive] = beatingSince(before, await directory.read());
  return alive === undefined ? null : `node ${alive} is running: stop every node, restore, then mark`;
}

const beatingSince = (before: DirectorySeen, after: DirectorySeen): readonly string[] =>
  after.nodes
    .filter(({ inc, hb }) => before.nodes.find((node) => node.inc === inc)?.hb !== hb)
    .map(({ info }) => info.name);
