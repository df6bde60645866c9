/** The tally's next version, for clusters in which two versions live side by side. It also remembers which of its entries
 *  are loud; the version before has no place for that, so while it lives no loud entry is made by this one.
 *  Boundary: the same table of commands, around another state. */
import type { Actor, Json, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { tally, type Tally, type TallyState } from './tally.ts';

/** Ops with this in their name are loud. */
export const loud = 'loud';

interface NextState extends TallyState {
  readonly loud: readonly string[];
}

type Cell = (state: TallyState, command: never, x: Turn<Tally>) => Verdict;

/** What a transition of the version before leaves out. */
function remembering(known: readonly string[], x: Turn<Tally>): Turn<Tally> {
  const wrapped = Object.create(x) as Turn<Tally>;
  wrapped.become = (status, data) => {
    const op = data.entries.at(-1) ?? '';
    const next = op.includes(loud) && !known.includes(op) ? [...known, op] : known;
    return x.become(status, { ...data, loud: next } as never);
  };
  return wrapped;
}

const commands = Object.entries(tally.on).map(([name, row]) => {
  const { by, creates, open } = row as {
    readonly by: unknown;
    readonly creates?: (command: never, x: Turn<Tally>) => Verdict;
    readonly open: Cell;
  };
  const made = creates && ((command: never, x: Turn<Tally>) => creates(command, remembering([], x)));
  const cell = (state: NextState, command: never, x: Turn<Tally>): Verdict =>
    open(state, command, remembering(state.loud, x));
  return [name, { by, open: cell, ...(made && { creates: made }) }];
});

export const nextTally = {
  ...tally,
  schema: 2,
  upcast: (body: Json) => ({ ...(body as unknown as TallyState), loud: [] }),
  downcast: ({ loud: _loud, ...state }: NextState) => state as unknown as Json,
  on: Object.fromEntries(commands) as never,
} as unknown as Actor;
