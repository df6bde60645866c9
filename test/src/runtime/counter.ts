/** A small actor for the runtime's own tests: counts, tells a peer, emits an event, wakes itself, runs an effect. */
import { actor, address, type Address } from '../../../src/runtime/model/actor.ts';

export interface CounterCommands {
  open: Record<string, never>;
  add: { readonly by: number };
  addTo: { readonly peer: string; readonly by: number };
  announce: Record<string, never>;
  wakeIn: { readonly ms: number };
  woken: { readonly key: string };
  fetch: { readonly n: number };
  fetched: { readonly got: number };
  /** Reads outside, beside an event when `announced`. */
  look: { readonly n: number; readonly announced?: boolean };
  post: CounterPost;
  explode: Record<string, never>;
  no: Record<string, never>;
  close: Record<string, never>;
}

interface CounterPost {
  readonly lane: string;
  readonly key: string;
  readonly order: number;
}

interface Counter {
  state: {
    readonly status: 'open';
    readonly count: number;
    readonly woken: number;
    readonly sequence: number;
  };
  terminal: never;
  commands: CounterCommands;
  effects: { fetch: { readonly n: number }; post: CounterPost; look: { readonly n: number } };
}

export const counterAt = (id: string): Address<CounterCommands> => address('counter', id);

export const counter = actor<Counter>('counter', 'cnt', {
  schema: 1,
  on: {
    open: {
      by: 'merchant',
      creates: (_c, x) => x.become('open', { count: 0, woken: 0, sequence: 1 }),
      _any: (_s, _c, x) => x.ok({ already: true }),
    },
    add: {
      by: ['merchant', 'system'],
      _any: (s, c, x) =>
        x
          .become('open', { ...s, count: s.count + c.by, sequence: s.sequence + 1 })
          .answer({ count: s.count + c.by }),
    },
    addTo: { by: 'merchant', _any: (_s, c, x) => x.stay().tell(counterAt(c.peer), 'add', { by: c.by }) },
    announce: {
      by: 'merchant',
      _any: (s, _c, x) => x.stay().event('counter.announced', { id: x.id, sequence: s.sequence }),
    },
    wakeIn: { by: 'merchant', _any: (_s, c, x) => x.stay().timer('wake', x.now + c.ms) },
    woken: {
      by: 'system',
      _any: (s, _c, x) => x.become('open', { ...s, woken: s.woken + 1, sequence: s.sequence + 1 }),
    },
    fetch: { by: 'merchant', _any: (_s, c, x) => x.stay().effect('fetch', { n: c.n }) },
    fetched: {
      by: 'system',
      _any: (s, c, x) => x.become('open', { ...s, count: s.count + c.got, sequence: s.sequence + 1 }),
    },
    look: {
      by: 'merchant',
      _any: (s, c, x) => {
        const next = x.become('open', { ...s, count: s.count + 1, sequence: s.sequence + 1 });
        const told =
          c.announced === true ? next.event('counter.announced', { id: x.id, sequence: s.sequence }) : next;
        return told.effect('look', { n: c.n });
      },
    },
    post: {
      by: 'merchant',
      _any: (_s, c, x) => x.stay().effect('post', c, { lane: c.lane, key: c.key, order: c.order }),
    },
    explode: {
      by: 'merchant',
      _any: () => {
        throw new Error('boom');
      },
    },
    no: { by: 'merchant', _any: (_s, _c, x) => x.refuse('no') },
    close: { by: 'merchant', _any: (_s, _c, x) => x.delete() },
  },
  effects: {
    fetch: { result: 'fetched', mode: 'atLeastOnce', unknown: () => ({ got: 0 }) },
    post: { result: 'fetched', mode: 'atLeastOnce', unknown: () => ({ got: 0 }) },
    look: { result: 'fetched', mode: 'read', unknown: () => ({ got: 0 }) },
  },
  timers: { wake: 'woken' },
  view: (s, meta) => ({ id: meta.id, count: s.count, woken: s.woken, sequence: s.sequence }),
  rows: (s, meta) => [
    {
      kind: 'count',
      id: `row_${meta.id.slice(4)}`,
      sequence: s.sequence,
      createdAt: meta.createdAt,
      tags: [],
      body: { id: meta.id, count: s.count } as { id: string },
    },
  ],
});
