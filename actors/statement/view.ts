/** A statement and its compared rows as outsiders see them. */
import { days, iso, isoOrNull, kathmanduMidnight, type Instant } from '../../src/kernel/time.ts';
import { isLive, type ViewMeta } from '../../src/runtime/model/actor.ts';
import type { BlockCounts, StatementItem, StatementState } from './messages.ts';
import { spanFrom, spanTo } from './span.ts';

/** The Statement object of docs/reference/api/reconciliation.md. */
export function statementView(s: StatementState, { id, scope }: Pick<ViewMeta, 'id' | 'scope'>) {
  const [matched, amountDiffers, unmatchedStatement, unmatchedPayment] = totalsOf(s.blocks);
  return {
    id,
    livemode: isLive(scope),
    provider: s.provider,
    fileName: s.fileName,
    status: s.status,
    failureReason: s.failureReason,
    rows: matched + amountDiffers + unmatchedStatement,
    matched,
    amountDiffers,
    unmatchedStatement,
    unmatchedPayment,
    dateFrom: s.dates === null ? null : iso(spanFrom(s.dates)),
    dateTo: s.dates === null ? null : iso(spanTo(s.dates)),
    createdAt: iso(s.createdAt),
    updatedAt: iso(s.updatedAt),
  };
}

const totalsOf = (blocks: readonly BlockCounts[]): BlockCounts =>
  blocks.reduce<BlockCounts>(
    ([a, b, c, d], [matched, differs, unknown, missing]) => [
      a + matched,
      b + differs,
      c + unknown,
      d + missing,
    ],
    [0, 0, 0, 0],
  );

/** The Statement item object; its age is counted in days of Asia/Kathmandu until `now`. */
export const itemView = (item: StatementItem, now: Instant) => ({
  line: item.line,
  result: item.result,
  reference: item.reference,
  statementAmount: item.statementAmount,
  fee: item.fee,
  paymentId: item.paymentId,
  paymentAmount: item.paymentAmount,
  date: isoOrNull(item.date),
  ageDays: item.date === null ? null : ageDays(item.date, now),
});

const ageDays = (date: Instant, now: Instant): number =>
  Math.max(0, (kathmanduMidnight(now) - kathmanduMidnight(date)) / days(1));
