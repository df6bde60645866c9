/** The single order of all events of a project and mode.
 *  L1. Positions rise without end. An event sent twice keeps its first position (its row is insert-only),
 *      which leaves a gap; so do reserved positions that were not used. `pos` is the highest that was given away.
 *  L2. `dispatched` and `published` only rise: repeating work is harmless, skipping it is not. Only
 *      `republish` starts again, when other systems have lost everything that was published: a new round,
 *      in which reports of an older round are ignored, however late they arrive.
 *  Schema 2 adds `published`; a log of schema 1 had no bus to publish to. */
import { actor, eraStep, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import type { EventLogCommands, EventLogState, EventLogTypes } from './messages.ts';

export const eventLog = actor<EventLogTypes>('event_log', '', {
  schema: 2,
  deferrable: true,
  upcast: (body) => {
    const { pos, dispatched } = body as unknown as EventLogState;
    return { status: 'open', pos, dispatched, published: dispatched };
  },
  downcast: ({ status, pos, dispatched }) => ({ status, pos, dispatched }),
  on: {
    append: {
      by: 'system',
      creates: (c, x) => append(empty(x), c, x),
      _any: append,
    },
    reserve: {
      by: 'system',
      creates: (c, x) => reserve(empty(x), c, x),
      _any: reserve,
    },
    handledTo: {
      by: 'system',
      _any: (s, c, x) => {
        const dispatched = Math.max(s.dispatched, Math.min(c.dispatched, s.pos));
        const ofThisRound = (c.round ?? 0) === (s.round ?? 0);
        const published = ofThisRound ? Math.max(s.published, Math.min(c.published, s.pos)) : s.published;
        if (dispatched === s.dispatched && published === s.published) return x.ok();
        return x.become('open', { ...s, dispatched, published });
      },
    },
    republish: {
      by: 'system',
      // also when nothing is saved yet: events may already have been published
      _any: (s, _c, x) => x.become('open', { ...s, published: 0, round: (s.round ?? 0) + 1 }),
    },
  },
  effects: {},
  // a gap is harmless
  restored: (s, { length }) => ({ ...s, pos: s.pos + length * eraStep }),
  logCursors: ({ pos, dispatched, published, round = 0 }) => ({ pos, dispatched, published, round }),
  unfinished: ({ pos, dispatched }) => dispatched < pos,
  tags: ({ pos, published }) => (published < pos ? ['unpublished'] : []),
  timers: {},
  view: ({ pos, dispatched, published }, { id }) => ({ id, pos, dispatched, published }),
});

const empty = ({ eras: { length } }: Turn<EventLogTypes>): EventLogState => ({
  status: 'open',
  pos: length * eraStep,
  dispatched: 0,
  published: 0,
});

function append(s: EventLogState, { events }: EventLogCommands['append'], x: Turn<EventLogTypes>): Verdict {
  const change = x.become('open', { ...s, pos: s.pos + events.length });
  for (const [index, event] of events.entries()) change.journal({ ...event, pos: s.pos + 1 + index });
  return change;
}

/** Positions up to `end` are the caller's: what it does not use stays a gap. */
function reserve(s: EventLogState, { count }: EventLogCommands['reserve'], x: Turn<EventLogTypes>): Verdict {
  const pos = s.pos + count;
  return x.become('open', { ...s, pos }).answer({ end: pos });
}
