/** Limits per address and minute at the buyer's doors (docs/reference/api.md). */
import { publicStatusLimit, type Limits } from '../http/access/rate-limit.ts';
import type { Verdict } from '../http/access/buckets.ts';

const formsPerMinute = 30;
/** Higher than for forms: many buyers of a mobile network share one address, and nobody repeats a return. */
const returnsPerMinute = 120;
/** Without script a page with a code reloads every 2 s: 20 such buyers behind one address. */
const codesPerMinute = 600;

/** Each call counts one request; null: limits are off. */
export interface BuyerLimits {
  /** A submitted form. */
  limitForms(ip: string): Verdict | null;
  /** A buyer's return. */
  limitReturns(ip: string): Verdict | null;
  /** A page with a code, or its image. */
  limitCodes(ip: string): Verdict | null;
  /** A look-up of a payment's public status; counted together with the API's. */
  limitLookUps(ip: string): Verdict | null;
}

export const buyerLimits = (limits: Pick<Limits, 'perAddress'>): BuyerLimits => ({
  limitForms: (ip) => limits.perAddress('forms', ip, formsPerMinute),
  limitReturns: (ip) => limits.perAddress('returns', ip, returnsPerMinute),
  limitCodes: (ip) => limits.perAddress('codes', ip, codesPerMinute),
  limitLookUps: (ip) => limits.perAddress(publicStatusLimit.door, ip, publicStatusLimit.perMinute),
});
