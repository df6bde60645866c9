/** What only a set of several members can show of the store: the primary changes under load, and secondaries lag. */
import { describe, expect, test } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { openMongoStore } from '../../../src/store/store-mongo.ts';
import { after, collections, docOf, queryOf, writeOf } from '../../contract/store-samples.ts';
import { missingMemberSet, stepDown } from '../../support/member-set.ts';
import { mongoForTests } from '../../support/servers.ts';
import { definite, writers } from './mongo-rig.ts';

const electionsMax = 3;
const betweenElectionsMs = 7000;
const skipped = await missingMemberSet('elections of MongoDB, seen by the store');

describe.skipIf(skipped)('a set of three members', { timeout: 120_000 }, () => {
  test('with a primary that steps down under load loses nothing and writes nothing twice', async () => {
    const mongo = await mongoForTests();
    const url = mongo.url(`galla_election_${process.pid}`);
    const store = await openMongoStore({ url, collections, onWarning: () => undefined });
    let over = false;
    const all = writers(store, () => over);
    for (let election = 0; election < electionsMax; election++) {
      await pause(betweenElectionsMs);
      await stepDown(url);
    }
    await pause(betweenElectionsMs);
    over = true;
    for (const doc of await Promise.all(all)) {
      expect(doc.v).toBeGreaterThan(electionsMax);
      expect(await store.read('parcel', doc.id)).toEqual(doc);
    }
    await store.close();
    await mongo.stop();
  });

  test('a read and a list show what was acknowledged before, whichever member answers', async () => {
    const mongo = await mongoForTests();
    const url = mongo.url(`galla_lists_${process.pid}`);
    const store = await openMongoStore({ url, collections, onWarning: () => undefined });
    let doc = docOf();
    await definite(store, writeOf(doc));
    const electing = (async () => {
      for (let election = 0; election < electionsMax; election++) {
        await pause(betweenElectionsMs);
        await stepDown(url);
      }
    })();
    let isElected = false;
    void electing.then(() => (isElected = true));
    for (let round = 0; !isElected; round++) {
      doc = after(doc, { body: { status: `s${round}` } });
      await definite(store, writeOf(doc));
      const asked = queryOf({ scope: doc.scope, equals: { status: `s${round}` } });
      const [read, listed] = await Promise.allSettled([store.read('parcel', doc.id), store.listDocs(asked)]);
      // during an election the store may say that it does not answer, and nothing else
      if (read.status === 'fulfilled') expect(read.value?.v).toBe(doc.v);
      if (listed.status === 'fulfilled') expect(listed.value.total).toBe(1);
    }
    await electing;
    await store.close();
    await mongo.stop();
  });
});
