/** Token buckets on real time (decisions 6), in this node's memory; what other nodes of a cluster gave is charged to
 *  them, too (shared-use.ts).
 *  1. Memory is bounded: of too many buckets the longest unused goes.
 *  2. Off means off: no bucket, no header.
 *  3. A bucket may owe: what several nodes gave before they heard of each other is waited for afterwards. */
import type { Mode } from '../../../src/runtime/model/address.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import { networkOf } from '../../server/client-address.ts';
import type { Headers } from '../route/reply.ts';
import { shareUse, type Sharing } from './distributed-rate-limit.ts';

export const keyPerSecond: { readonly [mode in Mode]: number } = { live: 100, sandbox: 25 };
/** A key may save up this many seconds' worth. */
const keyBurstSeconds = 2;
export const createPerSecond: { readonly [mode in Mode]: number } = { live: 100, sandbox: 20 };
export const failedAuthPerMinute = 60;
/** Buckets of one sort that are remembered. */
export const bucketsMax = 100_000;

/** How a request stands with a limit. */
export interface Verdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetSeconds: number;
  /** Until the next request is allowed; 0 when it is. */
  readonly retryAfterSeconds: number;
}

/** null: limits are off. */
export interface Limits {
  /** One request of a key. */
  key(keyId: string, mode: Mode): Verdict | null;
  /** One creation of a checkout, Direct-QR or refund; `perSecond` when the operator has set another limit. */
  create(projectId: string, mode: Mode, perSecond: number | null): Verdict | null;
  /** One request of an address at a door that anybody may use; `door` keeps doors apart. */
  perAddress(door: string, ip: string, perMinute: number): Verdict | null;
}

export interface LimitOptions {
  readonly on: boolean;
  /** Real time. */
  readonly now: () => Instant;
  readonly bucketsMax?: number;
  /** How the nodes of a cluster hear of each other; null: this one is alone. */
  readonly sharing: Sharing | null;
}

export function createLimits(options: LimitOptions): Limits {
  if (!options.on) return { key: () => null, create: () => null, perAddress: () => null };
  const { now } = options;
  const max = options.bucketsMax ?? bucketsMax;
  const keys = new Buckets(max);
  const creators = new Buckets(max);
  const addresses = new Buckets(max);
  if (options.sharing !== null) shareUse(options.sharing, now, { keys, creators, addresses });
  return {
    key: (keyId, mode) => keys.take(keyId, keyPerSecond[mode] * keyBurstSeconds, keyPerSecond[mode], now()),
    create(projectId, mode, perSecond) {
      const rate = perSecond ?? createPerSecond[mode];
      return creators.take(`${projectId}:${mode}`, rate, rate, now());
    },
    perAddress: (door, ip, perMinute) =>
      addresses.take(`${door} ${networkOf(ip)}`, perMinute, perMinute / 60, now()),
  };
}

export interface Bucket {
  readonly id: string;
  capacity: number;
  perSecond: number;
  tokens: number;
  at: Instant;
  /** Given here since the other nodes were last told. */
  untold: number;
}

export class Buckets {
  /** Told of a bucket that gives something the other nodes have not heard of; null: there are none. */
  onGiven: ((bucket: Bucket) => void) | null = null;
  /** The longest unused first. */
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
      if (this.onGiven !== null && bucket.untold++ === 0) this.onGiven(bucket);
    }
    return {
      allowed,
      limit: capacity,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      resetSeconds: Math.ceil((capacity - bucket.tokens) / perSecond),
      retryAfterSeconds: allowed ? 0 : Math.ceil((1 - tokens) / perSecond),
    };
  }

  /** What was taken is not to count after all; other nodes that have heard of it count it nevertheless. */
  giveBack(id: string): void {
    const bucket = this.buckets.get(id);
    if (bucket === undefined) return;
    bucket.tokens = Math.min(bucket.capacity, bucket.tokens + 1);
    bucket.untold = Math.max(0, bucket.untold - 1);
  }

  /** Another node gave `count` of this bucket. */
  charge(id: string, capacity: number, perSecond: number, count: number, now: Instant): void {
    this.filled(id, capacity, perSecond, now).tokens -= count;
  }

  /** The bucket with what has run in until now; the last used of all. */
  private filled(id: string, capacity: number, perSecond: number, now: Instant): Bucket {
    const known = this.buckets.get(id);
    const bucket: Bucket = known ?? { id, capacity, perSecond, tokens: capacity, at: now, untold: 0 };
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

/** Headers of a request that a limit applies to. */
export const limitHeaders = (verdict: Verdict): Headers => ({
  'RateLimit-Limit': String(verdict.limit),
  'RateLimit-Remaining': String(verdict.remaining),
  'RateLimit-Reset': String(verdict.resetSeconds),
  ...(verdict.allowed ? {} : { 'Retry-After': String(verdict.retryAfterSeconds) }),
});

/** Of two limits the one that is nearer. */
export const tighter = (a: Verdict | null, b: Verdict | null): Verdict | null => {
  if (a === null || b === null) return a ?? b;
  return !b.allowed || (a.allowed && b.remaining < a.remaining) ? b : a;
};
