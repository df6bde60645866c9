/** Rows of the timeline: the notes of one transition.
 *  1. A row is listed under the object its first note is about; the others follow in `more`. A row with one note has
 *     the form it always had.
 *  2. Notes that hold the answer of a provider have rows of their own: they are removed earlier than others.
 *  3. Notes about two objects are two rows, so that each object's timeline finds them. Notes about the actor itself
 *     go with another one of their transition: a session has no timeline of its own. */
import type { Row } from '../../store/store.ts';
import { answerKinds, type Json, type Note } from './actor.ts';

/** A note as it is stored. `eseq` rises with each note and event of an actor. */
export type StoredNote = Required<Note> & { readonly eseq: number };

export const storedNote = (
  { about, kind, summary, from = null, to = null, cause = null, durationMs = null, detail = {} }: Note,
  eseq: number,
): StoredNote => ({ about, eseq, kind, summary, from, to, cause, durationMs, detail });

/** The notes of one transition, row by row. */
export function byRow(notes: readonly StoredNote[], actorId: string): readonly (readonly StoredNote[])[] {
  const rows: StoredNote[][] = [];
  for (const note of notes) {
    const row = rows.find(([first]) => first !== undefined && goTogether(first, note, actorId));
    if (row === undefined) rows.push([note]);
    else row.push(note);
  }
  return rows;
}

const goTogether = (first: StoredNote, note: StoredNote, actorId: string): boolean =>
  isAnswer(first) === isAnswer(note) && (note.about === first.about || note.about === actorId);

const isAnswer = ({ kind }: StoredNote): boolean => answerKinds.includes(kind);

/** The body of a row with these notes. */
export function bodyOf([first, ...more]: readonly StoredNote[]): Row['body'] {
  return { ...first, ...(more.length === 0 ? {} : { more: more as unknown as Json }) };
}

/** Every note of a row, in the order of their transition. */
export function notesIn({ body }: Pick<Row, 'body'>): readonly StoredNote[] {
  const { more = [], ...first } = body as unknown as StoredNote & { readonly more?: readonly StoredNote[] };
  return [first, ...more];
}
