/** The half of the store's contract about writing and reading back: versions, epochs, tombstones, rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  after,
  collections,
  docOf,
  first,
  freshId,
  freshScope,
  idsOf,
  putAll,
  queryOf,
  rowOf,
  save,
  saveAll,
  saveSurely,
  writeOf,
} from './store-samples.ts';
import type { MakeStore } from './store.contract.ts';
import { readManyMax, type Doc, type Row, type Store } from '../../src/store/store.ts';

const devanagari = 'नेपाल: भुक्तानी सफल भयो — रु १,२५,०००.०० ✓ 🏔️';
const hostile: Doc['body'] = {
  status: 'open',
  metadata: {
    $: 1,
    '.': 2,
    '$.status': 'x',
    'a.b': 'dots',
    "'; DROP TABLE docs; --": 'sql',
    '"': 'quote',
    '': 'empty',
    constructor: 'c',
    lone: '\ud800',
    nul: 'a\u0000b',
    ...JSON.parse('{"__proto__":{"polluted":true}}'),
  },
};

export function storeWriteContract(makeStore: MakeStore): void {
  let store: Store;
  beforeAll(async () => {
    store = await makeStore(collections);
  });
  afterAll(() => store.close());

  describe('documents', () => {
    test('a created document reads back complete, and shares no object', async () => {
      const doc = docOf({
        clock: 'prj_x',
        slot: 7,
        v: 1,
        e: 3,
        sv: 2,
        at: 1_763_600_000_123,
        created: 1_763_600_000_000,
        tags: ['order=1', 'shop=a'],
        body: { status: 'open', deep: { list: [1, 'two', null, false, { x: 0.5 }] } },
        seen: [['n:a', 3, 5, [[4, 'ok', 1, { ids: ['pay_1'] }]]]],
        out: [{ q: 1, type: 'effect', kind: 'call', data: { n: 1 }, tries: 0, at: 9, lane: 'l', order: 2 }],
        oq: 1,
        eseq: 4,
        timers: [{ name: 'expiry', gen: 2, at: 99 }],
        wake: 99,
        busy: true,
      });
      expect(await save(store, doc)).toEqual({ is: 'applied' });
      const read = await store.read(doc.kind, doc.id);
      expect(read).toEqual(doc);
      expect(read).not.toBe(doc);
      expect(read?.body).not.toBe(doc.body);
    });

    test('what was never written is null, whatever its id', async () => {
      const odd = ['', "' OR 1=1 --", '$.id', '%', '\ud800', 'a\u0000b', 'क'.repeat(2000)];
      for (const id of [freshId('pcl'), ...odd]) {
        expect(await store.read('parcel', id)).toBeNull();
        expect(await store.readRow('label', id)).toBeNull();
      }
    });

    test('two kinds may use one id', async () => {
      const parcel = docOf();
      const courier = docOf({ kind: 'courier', id: parcel.id, body: { status: 'idle' } });
      await saveAll(store, [parcel, courier]);
      expect((await store.read('parcel', parcel.id))?.body).toEqual({ status: 'open' });
      expect((await store.read('courier', parcel.id))?.body).toEqual({ status: 'idle' });
    });

    test('an update is applied only to the version it expects', async () => {
      const doc = docOf();
      await save(store, doc);
      const sent = after(doc, { body: { status: 'sent' } });
      expect(await save(store, sent)).toEqual({ is: 'applied' });
      expect(await save(store, after(doc, { tok: 'late', body: { status: 'late' } }))).toEqual({
        is: 'stale',
      });
      expect(await save(store, after(sent), 7)).toEqual({ is: 'stale' });
      expect(await store.read('parcel', doc.id)).toEqual(sent);
    });

    test('creating what exists is stale, updating what does not exist is stale', async () => {
      const doc = docOf();
      await save(store, doc);
      expect(await save(store, { ...doc, tok: 'other', body: { status: 'other' } }, 0)).toEqual({
        is: 'stale',
      });
      const nobody = docOf({ v: 2 });
      expect(await save(store, nobody)).toEqual({ is: 'stale' });
      expect(await store.read('parcel', doc.id)).toEqual(doc);
      expect(await store.read('parcel', nobody.id)).toBeNull();
    });

    test('an owner of an older epoch cannot write; the same or a newer one can', async () => {
      const doc = docOf({ e: 5 });
      await save(store, doc);
      expect(await save(store, after(doc, { e: 4 }))).toEqual({ is: 'stale' });
      const same = after(doc);
      expect(await save(store, same)).toEqual({ is: 'applied' });
      const newer = after(same, { e: 6 });
      expect(await save(store, newer)).toEqual({ is: 'applied' });
      expect(await save(store, after(newer, { e: 5 }))).toEqual({ is: 'stale' });
      expect((await store.read('parcel', doc.id))?.e).toBe(6);
    });

    test('a tombstone is read, is not listed, and is not created over', async () => {
      const doc = docOf({ tags: ['order=1'] });
      await save(store, doc);
      const deleted = after(doc, { gone: true, body: null, tags: [] });
      expect(await save(store, deleted)).toEqual({ is: 'applied' });
      expect(await store.read('parcel', doc.id)).toEqual(deleted);
      for (const query of [{}, { tags: ['order=1'] }, { equals: { status: 'open' } }]) {
        const listed = await store.listDocs(queryOf({ scope: doc.scope, ...query }));
        expect(listed).toEqual({ items: [], total: 0 });
      }
      expect(await save(store, { ...doc, tok: 'again' })).toEqual({ is: 'stale' });
      expect(await store.read('parcel', doc.id)).toEqual(deleted);
    });

    test('a read of many returns all existing documents of this kind, tombstones too', async () => {
      const docs = Array.from({ length: readManyMax - 3 }, () => docOf());
      const deleted = after(docOf(), { v: 1, gone: true, body: null });
      const courier = docOf({ kind: 'courier', body: { status: 'idle' } });
      await saveAll(store, [...docs, deleted, courier]);
      const ids = [...docs, deleted, courier, { id: freshId('pcl') }].map(({ id }) => id);
      const read = await store.readMany('parcel', ids);
      const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
      expect(read.toSorted(byId)).toEqual([...docs, deleted].toSorted(byId));
      expect(await store.readMany('parcel', [])).toEqual([]);
    });

    test('a read of more than the limit is refused', async () => {
      const ids = Array.from({ length: readManyMax + 1 }, () => freshId('pcl'));
      await expect(store.readMany('parcel', ids)).rejects.toThrow('at most');
    });

    test('a read of many after an acknowledgement includes it', async () => {
      let docs = Array.from({ length: 5 }, () => docOf());
      await saveAll(store, docs);
      for (let changes = 0; changes < 5; changes++) {
        docs = docs.map((doc) => after(doc, { body: { status: 'sent', changes } }));
        for (const doc of docs) await save(store, doc);
        const read = await store.readMany(
          'parcel',
          docs.map(({ id }) => id),
        );
        expect(new Set(read.map(({ body }) => body?.['changes']))).toEqual(new Set([changes]));
      }
    });

    test('a stale write of a batch does not affect the others, each result in its place', async () => {
      const [created, there, missing, moved] = [docOf(), docOf(), docOf({ v: 2 }), docOf()];
      await saveAll(store, [there, moved]);
      const results = await store.commit([
        writeOf(created),
        writeOf({ ...there, tok: 'again' }),
        writeOf(missing),
        writeOf(after(moved)),
      ]);
      expect(results.map((result) => result.is)).toEqual(['applied', 'stale', 'stale', 'applied']);
      expect(await store.read('parcel', created.id)).toEqual(created);
      expect(await store.read('parcel', there.id)).toEqual(there);
      expect(await store.read('parcel', missing.id)).toBeNull();
      expect(await store.read('parcel', moved.id)).toEqual(after(moved));
    });

    test('an empty batch has no results', async () => {
      expect(await store.commit([])).toEqual([]);
      expect(await store.putRows([])).toBe('applied');
    });

    test('of many writers of one version exactly one wins', async () => {
      const doc = docOf();
      await save(store, doc);
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, n) => save(store, after(doc, { tok: `w:${n}` }))),
      );
      const winners = results.flatMap((result, n) => (result.is === 'applied' ? [n] : []));
      expect(winners).toHaveLength(1);
      expect((await store.read('parcel', doc.id))?.tok).toBe(`w:${first(winners)}`);
    });

    test('Devanagari, symbols, quotes, paths and SQL in keys and values are stored unchanged', async () => {
      const tags = [`note=${devanagari}`, "$.a='b'", '__proto__=1', 'nul=a\u0000b'];
      const doc = docOf({ body: { ...hostile, text: devanagari }, tags });
      expect(await save(store, doc)).toEqual({ is: 'applied' });
      const read = await store.read('parcel', doc.id);
      expect(JSON.stringify(read?.body)).toBe(JSON.stringify(doc.body));
      expect(read?.tags).toEqual(doc.tags);
      for (const tag of tags) {
        expect(idsOf(await store.listDocs(queryOf({ scope: doc.scope, tags: [tag] })))).toEqual([doc.id]);
      }
    });

    test('a body of 256 KiB is stored byte for byte', async () => {
      const text = 'भुक्तानी '.repeat(Math.ceil((256 * 1024) / 25));
      const doc = docOf({ body: { status: 'open', text } });
      expect(await save(store, doc)).toEqual({ is: 'applied' });
      const grown = after(doc, { body: { status: 'open', text: `${text}!` } });
      expect(await save(store, grown)).toEqual({ is: 'applied' });
      expect(await store.read('parcel', doc.id)).toEqual(grown);
    });

    test('a read started after an acknowledgement always includes it', async () => {
      let doc = docOf();
      await save(store, doc);
      for (let round = 0; round < 100; round++) {
        doc = after(doc, { body: { status: `s${round}` } });
        await save(store, doc);
        const [read, listed] = await Promise.all([
          store.read('parcel', doc.id),
          store.listDocs(queryOf({ scope: doc.scope, equals: { status: `s${round}` } })),
        ]);
        expect(read?.v).toBe(doc.v);
        expect(listed.total).toBe(1);
      }
    });

    // however busy the machine is: a write that got no answer in its time is sent again
    test('a thousand commits at once are all kept, each once', { timeout: 120_000 }, async () => {
      const scope = freshScope();
      const docs = Array.from({ length: 1000 }, (_, n) => docOf({ scope, created: n }));
      const kept = await Promise.all(docs.map((doc) => saveSurely(store, doc)));
      expect(kept.filter(Boolean)).toHaveLength(1000);
      const last = await store.listDocs(queryOf({ scope, page: 10 }));
      expect(last.total).toBe(1000);
      expect(last.items).toEqual(docs.slice(0, 100).toReversed());
    });
  });

  describe('rows', () => {
    test('a row reads back complete', async () => {
      const row = rowOf({ tags: ['a=b'], body: { id: 'x', text: devanagari, nested: { list: [1, null] } } });
      await putAll(store, [row]);
      expect(await store.readRow('label', row.id)).toEqual(row);
    });

    test('a row is replaced only by a higher version, in whatever order they arrive', async () => {
      const row = (v: number): Row =>
        rowOf({ id: 'lbl_order', scope: 'system', v, body: { id: 'lbl_order', n: v } });
      await putAll(store, [row(5)]);
      await putAll(store, [row(4)]);
      expect((await store.readRow('label', 'lbl_order'))?.v).toBe(5);
      await putAll(store, [row(7), row(6)]);
      expect((await store.readRow('label', 'lbl_order'))?.body).toEqual({ id: 'lbl_order', n: 7 });
    });

    test('putting the same rows again changes nothing', async () => {
      const rows = [rowOf(), rowOf({ once: true }), rowOf({ gone: true })];
      await putAll(store, rows);
      await putAll(store, rows);
      for (const row of rows) expect(await store.readRow(row.kind, row.id)).toEqual(row);
      expect((await store.listRows(queryOf({ kind: 'label', scope: first(rows).scope }))).total).toBe(1);
    });

    test('a row written once is never replaced, by no version', async () => {
      const row = rowOf({ kind: 'timeline', once: true, body: { summary: 'first' } });
      await putAll(store, [row]);
      await putAll(store, [{ ...row, v: 9, body: { summary: 'second' } }]);
      await putAll(store, [{ ...row, v: 10, once: false, body: { summary: 'third' } }]);
      expect(await store.readRow('timeline', row.id)).toEqual(row);
    });

    test('a gone row is read but not listed, and an older version does not bring it back', async () => {
      const row = rowOf({ tags: ['a=b'] });
      const gone = { ...row, v: 3, gone: true, tags: [] };
      await putAll(store, [row]);
      await putAll(store, [gone]);
      await putAll(store, [{ ...row, v: 2 }]);
      expect(await store.readRow('label', row.id)).toEqual(gone);
      for (const query of [{}, { tags: ['a=b'] }, { equals: { status: 'open' } }]) {
        const listed = await store.listRows(queryOf({ kind: 'label', scope: row.scope, ...query }));
        expect(listed).toEqual({ items: [], total: 0 });
      }
    });

    test('rows are written with their document where the store supports it, else after it', async () => {
      const doc = docOf();
      const [mine, late] = [rowOf(), rowOf()];
      if (store.rowsInCommit) {
        expect(await store.commit([writeOf(doc, 0, [mine])])).toEqual([{ is: 'applied' }]);
        expect(await store.commit([writeOf(after(doc), 4, [late])])).toEqual([{ is: 'stale' }]);
      } else {
        await save(store, doc);
        expect(await store.readRow('label', mine.id)).toBeNull();
        await putAll(store, [mine]);
      }
      expect(await store.readRow('label', mine.id)).toEqual(mine);
      expect(await store.readRow('label', late.id)).toBeNull();
    });
  });
}
