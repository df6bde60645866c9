/** The server itself fails: killed, paused, stepped down. Acknowledged writes stay, unknown ones get a result. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { after, docOf, first, freshScope, entryOf, save, writeOf } from '../../contract/store-samples.ts';
import { eventually } from '../../support/eventually.ts';
import { missingToHurt } from '../../support/server-parts.ts';
import { mongoForTests, withAdmin, type TestMongo } from '../../support/servers.ts';
import { commitOne, definite, mongoRig, writers, type MongoRig } from './mongo-rig.ts';

const suite = 'outages of the store on MongoDB';
const skipped = missingToHurt('mongod', suite);

describe.skipIf(skipped)(suite, { timeout: 60_000 }, () => {
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

  test('killed under load and started again: nothing acknowledged is lost, nothing is written twice', async () => {
    let over = false;
    const all = writers(rig.store, () => over);
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (let round = 0; round < 2; round++) {
      await rig.server.kill();
      await rig.server.restart();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    over = true;
    for (const doc of await Promise.all(all)) {
      expect(doc.v).toBeGreaterThan(1);
      expect(await rig.store.read('parcel', doc.id)).toEqual(doc);
    }
  });

  test('paused: writes are unknown and reads reject within their limits; resumed, all is known', async () => {
    const doc = docOf();
    await save(rig.store, doc);
    rig.server.pause();
    const changed = after(doc);
    const [written, read, rows, beat] = await Promise.allSettled([
      commitOne(rig.store, writeOf(changed)),
      rig.store.read('parcel', doc.id),
      rig.store.putRows([entryOf(freshScope(), 1)]),
      rig.store.directory.beat('inc_x', {} as never),
    ]);
    rig.server.resume();
    expect(written).toEqual({ status: 'fulfilled', value: { is: 'unknown' } });
    expect(read.status).toBe('rejected');
    expect(rows).toEqual({ status: 'fulfilled', value: 'unknown' });
    expect(beat.status).toBe('rejected');
    expect(await definite(rig.store, writeOf(changed))).toEqual({ is: 'applied' });
    expect(await rig.store.read('parcel', doc.id)).toEqual(changed);
  });

  test('stepped down: refused or unknown, never falsely applied; then it continues by itself', async () => {
    const doc = docOf();
    await save(rig.store, doc);
    await withAdmin(rig.server.url, (admin) => admin({ replSetStepDown: 60, force: true }));
    const written = await commitOne(rig.store, writeOf(after(doc)));
    expect(['error', 'unknown']).toContain(written.is);
    await expect(rig.store.directory.take({ p: 1, epoch: 0, owner: null }, 'inc_x')).rejects.toThrow();
    await expect(rig.store.read('parcel', doc.id)).rejects.toThrow();
    await withAdmin(rig.server.url, (admin) => admin({ replSetFreeze: 0 }));
    const applied = await eventually(
      async () => ((await commitOne(rig.store, writeOf(after(doc)))).is === 'applied' ? true : null),
      () => 'the primary to be back',
      20_000,
    );
    expect(applied).toBe(true);
    expect(await rig.store.read('parcel', doc.id)).toEqual(after(doc));
    expect(await rig.store.directory.take({ p: 1, epoch: 0, owner: null }, 'inc_x')).toBe(true);
  });

  test('away before anything is sent: an error of the store within its limit, proof that nothing was written', async () => {
    const doc = docOf();
    await save(rig.store, doc);
    await rig.server.kill();
    // the first to notice may be cut off in the middle
    await eventually(
      async () => ((await commitOne(rig.store, writeOf(docOf()))).is === 'error' ? true : null),
      () => 'the store to know that nobody is there',
    );
    expect(first(await rig.store.commit([writeOf(after(doc))]))).toMatchObject({ is: 'error', of: 'store' });
    await rig.server.restart();
    expect(
      (
        await eventually(
          () => rig.store.read('parcel', doc.id).catch(() => null),
          () => 'an answer',
        )
      ).v,
    ).toBe(1);
  });
});
