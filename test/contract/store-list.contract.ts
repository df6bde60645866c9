/** The half of the store's contract about lists: filters, order, pages, totals, and the journal. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  after,
  collections,
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
import type { Doc, ListQuery, Store, SumQuery } from '../../src/store/store.ts';

type Filter = Pick<ListQuery, 'equals' | 'anyOf' | 'range' | 'tags' | 'tagPrefix'>;

/** Oldest to newest; the lists below name them by letter, newest first. */
const letters = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const bodies: Readonly<Record<(typeof letters)[number], NonNullable<Doc['body']>>> = {
  a: { status: 'open', grams: 100, fragile: true, note: null, colour: 'red' },
  b: { status: 'open', grams: 250, fragile: false, note: 'x', colour: 'blue' },
  c: { status: 'sent', grams: 250.5, fragile: true, note: '', colour: 'red' },
  d: { status: 'sent', grams: '300', fragile: 1, colour: null },
  e: { status: 'lost', grams: null, fragile: 'true', note: 'null', colour: { deep: 'red' } },
  f: { status: 'lost', grams: -5, fragile: null, note: ['x'], colour: 7 },
};
const tagsOf: Readonly<Record<string, readonly string[]>> = {
  a: ['order=1', 'shop=पसल'],
  b: ['order=1'],
  c: ['order=2', 'shop=पसल', 'size=l'],
  d: ['order=10'],
  e: [],
  f: ['ORDER=1'],
};

/** Title, filter, and the letters that match. Run for documents and for rows alike. */
const filters: readonly (readonly [string, Filter, string])[] = [
  ['no filter lists all of the scope', {}, 'fedcba'],
  ['equals a text', { equals: { status: 'open' } }, 'ba'],
  ['equals a number, never its text', { equals: { grams: 250 } }, 'b'],
  ['equals a text, never its number', { equals: { grams: '300' } }, 'd'],
  ['a number text equals no number', { equals: { grams: '250' } }, ''],
  ['equals true, not 1 and not "true"', { equals: { fragile: true } }, 'ca'],
  ['equals false, not null', { equals: { fragile: false } }, 'b'],
  ['equals 1, not true', { equals: { fragile: 1 } }, 'd'],
  ['equals null: null or not there', { equals: { note: null } }, 'da'],
  ['equals the empty text', { equals: { note: '' } }, 'c'],
  ['the text null is not null', { equals: { note: 'null' } }, 'e'],
  ['two fields at once', { equals: { status: 'sent', fragile: true } }, 'c'],
  ['fields that nobody has match null', { equals: { nothing: null, status: 'open' } }, 'ba'],
  ['a field without an index', { equals: { colour: 'red' } }, 'ca'],
  ['a number in a field without an index', { equals: { colour: 7 } }, 'f'],
  ['null in a field without an index', { equals: { colour: null } }, 'd'],
  ['any of several texts', { anyOf: { status: ['open', 'lost'] } }, 'feba'],
  ['any of one text named twice', { anyOf: { status: ['sent', 'sent'] } }, 'dc'],
  ['any of none matches nothing', { anyOf: { status: [] } }, ''],
  ['any of, in a field without an index', { anyOf: { colour: ['blue', 'red'] } }, 'cba'],
  ['any of and equals together', { anyOf: { status: ['open', 'sent'] }, equals: { grams: 250.5 } }, 'c'],
  ['numbers from inclusive to exclusive', { range: [{ field: 'grams', from: 100, to: 250.5 }] }, 'ba'],
  ['numbers from', { range: [{ field: 'grams', from: 250 }] }, 'cb'],
  ['numbers up to', { range: [{ field: 'grams', to: 250 }] }, 'fa'],
  ['a range of texts holds no number', { range: [{ field: 'grams', from: '0' }] }, 'd'],
  ['texts up to', { range: [{ field: 'note', to: 'x' }] }, 'ec'],
  ['a range without ends holds all', { range: [{ field: 'grams' }] }, 'fedcba'],
  ['a range in a field without an index', { range: [{ field: 'colour', from: 'c' }] }, 'ca'],
  ['created from inclusive to exclusive', { range: [{ field: 'created', from: 2, to: 4 }] }, 'dc'],
  ['created from, and a field', { range: [{ field: 'created', from: 1 }], equals: { status: 'open' } }, 'b'],
  [
    'two ranges',
    {
      range: [
        { field: 'grams', from: 0 },
        { field: 'created', to: 1 },
      ],
    },
    'a',
  ],
  ['a tag, whole and exact', { tags: ['order=1'] }, 'ba'],
  ['every one of two tags', { tags: ['order=1', 'shop=पसल'] }, 'a'],
  ['every one of three tags', { tags: ['order=2', 'shop=पसल', 'size=l'] }, 'c'],
  ['tags that exist, but nobody has all of them', { tags: ['order=1', 'shop=पसल', 'size=l'] }, ''],
  ['one tag named twice', { tags: ['order=2', 'order=2'] }, 'c'],
  ['a tag nobody has', { tags: ['order=3'] }, ''],
  ['a tag and a field', { tags: ['shop=पसल'], equals: { status: 'sent' } }, 'c'],
  [
    'a tag, a range and any of',
    { tags: ['order=1'], range: [{ field: 'created', from: 1 }], anyOf: { status: ['open'] } },
    'b',
  ],
  ['the beginning of a tag', { tagPrefix: 'order=1' }, 'dba'],
  ['the beginning of several tags of one record: it is there once', { tagPrefix: 's' }, 'ca'],
  ['the whole of a tag', { tagPrefix: 'order=10' }, 'd'],
  ['a beginning in another script', { tagPrefix: 'shop=प' }, 'ca'],
  ['a beginning in upper case is another one', { tagPrefix: 'ORDER' }, 'f'],
  ['the end of a tag is no beginning', { tagPrefix: 'rder=1' }, ''],
  ['more than a tag is no beginning', { tagPrefix: 'order=100' }, ''],
  ['no bound of one tag with another of another tag', { tagPrefix: 'shoq' }, ''],
  ['a beginning and a field', { tagPrefix: 'order=', equals: { status: 'sent' } }, 'dc'],
  ['a beginning and a tag', { tagPrefix: 'order=', tags: ['shop=पसल'] }, 'ca'],
  ['a beginning and a range', { tagPrefix: 'order=', range: [{ field: 'created', from: 1, to: 3 }] }, 'cb'],
  ['the empty beginning: all that have a tag', { tagPrefix: '' }, 'fdcba'],
];

export function storeListContract(makeStore: MakeStore): void {
  let store: Store;
  let scope: Scope;
  let other: Scope;
  beforeAll(async () => {
    store = await makeStore(collections);
    scope = freshScope();
    other = freshScope();
    for (const at of [scope, other]) {
      await saveAll(
        store,
        letters.map((letter, created) =>
          docOf({
            id: `pcl_${at}_${letter}`,
            scope: at,
            created,
            body: bodies[letter],
            tags: tagsOf[letter] ?? [],
          }),
        ),
      );
      await putAll(
        store,
        letters.map((letter, created) =>
          rowOf({
            id: `lbl_${at}_${letter}`,
            scope: at,
            created,
            body: bodies[letter],
            tags: tagsOf[letter] ?? [],
          }),
        ),
      );
    }
  });
  afterAll(() => store.close());

  const lettersOf = (ids: readonly string[]): string => ids.map((id) => id.slice(-1)).join('');

  test('a list by another field than creation: the newest first, ties by id, page by page, without those that lack it', async () => {
    const at = freshScope();
    const moments = ['3', '1', null, '2', '2', '2', '9'];
    await putAll(
      store,
      moments.map((sentAt, n) =>
        rowOf({
          id: `lbl_${at}_${n}`,
          scope: at,
          created: 100 - n * (n % 3),
          body: { sentAt, status: 'open' },
        }),
      ),
    );
    const pageOf = async (page: number, filter: Filter = {}): Promise<string> => {
      const range = [{ field: 'sentAt', from: '1', to: '9' }];
      const query = { kind: 'label', scope: at, page, limit: 2, range, newestBy: 'sentAt', ...filter };
      const listed = await store.listRows(queryOf(query));
      expect(listed.total).toBe(5);
      return idsOf(listed)
        .map((id) => id.slice(-1))
        .join('');
    };
    for (const filter of [{}, { equals: { status: 'open' } }])
      expect([await pageOf(1, filter), await pageOf(2, filter), await pageOf(3, filter)]).toEqual([
        '05',
        '43',
        '1',
      ]);
  });

  describe.each(['documents', 'rows'] as const)('lists of %s', (of) => {
    const list = async (query: Partial<ListQuery> & { scope: Scope | null }) =>
      of === 'documents'
        ? store.listDocs(queryOf({ kind: 'parcel', ...query }))
        : store.listRows(queryOf({ kind: 'label', ...query }));

    test.each(filters)('%s', async (_title, filter, matching) => {
      const listed = await list({ scope, ...filter });
      expect(lettersOf(idsOf(listed))).toBe(matching);
      expect(listed.total).toBe(matching.length);
      const counted = await list({ scope, ...filter, page: 7 });
      expect(counted).toEqual({ items: [], total: matching.length });
    });

    test('each filter also works across scopes', async () => {
      for (const [, filter, matching] of filters) {
        const everywhere = await list({ scope: null, ...filter });
        const here = idsOf(everywhere).filter((id) => id.includes(scope));
        expect(lettersOf(here)).toBe(matching);
        expect(everywhere.total).toBeGreaterThanOrEqual(2 * matching.length);
      }
    });

    test('listed items are complete', async () => {
      const listed = await list({ scope, equals: { grams: 100 } });
      const [item] = listed.items;
      expect(item).toEqual(
        of === 'documents'
          ? await store.read('parcel', item?.id ?? '')
          : await store.readRow('label', item?.id ?? ''),
      );
    });

    test('a list never contains items of another scope', async () => {
      const ids = idsOf(await list({ scope: other }));
      expect(ids).toHaveLength(letters.length);
      expect(ids.every((id) => id.includes(other))).toBe(true);
      expect(await list({ scope: freshScope() })).toEqual({ items: [], total: 0 });
    });

    test('pages cut the list without gap or overlap, and each tells the whole total', async () => {
      const pages = [];
      for (let page = 1; page <= 4; page++) {
        const listed = await list({ scope, page, limit: 2 });
        expect(listed.total).toBe(letters.length);
        pages.push(lettersOf(idsOf(listed)));
      }
      expect(pages).toEqual(['fe', 'dc', 'ba', '']);
    });

    test.each(["status' OR 1=1 --", '$.status', 'a.b', '', '__proto__', '1st', 'भुक्तानी'])(
      'a field called %j is refused',
      async (field) => {
        await expect(list({ scope, equals: Object.fromEntries([[field, 'x']]) })).rejects.toThrow();
        await expect(list({ scope, anyOf: Object.fromEntries([[field, ['x']]]) })).rejects.toThrow();
        await expect(list({ scope, range: [{ field, from: 1 }] })).rejects.toThrow();
      },
    );

    test('a field named like an inherited property of objects counts as absent', async () => {
      expect((await list({ scope, equals: { constructor: 'x' } })).total).toBe(0);
      expect((await list({ scope, equals: { toString: null } })).total).toBe(letters.length);
    });
  });

  describe('what lists reflect', () => {
    test('equal instants are ordered by id, the greatest first', async () => {
      const at = freshScope();
      const docs = Array.from({ length: 5 }, () => docOf({ scope: at, created: 7 }));
      await saveAll(store, docs.toReversed());
      const listed = await store.listDocs(queryOf({ scope: at }));
      expect(idsOf(listed)).toEqual(docs.map((doc) => doc.id).toReversed());
    });

    test('a list reflects changes of its documents: fields, tags and all', async () => {
      const doc = docOf({ tags: ['order=1', 'old=1'], body: { status: 'open', grams: 1 } });
      await save(store, doc);
      await save(store, after(doc, { tags: ['order=1', 'new=1'], body: { status: 'sent', grams: 2 } }));
      const total = async (filter: Filter) =>
        (await store.listDocs(queryOf({ scope: doc.scope, ...filter }))).total;
      expect(await total({ equals: { status: 'open' } })).toBe(0);
      expect(await total({ equals: { status: 'sent', grams: 2 } })).toBe(1);
      expect(await total({ range: [{ field: 'grams', to: 2 }] })).toBe(0);
      expect(await total({ tags: ['old=1'] })).toBe(0);
      expect(await total({ tags: ['new=1', 'order=1'] })).toBe(1);
    });

    test('a list reflects changes of its rows', async () => {
      const row = rowOf({ tags: ['old=1'], body: { status: 'open' } });
      await putAll(store, [row]);
      await putAll(store, [{ ...row, v: 2, tags: ['new=1'], body: { status: 'sent' } }]);
      const total = async (filter: Filter) =>
        (await store.listRows(queryOf({ kind: 'label', scope: row.scope, ...filter }))).total;
      expect(await total({ equals: { status: 'open' } })).toBe(0);
      expect(await total({ equals: { status: 'sent' }, tags: ['new=1'] })).toBe(1);
      expect(await total({ tags: ['old=1'] })).toBe(0);
    });
  });

  describe('sums of rows', () => {
    const sumOf = (given: Partial<SumQuery> & { scope: Scope | null }) =>
      store.sumRows({ kind: 'label', sumOf: 'grams', ...given });
    const numbersIn = (matching: string): readonly number[] =>
      letters
        .filter((letter) => matching.includes(letter))
        .map((letter) => bodies[letter]['grams'])
        .filter((grams) => typeof grams === 'number');

    test.each(filters)('%s', async (_title, filter, matching) => {
      const sum = numbersIn(matching).reduce((a, b) => a + b, 0);
      expect(await sumOf({ scope, ...filter })).toEqual({ count: matching.length, sum });
    });

    test('work across scopes, and in an empty scope', async () => {
      const everywhere = await sumOf({ scope: null, tags: ['order=1'] });
      expect(everywhere.count).toBeGreaterThanOrEqual(4);
      expect(everywhere.sum).toBeGreaterThanOrEqual(700);
      expect(await sumOf({ scope: freshScope() })).toEqual({ count: 0, sum: 0 });
    });

    test('a field without numbers adds nothing, a field name that is not a plain word is refused', async () => {
      expect(await sumOf({ scope, sumOf: 'note' })).toEqual({ count: letters.length, sum: 0 });
      expect(await sumOf({ scope, sumOf: 'constructor' })).toEqual({ count: letters.length, sum: 0 });
      for (const field of ["grams') FROM docs --", '$.grams', 'a.b', '', '1st'])
        await expect(sumOf({ scope, sumOf: field })).rejects.toThrow();
    });

    test('are exact far above 32 bits, and reflect changes and deletions', async () => {
      const at = freshScope();
      const big = rowOf({ scope: at, body: { grams: 9_000_000_000_001 } });
      const other = rowOf({ scope: at, body: { grams: 9_000_000_000_002 } });
      await putAll(store, [big, other]);
      expect(await sumOf({ scope: at })).toEqual({ count: 2, sum: 18_000_000_000_003 });
      await putAll(store, [{ ...big, v: 2, body: { grams: 1 } }]);
      expect(await sumOf({ scope: at })).toEqual({ count: 2, sum: 9_000_000_000_003 });
      await putAll(store, [{ ...other, v: 2, gone: true }]);
      expect(await sumOf({ scope: at })).toEqual({ count: 1, sum: 1 });
    });
  });

  describe('the journal', () => {
    test('is listed by position, newest first, whatever its instants and ids are', async () => {
      const at = freshScope();
      await putAll(
        store,
        [1, 2, 3, 10, 20].map((pos) => entryOf(at, pos, { created: 1000 - pos })),
      );
      const listed = await store.listRows(queryOf({ kind: 'journal', scope: at }));
      expect(listed.items.map((row) => row.body['pos'])).toEqual([20, 10, 3, 2, 1]);
      expect(listed.total).toBe(5);
    });

    test('is filtered by type, object and instant, still by position', async () => {
      const at = freshScope();
      await putAll(
        store,
        [1, 2, 3, 4].map((pos) =>
          entryOf(at, pos, {
            created: pos % 2,
            body: { pos, type: pos < 3 ? 'parcel.sent' : 'parcel.lost', objectId: `pcl_${pos}` },
          }),
        ),
      );
      const places = async (filter: Filter) =>
        (await store.listRows(queryOf({ kind: 'journal', scope: at, ...filter }))).items.map(
          (row) => row.body['pos'],
        );
      expect(await places({ anyOf: { type: ['parcel.sent', 'x'] } })).toEqual([2, 1]);
      expect(await places({ equals: { objectId: 'pcl_3' } })).toEqual([3]);
      expect(await places({ range: [{ field: 'created', from: 1 }] })).toEqual([3, 1]);
      expect(await places({ range: [{ field: 'created', to: 1 }], equals: { type: 'parcel.lost' } })).toEqual(
        [4],
      );
    });

    test('is read forward from a position, up to a limit, within one scope', async () => {
      const at = freshScope();
      const entries = [5, 1, 3, 9, 7].map((pos) => entryOf(at, pos));
      await putAll(store, [...entries, entryOf(freshScope(), 4), rowOf({ scope: at, body: { pos: 6 } })]);
      const places = async (from: number, limit: number) =>
        (await store.journalAfter(at, from, limit)).map((row) => row.body['pos']);
      expect(await places(0, 10)).toEqual([1, 3, 5, 7, 9]);
      expect(await places(3, 2)).toEqual([5, 7]);
      expect(await places(9, 10)).toEqual([]);
      expect((await store.journalAfter(at, 8, 1))[0]).toEqual(entries[3]);
    });

    test('an entry written again keeps its position', async () => {
      const at = freshScope();
      await putAll(store, [entryOf(at, 1), entryOf(at, 2)]);
      const again = { ...entryOf(at, 1), v: 5, body: { pos: 3, type: 'parcel.sent', objectId: 'x' } };
      await putAll(store, [again]);
      expect((await store.journalAfter(at, 0, 10)).map((row) => row.body['pos'])).toEqual([1, 2]);
    });
  });
}
