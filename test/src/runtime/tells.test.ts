/** What happens to a refused tell. */
import { expect, test } from 'vitest';
import { given } from '../../support/simulated/test-runner.ts';
import { scopeOf } from '../../../src/runtime/model/address.ts';
import { runTurn } from '../../../src/runtime/turn/turn.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { tally, tallyAt } from '../../simulation/tally.ts';

const who = { id: 'tly_ab1', scope: scopeOf('prj_aa00000000000000000000aa', 'live') };
const other = 'tly_ab2';

const told = () => given(tally, who).when('open', {}).when('passIfOdd', { op: 'one', to: other });

test('a refusal returns as the command that the sender named, with all its data', () => {
  const story = told().refuse('receiveIfOdd', 'even', { entries: 2 });
  expect(story.last.outcome).toMatchObject({ is: 'ok' });
  expect(story.state.entries).toEqual(['one', 'returned:one:even']);
});

test('the commit that handles a refusal removes the row: a second time it changes nothing', () => {
  const story = told();
  const [row] = story.tells;
  expect(row).toMatchObject({ to: `tally/${other}`, command: 'receiveIfOdd', refused: 'returned' });
  story.refuse('receiveIfOdd', 'even');
  expect(story.doc?.out.some(({ q }) => q === row?.q)).toBe(false);
  expect(() => story.refuse('receiveIfOdd', 'even')).toThrow('is pending');
});

test('a refused tell without such a command is only cleared', () => {
  const story = given(tally, who).when('open', {}).when('pass', { op: 'one', to: other });
  expect(story.tells[0]).not.toHaveProperty('refused');
});

test('only a command that accepts a refusal can be named', () => {
  const sendsWrongly: (x: Parameters<NonNullable<(typeof tally)['on']['open']['creates']>>[1]) => unknown = (
    x,
  ) =>
    // @ts-expect-error `add` takes an op, not a refusal
    x.stay().tell(tallyAt(other), 'receive', { op: 'a', from: 'b' }, { refused: 'add' });
  expect(sendsWrongly).toBeTypeOf('function');
});

test('a refusal for a deleted actor leaves nothing in its out', () => {
  const story = given(tally, who)
    .when('open', {})
    .when('ring', { op: 'one', mode: 'again' })
    .when('remove', {});
  const [row] = story.pending;
  const { next, answers } = runTurn(
    tally as unknown as AnyActor,
    who.id,
    story.doc,
    [
      {
        to: tallyAt(who.id),
        command: 'rung',
        data: { op: 'one', answer: 'rung 1' },
        by: 'system',
        scope: who.scope,
        deadline: Infinity,
        settles: row?.q ?? 0,
      },
    ],
    {
      realNow: story.now,
      clockNow: () => story.now,
      epoch: 1,
      readByAll: Infinity,
      notesTogether: true,
      placesEvents: false,
      stamp: false,
      tok: 't',
      rowsInCommit: true,
      alone: true,
      eras: [],
      settled: new Set(),
      envelopeText: () => '',
      throws: () => 1,
      onThrow: () => undefined,
    },
  );
  expect(answers).toEqual([{ is: 'refused', code: 'not_found', detail: {} }]);
  expect(next?.gone).toBe(true);
  expect(next?.out.some(({ type }) => type === 'effect')).toBe(false);
});
