/** The tags by which the effects of one lane are found in the store: a document whose `out` holds an effect of a lane
 *  carries the tag of the lane. */
import type { OutRow } from '../../store/store.ts';

export const laneTag = (effect: string, lane: string): string => `lane=${effect}/${lane}`;

/** The tags of a document with this `out`. */
export function laneTags(out: readonly OutRow[]): readonly string[] {
  const tags = out.flatMap((row) =>
    row.type === 'effect' && row.lane !== undefined ? [laneTag(row.kind, row.lane)] : [],
  );
  return tags.length < 2 ? tags : [...new Set(tags)];
}
