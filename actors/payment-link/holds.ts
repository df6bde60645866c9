/** The uses of a link that running sessions reserve. Pure.
 *  1. Each reservation is given back by exactly one report: of the session's end, or that it was open
 *     already. Both are tells, so the counts stay exact however often a node dies.
 *  2. A report that was never delivered (it is parked after 24 hours: docs/architecture.md) would keep its
 *     use for ever. So what is left of an hour's reservations is dropped after `heldMsMax`; at most 31
 *     entries are kept. Money of such a session is still counted: it is late money then. */
import { hours, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Holds, LinkFields } from './messages.ts';

/** Reservations of this time are counted as one entry. */
export const holdsSpanMs: DurationMs = hours(1);
/** Longer than a session runs and its report is tried, together. */
export const heldMsMax: DurationMs = hours(30);
/** Forms are submitted twice within seconds: a later repeat finds its session. */
export const recentMax = 32;

type Reserving = Pick<LinkFields, 'held' | 'maxUses' | 'usedCount'>;

export const heldCount = ({ held }: Pick<LinkFields, 'held'>): number =>
  held.reduce((sum, { count }) => sum + count, 0);

export const usesLeft = (link: Reserving): number =>
  link.maxUses === null ? Infinity : Math.max(0, link.maxUses - link.usedCount);

/** Whether a buyer can reserve one more use. */
export const hasFreeUse = (link: Reserving): boolean => usesLeft(link) > heldCount(link);

export const spanOf = (now: Instant): Instant => now - (now % holdsSpanMs);

/** With one more reservation, made now. */
export function withHold(held: readonly Holds[], now: Instant): readonly Holds[] {
  const since = spanOf(now);
  const newest = held.at(-1);
  return newest?.since === since
    ? [...held.slice(0, -1), { since, count: newest.count + 1 }]
    : [...held, { since, count: 1 }];
}

/** With one reservation of that hour less; unchanged when none of it is left. */
export const withoutHold = (held: readonly Holds[], since: Instant): readonly Holds[] =>
  held.flatMap((each) => {
    if (each.since !== since) return [each];
    return each.count === 1 ? [] : [{ since, count: each.count - 1 }];
  });

/** When the oldest reservations are dropped; null: there are none. */
export const holdsOverAt = ([oldest]: readonly Holds[]): Instant | null =>
  oldest === undefined ? null : oldest.since + holdsSpanMs + heldMsMax;

/** Without those that are too old. */
export const holdsAt = (held: readonly Holds[], now: Instant): readonly Holds[] =>
  held.filter((each) => (holdsOverAt([each]) ?? 0) > now);
