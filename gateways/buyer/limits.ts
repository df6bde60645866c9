/** What one address may do at the buyer's doors in a minute (docs/reference/api.md). */
import type { Limits } from '../http/access/rate-limit.ts';
import type { Verdict } from '../http/access/buckets.ts';

const formsPerMinute = 30;
/** More than forms: many buyers of a mobile network come from one address, and nobody repeats his return there. */
const returnsPerMinute = 120;
/** Without script a page with a code looks again every 2 s: 20 such buyers behind one address. */
const codesPerMinute = 600;

/** Each counts one; null: limits are off. */
export interface BuyerLimits {
  /** A form sent. */
  limitForms(ip: string): Verdict | null;
  /** A buyer who comes back. */
  limitReturns(ip: string): Verdict | null;
  /** A page with a code, or its picture. */
  limitCodes(ip: string): Verdict | null;
}

export const buyerLimits = (limits: Pick<Limits, 'perAddress'>): BuyerLimits => ({
  limitForms: (ip) => limits.perAddress('forms', ip, formsPerMinute),
  limitReturns: (ip) => limits.perAddress('returns', ip, returnsPerMinute),
  limitCodes: (ip) => limits.perAddress('codes', ip, codesPerMinute),
});
