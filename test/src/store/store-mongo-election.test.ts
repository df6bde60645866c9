/** What only a set of several members can show: the primary changes under load, and nothing acknowledged is lost.
 *  Runs where MONGODB_URL names a set of three or more. */
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { openMongoStore } from '../../../src/store/store-mongo.ts';
import { collections } from '../../contract/store-samples.ts';
import { find } from '../../support/server-parts.ts';
import { mongoForTests } from '../../support/servers.ts';
import { writers } from './mongo-rig.ts';

const electionsMax = 3;
/** An election takes up to ten seconds where nothing is tuned. */
const electionMsMax = 15_000;

async function membersOf(url: string): Promise<number> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5000 });
  try {
    const { hosts } = await client.db('admin').command({ hello: 1 });
    return Array.isArray(hosts) ? hosts.length : 0;
  } finally {
    await client.close();
  }
}

const found = find('mongod');
const members = found.is === 'given' ? await membersOf(found.url) : 0;
const skipped = members < 3;
if (skipped) {
  process.stdout.write(
    '\nSKIPPED: elections of MongoDB: NO SET OF THREE MEMBERS (MONGODB_URL): CHANGES OF PRIMARY WERE NOT SEEN\n',
  );
}

describe.skipIf(skipped)('a set of three members', () => {
  test(
    'with a primary that steps down under load loses nothing and writes nothing twice',
    { timeout: 120_000 },
    async () => {
      const mongo = await mongoForTests();
      const url = mongo.url(`galla_election_${process.pid}`);
      const store = await openMongoStore({ url, collections, onWarning: () => undefined });
      const admin = new MongoClient(url);
      let over = false;
      const all = writers(store, () => over);
      for (let election = 0; election < electionsMax; election++) {
        await new Promise((resolve) => setTimeout(resolve, 2000));
        // the one who is asked may cut the line instead of answering
        await admin
          .db('admin')
          .command({ replSetStepDown: 5, force: true })
          .catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, electionMsMax / 3));
      }
      over = true;
      for (const doc of await Promise.all(all)) {
        expect(doc.v).toBeGreaterThan(electionsMax);
        expect(await store.read('parcel', doc.id)).toEqual(doc);
      }
      await Promise.all([store.close(), admin.close()]);
      await mongo.stop();
    },
  );
});
