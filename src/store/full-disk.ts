/** Logs that the disk under a store is full, instead of one line for each refused write.
 *  Boundary: only observes the results of writes; handling them is up to the callers.
 *  1. One line for the first refused write, then at most one each minute while writes are refused, and one
 *     when there is room again. */
import { minutes, seconds, type DurationMs, type Scheduler } from '../kernel/time.ts';
import type { Written } from './store.ts';

const againMs: DurationMs = minutes(1);
/** Small writes may still succeed on a full disk; the disk counts as recovered when no write was refused
 *  for this long. */
const calmMs: DurationMs = seconds(5);

/** SQLite's name for it, MongoDB's code for it, and the operating system's message. */
const fullDisk = /^disk_full$|^14031 |OutOfDiskSpace|No space left on device|disk full/i;

export interface FullDiskParts {
  readonly scheduler: Pick<Scheduler, 'steady'>;
  /** The operator's name for it: `the disk under /var/lib/galla`. */
  readonly disk: string;
  /** Logs one line for the operator. */
  readonly onWarning: (line: string) => void;
}

/** Observes what a store answers: it is to be called with the outcomes of each commit. */
export function fullDiskWatch({
  scheduler,
  disk,
  onWarning,
}: FullDiskParts): (written: readonly Written[]) => void {
  let loggedAt: DurationMs | null = null;
  let fullAt: DurationMs = -Infinity;
  const isFull = (one: Written): boolean =>
    one.is === 'error' && one.of === 'store' && fullDisk.test(one.reason);
  return (written) => {
    const now = scheduler.steady();
    if (written.some(isFull)) {
      fullAt = now;
      if (loggedAt !== null && now - loggedAt < againMs) return;
      loggedAt = now;
      onWarning(
        `${disk} is full: no writes are possible, and requests that need one are answered 503. ` +
          'Acknowledged data is safe. Free disk space; the service then continues',
      );
    } else if (loggedAt !== null && now - fullAt >= calmMs && written.some(({ is }) => is === 'applied')) {
      loggedAt = null;
      onWarning(`${disk} has free space again`);
    }
  };
}
