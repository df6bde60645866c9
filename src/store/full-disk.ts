/** Says that the disk under a store is full, once and in words of use, instead of once per write.
 *  Boundary: looks at what writes came to; what becomes of them is for others.
 *  1. Said again now and then for as long as it lasts, and when there is room again. */
import { minutes, seconds, type DurationMs, type Scheduler } from '../kernel/time.ts';
import type { Store, Written } from './store.ts';

const againMs: DurationMs = minutes(1);
/** A little is written now and then on a disk that is full; room is when nothing was refused for this long. */
const calmMs: DurationMs = seconds(5);

/** SQLite's name for it, MongoDB's code for it, and the words of the disk itself. */
const fullDisk = /^disk_full$|^14031 |OutOfDiskSpace|No space left on device|disk full/i;

export interface FullDiskParts {
  readonly scheduler: Pick<Scheduler, 'steady'>;
  /** As an operator calls it: `the disk under /var/lib/galla`. */
  readonly disk: string;
  /** One line an operator must see. */
  readonly onWarning: (line: string) => void;
}

/** The same store. */
export function tellingOfFullDisk<Kept extends Store>(
  store: Kept,
  { scheduler, disk, onWarning }: FullDiskParts,
): Kept {
  let saidAt: DurationMs | null = null;
  let fullAt: DurationMs = -Infinity;
  const isFull = (one: Written): boolean =>
    one.is === 'error' && one.of === 'store' && fullDisk.test(one.reason);
  const look = (written: readonly Written[]): void => {
    const now = scheduler.steady();
    if (written.some(isFull)) {
      fullAt = now;
      if (saidAt !== null && now - saidAt < againMs) return;
      saidAt = now;
      onWarning(
        `${disk} is full: nothing more is written, and whoever needs that is answered 503. What was acknowledged ` +
          'stands. Make room; all goes on by itself',
      );
    } else if (saidAt !== null && now - fullAt >= calmMs && written.some(({ is }) => is === 'applied')) {
      saidAt = null;
      onWarning(`${disk} has room again`);
    }
  };
  return {
    ...store,
    async commit(writes) {
      const written = await store.commit(writes);
      look(written);
      return written;
    },
  };
}
