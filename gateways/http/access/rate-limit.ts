/** Token buckets on real time, in this node's memory; what other nodes of a cluster granted is charged to
 *  them, too (distributed-rate-limit.ts).
 *  1. When limits are off, there are no buckets and no headers. */
import type { Mode } from '../../../src/runtime/model/address.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import { networkOf } from '../../server/client-address.ts';
import type { Headers } from '../route/reply.ts';
import { Buckets, type Verdict } from './buckets.ts';
import { distributeLimits, type Sharing } from './distributed-rate-limit.ts';

const keyPerSecond: { readonly [mode in Mode]: number } = { live: 100, sandbox: 25 };
/** A key may save up this many seconds' worth of requests. */
const keyBurstSeconds = 2;
export const createPerSecond: { readonly [mode in Mode]: number } = { live: 100, sandbox: 20 };
export const failedAuthPerMinute = 60;
/** Look-ups of a payment's public status, by the API and by its page together. */
export const publicStatusLimit = { door: 'status', perMinute: 30 } as const;
/** Buckets kept per sort. */
export const bucketsMax = 100_000;

/** null: limits are off. */
export interface Limits {
  /** One request of a key. */
  key(keyId: string, mode: Mode): Verdict | null;
  /** One creation of a checkout, Direct-QR or refund; `perSecond` when the operator has set a custom limit. */
  create(projectId: string, mode: Mode, perSecond: number | null): Verdict | null;
  /** One request of an address at a public door; `door` separates the buckets of different doors. `burst`: how many
   *  may come at once; a minute's worth by default. */
  perAddress(door: string, ip: string, perMinute: number, burst?: number): Verdict | null;
}

export interface LimitOptions {
  readonly on: boolean;
  /** Real time. */
  readonly now: () => Instant;
  readonly bucketsMax?: number;
  /** Connection between the nodes of a cluster; null: single node. */
  readonly sharing: Sharing | null;
}

export function createLimits(options: LimitOptions): Limits {
  if (!options.on) return { key: () => null, create: () => null, perAddress: () => null };
  const { now } = options;
  const max = options.bucketsMax ?? bucketsMax;
  const keys = new Buckets(max);
  const creators = new Buckets(max);
  const addresses = new Buckets(max);
  if (options.sharing !== null) distributeLimits(options.sharing, now, { keys, creators, addresses });
  return {
    key: (keyId, mode) => keys.take(keyId, keyPerSecond[mode] * keyBurstSeconds, keyPerSecond[mode], now()),
    create(projectId, mode, perSecond) {
      const rate = perSecond ?? createPerSecond[mode];
      return creators.take(`${projectId}:${mode}`, rate, rate, now());
    },
    perAddress: (door, ip, perMinute, burst = perMinute) =>
      addresses.take(`${door} ${networkOf(ip)}`, burst, perMinute / 60, now()),
  };
}

/** Headers of a rate-limited request. */
export const limitHeaders = (verdict: Verdict): Headers => ({
  'RateLimit-Limit': String(verdict.limit),
  'RateLimit-Remaining': String(verdict.remaining),
  'RateLimit-Reset': String(verdict.resetSeconds),
  ...(verdict.allowed ? {} : { 'Retry-After': String(verdict.retryAfterSeconds) }),
});

/** The stricter of two limits. */
export const tighter = (a: Verdict | null, b: Verdict | null): Verdict | null => {
  if (a === null || b === null) return a ?? b;
  return !b.allowed || (a.allowed && b.remaining < a.remaining) ? b : a;
};
