/** The part of the store's contract about removing what is too old. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  after,
  collections,
  docDue,
  docOf,
  entryOf,
  freshScope,
  idsOf,
  putAll,
  queryOf,
  rowOf,
  save,
  saveAll,
} from './store-samples.ts';
import type { MakeStore } from './store.contract.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Doc, PurgeQuery, Row, Store } from '../../src/store/store.ts';

export function storePurgeContract(makeStore: MakeStore): void {
  let store: Store;
  beforeAll(async () => {
    store = await makeStore(collections);
  });
  afterAll(() => store.close());

  const purge = (scope: Scope, given: Partial<PurgeQuery> = {}) =>
    store.purge({ kind: 'parcel', scope, before: 2000, limit: 10, ...given });
  const parcelsOf = async (scope: Scope): Promise<readonly string[]> =>
    idsOf(await store.listDocs(queryOf({ scope })));
  const labelsOf = async (scope: Scope, kind = 'label'): Promise<readonly string[]> =>
    idsOf(await store.listRows(queryOf({ scope, kind })));
  const docsAt = (scope: Scope, ...created: readonly number[]): readonly Doc[] =>
    created.map((at) => docOf({ scope, created: at }));

  describe('purge', () => {
    test('the oldest go first, at most as many as asked for, and it says whether there may be more', async () => {
      const scope = freshScope();
      const [c, a, b] = docsAt(scope, 1200, 1000, 1100);
      await saveAll(store, [c, a, b] as Doc[]);
      expect(await purge(scope, { limit: 2 })).toEqual({ removed: 2, ids: [a?.id, b?.id], more: true });
      expect(await parcelsOf(scope)).toEqual([c?.id]);
      expect(await purge(scope, { limit: 2 })).toMatchObject({ removed: 1, more: false });
      expect(await purge(scope, { limit: 2 })).toMatchObject({ removed: 0, more: false });
      expect(await store.read('parcel', a?.id ?? '')).toBeNull();
    });

    test('the given instant itself is young enough, and other scopes and kinds are not touched', async () => {
      const [scope, other] = [freshScope(), freshScope()];
      const young = docOf({ scope, created: 2000 });
      const [theirs, courier] = [docOf({ scope: other }), docOf({ scope, kind: 'courier' })];
      await saveAll(store, [young, theirs, courier, docOf({ scope, created: 1999 })]);
      expect(await purge(scope)).toMatchObject({ removed: 1, more: false });
      expect(await parcelsOf(scope)).toEqual([young.id]);
      expect(await parcelsOf(other)).toEqual([theirs.id]);
      expect(await store.read('courier', courier.id)).not.toBeNull();
    });

    test('a document with a timer or with something to send stays, however old, until it is at rest', async () => {
      const scope = freshScope();
      const [due, busy, rests] = [docDue([9000], { scope }), docOf({ scope, busy: true }), docOf({ scope })];
      await saveAll(store, [due, busy, rests]);
      expect(await purge(scope, { limit: 1 })).toMatchObject({ removed: 1, more: true });
      expect(await purge(scope, { limit: 1 })).toMatchObject({ removed: 0, more: false });
      expect([...(await parcelsOf(scope))].toSorted()).toEqual([due.id, busy.id].toSorted());
      await save(store, after(busy, { busy: false }));
      expect(await purge(scope)).toMatchObject({ removed: 1, more: false });
    });

    test('a writer that still holds a removed document cannot bring it back, and its id can be used again', async () => {
      const scope = freshScope();
      const doc = docOf({ scope });
      await save(store, doc);
      await save(store, after(doc));
      await purge(scope);
      expect(await save(store, after(after(doc)))).toEqual({ is: 'stale' });
      expect(await store.read('parcel', doc.id)).toBeNull();
      expect(await save(store, docOf({ id: doc.id, scope, created: 5000 }))).toEqual({ is: 'applied' });
      expect(await parcelsOf(scope)).toEqual([doc.id]);
    });

    test('rows go with their tags and may be written again', async () => {
      const scope = freshScope();
      const [old, young] = [
        rowOf({ scope, tags: ['order=1', 'shop=पसल'], once: true }),
        rowOf({ scope, tags: ['order=1'], created: 2500 }),
      ] as const;
      await putAll(store, [old, young]);
      expect(await purge(scope, { kind: 'label' })).toMatchObject({ removed: 1, more: false });
      expect(await store.readRow('label', old.id)).toBeNull();
      const tagged = await store.listRows(queryOf({ scope, kind: 'label', tags: ['order=1'] }));
      expect(tagged).toMatchObject({ total: 1, items: [{ id: young.id }] });
      await putAll(store, [old]);
      expect(await labelsOf(scope)).toEqual([young.id, old.id]);
    });

    test('one value of an indexed field: the others stay', async () => {
      const scope = freshScope();
      const row = (status: string | null, created: number): Row =>
        rowOf({ scope, created, body: { id: 'x', status } });
      const rows = [row('raw', 1000), row('kept', 1001), row(null, 1002), row('raw', 1003), row('raw', 3000)];
      await putAll(store, rows);
      const only = { field: 'status', value: 'raw' };
      expect(await purge(scope, { kind: 'label', only, limit: 2 })).toMatchObject({ removed: 2, more: true });
      expect(await purge(scope, { kind: 'label', only, limit: 2 })).toMatchObject({
        removed: 0,
        more: false,
      });
      expect(await labelsOf(scope)).toEqual([rows[4]?.id, rows[2]?.id, rows[1]?.id]);
    });

    test('a journal loses only its beginning, even when a later entry is older', async () => {
      const scope = freshScope();
      const at = [1000, 1001, 3000, 1500];
      await putAll(
        store,
        at.map((created, index) => entryOf(scope, index + 1, { created })),
      );
      expect(await purge(scope, { kind: 'journal' })).toMatchObject({ removed: 2, more: false });
      const left = await store.journalAfter(scope, 0, 10);
      expect(left.map(({ body }) => body['pos'])).toEqual([3, 4]);
      expect(await purge(scope, { kind: 'journal', before: 4000, limit: 1 })).toMatchObject({
        removed: 1,
        more: true,
      });
      await putAll(store, [entryOf(scope, 5)]);
      expect((await store.journalAfter(scope, 3, 10)).map(({ body }) => body['pos'])).toEqual([4, 5]);
    });

    test('tombstones go by the age of their last commit, and only when they are asked for', async () => {
      const scope = freshScope();
      const doc = docOf({ scope, created: 100, tags: ['order=1'] });
      await save(store, doc);
      const gone = after(doc, { gone: true, body: null, at: 1500, tags: [] });
      await save(store, gone);
      expect(await purge(scope)).toMatchObject({ removed: 0, more: false });
      expect(await purge(scope, { gone: true, before: 1500 })).toMatchObject({ removed: 0, more: false });
      expect(await store.read('parcel', doc.id)).toMatchObject({ gone: true });
      expect(await purge(scope, { gone: true })).toMatchObject({ removed: 1, more: false });
      expect(await store.read('parcel', doc.id)).toBeNull();
    });

    test('a kind without a record in this scope is nothing to do', async () => {
      expect(await purge(freshScope(), { kind: 'timeline' })).toMatchObject({ removed: 0, more: false });
      expect(await purge(freshScope(), { kind: 'journal' })).toMatchObject({ removed: 0, more: false });
    });
  });
}
