/** Unreadable documents in a real database file: they affect only their own actor. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counter, counterAt } from './counter.ts';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { realScheduler } from '../../../src/kernel/time.ts';
import { embedded } from '../../support/embedded.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { docOf } from '../../contract/store-samples.ts';
import { openConnection } from '../../../src/store/sqlite-bind.ts';
import { DocumentUnreadable, type Store } from '../../../src/store/store.ts';
import { openSqliteStore } from '../../../src/store/store-sqlite.ts';

const scope = 'prj_abcd:live' as const;
const merchant = { by: 'merchant', scope } as const;
/** Texts as a damaged disk or a manual change leaves them. */
const damages = new Map([
  ['cnt_aba', '{"kind":"counter","id":"cnt_a'],
  ['cnt_abb', ''],
  ['cnt_abc', '{"kind":"counter"}'],
  ['cnt_abd', 'null'],
]);
const [newer, healthy, torn] = ['cnt_abe', 'cnt_abf', 'cnt_abg'];
const marker = 'here it is torn';
const pageBytes = 4096;
const list = { kind: 'counter', scope, page: 1, limit: 10 } as const;

let folder: string;
let store: Store;
let node: Node;
const said: object[] = [];

async function open(): Promise<void> {
  store = await openSqliteStore({
    dataDir: join(folder, 'data'),
    collections: [
      { kind: 'counter', of: 'doc', indexes: [] },
      { kind: 'event_log', of: 'doc', indexes: [] },
      { kind: 'count', of: 'row', indexes: [] },
      { kind: 'journal', of: 'row', indexes: ['objectId'] },
      { kind: 'timeline', of: 'row', indexes: ['about'] },
      { kind: 'dead', of: 'row', indexes: [] },
    ],
    onFatal: (line) => {
      throw new Error(line);
    },
  });
  node = new Node({
    actors: [counter, eventLog],
    store,
    scheduler: realScheduler,
    envelopeText,
    ...embedded('n:1'),
    effects: {},
    dispatch: async (_scope, entries) => entries.map(() => []),
    log: { warn: () => undefined, error: (fields) => void said.push(fields) },
  });
  await node.start();
}

async function close(): Promise<void> {
  node.kill();
  await store.close();
}

function damage(sql: string, ...values: readonly string[]): void {
  const connection = openConnection(join(folder, 'data', 'galla.db'), 5000);
  connection.statement(sql).run(values);
  connection.close();
}

/** The page that continues a long text now leads nowhere. The tables follow the log of commits, so theirs is the last. */
function tearPage(): void {
  const file = join(folder, 'data', 'galla.db');
  const bytes = readFileSync(file);
  bytes.writeUInt32BE(0xffffffff, Math.floor(bytes.lastIndexOf(marker) / pageBytes) * pageBytes);
  writeFileSync(file, bytes);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'galla-unreadable-'));
  await open();
  for (const id of [...damages.keys(), newer, healthy])
    await node.client.ask(counterAt(id), 'open', {}, merchant);
  const body = { text: `${'a'.repeat(20_000)}${marker}${'b'.repeat(20_000)}` };
  await store.commit([{ expect: 0, doc: docOf({ kind: 'counter', id: torn, body }), rows: [] }]);
  await close();
  for (const [id, json] of damages) damage(`UPDATE docs SET json = ? WHERE id = ?`, json, id);
  damage(`UPDATE docs SET json = json_set(json, '$.sv', 99) WHERE id = ?`, newer);
  damage(`UPDATE view_rows SET json = ? WHERE id = ?`, '{', 'row_aba');
  tearPage();
  await open();
});

afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([...damages])('%s, whose text is %j', (id) => {
  test('is reported as unreadable, with its id', async () => {
    const thrown: unknown = await store.read('counter', id).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DocumentUnreadable);
    expect(String(thrown)).toContain(`counter/${id}`);
  });

  test('is neither reported as missing nor overwritten', async () => {
    await expect(node.client.read(counterAt(id), scope)).rejects.toThrow(DocumentUnreadable);
    expect(await node.client.ask(counterAt(id), 'open', {}, merchant)).toEqual({ is: 'internal' });
    await expect(node.client.read(counterAt(id), scope)).rejects.toThrow(DocumentUnreadable);
    await expect(store.read('counter', id)).rejects.toThrow(DocumentUnreadable);
  });

  test('is quarantined with one log line, however often it is requested', async () => {
    for (let times = 0; times < 5; times++)
      expect(await node.client.ask(counterAt(id), 'add', { by: 1 }, merchant)).toEqual({ is: 'internal' });
    expect(said.filter((line) => 'actor' in line && line.actor === `counter/${id}`)).toHaveLength(1);
  });
});

test('a damaged database page affects only that document', async () => {
  await expect(store.read('counter', torn)).rejects.toThrow(DocumentUnreadable);
  expect(await node.client.ask(counterAt(torn), 'add', { by: 1 }, merchant)).toEqual({ is: 'internal' });
});

test('other actors continue', async () => {
  expect(await node.client.ask(counterAt(healthy), 'add', { by: 1 }, merchant)).toMatchObject({ is: 'ok' });
});

test('lists count them and leave them out', async () => {
  const total = damages.size + 2;
  const stored = await store.listDocs(list);
  expect(stored.total).toBe(total);
  expect(stored.items.map(({ id }) => id).toSorted()).toEqual([newer, healthy].toSorted());
  expect(await node.client.list(list)).toMatchObject({ items: [{ meta: { id: healthy } }], total });
});

test('reads of many leave them out', async () => {
  const ids = [...damages.keys(), torn, newer, healthy];
  const stored = await store.readMany('counter', ids);
  expect(stored.map(({ id }) => id).toSorted()).toEqual([newer, healthy].toSorted());
  // the healthy actor is in memory here and answers itself
  expect(await node.client.readStored('counter', ids)).toEqual(new Map());
});

test('a damaged view row is refused by itself and left out of lists', async () => {
  await expect(node.client.readRow('count', 'row_aba', scope)).rejects.toThrow(DocumentUnreadable);
  const rows = await node.client.listRows({ ...list, kind: 'count' });
  expect(rows.total).toBe(damages.size + 2);
  expect(rows.items).toHaveLength(damages.size + 1);
});

test('a document of a newer build is quarantined too', async () => {
  expect(await node.client.ask(counterAt(newer), 'add', { by: 1 }, merchant)).toEqual({ is: 'internal' });
  await expect(node.client.read(counterAt(newer), scope)).rejects.toThrow('schema 99 is not known here');
  const lines = said.filter((line) => 'actor' in line && line.actor === `counter/${newer}`);
  expect(lines.map((line) => 'err' in line && String(line.err))).toEqual([
    expect.stringContaining(`counter/${newer} was written by a newer version`),
  ]);
});
