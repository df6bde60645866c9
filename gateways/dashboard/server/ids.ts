/** Ids that a page names in one query, as `ids=cs_1,cs_2`: what is shown beside the rows of a list. */
import { Type } from 'typebox';
import { couldBeId } from '../../../src/kernel/id.ts';

/** As many as a page of a list has rows. */
export const idsMax = 100;
/** Longer than any id of ours, with its comma. */
const idCharacters = 65;

export const idsQuery = Type.Object({ ids: Type.String({ maxLength: idsMax * idCharacters }) });

/** Each once, without what is no id of this prefix and without those beyond `idsMax`. */
export const idsIn = (text: string, prefix: string): readonly string[] =>
  [...new Set(text.split(','))].filter((id) => couldBeId(prefix, id)).slice(0, idsMax);
