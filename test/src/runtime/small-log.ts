/** An event log with the shape of the real one, for tests that must not depend on it. */
import { actor } from '../../../src/runtime/actor.ts';
import type { EventLogCommands, EventLogState } from '../../../actors/event-log/messages.ts';

interface Log {
  state: EventLogState;
  terminal: never;
  commands: EventLogCommands;
  effects: Record<never, never>;
}

export const eventLog = actor<Log>('event_log', '', {
  schema: 1,
  on: {
    append: {
      by: 'system',
      creates: (c, x) => {
        const change = x.become('open', { pos: c.events.length, dispatched: 0 });
        for (const [at, event] of c.events.entries()) change.journal({ ...event, pos: at + 1 });
        return change;
      },
      _any: (s, c, x) => {
        const change = x.become('open', { ...s, pos: s.pos + c.events.length });
        for (const [at, event] of c.events.entries()) change.journal({ ...event, pos: s.pos + at + 1 });
        return change;
      },
    },
    dispatchedTo: { by: 'system', _any: (s, c, x) => x.become('open', { ...s, dispatched: c.pos }) },
  },
  effects: {},
  unfinished: ({ pos, dispatched }) => dispatched < pos,
  timers: {},
  view: (s) => s,
});
