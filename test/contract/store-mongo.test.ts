/** The store of a cluster keeps the contract of the store, on a real server. */
import { afterAll, beforeAll, describe } from 'vitest';
import { openMongoStore } from '../../src/store/store-mongo.ts';
import { missing } from '../support/server-parts.ts';
import { mongoForTests, type TestMongo } from '../support/servers.ts';
import { storeContract } from './store.contract.ts';

describe.skipIf(missing('mongod', 'the contract of the store on MongoDB'))('on a replica set', () => {
  let mongo: TestMongo;
  let opened = 0;
  beforeAll(async () => {
    mongo = await mongoForTests();
  }, 60_000);
  afterAll(() => mongo.stop());

  storeContract('MongoDB', (collections) =>
    openMongoStore({
      url: mongo.url(`galla_contract_${process.pid}_${++opened}`),
      collections,
      onWarning: () => undefined,
    }),
  );
});
