/** The half of the store's contract that timers and the outbox live on: due, countTimers, busy. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  after,
  collections,
  docDue,
  docOf,
  freshClock,
  freshId,
  freshScope,
  save,
  saveAll,
} from './store-samples.ts';
import type { MakeStore } from './store.contract.ts';
import type { Doc, Store } from '../../src/store/store.ts';

/** Far before the instants of every other test, so that a scan over all clocks meets these first. */
const longAgo = -1_000_000;

export function storeDueContract(makeStore: MakeStore): void {
  let store: Store;
  beforeAll(async () => {
    store = await makeStore(collections);
  });
  afterAll(() => store.close());

  describe('timers', () => {
    test('due actors are returned earliest first, ties by id, of every kind, the given instant included', async () => {
      const clock = freshClock();
      const [id1, id2, id3] = [freshId('x'), freshId('x'), freshId('x')];
      await saveAll(store, [
        docDue([50], { clock, id: id3 }),
        docDue([50, 90], { clock, id: id1, kind: 'courier' }),
        docDue([40], { clock, id: id2 }),
        docDue([51], { clock }),
        docDue([], { clock }),
      ]);
      const expected = [
        { kind: 'parcel', id: id2, wake: 40 },
        { kind: 'courier', id: id1, wake: 50 },
        { kind: 'parcel', id: id3, wake: 50 },
      ];
      expect(await store.due({ clock, until: 50, limit: 10 })).toEqual(expected);
      expect(await store.due({ clock, until: 50, limit: 2 })).toEqual(expected.slice(0, 2));
      expect(await store.due({ clock, until: 39, limit: 10 })).toEqual([]);
    });

    test('without a clock, all clocks and real time are scanned together', async () => {
      const real = docDue([longAgo + 2]);
      const tested = docDue([longAgo + 1], { clock: freshClock() });
      await saveAll(store, [real, tested]);
      const due = await store.due({ until: longAgo + 2, limit: 10 });
      expect(due.map((one) => one.id)).toEqual([tested.id, real.id]);
    });

    test('a query for slots returns only actors in these slots', async () => {
      const clock = freshClock();
      const [low, high] = [
        docDue([10], { clock, slot: 7, busy: true }),
        docDue([20], { clock, slot: 900, busy: true }),
      ];
      await saveAll(store, [low, high, docDue([30], { clock, slot: 8, busy: true })]);
      const slots = [
        { from: 4, to: 8 },
        { from: 900, to: 904 },
      ];
      const due = await store.due({ clock, slots, until: 50, limit: 10 });
      expect(due.map((one) => one.id)).toEqual([low.id, high.id]);
      const busy = await store.busy({ clock, slots, limit: 10 });
      expect(busy.map((one) => one.id)).toEqual([low.id, high.id]);
      expect(await store.due({ clock, slots: [], until: 50, limit: 10 })).toEqual([]);
    });

    test('a moved timer is due at its new instant only, a removed or deleted one never', async () => {
      const clock = freshClock();
      const dueAt10 = () => docDue([10], { clock });
      const [moved, removed, deleted] = [dueAt10(), dueAt10(), dueAt10()];
      await saveAll(store, [moved, removed, deleted]);
      await saveAll(store, [
        after(moved, { timers: [{ name: 'tick/0', gen: 2, at: 30 }], wake: 30 }),
        after(removed, { timers: [], wake: null }),
        after(deleted, { gone: true, body: null, timers: [], wake: null }),
      ]);
      expect(await store.due({ clock, until: 29, limit: 10 })).toEqual([]);
      const due = await store.due({ clock, until: 30, limit: 10 });
      expect(due).toEqual([{ kind: 'parcel', id: moved.id, wake: 30 }]);
    });

    test("the timers of a clock are counted, not the actors, and no other clock's", async () => {
      const clock = freshClock();
      const doc = docDue([10, 20, 30], { clock });
      await saveAll(store, [
        doc,
        docDue([5], { clock, kind: 'courier' }),
        docDue([5], { clock: freshClock() }),
        docDue([5]),
      ]);
      expect(await store.countTimers(clock)).toBe(4);
      await save(store, after(doc, { timers: doc.timers.slice(1), wake: 20 }));
      expect(await store.countTimers(clock)).toBe(3);
      expect(await store.countTimers(freshClock())).toBe(0);
    });
  });

  describe('busy actors', () => {
    test('are returned by kind and id, page after page', async () => {
      const clock = freshClock();
      const ids = [freshId('x'), freshId('x'), freshId('x')] as const;
      await saveAll(store, [
        docOf({ clock, id: ids[2], busy: true }),
        docOf({ clock, id: ids[0], busy: true }),
        docOf({ clock, id: ids[1], kind: 'courier', busy: true }),
        docOf({ clock, busy: false }),
        docOf({ clock: freshClock(), busy: true }),
      ]);
      const all = [
        { kind: 'courier', id: ids[1] },
        { kind: 'parcel', id: ids[0] },
        { kind: 'parcel', id: ids[2] },
      ];
      expect(await store.busy({ clock, limit: 10 })).toEqual(all);
      expect(await store.busy({ clock, limit: 2 })).toEqual(all.slice(0, 2));
      for (const [index, last] of all.entries()) {
        expect(await store.busy({ clock, after: last, limit: 10 })).toEqual(all.slice(index + 1));
      }
    });

    test('of all clocks are returned together, real time too', async () => {
      const mine = [docOf({ busy: true, scope: freshScope() }), docOf({ busy: true, clock: freshClock() })];
      await saveAll(store, mine);
      const met = [];
      let page = await store.busy({ limit: 2 });
      for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
        met.push(...page.map((one) => one.id));
        page = await store.busy({ after: last, limit: 2 });
      }
      for (const doc of mine) expect(met.filter((id) => id === doc.id)).toHaveLength(1);
      expect(new Set(met).size).toBe(met.length);
    });

    test('are no longer returned when their outbox is empty', async () => {
      const clock = freshClock();
      const doc = docOf({ clock, busy: true });
      await save(store, doc);
      await save(store, after(doc, { busy: false }));
      expect(await store.busy({ clock, limit: 10 })).toEqual([]);
    });
  });

  describe('documents that are settled', () => {
    const out: Doc['out'] = [
      {
        q: 1,
        type: 'event',
        eseq: 1,
        eventId: 'evt_1',
        event: 'x',
        objectId: 'o',
        envelope: '{"busy":true}',
        at: 5,
      },
    ];

    test('are not busy any more, and nothing else of them changes', async () => {
      const clock = freshClock();
      const [doc, other] = [docOf({ clock, busy: true, out }), docOf({ clock, busy: true, out })];
      await saveAll(store, [doc, other]);
      await store.settle([doc]);
      expect(await store.busy({ clock, limit: 10 })).toEqual([{ kind: other.kind, id: other.id }]);
      expect(await store.read(doc.kind, doc.id)).toEqual({ ...doc, busy: false });
      expect(await store.read(other.kind, other.id)).toEqual(other);
    });

    test('are settled in the version that is named, and in no other', async () => {
      const clock = freshClock();
      const doc = docOf({ clock, busy: true, out });
      const next = after(doc, { out: [...out, ...out] });
      await save(store, doc);
      await save(store, next);
      await store.settle([doc, { kind: doc.kind, id: freshId('pcl'), v: 1 }]);
      expect(await store.busy({ clock, limit: 10 })).toHaveLength(1);
      expect(await store.read(doc.kind, doc.id)).toEqual(next);
    });

    test('are busy again with their next version, as often as it says so', async () => {
      const clock = freshClock();
      const doc = docOf({ clock, busy: true, out });
      await save(store, doc);
      await store.settle([doc]);
      const next = after(doc, { out });
      await save(store, next);
      expect(await store.busy({ clock, limit: 10 })).toHaveLength(1);
      expect(await store.read(doc.kind, doc.id)).toEqual(next);
      await store.settle([next]);
      await store.settle([next]);
      expect(await store.busy({ clock, limit: 10 })).toEqual([]);
      const last = after(next, { out: [], busy: false });
      await save(store, last);
      expect(await store.read(doc.kind, doc.id)).toEqual(last);
    });

    test('of several kinds are settled together, and none is nothing', async () => {
      const clock = freshClock();
      const docs = [docOf({ clock, busy: true, out }), docOf({ clock, busy: true, out, kind: 'courier' })];
      await saveAll(store, docs);
      await store.settle([]);
      expect(await store.busy({ clock, limit: 10 })).toHaveLength(2);
      await store.settle(docs);
      expect(await store.busy({ clock, limit: 10 })).toEqual([]);
    });

    test('are removed when they are too old, as those without anything in their outbox', async () => {
      const scope = freshScope();
      const doc = docOf({ scope, busy: true, out, created: 1000 });
      await save(store, doc);
      const purge = { kind: doc.kind, scope, before: 2000, limit: 10 };
      expect(await store.purge(purge)).toMatchObject({ removed: 0 });
      await store.settle([doc]);
      expect(await store.purge(purge)).toMatchObject({ removed: 1 });
      expect(await store.read(doc.kind, doc.id)).toBeNull();
    });
  });
}
