/** The directory of a cluster keeps its contract, on a real server. */
import { afterAll, beforeAll, describe } from 'vitest';
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
});
