/** One limit over all nodes: each tells the others what its buckets gave, and charges its own with what they tell.
 *  Boundary: buckets are buckets.ts's; the bus carries broadcasts, which may be lost.
 *  1. N nodes together give at most the bucket's size + its rate x time + what each but one gives within `tellEveryMs`
 *     and the time on the wire. That rest is owed and waited for: over a longer time the limit is exact.
 *  2. What is not heard (NATS is away) is not charged: then each node counts for itself, and N nodes give N limits.
 *  3. Nothing is said while nothing is given, and never more than `bucketsToldMax` buckets at once. */
import type { Bus } from '../../../src/bus/bus.ts';
import type { DurationMs, Instant, Scheduler } from '../../../src/kernel/time.ts';
import type { Bucket, Buckets } from './buckets.ts';

export const tellEveryMs: DurationMs = 250;
/** Buckets one node tells of each time; what others gave is not charged to the rest. */
export const bucketsToldMax = 5_000;
/** Of one hint, so that it stays within some 10 KiB. */
const bucketsPerBroadcast = 100;
/** More than this is no count of ours. */
const countMax = 100_000;

const usualTopic = 'limits';

export interface Sharing {
  readonly bus: Pick<Bus, 'broadcast' | 'onBroadcast'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

type Sorts = { readonly [sort: string]: Buckets };
/** Sort, id, size, rate per second, how many were given. */
type Told = readonly [string, string, number, number, number];

/** Begins to tell and to hear. `now` is real time; a `topic` of its own keeps one set of buckets apart from another. */
export function distributeLimits(
  { bus, scheduler }: Sharing,
  now: () => Instant,
  sorts: Sorts,
  topic = usualTopic,
): void {
  let given: (readonly [string, Bucket])[] = [];

  const tell = (): void => {
    const taken = given.map(([sort, bucket]): Told => {
      const { id, capacity, perSecond, untold } = bucket;
      bucket.untold = 0;
      return [sort, id, capacity, perSecond, untold];
    });
    given = [];
    // what was given back meanwhile was never given
    const told = taken.filter(([, , , , count]) => count > 0);
    for (let at = 0; at < told.length; at += bucketsPerBroadcast)
      bus.broadcast(topic, JSON.stringify(told.slice(at, at + bucketsPerBroadcast)));
  };

  for (const [sort, buckets] of Object.entries(sorts))
    buckets.onGiven = (bucket) => {
      if (given.length >= bucketsToldMax) {
        bucket.untold = 0;
        return;
      }
      if (given.push([sort, bucket]) === 1) scheduler.after(tellEveryMs, tell);
    };

  bus.onBroadcast(topic, (text) => {
    for (const one of toldIn(text)) {
      const [sort, id, capacity, perSecond, count] = one;
      if (Object.hasOwn(sorts, sort)) sorts[sort]?.charge(id, capacity, perSecond, count, now());
    }
  });
}

function toldIn(text: string): readonly Told[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isTold) : [];
  } catch {
    return [];
  }
}

/** Anybody on the same NATS can say anything. */
function isTold(value: unknown): value is Told {
  if (!Array.isArray(value)) return false;
  const [sort, id, ...numbers] = value as unknown[];
  return (
    typeof sort === 'string' &&
    typeof id === 'string' &&
    numbers.length === 3 &&
    numbers.every((each) => typeof each === 'number' && each > 0 && each <= countMax)
  );
}
