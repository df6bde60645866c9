/** One rate limit over all nodes: each node broadcasts what its buckets granted, and charges its own
 *  buckets with what the others broadcast.
 *  Boundary: buckets are in buckets.ts; the bus carries broadcasts, which may be lost.
 *  1. N nodes together grant at most the bucket's size + its rate x time + what all nodes but one grant
 *     within `broadcastEveryMs` and the network delay. That excess is a debt that later requests wait for: over
 *     a longer time the limit is exact.
 *  2. A lost broadcast (NATS is down) is not charged: then each node counts for itself, and N nodes give N
 *     limits.
 *  3. Nothing is sent while nothing is granted, and never more than `bucketsReportedMax` buckets at once. */
import type { Bus } from '../../../src/bus/bus.ts';
import type { DurationMs, Instant, Scheduler } from '../../../src/kernel/time.ts';
import type { Bucket, Buckets } from './buckets.ts';

export const broadcastEveryMs: DurationMs = 250;
/** Buckets one node broadcasts each time; what other nodes granted from the rest is not charged. */
export const bucketsReportedMax = 5_000;
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
type Grants = readonly [string, string, number, number, number];

/** Starts to send and receive. `now` is real time; a separate `topic` keeps one set of buckets apart from
 *  another. */
export function distributeLimits(
  { bus, scheduler }: Sharing,
  now: () => Instant,
  sorts: Sorts,
  topic = usualTopic,
): void {
  let waiting: (readonly [string, Bucket])[] = [];

  const report = (): void => {
    const taken = waiting.map(([sort, bucket]): Grants => {
      const { id, capacity, perSecond, unreported } = bucket;
      bucket.unreported = 0;
      return [sort, id, capacity, perSecond, unreported];
    });
    waiting = [];
    // what was given back meanwhile was never granted
    const reported = taken.filter(([, , , , count]) => count > 0);
    for (let at = 0; at < reported.length; at += bucketsPerBroadcast)
      bus.broadcast(topic, JSON.stringify(reported.slice(at, at + bucketsPerBroadcast)));
  };

  for (const [sort, buckets] of Object.entries(sorts))
    buckets.onGrant = (bucket) => {
      if (waiting.length >= bucketsReportedMax) {
        bucket.unreported = 0;
        return;
      }
      if (waiting.push([sort, bucket]) === 1) scheduler.after(broadcastEveryMs, report);
    };

  bus.onBroadcast(topic, (text) => {
    for (const one of grantsIn(text)) {
      const [sort, id, capacity, perSecond, count] = one;
      if (Object.hasOwn(sorts, sort)) sorts[sort]?.charge(id, capacity, perSecond, count, now());
    }
  });
}

function grantsIn(text: string): readonly Grants[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isGrants) : [];
  } catch {
    return [];
  }
}

/** Validated, because any client of the same NATS can publish anything. */
function isGrants(value: unknown): value is Grants {
  if (!Array.isArray(value)) return false;
  const [sort, id, ...numbers] = value as unknown[];
  return (
    typeof sort === 'string' &&
    typeof id === 'string' &&
    numbers.length === 3 &&
    numbers.every((each) => typeof each === 'number' && each > 0 && each <= countMax)
  );
}
