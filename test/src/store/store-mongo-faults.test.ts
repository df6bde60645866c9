/** The results of writes when the server refuses them, cuts the connection or does not answer. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { missingToHurt } from '../../support/server-parts.ts';
import { mongoForTests, withAdmin, type TestMongo } from '../../support/servers.ts';
import {
  after,
  docOf,
  entryOf,
  freshId,
  freshScope,
  putAll,
  queryOf,
  rowOf,
  save,
  saveAll,
  writeOf,
} from '../../contract/store-samples.ts';
import { sendWrite } from '../../../src/store/mongo-command.ts';
import { laneWritesMin } from '../../../src/store/mongo-commit.ts';
import { listsAtOnceMax, listsWaitingMax } from '../../../src/store/list-turns.ts';
import { countedMax } from '../../../src/store/mongo-read.ts';
import { commitOne, definite, mongoRig, type MongoRig } from './mongo-rig.ts';
import type { Doc } from '../../../src/store/store.ts';

const suite = 'faults of the store on MongoDB';
const skipped = missingToHurt('mongod', suite);

/** Codes a server may answer a whole command with, before it has touched anything. */
const refusals = [
  [91, 'it is shutting down'],
  [189, 'the primary stepped down'],
  [10107, 'it is not primary'],
  [13435, 'it is no primary any more'],
  [11600, 'it was interrupted at its end'],
  [11602, 'it was interrupted by a change of primary'],
  [50, 'it ran out of time'],
  [14031, 'its disk is full'],
  [112, 'two writes met'],
  [11000, 'a key is there twice, it says'],
  [8, 'it does not know what happened'],
] as const;

describe.skipIf(skipped)(suite, { timeout: 20_000 }, () => {
  let mongo: TestMongo;
  let rig: MongoRig;
  beforeAll(async () => {
    mongo = await mongoForTests();
    rig = await mongoRig(mongo);
  }, 60_000);
  afterEach(() => rig.heal());
  afterAll(async () => {
    await rig.close();
    await mongo.stop();
  });

  const stored = async (doc: Doc): Promise<Doc | null> => rig.store.read(doc.kind, doc.id);

  test('a list whose total takes too long to count is still a list', async () => {
    const scope = freshScope();
    await saveAll(
      rig.store,
      Array.from({ length: 3 }, () => docOf({ scope })),
    );
    await rig.fail(1, { failCommands: ['aggregate'], errorCode: 50 });
    const { kind } = docOf();
    const listed = await rig.store.listDocs(queryOf({ kind, scope, limit: 2 }));
    expect(listed).toMatchObject({ total: 3 });
    expect(listed.items).toHaveLength(2);
  });

  test('a list whose total cannot even be counted to the cap in time is given the cap', async () => {
    const scope = freshScope();
    await saveAll(
      rig.store,
      Array.from({ length: 3 }, () => docOf({ scope })),
    );
    await rig.fail(2, { failCommands: ['aggregate'], errorCode: 50 });
    const query = queryOf({ kind: docOf().kind, scope, limit: 2 });
    expect(await rig.store.listDocs({ ...query, inTurn: true })).toMatchObject({ total: countedMax });
    // the service itself must not take it for the number
    await rig.fail(2, { failCommands: ['aggregate'], errorCode: 50 });
    await expect(rig.store.listDocs(query)).rejects.toThrow();
  });

  test('a list shows what a write has stored whose answer was an error', async () => {
    const set = (name: string, mode: unknown, data: object): Promise<unknown> =>
      withAdmin(rig.server.url, (admin) => admin({ configureFailPoint: name, mode, data }));
    const doc = docOf({ scope: freshScope() });
    await set('staleReads', 'alwaysOn', { ms: 600, namespace: `${rig.database}.${doc.kind}` });
    await new Promise((resolve) => setTimeout(resolve, 700));
    // as text: an object with a `then` looks like a promise
    const fails = JSON.parse('{"failCommands":["insert"],"applied":1,"then":"11602"}') as object;
    await set('failWritesAfter', { times: 1 }, fails);
    try {
      expect(await definite(rig.store, writeOf(doc))).toEqual({ is: 'applied' });
      const { items } = await rig.store.listDocs(queryOf({ kind: doc.kind, scope: doc.scope }));
      expect(items.map(({ id }) => id)).toEqual([doc.id]);
    } finally {
      await set('staleReads', 'off', {});
    }
  });

  test('slow lists of many projects delay no commit', async () => {
    const doc = docOf();
    await save(rig.store, doc);
    await rig.fail('alwaysOn', { failCommands: ['find'], blockConnection: true, blockTimeMS: 700 });
    let ended = 0;
    const lists = Array.from({ length: 60 }, () =>
      rig.store
        .listDocs({ ...queryOf({ kind: doc.kind, scope: freshScope() }), inTurn: true })
        .catch(() => null)
        .finally(() => ended++),
    );
    const commits = Array.from({ length: 20 }, () => commitOne(rig.store, writeOf(docOf())));
    expect(await Promise.all(commits)).toEqual(commits.map(() => ({ is: 'applied' })));
    expect(ended).toBe(0);
    await Promise.all(lists);
  });

  test('what the service itself has to know waits for no list of a door, however many it asks at once', async () => {
    const doc = docOf();
    await save(rig.store, doc);
    const { kind, scope } = doc;
    const own = Array.from({ length: 3 * listsWaitingMax }, () =>
      rig.store.listDocs(queryOf({ kind, scope })),
    );
    expect(await Promise.all(own)).toHaveLength(own.length);
    await rig.fail(listsAtOnceMax, { failCommands: ['find'], blockConnection: true, blockTimeMS: 700 });
    let ended = 0;
    const slow = Array.from({ length: listsAtOnceMax }, () =>
      rig.store.listDocs({ ...queryOf({ kind, scope }), inTurn: true }).finally(() => ended++),
    );
    // theirs are at the server by now
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await rig.store.listDocs(queryOf({ kind, scope }))).items).toHaveLength(1);
    expect(ended).toBe(0);
    await Promise.all(slow);
  });

  describe('a batch of more than a command may have', () => {
    const mebibyte = 1024 * 1024;
    const large = { text: 'x'.repeat(5 * mebibyte - 1000) };

    test('of documents, new ones and changes, is applied', async () => {
      const docs = Array.from({ length: 5 }, () => docOf());
      const created = await rig.store.commit(docs.map((doc) => writeOf({ ...doc, body: large })));
      expect(created).toEqual(docs.map(() => ({ is: 'applied' })));
      const changed = await rig.store.commit(docs.map((doc) => writeOf(after(doc, { body: large }))));
      expect(changed).toEqual(docs.map(() => ({ is: 'applied' })));
    });

    test('of rows, insert-only ones and others, is stored', async () => {
      for (const once of [true, false]) {
        const rows = Array.from({ length: 5 }, () => rowOf({ once, body: large }));
        expect(await rig.store.putRows(rows)).toBe('applied');
        expect(await rig.store.readRow('label', rows[4]?.id ?? '')).toEqual(rows[4]);
      }
    });

    test('a command that the driver cannot write was certainly not sent', async () => {
      const line = { db: rig.bystander.db(rig.database), answerMsMax: 1000, latest: null };
      const text = 'x'.repeat(6 * mebibyte);
      const documents = [1, 2, 3].map((n) => ({ _id: freshId('huge') + n, text }));
      expect(await sendWrite(line, { insert: 'parcel', documents })).toMatchObject({ is: 'unsendable' });
    });
  });

  describe('the server refuses a command', () => {
    test.each(refusals)('code %i, %s: an error of the store, and nothing was written', async (errorCode) => {
      const doc = docOf();
      await save(rig.store, doc);
      for (const [command, write] of [
        ['update', writeOf(after(doc))],
        ['insert', writeOf(docOf())],
      ] as const) {
        await rig.fail('alwaysOn', { failCommands: [command], errorCode });
        const refused = await commitOne(rig.store, write);
        expect(refused).toMatchObject({ is: 'error', of: 'store' });
        expect(rig.reported.at(-1)).toEqual([refused]);
        await rig.heal();
        expect(await commitOne(rig.store, write)).toEqual({ is: 'applied' });
      }
    });

    test('a moment without a primary causes a delay, not an error', async () => {
      const doc = docOf();
      await rig.fail(3, { failCommands: ['insert'], errorCode: 10107 });
      expect(await commitOne(rig.store, writeOf(doc))).toEqual({ is: 'applied' });
    });

    test('refused credentials are reported at once', async () => {
      const doc = docOf();
      await rig.fail(1, { failCommands: ['insert'], errorCode: 13 });
      expect(await commitOne(rig.store, writeOf(doc))).toMatchObject({ is: 'error', of: 'store' });
    });

    test('when it cannot be read either: unknown, until it can', async () => {
      const doc = docOf();
      await save(rig.store, doc);
      await rig.fail('alwaysOn', { failCommands: ['update', 'find'], errorCode: 11602 });
      const write = writeOf(after(doc));
      expect(await commitOne(rig.store, write)).toEqual({ is: 'unknown' });
      await expect(stored(doc)).rejects.toThrow();
      await rig.heal();
      expect(await commitOne(rig.store, write)).toEqual({ is: 'applied' });
      expect(await stored(doc)).toEqual(after(doc));
    });

    test('refused rows are sent again and stored', async () => {
      const row = rowOf();
      await rig.fail(1, { failCommands: ['update'], errorCode: 14031 });
      expect(await rig.store.putRows([row])).toBe('unknown');
      await putAll(rig.store, [row]);
      expect(await rig.store.readRow(row.kind, row.id)).toEqual(row);
    });
  });

  describe('the connection is cut', () => {
    test.each([
      ['before the server has read a word', { closeConnection: true }, 1],
      ['after the write, before the answer', { closeAfter: true }, 2],
    ] as const)('%s: unknown, and the same write again is definite', async (_when, cut, standsAt) => {
      const doc = docOf();
      await save(rig.store, doc);
      const changed = after(doc, { body: { status: 'sent' } });
      await rig.fail(1, { failCommands: ['update'], ...cut });
      expect(await commitOne(rig.store, writeOf(changed))).toEqual({ is: 'unknown' });
      expect((await stored(doc))?.v).toBe(standsAt);
      expect(await commitOne(rig.store, writeOf(changed))).toEqual({ is: 'applied' });
      expect(await stored(doc)).toEqual(changed);
    });

    test.each([
      ['before the server has read a word', { closeConnection: true }],
      ['after the write, before the answer', { closeAfter: true }],
    ] as const)('%s, of a creation: created once', async (_when, cut) => {
      const doc = docOf();
      await rig.fail(1, { failCommands: ['insert'], ...cut });
      expect(await commitOne(rig.store, writeOf(doc))).toEqual({ is: 'unknown' });
      expect(await commitOne(rig.store, writeOf(doc))).toEqual({ is: 'applied' });
      expect(await commitOne(rig.store, writeOf({ ...doc, tok: 'other' }))).toEqual({ is: 'stale' });
      expect(await stored(doc)).toEqual(doc);
    });

    test('a write that was applied without an answer is never reported as not executed', async () => {
      const doc = docOf();
      await save(rig.store, doc);
      const write = writeOf(after(doc));
      await rig.fail(1, { failCommands: ['update'], closeAfter: true });
      expect(await commitOne(rig.store, write)).toEqual({ is: 'unknown' });
      await rig.fail('alwaysOn', { failCommands: ['update', 'insert'], errorCode: 10107 });
      expect(await commitOne(rig.store, write)).toEqual({ is: 'unknown' });
      const other = docOf();
      expect(await commitOne(rig.store, writeOf(other))).toMatchObject({ is: 'error', of: 'store' });
      await rig.heal();
      expect(await commitOne(rig.store, write)).toEqual({ is: 'applied' });
    });

    test('a repeated copy does not overwrite a newer write', async () => {
      const doc = docOf();
      await save(rig.store, doc);
      const lost = writeOf(after(doc, { tok: 'mine', body: { status: 'lost' } }));
      await rig.fail(1, { failCommands: ['update'], closeConnection: true });
      expect(await commitOne(rig.store, lost)).toEqual({ is: 'unknown' });
      const theirs = after(doc, { tok: 'theirs', e: 2 });
      expect(await save(rig.store, theirs)).toEqual({ is: 'applied' });
      expect(await commitOne(rig.store, lost)).toEqual({ is: 'stale' });
      expect(await stored(doc)).toEqual(theirs);
    });

    test('a mixed batch: each write gets its correct result, once', async () => {
      const [made, changed, contested] = [docOf(), docOf({ slot: 5 }), docOf({ slot: 9 })];
      await saveAll(rig.store, [changed, contested]);
      await saveAll(rig.store, [after(contested, { tok: 'theirs' })]);
      const courier = docOf({ kind: 'courier', slot: 13 });
      const writes = [made, after(changed), after(contested), courier].map((doc) => writeOf(doc));
      await rig.fail(1, { failCommands: ['update'], closeAfter: true });
      const ends = await Promise.all(writes.map((write) => definite(rig.store, write)));
      expect(ends.map(({ is }) => is)).toEqual(['applied', 'applied', 'stale', 'applied']);
    });

    test('rows are stored once, and a journal is in order', async () => {
      const scope = freshScope();
      const entries = [1, 2, 3].map((pos) => entryOf(scope, pos));
      const label = rowOf({ scope, v: 3 });
      await rig.fail(1, { failCommands: ['update'], closeAfter: true });
      expect(await rig.store.putRows([...entries, label])).toBe('unknown');
      await putAll(rig.store, [{ ...label, v: 4 }]);
      expect(await rig.store.putRows([...entries, label])).toBe('applied');
      expect(await rig.store.journalAfter(scope, 0, 10)).toEqual(entries);
      expect((await rig.store.readRow('label', label.id))?.v).toBe(4);
    });

    test('reads are retried once, then reject', async () => {
      const doc = docOf();
      await save(rig.store, doc);
      await rig.fail(1, { failCommands: ['find'], closeConnection: true });
      expect(await stored(doc)).toEqual(doc);
      await rig.fail('alwaysOn', { failCommands: ['find'], closeConnection: true });
      await expect(stored(doc)).rejects.toThrow();
      await expect(
        rig.store.listDocs({ kind: 'parcel', scope: doc.scope, page: 1, limit: 5 }),
      ).rejects.toThrow();
    });
  });

  describe('no confirmation from a majority', () => {
    test('the write is applied here and unknown, until a majority confirms it', async () => {
      const doc = docOf();
      const waiting = { code: 64, errmsg: 'waiting for replication timed out' };
      await rig.fail(1, { failCommands: ['insert'], writeConcernError: waiting });
      expect(await commitOne(rig.store, writeOf(doc))).toEqual({ is: 'unknown' });
      expect(await commitOne(rig.store, writeOf(doc))).toEqual({ is: 'applied' });
      await rig.fail(1, { failCommands: ['update'], writeConcernError: waiting });
      expect(await commitOne(rig.store, writeOf(after(doc)))).toEqual({ is: 'unknown' });
      expect(await commitOne(rig.store, writeOf(after(doc)))).toEqual({ is: 'applied' });
      const row = rowOf();
      await rig.fail(1, { failCommands: ['update'], writeConcernError: waiting });
      expect(await rig.store.putRows([row])).toBe('unknown');
      await putAll(rig.store, [row]);
    });
  });

  describe('the server is slow', () => {
    test('beyond the time limit a write is unknown, is applied late, and is reported as applied', async () => {
      const doc = docOf();
      await save(rig.store, doc);
      await rig.fail(1, { failCommands: ['update'], blockConnection: true, blockTimeMS: 4000 });
      expect(await commitOne(rig.store, writeOf(after(doc)))).toEqual({ is: 'unknown' });
      expect(await definite(rig.store, writeOf(after(doc)))).toEqual({ is: 'applied' });
      expect(await stored(doc)).toEqual(after(doc));
    });

    test('in a large batch a slow lane does not delay the others', async () => {
      const docs = Array.from({ length: 2 * laneWritesMin }, (_, n) => docOf({ slot: 4 * (n % 2) }));
      await saveAll(rig.store, docs);
      await rig.fail(1, { failCommands: ['update'], blockConnection: true, blockTimeMS: 4000 });
      const results = await rig.store.commit(docs.map((doc) => writeOf(after(doc))));
      expect(results.filter(({ is }) => is === 'applied')).toHaveLength(laneWritesMin);
      expect(results.filter(({ is }) => is === 'unknown')).toHaveLength(laneWritesMin);
    });
  });

  describe('one bad write among many', () => {
    test('of 200, one too large and one that cannot be serialised fail alone', async () => {
      const docs = Array.from({ length: 200 }, (_, slot) => docOf({ slot }));
      const [large, odd] = [docs[17], docs[99]];
      const huge = { ...large, body: { text: 'x'.repeat(17 * 1024 * 1024) } } as Doc;
      const wordless = { ...odd, body: { n: 1n as never } } as Doc;
      const writes = docs.map((doc, at) => writeOf(at === 17 ? huge : at === 99 ? wordless : doc));
      const results = await rig.store.commit(writes);
      const failed = results.flatMap((result, at) =>
        result.is === 'applied' ? [] : [[at, result] as const],
      );
      expect(failed).toMatchObject([
        [17, { is: 'error', of: 'document' }],
        [99, { is: 'error', of: 'document' }],
      ]);
      for (const [at, doc] of docs.entries()) {
        expect(await stored(doc)).toEqual(at === 17 || at === 99 ? null : doc);
      }
    });

    test('an error of the server about one write fails only that one', async () => {
      const db = rig.bystander.db(rig.database);
      await db.command({ collMod: 'courier', validator: { sv: { $lt: 9 } }, validationLevel: 'strict' });
      const docs = [1, 9, 1].map((sv) => docOf({ kind: 'courier', sv }));
      const results = await rig.store.commit(docs.map((doc) => writeOf(doc)));
      expect(results).toMatchObject([{ is: 'applied' }, { is: 'error', of: 'document' }, { is: 'applied' }]);
      await db.command({ collMod: 'courier', validator: {} });
    });

    test('a row that can never be stored rejects only its own call', async () => {
      const bad = rowOf({ body: { text: 'x'.repeat(17 * 1024 * 1024) } });
      const good = rowOf();
      const [one, other] = await Promise.allSettled([rig.store.putRows([bad]), rig.store.putRows([good])]);
      expect([one.status, other.status]).toEqual(['rejected', 'fulfilled']);
      expect(await rig.store.readRow(good.kind, good.id)).toEqual(good);
    });

    test('a long call repeated beside newer rows is not answered row by row', async () => {
      const rows = Array.from({ length: 200 }, () => rowOf({ v: 5 }));
      await putAll(rig.store, rows);
      await putAll(rig.store, [...rows.map((row) => ({ ...row, v: 4 })), rowOf()]);
      for (const row of [rows[0], rows[199]])
        expect(await rig.store.readRow('label', row?.id ?? '')).toEqual(row);
    });
  });
});
