/** The database that a move writes: newest versions whatever the order, of one move alone, and closed to nodes until its
 *  end. */
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MoveTarget } from '../../../src/store/mongo-move.ts';
import type { Moving } from '../../../src/store/move-source.ts';
import { openMongoStore } from '../../../src/store/store-mongo.ts';
import type { Doc, Row } from '../../../src/store/store.ts';
import { after, collections, docOf, entryOf, freshScope, rowOf } from '../../contract/store-samples.ts';
import { missing } from '../../support/server-parts.ts';
import { mongoForTests, type TestMongo } from '../../support/servers.ts';

const suite = 'the database that a move writes';
const onWarning = (): void => undefined;
const doc = (record: Doc): Moving => ({ of: 'doc', record });
const row = (record: Row): Moving => ({ of: 'row', record });

describe.skipIf(missing('mongod', suite))(suite, { timeout: 60_000 }, () => {
  let mongo: TestMongo;
  let made = 0;
  beforeAll(async () => {
    mongo = await mongoForTests();
  }, 60_000);
  afterAll(() => mongo.stop());

  const fresh = (): string => mongo.url(`galla_mongo_move_${process.pid}_${++made}`);
  const open = (url: string, id = 'mov_1', isSealed = false): Promise<MoveTarget> =>
    MoveTarget.open({ url, collections, id, from: '/the/folder', isSealed, onWarning });

  test('has the newest version of each record, in whatever order and how often they are sent', async () => {
    const url = fresh();
    const target = await open(url);
    const [first, second] = [docOf(), after(docOf())];
    const label = rowOf({ v: 3 });
    const entry = entryOf(freshScope(), 1);
    await target.put([doc(second), doc(first), row(label), row(entry)]);
    await target.put([doc(after(first)), row({ ...label, v: 2 }), row(entry)]);
    await target.put([doc(first), doc({ ...second, v: 1 }), row(label)]);
    expect((await target.counts(['parcel', 'label', 'journal'])).get('parcel')).toBe(2);
    await target.end();
    await target.close();
    const store = await openMongoStore({ url, collections, onWarning });
    expect(await store.read('parcel', first.id)).toEqual(after(first));
    expect(await store.read('parcel', second.id)).toEqual(second);
    expect(await store.readRow('label', label.id)).toEqual(label);
    expect(await store.journalAfter(entry.scope, 0, 10)).toEqual([entry]);
    await store.close();
  });

  test('says what it lacks and what was settled since, and refuses a record of another content', async () => {
    const target = await open(fresh());
    const [known, changed, unknown] = [docOf(), docOf(), docOf()];
    const busy = docOf({ busy: true });
    await target.put([doc(known), doc(changed), doc(busy)]);
    const records = [doc(known), doc(after(changed)), doc(unknown), doc({ ...busy, busy: false })];
    const { lacking, settled } = await target.compare(records);
    expect(lacking.map(({ record }) => record.id)).toEqual([changed.id, unknown.id]);
    expect(settled.map(({ id }) => id)).toEqual([busy.id]);
    await target.settle(settled);
    expect((await target.compare(records)).settled).toEqual([]);
    await expect(target.compare([doc({ ...known, tok: 'other' })])).rejects.toThrow(
      /has another content in the new database: drop that database/,
    );
    await target.close();
  });

  test('is of one move: the same one goes on, another is refused', async () => {
    const url = fresh();
    const first = await open(url);
    expect(first.resumed).toBe(false);
    await first.close();
    const again = await open(url);
    expect(again.resumed).toBe(true);
    await again.close();
    await expect(open(url, 'mov_2')).rejects.toThrow(/moved into from \/the\/folder by another move/);
  });

  test('of a sealed folder is never an empty one, on which nodes would begin anew', async () => {
    const url = fresh();
    await expect(open(url, 'mov_1', true)).rejects.toThrow(/is not the one that \/the\/folder was moved to/);
    const store = await openMongoStore({ url, collections, onWarning });
    expect(await store.moveMark()).toBeNull();
    await store.close();
  });

  test('that nodes serve takes nothing more from a copy of the folder that is older than the seal', async () => {
    const url = fresh();
    const target = await open(url);
    await target.end();
    await target.close();
    await expect(open(url)).rejects.toThrow(
      /nodes serve the database .* since \/the\/folder was moved to it/,
    );
    const again = await open(url, 'mov_1', true);
    expect(again.resumed).toBe(true);
    await again.close();
  });

  test('is refused with anything in it, and is left as it was', async () => {
    const url = fresh();
    const client = new MongoClient(url);
    await client.db().collection('anything').insertOne({ a: 1 });
    await expect(open(url)).rejects.toThrow(/is not empty \(anything\): name an empty one/);
    const there = await client.db().listCollections({}, { nameOnly: true }).toArray();
    expect(there.map(({ name }) => name)).toEqual(['anything']);
    await client.close();
  });

  test('tells nodes that the move has not ended, and when it has', async () => {
    const url = fresh();
    const target = await open(url);
    const store = await openMongoStore({ url, collections, onWarning });
    expect(await store.moveMark()).toMatchObject({ state: 'copying', from: '/the/folder' });
    await target.end();
    expect(await store.moveMark()).toMatchObject({ state: 'moved' });
    await Promise.all([store.close(), target.close()]);
  });
});
