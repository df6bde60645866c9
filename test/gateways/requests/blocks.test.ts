/** Blocks of the log of requests: what is in a row, of this version and of the one before. */
import { beforeEach, expect, test } from 'vitest';
import { BlockMaker, blockEntriesMax } from '../../../gateways/requests/blocks.ts';
import { Entries, otherMethod, piecesEntriesMax } from '../../../gateways/requests/entries.ts';
import type { Entry } from '../../../gateways/requests/entry.ts';
import { foundBlock, type EntryFilter } from '../../../gateways/requests/found-entries.ts';
import { olderEntriesOf } from '../../../gateways/requests/older-blocks.ts';
import type { Door, KeyUsed } from '../../../gateways/server/door.ts';
import { RequestIds } from '../../../gateways/server/request-id.ts';
import type { Row } from '../../../src/store/store.ts';

const keyUsed = { scope: 'prj_0000:sandbox', keyId: 'key_a' };
const door: Door = {
  method: 'GET',
  path: '/v1/checkout/{id}',
  handle: () => Promise.reject(new Error('never asked')),
};
const from = 1_795_166_200_000;
let ids: RequestIds;
let entries: Entries;
beforeEach(() => {
  ids = new RequestIds(() => from);
  entries = new Entries().begin(from);
});

interface Given {
  readonly param: string;
  readonly now?: number;
  readonly status?: number;
  readonly refusal?: string;
  readonly caller?: KeyUsed;
}

function add({ param, now = from, status = 200, refusal = '', caller = keyUsed }: Given): string {
  const id = ids.next();
  const request = { requestNumber: ids.number, method: 'GET', params: { id: param }, path: '', refusal };
  entries.add(caller, door, request, { now, status, tookMs: 1 });
  return id;
}
const rows = (): readonly Row[] =>
  new BlockMaker(ids.key).blocksOf(entries, () => from).map(({ row }) => row);
const entriesOf = (row: Row, filter: EntryFilter = {}): readonly Entry[] => {
  const block = foundBlock(row);
  return [...block.matching(filter, block.length)].map(([, entry]) => entry).reverse();
};

test('requests that differ in their number and time alone take a few bytes each', () => {
  for (let n = 0; n < blockEntriesMax; n++) add({ param: 'cs_0123456789abcdefghjkmnpq', now: from + n / 20 });
  const [row] = rows();
  expect(JSON.stringify(row).length).toBeLessThan(8 * blockEntriesMax);
});

test('what an entry says is read as it was noted, also when answers are out of order and the clock is set back', () => {
  const given: readonly Given[] = [
    { param: 'cs_1', now: from + 5 },
    { param: 'cs_2', now: from - 60_000 },
    {
      param: 'cs_1',
      now: from + 86_400_000,
      status: 404,
      refusal: '{"error":{"code":"resource_not_found"}}',
    },
  ];
  const noted = given.map((one) => add(one));
  const [row] = rows();
  expect(row === undefined ? [] : entriesOf(row)).toEqual(
    given.map(({ param, now, status = 200 }, n) => ({
      id: noted[n],
      at: now,
      method: 'GET',
      path: `/v1/checkout/${param}`,
      status,
      keyId: 'key_a',
      tookMs: 1,
      code: status === 404 ? 'resource_not_found' : null,
    })),
  );
});

test('the entries of a whole piece come back, project by project, none twice', () => {
  const noted: string[] = [];
  while (!entries.isFull)
    noted.push(
      add({
        param: `cs_${entries.length % 700}`,
        caller: { ...keyUsed, scope: `prj_${entries.length % 3}:live` },
      }),
    );
  expect(entries.length).toBe(piecesEntriesMax);
  const found = rows().flatMap((row) => entriesOf(row).map((entry) => ({ ...entry, scope: row.scope })));
  expect(found.map(({ id }) => id).sort()).toEqual([...noted].sort());
  const place = new Map(noted.map((id, at) => [id, at]));
  expect(found.every(({ id, scope }) => scope === `prj_${(place.get(id) ?? 0) % 3}:live`)).toBe(true);
  expect(found.every(({ id, path }) => path === `/v1/checkout/cs_${(place.get(id) ?? 0) % 700}`)).toBe(true);
});

test('one of thousands is found by its id', () => {
  const noted = Array.from({ length: blockEntriesMax }, (_, n) => add({ param: `cs_${n}` }));
  const [row] = rows();
  expect(row === undefined ? [] : entriesOf(row, { id: noted[1234] ?? '' }).map(({ path }) => path)).toEqual([
    '/v1/checkout/cs_1234',
  ]);
});

test('a node of the version before finds nothing in a block, and does not fail', () => {
  add({ param: 'cs_1' });
  const [row] = rows();
  expect(olderEntriesOf(row?.body ?? {})).toEqual([]);
});

/** As version 0.2.0 wrote it. */
const older: Row = {
  kind: 'request_log',
  id: 'rql_cesb0x94x3bedd9t6x0gjej8',
  owner: { kind: 'request_log', id: 'rql_cesb0x94x3bedd9t6x0gjej8' },
  scope: 'prj_0000:sandbox',
  v: 1,
  once: true,
  gone: false,
  created: from + 1000,
  tags: ['second=1nfzcbr', 'status=200', 'status=404', 'key=key_a'],
  body: {
    from,
    ids: '1nfzcbr0123456789abcdefg1nfzcbr0123456789abcdefh',
    keys: ['key_a'],
    routes: [
      ['GET', '/v1/checkout/{id}'],
      ['POST', '{path}'],
    ],
    paths: 'cs_1\n/v1/nothing\n',
    numbers: 'ewAAAH0AAADIAAAAlAEAAAEAAAADAAAAAAAAAAAAAAAAAAAAAQAAAA==',
    codes: '\nendpoint_not_found',
  },
};

test('a block of the version before is read', () => {
  const [get, post] = [
    { id: 'req_1nfzcbr0123456789abcdefg', method: 'GET', path: '/v1/checkout/cs_1', status: 200, code: null },
    {
      id: 'req_1nfzcbr0123456789abcdefh',
      method: 'POST',
      path: '/v1/nothing',
      status: 404,
      code: 'endpoint_not_found',
    },
  ];
  expect(entriesOf(older)).toMatchObject([get, post]);
  expect(entriesOf(older).map(({ at, tookMs, keyId }) => [at - from, tookMs, keyId])).toEqual([
    [123, 1, 'key_a'],
    [125, 3, 'key_a'],
  ]);
  expect(entriesOf(older, { id: post?.id ?? '' })).toMatchObject([post]);
  expect(entriesOf(older, { status: 200, key: 'key_a', path: 'cs_1' })).toMatchObject([get]);
});

test('methods that are none of HTTP are noted as one word, however many and long they are', () => {
  for (let n = 0; n < blockEntriesMax; n++) {
    const method = `M${n}${'X'.repeat(15_000)}`;
    ids.next();
    const request = { requestNumber: ids.number, method, params: {}, path: '/v1/nowhere', refusal: '' };
    entries.add(keyUsed, undefined, request, { now: from, status: 405, tookMs: 1 });
  }
  const [row] = rows();
  expect(JSON.stringify(row).length).toBeLessThan(100_000);
  expect(entriesOf(row as Row)[7]).toMatchObject({ method: otherMethod, path: '/v1/nowhere', status: 405 });
});
