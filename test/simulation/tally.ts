/** An actor made to be checked: it only appends, so its state is the order in which commands were executed.
 *  Every command carries an `op` of its own; an `op` twice in `entries` was applied twice. */
import {
  actor,
  address,
  addressText,
  type Actor,
  type Address,
  type TellRefused,
  type Turn,
  type Verdict,
} from '../../src/runtime/model/actor.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';

export const tallyAt = (id: string): Address<TallyCommands> => address('tally', id);

/** Ops with this in their name make the tally that meets them throw. */
export const poison = 'poison';

/** The alarm that `postpone` moves; it may ring many times. */
export const sharedAlarm = 'shared';

/** `look`: a bell that is only looked at. */
export type RingMode = 'again' | 'once' | 'look';

export interface TallyCommands {
  open: Record<string, never>;
  add: { readonly op: string };
  /** Refused while the number of entries is even. */
  addIfOdd: { readonly op: string };
  explode: { readonly op: string };
  /** Tells another tally to receive. */
  pass: { readonly op: string; readonly to: string };
  receive: { readonly op: string; readonly from: string };
  /** Tells another tally to receive, which refuses while its number of entries is even. */
  passIfOdd: { readonly op: string; readonly to: string };
  receiveIfOdd: { readonly op: string; readonly from: string };
  returned: TellRefused;
  ring: { readonly op: string; readonly mode: RingMode };
  rung: { readonly op: string; readonly answer: string };
  wait: { readonly op: string; readonly ms: DurationMs };
  /** Moves the one alarm all share. */
  postpone: { readonly op: string; readonly ms: DurationMs };
  woke: { readonly key: string };
  remove: Record<string, never>;
}

export interface TallyEffects {
  'bell.again': { readonly op: string };
  'bell.once': { readonly op: string };
  'bell.look': { readonly op: string };
}

export interface TallyState {
  readonly status: 'open';
  readonly entries: readonly string[];
  readonly updatedAt: Instant;
  /** When each alarm was to ring, for the checker. */
  readonly alarms: { readonly [op: string]: Instant };
}

export interface Tally {
  state: TallyState;
  terminal: never;
  commands: TallyCommands;
  effects: TallyEffects;
}

const viewOf = (id: string, { entries, updatedAt }: TallyState) => ({
  id,
  entries: [...entries],
  sequence: entries.length,
  updatedAt,
});

/** The next state with one entry more, told to everyone: an event and a note. */
function appended(s: TallyState, entry: string, x: Turn<Tally>, alarms = s.alarms) {
  const next = withEntry(s, entry, x, alarms);
  return x
    .become('open', next)
    .event('tally.appended', viewOf(x.id, { status: 'open', ...next }))
    .note({ about: x.id, kind: 'transition', summary: entry })
    .answer({ place: s.entries.length });
}

/** Without an event: only what a turn reads is sent, so that it stays open for the result. */
const looked = (s: TallyState, op: string, x: Turn<Tally>) =>
  x
    .become('open', withEntry(s, op, x))
    .note({ about: x.id, kind: 'transition', summary: op })
    .answer({ place: s.entries.length })
    .effect('bell.look', { op });

const withEntry = (s: TallyState, entry: string, { now }: Turn<Tally>, alarms = s.alarms) => ({
  entries: [...s.entries, entry],
  updatedAt: now,
  alarms,
});

export const tally: Actor<Tally> = actor<Tally>('tally', 'tly', {
  schema: 1,
  on: {
    open: {
      by: 'merchant',
      creates: (_c, x) => x.become('open', { entries: [], updatedAt: x.now, alarms: {} }),
      open: (_s, _c, x) => x.ok(),
    },
    add: { by: 'merchant', open: (s, c, x) => appended(s, c.op, x) },
    addIfOdd: {
      by: 'merchant',
      open: (s, c, x): Verdict =>
        s.entries.length % 2 === 1 ? appended(s, c.op, x) : x.refuse('even', { entries: s.entries.length }),
    },
    explode: {
      by: 'merchant',
      open: (_s, c) => {
        throw new Error(`as asked: ${c.op}`);
      },
    },
    pass: {
      by: 'merchant',
      open: (s, c, x) =>
        appended(s, c.op, x).tell(tallyAt(c.to), 'receive', { op: c.op, from: addressText(tallyAt(x.id)) }),
    },
    receive: {
      by: 'system',
      open: (s, c, x) => appended(s, defused(`received:${c.op}:${c.from}`), x),
    },
    passIfOdd: {
      by: 'merchant',
      open: (s, c, x) => {
        const data = { op: c.op, from: addressText(tallyAt(x.id)) };
        return appended(s, c.op, x).tell(tallyAt(c.to), 'receiveIfOdd', data, { refused: 'returned' });
      },
    },
    receiveIfOdd: {
      by: 'system',
      open: (s, c, x): Verdict =>
        s.entries.length % 2 === 1
          ? appended(s, defused(`received:${c.op}:${c.from}`), x)
          : x.refuse('even', { entries: s.entries.length }),
    },
    returned: {
      by: 'system',
      open: (s, { data, code }, x) => {
        const { op } = data as { readonly op: string };
        return appended(s, defused(`returned:${op}:${code}`), x);
      },
    },
    ring: {
      by: 'merchant',
      open: (s, c, x) =>
        c.mode === 'look' ? looked(s, c.op, x) : appended(s, c.op, x).effect(`bell.${c.mode}`, { op: c.op }),
    },
    rung: { by: 'system', open: (s, c, x) => appended(s, defused(`rung:${c.op}:${c.answer}`), x) },
    wait: {
      by: 'merchant',
      open: (s, c, x) =>
        appended(s, c.op, x, { ...s.alarms, [c.op]: x.now + c.ms }).timer(`alarm/${c.op}`, x.now + c.ms),
    },
    postpone: {
      by: 'merchant',
      open: (s, c, x) => {
        const alarms = { ...s.alarms, [`${sharedAlarm}@${s.entries.length}`]: x.now + c.ms };
        return appended(s, c.op, x, alarms).timer(`alarm/${sharedAlarm}`, x.now + c.ms);
      },
    },
    woke: {
      by: 'system',
      open: (s, c, x) => {
        const which = c.key === sharedAlarm ? `@${s.entries.length}` : '';
        return appended(s, defused(`woke:${c.key}${which}`), x);
      },
    },
    remove: { by: 'merchant', open: (_s, _c, x) => x.delete() },
  },
  effects: {
    'bell.again': { result: 'rung', mode: 'atLeastOnce', unknown: ({ op }) => ({ op, answer: 'unknown' }) },
    'bell.once': { result: 'rung', mode: 'atMostOnce', unknown: ({ op }) => ({ op, answer: 'unknown' }) },
    'bell.look': { result: 'rung', mode: 'read', unknown: ({ op }) => ({ op, answer: 'unknown' }) },
  },
  timers: { alarm: 'woke' },
  view: (state, meta) => viewOf(meta.id, state),
  rows: (state, meta) => {
    const row = (which: string, sequence: number) => ({
      kind: 'tally_part',
      id: `tlp_${meta.id.slice(4)}${which}`,
      sequence,
      createdAt: meta.createdAt,
      tags: [],
      body: { id: `tlp_${meta.id.slice(4)}${which}`, sequence },
    });
    return [row('a', state.entries.length), row('b', Math.floor(state.entries.length / 3))];
  },
});

/** Throws on a poisoned entry. */
function defused(entry: string): string {
  if (entry.includes(poison)) throw new Error(`poisoned: ${entry}`);
  return entry;
}
