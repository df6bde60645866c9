/** Token buckets in one node's memory.
 *  1. Memory is bounded: above the limit the least recently used bucket is evicted.
 *  2. A bucket may be negative: tokens that several nodes granted before they synchronised are made up for
 *     by waiting. */
import type { Instant } from '../../../src/kernel/time.ts';

/** How a request relates to a limit. */
export interface Verdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetSeconds: number;
  /** Until the next request is allowed; 0 when it is. */
  readonly retryAfterSeconds: number;
}

export interface Bucket {
  readonly id: string;
  capacity: number;
  perSecond: number;
  tokens: number;
  at: Instant;
  /** Granted here since the other nodes were last notified. */
  unreported: number;
}

export class Buckets {
  /** Called for a bucket with a grant that was not broadcast yet; null: there are no other nodes. */
  onGrant: ((bucket: Bucket) => void) | null = null;
  /** Least recently used first. */
  private readonly buckets = new Map<string, Bucket>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  take(id: string, capacity: number, perSecond: number, now: Instant): Verdict {
    const bucket = this.filled(id, capacity, perSecond, now);
    const { tokens } = bucket;
    const allowed = tokens >= 1;
    if (allowed) {
      bucket.tokens = tokens - 1;
      if (this.onGrant !== null && bucket.unreported++ === 0) this.onGrant(bucket);
    }
    return {
      allowed,
      limit: capacity,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      resetSeconds: Math.ceil((capacity - bucket.tokens) / perSecond),
      retryAfterSeconds: allowed ? 0 : Math.ceil((1 - tokens) / perSecond),
    };
  }

  /** Gives back what was taken; other nodes that were already notified count it nevertheless. */
  giveBack(id: string): void {
    const bucket = this.buckets.get(id);
    if (bucket === undefined) return;
    bucket.tokens = Math.min(bucket.capacity, bucket.tokens + 1);
    bucket.unreported = Math.max(0, bucket.unreported - 1);
  }

  /** Another node granted `count` from this bucket. */
  charge(id: string, capacity: number, perSecond: number, count: number, now: Instant): void {
    this.filled(id, capacity, perSecond, now).tokens -= count;
  }

  /** The bucket, refilled until now and marked as most recently used. */
  private filled(id: string, capacity: number, perSecond: number, now: Instant): Bucket {
    const known = this.buckets.get(id);
    const bucket: Bucket = known ?? { id, capacity, perSecond, tokens: capacity, at: now, unreported: 0 };
    const ranIn = Math.max(0, ((now - bucket.at) / 1000) * perSecond);
    bucket.tokens = Math.min(capacity, bucket.tokens + ranIn);
    bucket.at = now;
    bucket.capacity = capacity;
    bucket.perSecond = perSecond;
    this.buckets.delete(id);
    this.buckets.set(id, bucket);
    if (this.buckets.size > this.max) this.forgetOldest();
    return bucket;
  }

  private forgetOldest(): void {
    for (const id of this.buckets.keys()) {
      this.buckets.delete(id);
      return;
    }
  }
}
