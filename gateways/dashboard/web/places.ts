/** The places that a login may open, and the initial one. The API enforces this; here it only avoids
 *  showing refusals. */
import type { Me, Place } from './wire/types.ts';

type Opens = Pick<Me, 'role' | 'projects'>;

/** Maximum number of projects listed: a shorter list is known to be complete. */
export const projectsListedMax = 100;

const isListed = ({ projects }: Opens, { projectId }: Place): boolean =>
  projects.some(({ id }) => id === projectId);

/** An operator may open every project, also one too old to be listed. */
export const mayOpen = (me: Opens, place: Place): boolean => me.role === 'operator' || isListed(me, place);

/** The last place used, else the sandbox of the project listed first; null for a user without a project. A
 *  place missing from a complete list no longer exists, for example because its data folder was deleted. */
export function usualPlace(me: Opens, last: Place | null): Place | null {
  const mayBeUnlisted = me.role === 'operator' && me.projects.length >= projectsListedMax;
  if (last !== null && (mayBeUnlisted || isListed(me, last))) return last;
  const [first] = me.projects;
  return first === undefined ? null : { projectId: first.id, mode: 'sandbox' };
}
