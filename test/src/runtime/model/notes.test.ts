/** Which notes share a row, and that no reader sees a difference. */
import { describe, expect, test } from 'vitest';
import { retention } from '../../../../src/compose/collections.ts';
import { answerKinds, type AnyActor, type Note } from '../../../../src/runtime/model/actor.ts';
import { bodyOf, byRow, notesIn, storedNote } from '../../../../src/runtime/model/notes.ts';
import { emptyDoc, WorkingDoc } from '../../../../src/runtime/turn/working-doc.ts';
import { Draft } from '../../../../src/runtime/turn/draft.ts';
import { counter } from '../counter.ts';

const session = 'cs_aba';
const note = (about: string, kind: Note['kind'], eseq: number) =>
  storedNote({ about, kind, summary: `${kind} ${eseq}` }, eseq);

describe('notes of one transition', () => {
  test('about one object, and about the actor itself, are one row', () => {
    const notes = [
      note('pay_1', 'buyer_return', 1),
      note('pay_1', 'transition', 2),
      note(session, 'transition', 3),
    ];
    expect(byRow(notes, session)).toEqual([notes]);
  });

  test('the answer of a provider has a row of its own, because it is removed earlier', () => {
    const notes = [note('pay_1', 'poll', 1), note('pay_1', 'transition', 2), note(session, 'transition', 3)];
    expect(byRow(notes, session).map((row) => row.map(({ eseq }) => eseq))).toEqual([[1], [2, 3]]);
    const removed = retention.flatMap(({ kind, only }) => (kind === 'timeline' ? [only?.value] : []));
    expect(removed).toEqual(answerKinds);
  });

  test('about two objects are two rows: each is found by its own', () => {
    const notes = [note('pay_1', 'transition', 1), note('pay_2', 'transition', 2), note('pay_1', 'note', 3)];
    expect(byRow(notes, session).map((row) => row.map(({ eseq }) => eseq))).toEqual([[1, 3], [2]]);
  });
});

test('a row is read as the notes that were written, and one note has the form it always had', () => {
  const notes = [note('pay_1', 'transition', 1), note(session, 'transition', 2)];
  expect(notesIn({ body: bodyOf(notes) })).toEqual(notes);
  const [alone = note('', 'note', 0)] = notes;
  expect(bodyOf([alone])).toEqual({ ...alone });
  expect(notesIn({ body: { ...alone } })).toEqual([alone]);
});

test('while a node lives that reads one note a row, each note is a row', () => {
  const rowsOf = (notesTogether: boolean) => {
    const work = new WorkingDoc(
      counter as unknown as AnyActor,
      emptyDoc(counter as unknown as AnyActor, session, 'prj_a:live', 0),
    );
    const draft = new Draft({ status: 'open' });
    for (const kind of ['buyer_return', 'transition'] as const)
      draft.note({ about: 'pay_1', kind, summary: kind });
    work.apply(draft, 5, {
      realNow: 5,
      envelopeText: () => '',
      notesTogether,
      placesEvents: false,
      settled: new Set(),
    });
    const stamp = { epoch: 1, readByAll: 1, tok: 't', realNow: 5, rowsInCommit: true, alone: true };
    return work.finish({ ...stamp, settled: new Set() }).rows;
  };
  expect(rowsOf(true).map(({ id }) => id)).toEqual([`counter/${session}:1`]);
  const each = rowsOf(false);
  expect(each.map(({ id }) => id)).toEqual([`counter/${session}:1`, `counter/${session}:2`]);
  expect(each.flatMap(notesIn)).toEqual(rowsOf(true).flatMap(notesIn));
  for (const { body } of each) expect(body).not.toHaveProperty('more');
});
