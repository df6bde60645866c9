/** The part of the store's contract about searches for a tag. Each test has a tag of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { after, collections, docOf, freshScope, putAll, rowOf, save, saveAll } from './store-samples.ts';
import type { MakeStore } from './store.contract.ts';
import type { Doc, Store, Tagged, TagQuery } from '../../src/store/store.ts';

export function storeTaggedContract(makeStore: MakeStore): void {
  describe('searches for a tag', () => {
    let store: Store;
    let made = 0;
    beforeAll(async () => {
      store = await makeStore(collections);
    });
    afterAll(() => store.close());

    const freshTag = (): string => `ref=${++made}`;
    const find = async (given: Pick<TagQuery, 'tag'> & Partial<TagQuery>): Promise<readonly Tagged[]> => {
      const found = await store.newestTagged({ kind: 'parcel', from: 0, scopes: null, limit: 10, ...given });
      return found.toSorted((a, b) => (a.scope < b.scope ? -1 : 1));
    };
    const at = ({ scope, id, created }: Doc, only = true): Tagged => ({ scope, id, created, only });

    test('one per scope, the newest; ties by id, the greatest', async () => {
      const [tag, one, two] = [freshTag(), freshScope(), freshScope()];
      const older = [5, 9].map((created) => docOf({ scope: one, created, tags: [tag] }));
      const first = docOf({ scope: one, created: 9, tags: [tag] });
      const other = docOf({ scope: one, created: 11, tags: ['ref=other'] });
      const second = docOf({ scope: two, created: 3, tags: [tag] });
      await saveAll(store, [...older, first, other, second]);
      expect(await find({ tag })).toEqual([at(first, false), at(second)]);
      const later = await find({ tag, from: 9 });
      expect(later).toEqual([at(first, false)]);
      expect(await find({ tag: freshTag() })).toEqual([]);
    });

    test('from a given time on; a scope whose records are all older is not found', async () => {
      const [tag, old, both] = [freshTag(), freshScope(), freshScope()];
      await saveAll(store, [
        docOf({ scope: old, created: 10, tags: [tag] }),
        docOf({ scope: both, created: 10, tags: [tag] }),
      ]);
      const young = docOf({ scope: both, created: 20, tags: [tag] });
      await save(store, young);
      expect(await find({ tag, from: 20 })).toEqual([at(young)]);
      expect(await find({ tag, from: 21 })).toEqual([]);
      expect((await find({ tag, from: 10 })).map(({ only }) => only)).toEqual([true, false]);
    });

    test('in the requested scopes only, up to the limit', async () => {
      const [tag, scopes] = [freshTag(), Array.from({ length: 7 }, freshScope)];
      const docs = scopes.flatMap((scope) => [
        docOf({ scope, created: 1, tags: [tag] }),
        docOf({ scope, created: 2, tags: [tag] }),
      ]);
      await saveAll(store, docs);
      const newest = docs.filter(({ created }) => created === 2).map((doc) => at(doc, false));
      expect(await find({ tag })).toEqual(newest);
      expect(await find({ tag, scopes: scopes.slice(2, 4) })).toEqual(newest.slice(2, 4));
      expect(await find({ tag, scopes: [freshScope()] })).toEqual([]);
      expect(await find({ tag, scopes: [] })).toEqual([]);
      for (const limit of [1, 2, 3, 6, 7]) {
        const found = await find({ tag, limit });
        expect(found).toHaveLength(limit);
        expect(newest).toEqual(expect.arrayContaining([...found]));
      }
    });

    test('reflects the changes of a document; deleted ones and other kinds are not found', async () => {
      const [tag, doc] = [freshTag(), docOf()];
      await save(store, doc);
      expect(await find({ tag })).toEqual([]);
      const tagged = after(doc, { tags: [tag] });
      await save(store, tagged);
      await save(store, docOf({ kind: 'courier', tags: [tag] }));
      await putAll(store, [rowOf({ tags: [tag] })]);
      expect(await find({ tag })).toEqual([at(doc)]);
      await save(store, after(tagged, { gone: true, body: null, tags: [] }));
      expect(await find({ tag })).toEqual([]);
    });

    test('finds rows alike', async () => {
      const [tag, row] = [freshTag(), rowOf({ created: 8 })];
      await putAll(store, [{ ...row, tags: [tag] }, rowOf({ created: 7, scope: row.scope, tags: [tag] })]);
      expect(await find({ kind: 'label', tag })).toEqual([
        { scope: row.scope, id: row.id, created: 8, only: false },
      ]);
      await putAll(store, [{ ...row, v: 2, gone: true, tags: [] }]);
      expect((await find({ kind: 'label', tag })).map(({ created }) => created)).toEqual([7]);
    });

    test.each([
      'ref=.*',
      'ref=^',
      '$where',
      'ref=\u0000nul',
      "ref=' OR 1=1 --",
      'ref=भुक्तानी',
      'ref={"$gt":""}',
      'ref=%_',
    ])('a tag is text and nothing else: %j', async (tag) => {
      const [doc, near] = [docOf({ tags: [tag] }), docOf({ tags: [`${tag}x`, 'ref=plain'] })];
      await saveAll(store, [doc, near]);
      expect(await find({ tag })).toEqual([at(doc)]);
    });

    test('in one scope from the oldest on, page by page; ties by id', async () => {
      const [tag, scope] = [freshTag(), freshScope()];
      const docs = [7, 3, 7, 1, 9].map((created) => docOf({ scope, created, tags: [tag] }));
      await saveAll(store, [...docs, docOf({ created: 2, tags: [tag] }), docOf({ scope, created: 4 })]);
      const query = { kind: 'parcel', scope, tag } as const;
      const oldest = docs
        .map(({ created, id }) => ({ created, id }))
        .toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
      expect(await store.oldestTagged({ ...query, limit: 10 })).toEqual(oldest);
      expect(await store.oldestTagged({ ...query, limit: 2 })).toEqual(oldest.slice(0, 2));
      for (const [at, after] of oldest.entries())
        expect(await store.oldestTagged({ ...query, after, limit: 2 })).toEqual(oldest.slice(at + 1, at + 3));
      const [first] = docs;
      if (first !== undefined) await save(store, after(first, { tags: [] }));
      expect(await store.oldestTagged({ ...query, limit: 10 })).toEqual(
        oldest.filter(({ id }) => id !== first?.id),
      );
      expect(await store.oldestTagged({ ...query, tag: freshTag(), limit: 10 })).toEqual([]);
    });
  });
}
