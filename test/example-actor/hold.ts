/** One item kept for one buyer until he buys it or his time is over.
 *  H1. It is bought once, and only before `until`. */
import { actor } from '../../src/runtime/model/actor.ts';
import { iso } from '../../src/kernel/time.ts';
import type { Kind } from '../../actors/kind.ts';
import type { Hold } from './messages.ts';

export const hold = actor<Hold>('hold', 'hld', {
  schema: 1,
  on: {
    open: {
      by: 'merchant',
      creates: ({ item, until }, x) => x.become('held', { item, until, sequence: 1 }).timer('end', until),
      // a repeat finds it made
      _any: (_s, _c, x) => x.ok(),
    },
    buy: {
      by: 'buyer',
      held: (s, _c, x) =>
        x.become('bought', { ...s, boughtAt: x.now, sequence: s.sequence + 1 }).noTimer('end'),
      bought: (_s, _c, x) => x.ok(),
      lapsed: (s, _c, x) => x.refuse('invalid_state', { currentStatus: s.status }),
    },
    lapse: {
      by: 'system',
      held: (s, _c, x) => x.become('lapsed', { ...s, sequence: s.sequence + 1 }),
      _terminal: (_s, _c, x) => x.ok(),
    },
  },
  effects: {},
  timers: { end: 'lapse' },
  view: (s, { id }) => ({ id, item: s.item, status: s.status, until: iso(s.until), sequence: s.sequence }),
});

export const holdKind = { actor: hold } as const satisfies Kind;
