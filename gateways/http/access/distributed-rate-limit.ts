/** One rate limit over all nodes: each node broadcasts what its buckets granted, and charges its own
 *  buckets with what the others broadcast.
 *  Boundary: buckets are in buckets.ts; the bus carries broadcasts, which may be lost.
 *  1. N nodes together grant at most the bucket's size + its rate x time + what all nodes but one grant
 *     within `tellEveryMs` and the network delay. That excess is a debt that later requests wait for: over
 *     a longer time the limit is exact.
 *  2. A lost broadcast (NATS is down) is not charged: then each node counts for itself, and N nodes give N
 *     limits.
 *  3. Nothing is sent while nothing is granted, and never more than `bucketsToldMax` buckets at once. */
import type { Bus } from '../../../src/bus/bus.ts';
import type { DurationMs, Instant, Scheduler } from '../../../src/kernel/time.ts';
import type { Bucket, Buckets } from './buckets.ts';

export const tellEveryMs: DurationMs = 250;
/** Buckets one node broadcasts each time; what other nodes granted from the rest is not charged. */
export const bucketsToldMax = 5_000;
/** Buckets per broadcast, so that it stays within about 10 KiB. */
const bucketsPerBroadcast = 100;
/** A larger count cannot come from one of our nodes. */
const countMax = 100_000;

const usualTopic = 'limits';

export interface Sharing {
  readonly bus: Pick<Bus, 'broadcast' | 'onBroadcast'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

type Sorts = { readonly [sort: string]: Buckets };
/** Sort, id, size, rate per second, tokens granted. */
type Told = readonly [string, string, number, number, number];

/** Starts to send and receive. `now` is real time; a separate `topic` keeps one set of buckets apart from
 *  another. */
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
    // what was given back meanwhile was never granted
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

/** Validated, because any client of the same NATS can publish anything. */
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
