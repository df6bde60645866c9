/** Limits per address and minute at the doors of buyers and providers (docs/reference/api.md). */
import { publicStatusLimit, type Limits } from '../http/access/rate-limit.ts';
import type { Verdict } from '../http/access/buckets.ts';

const formsPerMinute = 30;
/** Higher than for forms: many buyers of a mobile network share one address, and nobody repeats a return. */
const returnsPerMinute = 120;
/** Without script a page with a code reloads every 2 s: 20 such buyers behind one address. */
const codesPerMinute = 600;
/** A provider reports the payments of all merchants from a few addresses: 200 a second, for a minute at least, is more
 *  than one has. What is refused is repeated by the provider, and found by our own look-ups in any case. */
export const callbacksPerMinute = 12_000;
/** How many of them may come at once. */
export const callbacksBurst = 400;

/** Each call counts one request; null: limits are off. */
export interface BuyerLimits {
  /** A submitted form. */
  limitForms(ip: string): Verdict | null;
  /** A buyer's return. */
  limitReturns(ip: string): Verdict | null;
  /** A page with a code, or its image. */
  limitCodes(ip: string): Verdict | null;
  /** A call of a provider's server. */
  limitCallbacks(ip: string): Verdict | null;
  /** A look-up of a payment's public status; counted together with the API's. */
  limitLookUps(ip: string): Verdict | null;
}

export const buyerLimits = (limits: Pick<Limits, 'perAddress'>): BuyerLimits => ({
  limitForms: (ip) => limits.perAddress('forms', ip, formsPerMinute),
  limitReturns: (ip) => limits.perAddress('returns', ip, returnsPerMinute),
  limitCodes: (ip) => limits.perAddress('codes', ip, codesPerMinute),
  limitCallbacks: (ip) => limits.perAddress('callbacks', ip, callbacksPerMinute, callbacksBurst),
  limitLookUps: (ip) => limits.perAddress(publicStatusLimit.door, ip, publicStatusLimit.perMinute),
});
