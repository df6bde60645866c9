/** The directory of a cluster keeps its contract, on a real server. */
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMongoStore } from '../../src/store/store-mongo.ts';
import { missing } from '../support/server-parts.ts';
import { mongoForTests, withAdmin, type TestMongo } from '../support/servers.ts';
import { directoryContract } from './directory.contract.ts';

/** A row of the stand-in's statistics. */
interface Asked {
  readonly command: string;
  readonly n: number;
  readonly bytesOut: number;
}

/** What the driver asks by itself. */
const monitoring = ['hello', 'isMaster', 'ismaster', 'ping', 'endSessions'];

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

  test('a read in which only heartbeats have changed is one command and two rows, whatever the number of nodes', async () => {
    const { server } = mongo;
    if (server === null) return;
    for (const nodes of [3, 12]) {
      const appName = `reads ${nodes}`;
      const url = mongo.url(`galla_directory_reads_${nodes}`);
      const store = await openMongoStore({ url, collections: [], onWarning: () => undefined, appName });
      const { directory } = store;
      const info = {
        name: 'n',
        version: '1',
        actors: true,
        bus: true,
        leaving: false,
        refuses: [],
        schemas: {},
      };
      for (let n = 0; n < nodes; n++) await directory.register(`n:${n}`, { ...info, changes: 1 }, 1);
      const none = Array.from({ length: 64 }, (_, p) => ({ p, epoch: 0, owner: null }));
      await Promise.all(none.map((row) => directory.take(row, `n:${row.p % nodes}`)));
      const known = await directory.read(await directory.read());
      await withAdmin(server.url, (admin) => admin({ gatewayStats: 1, reset: true }));
      await directory.beat('n:1', { ...info, changes: 1 });
      const seen = await directory.read(known);
      expect(seen.partitions).toBe(known.partitions);
      const { rows } = await withAdmin(server.url, (admin) => admin({ gatewayStats: 1, appName }));
      const asked = (rows as readonly Asked[]).filter(({ command }) => !monitoring.includes(command));
      expect(asked.map(({ command, n }) => `${command} ${n}`).toSorted()).toEqual([
        'aggregate 1',
        'update 1',
      ]);
      // nothing of the partitions
      const bytes = asked.find(({ command }) => command === 'aggregate')?.bytesOut;
      expect(bytes).toBeLessThan(2000);
      await store.close();
    }
  }, 60_000);

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
