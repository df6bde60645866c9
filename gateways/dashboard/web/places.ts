/** Which places a login may open, and where it begins. The doors decide; this only spares a screen of refusals. */
import type { Me, Place } from './wire/types.ts';

type Opens = Pick<Me, 'role' | 'projects'>;

/** So many projects are listed at most: of a shorter list one knows that it is whole. */
export const projectsListedMax = 100;

const isListed = ({ projects }: Opens, { projectId }: Place): boolean =>
  projects.some(({ id }) => id === projectId);

/** An operator may open every project, also one that is too old to be listed. */
export const mayOpen = (me: Opens, place: Place): boolean => me.role === 'operator' || isListed(me, place);

/** Where one was last, else the sandbox of the project listed first; null for who has no project. A place that
 *  a whole list does not name is gone, for example with the data folder it was in. */
export function usualPlace(me: Opens, last: Place | null): Place | null {
  const mayBeUnlisted = me.role === 'operator' && me.projects.length >= projectsListedMax;
  if (last !== null && (mayBeUnlisted || isListed(me, last))) return last;
  const [first] = me.projects;
  return first === undefined ? null : { projectId: first.id, mode: 'sandbox' };
}
