/** What a merchant's change makes of a link: its fields, and its status. Pure. */
import { canonicalJson, type JsonValue } from '../../src/kernel/canonical-json.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { mergedMetadata } from '../metadata.ts';
import { usesLeft } from './holds.ts';
import type { LinkChange, LinkFields, LinkState, LinkStatus } from './messages.ts';

type Limit = 'expired' | 'completed' | null;
type Limited = Pick<LinkFields, 'expiresAt' | 'maxUses' | 'usedCount' | 'held'>;

const isOver = ({ expiresAt }: Limited, now: Instant): boolean => expiresAt !== null && now >= expiresAt;
const isUsedUp = (link: Limited): boolean => usesLeft(link) === 0;

/** The limit that keeps a link from being paid now; null: none. */
export function limitOf(link: Limited, now: Instant): Limit {
  if (isUsedUp(link)) return 'completed';
  return isOver(link, now) ? 'expired' : null;
}

export function changedFields(link: LinkFields, change: LinkChange): LinkFields {
  const { active: _active, metadata, ...set } = change;
  return {
    ...link,
    ...set,
    metadata: mergedMetadata(link.metadata, metadata),
  };
}

/** The status after the change; null: it cannot be switched on, because a limit is reached.
 *  `next`: the link with its changed fields. */
export function statusAfter(
  link: LinkState,
  next: LinkFields,
  active: boolean | undefined,
  now: Instant,
): LinkStatus | null {
  if (active === false) return 'inactive';
  const limit = limitOf(next, now);
  if (active === true) {
    if (link.status === 'active') return limit ?? 'active';
    return limit === null ? 'active' : null;
  }
  switch (link.status) {
    case 'active':
      return limit ?? 'active';
    case 'inactive':
      // a limit that this change reaches ends it; one reached before had been overruled by switching it off
      return limit !== null && limitOf(link, now) === null ? limit : 'inactive';
    case 'expired':
      return isOver(next, now) ? 'expired' : (limit ?? 'active');
    case 'completed':
      return limit ?? 'active';
  }
}

/** Whether anything that the view shows is different. */
export const isChanged = (link: LinkState, next: LinkFields, status: LinkStatus): boolean =>
  link.status !== status || canonicalJson(shownOf(link)) !== canonicalJson(shownOf(next));

const shownOf = ({ name, description, maxUses, expiresAt, returnUrl, metadata }: LinkFields): JsonValue => ({
  name,
  description,
  maxUses,
  expiresAt,
  returnUrl,
  metadata,
});
