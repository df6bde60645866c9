/** The one order of all events of a project and mode (engine 7).
 *  L1. Places rise without end; an event told twice keeps its first (its row is written once): a gap follows.
 *  L2. `dispatched` only rises: doing a dispatch again is harmless, skipping one is not. */
import { actor, type Turn, type Verdict } from '../../src/runtime/actor.ts';
import type { EventLogCommands, EventLogState, EventLogTypes } from './messages.ts';

export const eventLog = actor<EventLogTypes>('event_log', '', {
  schema: 1,
  on: {
    append: {
      by: 'system',
      creates: (c, x) => append({ status: 'open', pos: 0, dispatched: 0 }, c, x),
      _any: append,
    },
    dispatchedTo: {
      by: 'system',
      _any: (s, { pos }, x) => {
        const dispatched = Math.min(pos, s.pos);
        return dispatched > s.dispatched ? x.become('open', { ...s, dispatched }) : x.ok();
      },
    },
  },
  effects: {},
  unfinished: ({ pos, dispatched }) => dispatched < pos,
  timers: {},
  view: ({ pos, dispatched }, { id }) => ({ id, pos, dispatched }),
});

function append(s: EventLogState, { events }: EventLogCommands['append'], x: Turn<EventLogTypes>): Verdict {
  const change = x.become('open', { ...s, pos: s.pos + events.length });
  for (const [index, event] of events.entries()) change.journal({ ...event, pos: s.pos + 1 + index });
  return change;
}
