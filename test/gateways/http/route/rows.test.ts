import { beforeEach, expect, test } from 'vitest';
import { answerRows, rowsMax, type Rows } from '../../../../gateways/http/route/rows.ts';
import { instantFrom } from '../../../../gateways/http/route/instant.ts';
import type { ListQuery, Row } from '../../../../src/store/store.ts';
import { rowOf } from '../../../contract/store-samples.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' as const;
const began = Date.parse('2026-11-20T09:15:00.000Z');

let rows: Row[];
let queries: ListQuery[];
/** What happens to the list after each read. */
let afterRead: () => void;

/** A list as the port of the store defines it. */
const client = {
  async listRows(query: ListQuery) {
    queries.push(query);
    const { from = -Infinity, to = Infinity } = query.range?.find(({ field }) => field === 'created') ?? {};
    const found = rows
      .filter(({ created }) => created >= Number(from) && created < Number(to))
      .toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
    const start = (query.page - 1) * query.limit;
    const listed = { items: found.slice(start, start + query.limit), total: found.length };
    afterRead();
    return listed;
  },
};

const made = (count: number, createdAt: (n: number) => number): Row[] =>
  Array.from({ length: count }, (_, n) =>
    rowOf({ kind: 'payment', scope, created: createdAt(n), body: { n } }),
  );

async function all(listing = {}): Promise<readonly unknown[]> {
  const answer = await answerRows(client, { kind: 'payment', scope, listing, filters: {} }, true);
  const numbers: unknown[] = [];
  for await (const batch of (answer as Rows).batches) numbers.push(...batch.map((body) => body['n']));
  return numbers;
}

beforeEach(() => {
  rows = [];
  queries = [];
  afterRead = () => undefined;
});

test('a body that an older build has written is shown in the shape of this one, in a page and in a file', async () => {
  rows = made(150, (n) => began + n);
  const list = {
    kind: 'payment',
    scope,
    listing: {},
    filters: {},
    shown: (body: Row['body']) => ({ added: null, ...body }),
  };
  const page = await answerRows(client, list, false);
  expect(page).toMatchObject({ text: expect.stringContaining('{"added":null,"n":149}') as string });
  const file = (await answerRows(client, list, true)) as Rows;
  for await (const batch of file.batches)
    for (const body of batch) expect(body).toHaveProperty('added', null);
});

test('an empty list is an empty file', async () => expect(await all()).toEqual([]));

test('every row is given once, newest first, whatever falls into one instant', async () => {
  // more of one instant than one read holds, before and after single ones
  rows = made(1200, (n) => began + (n < 100 ? n : n < 900 ? 100 : n));
  const numbers = await all();
  expect(new Set(numbers).size).toBe(1200);
  expect(numbers).toHaveLength(1200);
  const instants = numbers.map((n) => rows[Number(n)]?.created ?? 0);
  expect(instants).toEqual(instants.toSorted((a, b) => b - a));
});

test('what comes while it is read moves nothing: no row is given twice or left out', async () => {
  rows = made(1000, (n) => began + 10 * n);
  let more = 1000;
  afterRead = () => {
    rows.push(rowOf({ kind: 'payment', scope, created: began + 10 * more, body: { n: more++ } }));
  };
  expect(await all()).toEqual(Array.from({ length: 1000 }, (_, n) => 999 - n));
});

test('what leaves the list while it is read hides no other row', async () => {
  rows = made(1000, (n) => began + 10 * n);
  const newest = new Set(rows.slice(-200));
  afterRead = () => {
    rows = rows.filter((row) => !newest.has(row));
  };
  expect((await all()).slice(-800)).toEqual(Array.from({ length: 800 }, (_, n) => 799 - n));
});

test('no more than the newest 10,000 are given, in reads of bounded size', async () => {
  rows = made(rowsMax + 300, (n) => began + n);
  const answer = await answerRows(client, { kind: 'payment', scope, listing: {}, filters: {} }, true);
  expect(answer).toMatchObject({ is: 'rows', total: rowsMax + 300 });
  const numbers: unknown[] = [];
  for await (const batch of (answer as Rows).batches) numbers.push(...batch.map((body) => body['n']));
  expect(numbers).toHaveLength(rowsMax);
  expect(numbers.at(-1)).toBe(300);
  expect(queries.every(({ limit, page }) => limit === 100 && page === 1)).toBe(true);
});

test('the bounds of the request stay', async () => {
  rows = made(600, (n) => began + n);
  const iso = (at: number): string => new Date(at).toISOString();
  const listing = { createdFrom: iso(began + 50), createdTo: iso(began + 550), page: 3, limit: 10 };
  expect(await all(listing)).toEqual(Array.from({ length: 500 }, (_, n) => 549 - n));
  expect(instantFrom(iso(began))).toBe(began);
});
