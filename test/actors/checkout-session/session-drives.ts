/** Drives the tables of docs/reference/session-states.md at the actor. */
import { expect, test } from 'vitest';
import { isOfThePages, statesPage } from '../../support/session-states.ts';
import { tableIn } from '../../support/tables.ts';
import {
  comesBack,
  declines,
  lookupsInFlight,
  pay,
  pollsNow,
  running,
  seconds,
  type SessionStory,
} from './buyer.ts';
import { cellOf } from './session-cells.ts';

/** One cell: what leads to it, and the trigger. `about`: the attempt the trigger is about. */
export interface Driven {
  readonly story: SessionStory;
  readonly about: number;
  readonly trigger: (story: SessionStory) => unknown;
}
export type Drive<Column extends string> = (column: Column) => Driven;

/** Drives every cell of a table; what it ends as stands in the page. */
export function drives<Column extends string>(
  heading: string,
  triggers: { readonly [row: string]: Drive<Column> },
): void {
  const { columns, rows } = tableIn(statesPage, heading);
  const own = rows.filter(({ name, cells }) => cells.some((cell) => !isOfThePages(name, cell)));

  test('every row of the page is driven, and no other', () => {
    expect(Object.keys(triggers)).toEqual(own.map(({ name }) => name));
  });

  for (const { name, cells } of own) {
    const drive = triggers[name];
    if (drive === undefined) continue;
    for (const [at, cell] of cells.entries()) {
      if (isOfThePages(name, cell)) continue;
      const column = columns[at] as Column;
      test(`${name}, ${column}: ${cell}`, () => {
        const { story, about, trigger } = drive(column);
        expect(cellOf(story, about, trigger)).toBe(cell);
      });
    }
  }
}

/** The number of the latest attempt. */
export const latestOf = ({ state }: SessionStory): number => state.payments.length;

/** The next answer about attempt n is to a look-up on its way. */
export function looked(story: SessionStory, n: number): SessionStory {
  const isAsked = (): boolean => lookupsInFlight(story).some(({ paymentId }) => paymentId === pay(n));
  if (!isAsked()) {
    const runs = story.state.status === 'initiated' && n === latestOf(story);
    if (runs) pollsNow(story, n);
    else comesBack(story.wait(seconds(2)), n);
  }
  expect(isAsked(), `a look-up of attempt ${n}`).toBe(true);
  return story;
}

/** So many attempts, each of them declined. */
export const declined = (story: SessionStory, attempts: number): SessionStory => {
  for (let n = 1; n <= attempts; n++) declines(running(story, n), n);
  return story;
};
