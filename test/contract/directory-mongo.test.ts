/** The directory of a cluster keeps its contract, on a real server. */
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMongoStore } from '../../src/store/store-mongo.ts';
import { missing } from '../support/server-parts.ts';
import { mongoForTests, type TestMongo } from '../support/servers.ts';
import { directoryContract } from './directory.contract.ts';

describe.skipIf(missing('mongod', 'the contract of the directory on MongoDB'))('on a replica set', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await mongoForTests();
  }, 60_000);
  afterAll(() => mongo.stop());

  directoryContract('MongoDB', async () => {
    const url = mongo.url(`galla_directory_${process.pid}`);
    const open = () => openMongoStore({ url, collections: [], onWarning: () => undefined });
    // two nodes meet the same empty database at the same moment
    const [ours, theirs] = await Promise.all([open(), open()]);
    return {
      ours: ours.directory,
      theirs: theirs.directory,
      async close() {
        await Promise.all([ours.close(), theirs.close()]);
      },
    };
  });

  test('a cluster of the build before takes its nodes until they are refused, and keeps its number', async () => {
    const url = mongo.url(`galla_directory_before_${process.pid}`);
    const client = await MongoClient.connect(url);
    const facts = client.db().collection<{ readonly _id: string; readonly count: unknown }>('cluster');
    /** What a node of the build before compares with its own number when it starts. */
    const countSeen = async (): Promise<unknown> => (await facts.findOne({ _id: 'partitions' }))?.count;
    await facts.insertOne({ _id: 'partitions', count: 256 });
    const store = await openMongoStore({ url, collections: [], onWarning: () => undefined });
    const { directory } = store;
    expect(await directory.agreeOnPartitions(512)).toBe(256);
    expect([await directory.refusesOlder(), await countSeen()]).toEqual(['not', 256]);
    await directory.refuseOlder();
    await directory.refuseOlder();
    expect([await directory.refusesOlder(), await countSeen()]).toEqual([
      'later',
      '256 (by a newer version)',
    ]);
    expect(await directory.agreeOnPartitions(512)).toBe(256);
    await store.close();
    await client.close();
  });
});
