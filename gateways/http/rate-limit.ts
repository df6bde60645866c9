/** Token buckets on real time (decisions 6), in this node's memory.
 *  1. Memory is bounded: a bucket that is full again is forgotten, and of too many the longest unused goes.
 *  2. Off means off: no bucket, no header. */
import type { Mode } from '../../src/runtime/address.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Headers } from './reply.ts';

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
}

export function createLimits(options: LimitOptions): Limits {
  if (!options.on) return { key: () => null, create: () => null, perAddress: () => null };
  const { now } = options;
  const max = options.bucketsMax ?? bucketsMax;
  const keys = new Buckets(max);
  const creators = new Buckets(max);
  const addresses = new Buckets(max);
  return {
    key: (keyId, mode) => keys.take(keyId, keyPerSecond[mode] * keyBurstSeconds, keyPerSecond[mode], now()),
    create(projectId, mode, perSecond) {
      const rate = perSecond ?? createPerSecond[mode];
      return creators.take(`${projectId}:${mode}`, rate, rate, now());
    },
    perAddress: (door, ip, perMinute) =>
      addresses.take(`${door} ${neighbourhood(ip)}`, perMinute, perMinute / 60, now()),
  };
}

interface Bucket {
  tokens: number;
  at: Instant;
}

class Buckets {
  /** The longest unused first. */
  private readonly buckets = new Map<string, Bucket>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  take(id: string, capacity: number, perSecond: number, now: Instant): Verdict {
    const bucket = this.buckets.get(id) ?? { tokens: capacity, at: now };
    const tokens = Math.min(capacity, bucket.tokens + Math.max(0, ((now - bucket.at) / 1000) * perSecond));
    const allowed = tokens >= 1;
    bucket.tokens = allowed ? tokens - 1 : tokens;
    bucket.at = now;
    this.buckets.delete(id);
    this.buckets.set(id, bucket);
    if (this.buckets.size > this.max) this.forgetOldest();
    return {
      allowed,
      limit: capacity,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((capacity - bucket.tokens) / perSecond),
      retryAfterSeconds: allowed ? 0 : Math.ceil((1 - tokens) / perSecond),
    };
  }

  private forgetOldest(): void {
    for (const id of this.buckets.keys()) {
      this.buckets.delete(id);
      return;
    }
  }
}

/** One buyer may own a whole /64 of IPv6 addresses; uWS writes all eight groups out. */
const neighbourhood = (ip: string): string => (ip.includes(':') ? ip.split(':').slice(0, 4).join(':') : ip);

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
