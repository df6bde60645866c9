/** A counter as an actor, for the bench alone: the smallest durable thing that has one writer. */
import { actor, address, type Address } from '../src/runtime/model/actor.ts';

interface CounterCommands {
  add: { readonly by: number };
}

interface Counter {
  state: { readonly status: 'open'; readonly count: number };
  terminal: never;
  commands: CounterCommands;
  effects: Record<never, never>;
}

export const counterAt = (id: string): Address<CounterCommands> => address('counter', id);

export const counter = actor<Counter>('counter', 'cnt', {
  schema: 1,
  on: {
    add: {
      by: 'merchant',
      creates: (c, x) => x.become('open', { count: c.by }).answer({ count: c.by }),
      open: (s, c, x) => x.become('open', { count: s.count + c.by }).answer({ count: s.count + c.by }),
    },
  },
  effects: {},
  timers: {},
  view: (s, { id }) => ({ id, count: s.count }),
});
