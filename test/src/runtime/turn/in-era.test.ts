/** A document that goes on after restores: its keys, its rows of `out`, and what stays as it was. */
import { expect, test } from 'vitest';
import { actor, address, type ActorTypes } from '../../../../src/runtime/model/actor.ts';
import { eraOfQ, ofEra, raised, type EraBegun } from '../../../../src/runtime/model/era.ts';
import { given } from '../../../support/simulated/test-runner.ts';

interface Counting extends ActorTypes {
  state: { readonly status: 'on'; readonly sequence: number };
  terminal: never;
  commands: { begin: object; count: object; look: object };
  effects: Record<never, never>;
}

const counting = actor<Counting>('counting', 'cn', {
  schema: 1,
  on: {
    begin: { by: 'system', creates: (_c, x) => x.become('on', { sequence: 1 }), _any: (_s, _c, x) => x.ok() },
    count: {
      by: 'system',
      _any: (s, _c, x) =>
        x
          .become('on', { sequence: s.sequence + 1 })
          .event('counted', { id: x.id, sequence: s.sequence + 1 })
          .tell(address<Counting['commands']>('counting', x.id), 'look', {}),
    },
    look: { by: 'system', _any: (_s, _c, x) => x.ok() },
  },
  effects: {},
  timers: {},
  restored: raised,
  view: ({ sequence }, { id }) => ({ id, sequence }),
});

const era = (n: number): EraBegun => ({ era: n, backupAt: 0, restoredAt: 1, highest: {} });
const id = 'cn_n5y5kc7txbgmy7rz22b0c1r5';
const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' as const;
const story = () => given(counting, { id, scope }).when('begin', {}).when('count', {});
const eventsOf = ({ doc }: ReturnType<typeof story>) =>
  (doc?.out ?? []).filter((row) => row.type === 'event');

test('the same turn gives another event id and another number of its row in a new era', () => {
  const lost = story().when('count', {});
  const again = Object.assign(story(), { eras: [era(1)] }).when('count', {});
  const [[known, , gone], [same, fresh]] = [eventsOf(lost), eventsOf(again)];
  expect(gone).toBeUndefined();
  expect(same).toEqual(known);
  const [, before] = eventsOf(lost);
  expect(before?.eseq).toBe(2);
  expect(fresh?.eseq).toBe(1_000_002);
  expect(fresh?.eventId).not.toBe(before?.eventId);
  expect([before, fresh].map((row) => eraOfQ(row?.q ?? -1))).toEqual([0, 1]);
  expect(again.state.sequence).toBe(1_000_003);
});

test('a document enters an era once, with its next commit, and skips those in which it was not changed', () => {
  const restored = Object.assign(story(), { eras: [era(1), era(2)] });
  const before = restored.doc;
  restored.when('look', {});
  expect(restored.doc).toBe(before);
  restored.when('count', {}).when('count', {});
  expect(restored.state.sequence).toBe(2_000_004);
  expect(eraOfQ(restored.doc?.oq ?? 0)).toBe(2);
});

test('an actor that is created in an era has keys of that era', () => {
  const fresh = Object.assign(given(counting, { id, scope }), { eras: [era(1)] });
  fresh.when('begin', {}).when('count', {});
  expect(eventsOf(fresh)[0]?.eseq).toBe(1_000_001);
});

test('era 0 adds nothing to what an id is derived from', () => {
  expect(ofEra(['a'], [])).toEqual(['a']);
  expect(ofEra(['a'], [era(1)])).toEqual(['a', 'era 1']);
});
