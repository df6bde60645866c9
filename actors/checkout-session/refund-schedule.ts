/** When a payment is looked up because of its refunds. Each refund has its own schedule, beside the one of
 *  poll-schedule.ts. Pure. */
import { days, hours, minutes, seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Refund, RefundPhase } from './refund.ts';

/** How long a refund without an answer is looked up before the merchant must check it. */
const unconfirmedMsMax = hours(72);

const upTo = (count: number, from: number, unit: (n: number) => DurationMs): readonly DurationMs[] =>
  Array.from({ length: count }, (_, n) => unit(from + n));

/** Counted from the beginning of the phase. */
const refundOffsets: { readonly [phase in RefundPhase]: readonly DurationMs[] } = {
  // the last one is at 72 hours: its answer ends the wait
  unconfirmed: [
    seconds(10),
    seconds(30),
    minutes(1),
    minutes(5),
    minutes(15),
    minutes(60),
    ...upTo(71, 2, hours),
  ],
  // a merchant refunds in the portal within minutes, or days later; afterwards he marks it complete himself
  portal: [minutes(10), minutes(60), hours(6), ...upTo(30, 1, days)],
};

/** When its next look-up is due; null when there is none. */
export function refundLookupAt({ look }: Refund): Instant | null {
  if (look === null) return null;
  const offset = refundOffsets[look.phase][look.step];
  return offset === undefined ? null : look.since + offset;
}

/** When the next look-up of this payment for one of its refunds is due; null when there is none. */
export function nextRefundLookupAt(refunds: readonly Refund[], paymentId: string): Instant | null {
  const due = refunds.filter((refund) => refund.paymentId === paymentId).map(refundLookupAt);
  const planned = due.filter((at) => at !== null);
  return planned.length === 0 ? null : Math.min(...planned);
}

/** The refund with the look-ups behind it that are due by now. */
export function pastDue(refund: Refund, now: Instant): Refund {
  const at = refundLookupAt(refund);
  if (refund.look === null || at === null || at > now) return refund;
  const { phase, since } = refund.look;
  const step = refundOffsets[phase].filter((offset) => since + offset <= now).length;
  return { ...refund, look: { ...refund.look, step } };
}

/** Each phase starts its own schedule; a refund that waits for nothing has none. */
export function inPhase(refund: Refund, now: Instant): Refund {
  const phase = phaseOf(refund);
  if (phase === (refund.look?.phase ?? null)) return refund;
  return { ...refund, look: phase === null ? null : { phase, since: now, step: 0 } };
}

function phaseOf({ status, call }: Refund): RefundPhase | null {
  if (status === 'requires_action') return 'portal';
  return status === 'processing' && (call === 'answered' || call === 'waits') ? 'unconfirmed' : null;
}

/** Whether it has been without proof for so long that a person must look. */
export const isOverdue = ({ look }: Refund, now: Instant): boolean =>
  look?.phase === 'unconfirmed' && now >= look.since + unconfirmedMsMax;
