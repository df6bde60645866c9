/** The store on MongoDB beyond its contract: how it opens, what it refuses, how it handles unreadable documents. */
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Document } from 'mongodb';
import { openMongoStore } from '../../../src/store/store-mongo.ts';
import { DocumentUnreadable, type Collection } from '../../../src/store/store.ts';
import {
  after,
  collections,
  docOf,
  entryOf,
  freshScope,
  idsOf,
  queryOf,
  rowOf,
} from '../../contract/store-samples.ts';
import { putAll, save, saveAll, writeOf } from '../../contract/store-samples.ts';
import { missingToHurt } from '../../support/server-parts.ts';
import { mongoForTests, startMongod, withAdmin, type TestMongo } from '../../support/servers.ts';
import { commitOne, mongoRig, type MongoRig } from './mongo-rig.ts';

const suite = 'the store on MongoDB';
const skipped = missingToHurt('mongod', suite);

const opened = (url: string, given: readonly Collection[] = collections, warnings: string[] = []) =>
  openMongoStore({ url, collections: given, onWarning: (line) => warnings.push(line), answerMsMax: 1000 });

/** The line it refuses with; one line, and no password in it. */
async function refusal(url: string): Promise<string> {
  const error: unknown = await opened(url).catch((thrown: unknown) => thrown);
  if (!(error instanceof Error)) throw new Error('it opened');
  expect(error.message).not.toContain('\n');
  expect(error.message).not.toContain('secret');
  return error.message;
}

describe.skipIf(skipped)(`${suite} opens`, { timeout: 30_000 }, () => {
  test('no address that ties the driver to one server', async () => {
    expect(await refusal('mongodb://127.0.0.1:1/galla?directConnection=true')).toMatch(
      /directConnection=true/,
    );
  });

  test('no standalone server: only a set keeps a write', async () => {
    const server = await startMongod({ replSet: null });
    try {
      expect(await refusal(server.url)).toMatch(/standalone.*--replSet.*rs\.initiate\(\)/);
    } finally {
      await server.stop();
    }
  });

  test('no set that is not initiated', async () => {
    const server = await startMongod({ initiate: false });
    try {
      expect(await refusal(server.url)).toMatch(/not initiated.*rs\.initiate\(\)/);
    } finally {
      await server.stop();
    }
  });

  test('a database whose indexes take longer to make than an answer may', { timeout: 120_000 }, async () => {
    const server = await startMongod();
    try {
      await withAdmin(server.url, (admin) =>
        admin({
          configureFailPoint: 'latency',
          mode: 'alwaysOn',
          data: { ms: 1200, commands: ['createIndexes'] },
        }),
      );
      // more than there are connections: some wait for one
      const many = Array.from(
        { length: 20 },
        (_, at) => ({ kind: `many_${at}`, of: 'row', indexes: [] }) as const,
      );
      await (await opened(`${server.url}/galla`, many)).close();
    } finally {
      await server.stop();
    }
  });

  test('nothing without an answer, and names the address without a password', async () => {
    const silent: Server = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    expect(await refusal(`mongodb://me:secret@127.0.0.1:${port}/x`)).toContain(`127.0.0.1:${port}`);
    silent.close();
    expect(await refusal(`mongodb://me:secret@127.0.0.1:${port}/x`)).toMatch(/no primary of MongoDB answers/);
    expect(await refusal('nats://127.0.0.1')).toMatch(/MongoDB URL cannot be used/);
  });
});

describe.skipIf(skipped)(suite, { timeout: 30_000 }, () => {
  let mongo: TestMongo;
  let rig: MongoRig;
  beforeAll(async () => {
    mongo = await mongoForTests();
    rig = await mongoRig(mongo);
  }, 60_000);
  afterAll(async () => {
    await rig.close();
    await mongo.stop();
  });
  const raw = (kind: string) => rig.bystander.db(rig.database).collection<Document & { _id: string }>(kind);

  test('a set of one member with one warning', async () => {
    const warnings: string[] = [];
    const store = await opened(mongo.url('galla_warned'), collections, warnings);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/one member.*three members/);
    await store.close();
  });

  test('one empty database by many nodes at once, and again later', async () => {
    const url = mongo.url('galla_crowd');
    const stores = await Promise.all(Array.from({ length: 4 }, () => opened(url)));
    await save(stores[0] ?? rig.store, docOf({ id: 'pcl_crowd' }));
    await Promise.all(stores.map((store) => store.close()));
    const again = await opened(url);
    expect((await again.read('parcel', 'pcl_crowd'))?.v).toBe(1);
    await again.close();
  });

  test('the database galla for a URL without a path', async () => {
    const { server } = mongo;
    const store = await opened(server?.url ?? '', [{ kind: 'only_here', of: 'doc', indexes: [] }]);
    const names = await rig.bystander.db('galla').listCollections({}, { nameOnly: true }).toArray();
    expect(names.map(({ name }) => name)).toContain('only_here');
    await store.close();
  });

  test('an index of another shape under our name stops the start, and the line names it', async () => {
    const url = mongo.url('galla_shapes');
    await rig.bystander.db('galla_shapes').collection('parcel').createIndex({ wrong: 1 }, { name: 'list' });
    await expect(opened(url)).rejects.toThrow(/index list of collection parcel.*drop it/);
  });

  test('a newly declared field is filtered by at once, in what was stored long before', async () => {
    const url = mongo.url('galla_declared');
    const before = await opened(url, [{ kind: 'parcel', of: 'doc', indexes: [] }]);
    const doc = docOf({ body: { status: 'open' } });
    await save(before, doc);
    await before.close();
    const now = await opened(url, [{ kind: 'parcel', of: 'doc', indexes: ['status'] }]);
    expect(idsOf(await now.listDocs(queryOf({ scope: doc.scope, equals: { status: 'open' } })))).toEqual([
      doc.id,
    ]);
    await now.close();
  });

  test('kinds that cannot name a collection are refused', async () => {
    for (const kind of ['nodes', 'a.b', '$x', 'system.x', '']) {
      await expect(opened(mongo.url('galla_kinds'), [{ kind, of: 'doc', indexes: [] }])).rejects.toThrow();
    }
  });

  test('an unreadable document is reported, and left out of lists but counted', async () => {
    const scope = freshScope();
    const [good, torn, foreign, empty] = [
      docOf({ scope }),
      docOf({ scope }),
      docOf({ scope }),
      docOf({ scope }),
    ];
    await saveAll(rig.store, [good, torn, foreign, empty]);
    await raw('parcel').updateOne({ _id: torn.id }, { $set: { json: '{"kind":"parcel","v":' } });
    await raw('parcel').updateOne({ _id: foreign.id }, { $set: { json: JSON.stringify(good) } });
    await raw('parcel').updateOne({ _id: empty.id }, { $unset: { json: '' } });
    for (const { id } of [torn, foreign, empty]) {
      await expect(rig.store.read('parcel', id)).rejects.toThrow(DocumentUnreadable);
    }
    const listed = await rig.store.listDocs(queryOf({ scope }));
    expect(idsOf(listed)).toEqual([good.id]);
    expect(listed.total).toBe(4);
  });

  test('a reader of the journal does not skip an unreadable entry', async () => {
    const scope = freshScope();
    await putAll(rig.store, [entryOf(scope, 1), entryOf(scope, 2)]);
    await raw('journal').updateOne({ shelf: scope, ord: 1 }, { $set: { json: '?' } });
    await expect(rig.store.journalAfter(scope, 0, 10)).rejects.toThrow(DocumentUnreadable);
    expect(await rig.store.journalAfter(scope, 1, 10)).toEqual([entryOf(scope, 2)]);
  });

  test('long texts are distinguished by all of their characters', async () => {
    const long = 'x'.repeat(5000);
    const notes = [`${long}a`, `${long}b`, 'x'.repeat(1000)];
    const docs = notes.map((note) => docOf({ scope: 'prj_l:live', body: { note } }));
    await saveAll(rig.store, docs);
    for (const [at, doc] of docs.entries()) {
      const equals = { note: notes[at] ?? '' };
      expect(idsOf(await rig.store.listDocs(queryOf({ scope: 'prj_l:live', equals })))).toEqual([doc.id]);
    }
    const range = [{ field: 'note', from: 'x', to: 'y' }];
    expect((await rig.store.listDocs(queryOf({ scope: 'prj_l:live', range }))).total).toBe(3);
  });

  test('the same write sent twice is reported as applied: the second copy finds its own token', async () => {
    const doc = docOf();
    expect(await commitOne(rig.store, writeOf(doc))).toEqual({ is: 'applied' });
    expect(await commitOne(rig.store, writeOf(doc))).toEqual({ is: 'applied' });
    expect(await commitOne(rig.store, writeOf(after(doc)))).toEqual({ is: 'applied' });
    expect(await commitOne(rig.store, writeOf(after(doc)))).toEqual({ is: 'applied' });
    expect(await commitOne(rig.store, writeOf(doc))).toEqual({ is: 'stale' });
    expect((await rig.store.read('parcel', doc.id))?.v).toBe(2);
  });

  test('a purged actor is not restored by a late change', async () => {
    const doc = docOf();
    await save(rig.store, doc);
    await raw('parcel').deleteOne({ _id: doc.id });
    expect(await commitOne(rig.store, writeOf(after(doc)))).toEqual({ is: 'stale' });
    expect(await rig.store.read('parcel', doc.id)).toBeNull();
  });

  test('after close nothing is sent: writes are refused, reads reject, closing again is nothing', async () => {
    const store = await opened(mongo.url('galla_closed'));
    await store.close();
    await store.close();
    expect(await commitOne(store, writeOf(docOf()))).toMatchObject({ is: 'error', of: 'store' });
    await expect(store.read('parcel', 'x')).rejects.toThrow(/closed/);
    await expect(store.putRows([rowOf()])).rejects.toThrow(/closed/);
    await expect(store.listDocs(queryOf({ scope: 'system' }))).rejects.toThrow(/closed/);
    await expect(store.directory.read()).rejects.toThrow();
  });
});
