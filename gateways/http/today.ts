/** Today's numbers of a project in one mode: the first that a dashboard shows.
 *  Boundary: three queries to the store, each along an index; no payment is read one by one.
 *  1. Today is the Asia/Kathmandu day of the scope's own clock.
 *  2. Paid is what was paid today, whenever its payment began: late money counts when it arrives. */
import { paidOnTag } from '../../actors/checkout-session/view.ts';
import { days, hours, iso, kathmanduMidnight, type DurationMs } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { sourcesShown } from './routes/checkout.ts';

export interface Today {
  readonly paidCount: number;
  /** Paisa. */
  readonly paidAmount: number;
  readonly failedCount: number;
  /** Checkouts that can still be paid, whenever they were opened. */
  readonly openCount: number;
}

/** The checkouts that can still be paid, whenever they were opened. */
export const openCheckouts = {
  anyOf: { status: ['pending', 'initiated'], source: sourcesShown },
} as const;

/** A payment fails while its session is open, which is a day at most, or in the last look-up after it. */
const failsWithinMs: DurationMs = days(1) + hours(1);

/** Rejects with StoreUnresponsive, or as `client` does. Numbers over 10,000 may be as old as `Sum` documents. */
export async function todayOf(
  client: Pick<Client, 'now' | 'list' | 'sumRows'>,
  scope: Scope,
): Promise<Today> {
  const now = client.now(scope);
  const from = kathmanduMidnight(now);
  const to = from + days(1);
  const payments = { kind: 'payment', scope, sumOf: 'amount', inTurn: true } as const;
  const [paid, failed, open] = await Promise.all([
    client.sumRows({ ...payments, tags: [paidOnTag(now)] }),
    client.sumRows({
      ...payments,
      equals: { status: 'failed' },
      range: [
        { field: 'created', from: from - failsWithinMs, to },
        { field: 'updatedAt', from: iso(from), to: iso(to) },
      ],
    }),
    client.list({ kind: 'checkout_session', scope, ...openCheckouts, page: 1, limit: 1, inTurn: true }),
  ]);
  return {
    paidCount: paid.count,
    paidAmount: paid.sum,
    failedCount: failed.count,
    openCount: open.total,
  };
}
