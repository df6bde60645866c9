import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { openConnection, type Connection } from '../../../src/store/sqlite-bind.ts';
import {
  busySql,
  dueSql,
  journalSql,
  readSql,
  timersSql,
  type Sql,
} from '../../../src/store/sqlite-query.ts';
import { createReader } from '../../../src/store/sqlite-read.ts';
import { noLog } from '../../../src/store/sqlite-commit-log.ts';
import { noIndexes, prepareSchema, slotsOf } from '../../../src/store/sqlite-schema.ts';
import { accessPathsOf, type AccessPath } from '../../../src/store/sqlite-access-paths.ts';
import { rowLines, writeLines } from '../../../src/store/sqlite-commits.ts';
import { Writer } from '../../../src/store/sqlite-write.ts';
import {
  collections,
  docOf,
  entryOf,
  freshScope,
  idsOf,
  queryOf,
  rowOf,
  writeOf,
} from '../../contract/store-samples.ts';
import type { Doc, ListQuery, Row } from '../../../src/store/store.ts';

const slots = { doc: slotsOf(collections, 'doc'), row: slotsOf(collections, 'row') };
const [scope, other] = [freshScope(), freshScope()];

let connection: Connection;
beforeAll(() => {
  connection = openConnection(':memory:');
  prepareSchema(connection, ':memory:', collections);
});
afterAll(() => connection.close());

const saveDocs = (docs: readonly Doc[]): void => {
  const writer = new Writer(connection, slots, noLog(connection), () => 0);
  const results = writer.commit(docs.flatMap((doc) => writeLines(writeOf(doc), slots)));
  expect(results.every((result) => result.is === 'applied')).toBe(true);
  writer.applyAll();
};
const saveRows = (rows: readonly Row[]): void => {
  const writer = new Writer(connection, slots, noLog(connection), () => 0);
  expect(writer.putRows(rows.flatMap((row) => rowLines(row, slots)))).toBe(true);
  writer.applyAll();
};

const clock = 'prj_x';
const asked: readonly (readonly [string, Sql])[] = [
  ['an actor', { sql: readSql('doc'), values: ['x', 'parcel'] }],
  ['a row', { sql: readSql('row'), values: ['x', 'label'] }],
  ['the journal forward', journalSql(scope, 3, 10)],
  ['what is due on any clock', dueSql({ until: 5, limit: 10 })],
  ['what is due on one clock', dueSql({ clock, until: 5, limit: 10 })],
  ['the timers of a clock', timersSql(clock)],
  ['the busy on any clock', busySql({ limit: 10 })],
  ['the busy on one clock', busySql({ clock, after: { kind: 'a', id: 'b' }, limit: 10 })],
];

const filters: readonly (readonly [string, Partial<ListQuery>])[] = [
  ['nothing', {}],
  ['an indexed field', { equals: { status: 'open' } }],
  ['null in an indexed field', { equals: { note: null } }],
  ['two indexed fields', { equals: { status: 'open', fragile: true } }],
  ['a field without an index', { equals: { colour: 'red' } }],
  ['any of several', { anyOf: { status: ['open', 'sent'] } }],
  ['any of none', { anyOf: { status: [] } }],
  ['a range', { range: [{ field: 'grams', from: 1, to: 2 }] }],
  ['a range of a field without an index', { range: [{ field: 'colour', from: 'a' }] }],
  ['creation', { range: [{ field: 'created', from: 1, to: 9 }] }],
  ['a tag', { tags: ['a=1'] }],
  ['two tags', { tags: ['a=1', 'b=2'] }],
  ['the beginning of a tag', { tagPrefix: 'a' }],
  [
    'the beginning of a tag, a tag and a field',
    { tagPrefix: 'a', tags: ['b=2'], equals: { status: 'open' } },
  ],
  ['a tag and creation', { tags: ['a=1'], range: [{ field: 'created', from: 1 }] }],
  [
    'all at once',
    {
      equals: { status: 'open', colour: 'red' },
      anyOf: { note: ['x', 'y'] },
      tags: ['a=1', 'b=2'],
      range: [
        { field: 'grams', to: 5 },
        { field: 'created', from: 1 },
      ],
    },
  ],
];

/** How SQLite would go about it; one line per table it visits. */
const planOf = ({ sql, values }: Sql): readonly string[] =>
  connection
    .statement(`EXPLAIN QUERY PLAN ${sql}`)
    .all(values)
    .map((row) => String(row[3]));

function expectIndexed(sql: Sql): void {
  const visits = planOf(sql).filter((line) => /^(SCAN|SEARCH) /.test(line));
  expect(visits.length).toBeGreaterThan(0);
  for (const visit of visits) {
    // The probe counts what its own subquery yields, and `one` is the list of tags in one record: these are
    // visited row by row, the tables never.
    expect(visit).toMatch(
      /^SCAN (\(subquery|one VIRTUAL TABLE)|^SEARCH .* USING (COVERING )?(INDEX|(INTEGER )?PRIMARY KEY)/,
    );
  }
}

const waysIn = (of: 'doc' | 'row', query: ListQuery): readonly AccessPath[] => {
  const { whole, narrow } = accessPathsOf(of, slots[of].get(query.kind) ?? noIndexes, query);
  return [whole, ...narrow];
};

describe('no query walks through a whole table', () => {
  test.each(asked)('%s', (_title, sql) => expectIndexed(sql));

  const kinds = [
    ['doc', 'parcel'],
    ['row', 'label'],
    ['row', 'journal'],
  ] as const;
  describe.each(kinds)('list of %s %s by', (of, kind) => {
    test.each(filters)('%s, in one scope and in all', (_title, filter) => {
      for (const where of [scope, null]) {
        for (const way of waysIn(of, queryOf({ kind, scope: where, ...filter }))) {
          [way.page, way.count, way.sum('grams'), way.probe(10)].forEach(expectIndexed);
        }
      }
    });
  });

  test('a list that its index already orders is not sorted before it is cut', () => {
    for (const [, filter] of filters) {
      for (const way of waysIn('doc', queryOf({ scope, ...filter }))) {
        // One sort is always there: that of the page itself.
        const sorts = planOf(way.page).filter((line) => line.includes('TEMP B-TREE')).length;
        expect(sorts).toBe(way.ordered ? 1 : 2);
      }
    }
  });
});

test('a list by the time of another field is read along its index: only equal times are sorted', () => {
  const range = [{ field: 'sentAt', from: 'a', to: 'b' }];
  const query = queryOf({ kind: 'label', scope, range, newestBy: 'sentAt', equals: { status: 'open' } });
  const { whole, narrow } = accessPathsOf('row', slots.row.get('label') ?? noIndexes, query);
  const plan = planOf(whole.page).join('\n');
  expect(plan).toMatch(/SEARCH k USING INDEX view_rows_f5 \(shelf=\? AND f5>\? AND f5<\?\)/);
  expect(plan).toMatch(/TEMP B-TREE FOR (LAST TERM|RIGHT PART) OF ORDER BY/);
  // the one whole sort is that of the page itself
  expect(plan.match(/TEMP B-TREE FOR ORDER BY/g)).toHaveLength(1);
  expect(narrow.map(({ ordered }) => ordered)).toEqual([false, true]);
});

test('only an indexed field with a bound can order a list', () => {
  const names = slots.row.get('label') ?? noIndexes;
  const asked = (more: Partial<ListQuery>) => () =>
    accessPathsOf('row', names, queryOf({ kind: 'label', scope, ...more }));
  expect(asked({ newestBy: 'sentAt' })).toThrow('a list ordered by a field has a range of it');
  expect(asked({ newestBy: 'colour', range: [{ field: 'colour', from: 'a' }] })).toThrow(
    'colour is an indexed field',
  );
});

const status = fc.constantFrom('open', 'sent', 'lost');
const body = fc.record({
  status,
  grams: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom('1', '2', null)),
  fragile: fc.constantFrom(true, false, null, 1, 'true'),
  colour: fc.constantFrom('red', 'blue', null),
});
const tags = fc.subarray(['a=1', 'b=2', 'c=3']);
const ends = fc.option(fc.integer({ min: -2, max: 6 }), { nil: undefined });
const query = fc.record({
  equals: fc.record(
    {
      status,
      fragile: fc.constantFrom(true, null, 1),
      colour: fc.constantFrom('red', null),
    },
    { requiredKeys: [] },
  ),
  anyOf: fc.record({ status: fc.subarray(['open', 'sent', 'none']) }, { requiredKeys: [] }),
  range: fc.array(fc.record({ field: fc.constantFrom('grams', 'created'), from: ends, to: ends }), {
    maxLength: 2,
  }),
  tags,
  tagPrefix: fc.option(fc.constantFrom('', 'a', 'a=', 'b=2', 'd'), { nil: undefined }),
  page: fc.integer({ min: 1, max: 3 }),
  limit: fc.integer({ min: 1, max: 7 }),
});

test('every way of a list gives the same page and the same total', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ body, tags, created: fc.integer({ min: 0, max: 5 }) }), {
        minLength: 1,
        maxLength: 15,
      }),
      fc.array(query, { minLength: 5, maxLength: 10 }),
      (records, queries) => {
        const here = freshScope();
        saveDocs(records.map((record) => docOf({ scope: here, ...record })));
        for (const { range, tagPrefix, ...rest } of queries) {
          const bounded = range.map(({ field, from, to }) => ({
            field,
            ...(from === undefined ? {} : { from }),
            ...(to === undefined ? {} : { to }),
          }));
          const ways = waysIn(
            'doc',
            queryOf({
              scope: here,
              ...rest,
              ...(tagPrefix === undefined ? {} : { tagPrefix }),
              range: bounded,
            }),
          );
          const answers = ways.map(({ page, count }) => [
            connection.statement(page.sql).all(page.values),
            connection.statement(count.sql).all(count.values),
          ]);
          for (const answer of answers) expect(answer).toEqual(answers[0]);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('a large total or sum may be two seconds old, a small one never', () => {
  let now = 0;
  const reader = createReader(connection, slots, () => now);
  const sum = (where: ListQuery['scope']) => reader.sumRows({ kind: 'journal', scope: where, sumOf: 'pos' });
  const total = (where: ListQuery['scope']) =>
    reader.list('row', queryOf({ kind: 'journal', scope: where, limit: 1 })).total;
  saveRows(Array.from({ length: 10_001 }, (_, pos) => entryOf(scope, pos)));
  saveRows([1, 2, 3].map((pos) => entryOf(other, pos)));
  expect([total(scope), total(other)]).toEqual([10_001, 3]);
  expect([sum(scope), sum(other)]).toEqual([
    { count: 10_001, sum: 50_005_000 },
    { count: 3, sum: 6 },
  ]);
  saveRows([entryOf(scope, 20_000), entryOf(other, 4)]);
  expect([total(scope), total(other)]).toEqual([10_001, 4]);
  expect([sum(scope).count, sum(other).sum]).toEqual([10_001, 10]);
  now = 2001;
  expect(total(scope)).toBe(10_002);
  expect(sum(scope)).toEqual({ count: 10_002, sum: 50_025_000 });
});

test('a long list that would have to be sorted is paged through newest first instead', () => {
  const at = freshScope();
  const rows = Array.from({ length: 6000 }, (_, n) =>
    rowOf({ scope: at, created: n, body: { status: n % 2 === 0 ? 'open' : 'sent' } }),
  );
  saveRows(rows);
  const reader = createReader(connection, slots, () => 0);
  const { texts, total } = reader.list(
    'row',
    queryOf({
      kind: 'label',
      scope: at,
      anyOf: { status: ['open', 'sent'] },
      limit: 3,
    }),
  );
  expect(total).toBe(6000);
  const items = texts.map((text): { id: string } => JSON.parse(text));
  expect(idsOf({ items, total })).toEqual(
    rows
      .slice(-3)
      .toReversed()
      .map((row) => row.id),
  );
});
