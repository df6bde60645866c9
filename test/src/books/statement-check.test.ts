/** Whether a file is a statement, how its rows are read, and from any place of it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StatementMapping } from '../../../actors/statement/messages.ts';
import { rowCharactersMax, rowsFrom, type CsvRow, type ReadPart } from '../../../src/books/csv.ts';
import { checkStatement, rowOf, rowsMax } from '../../../src/books/statement-check.ts';

/** A text in parts of so many bytes; no part ends within a character. */
function partsOf(text: string, characters = 1 << 20): ReadPart {
  const all = Array.from(text);
  const parts: string[] = [];
  for (let from = 0; from < all.length; from += characters)
    parts.push(all.slice(from, from + characters).join(''));
  return (part) => Promise.resolve(part < parts.length ? Buffer.from(parts[part] ?? '') : null);
}

const check = (text: string, mapping: StatementMapping = {}) => checkStatement(partsOf(text), mapping);

async function rowsIn(text: string, mapping: StatementMapping = {}) {
  const checked = await check(text, mapping);
  if (checked.is !== 'readable') throw new Error(checked.reason);
  const { format, place } = checked;
  const rows: unknown[] = [];
  if (place === null) return rows;
  for await (const { cells, line } of rowsFrom(partsOf(text), place, format.delimiter)) {
    const row = rowOf(cells, format);
    if (row !== null) rows.push([line, row.reference, row.amount]);
  }
  return rows;
}

describe('a file that is a statement', () => {
  const plain = [
    [2, 'A', 100],
    [3, 'B', 250],
  ];
  test.each([
    ['commas', 'reference,amount\nA,1\nB,2.50\n', plain],
    ['semicolons', 'reference;amount\nA;1\nB;2.50', plain],
    ['tabs', 'reference\tamount\nA\t1\nB\t2.50\n', plain],
    ['a byte order mark', '\uFEFFreference,amount\nA,1\nB,2.50\n', plain],
    ['a quoted header after the mark', '\uFEFF"reference","amount"\nA,1\nB,2.50\n', plain],
    ['capitals, spaces and other columns', 'No, Amount ,REFERENCE\n1,1,A\n2,2.50,B\n', plain],
    ['quoted text with commas', 'reference,amount,note\nA,"1.00","x, y"\nB,2.50,"said ""no"""\n', plain],
    ['more semicolons in the text than commas', 'reference,amount,"a;b;c;d"\nA,1,x\nB,2.50,y\n', plain],
    [
      'rows that are too short or too long',
      'reference,amount\nA,1,2,3\nB\nB,2.50\n',
      [
        [2, 'A', 100],
        [3, 'B', null],
        [4, 'B', 250],
      ],
    ],
    [
      'empty lines and separators',
      'reference,amount\n\nA,1\n,\n\nB,2.50\n',
      [
        [3, 'A', 100],
        [6, 'B', 250],
      ],
    ],
    [
      'line breaks in quoted text',
      'note,reference,amount\n"a\nb",A,1\nx,B,2.50\n',
      [
        [2, 'A', 100],
        [4, 'B', 250],
      ],
    ],
    ['a quote in the middle of a text', 'reference,amount,note\nA,1,5" pipe\nB,2.50,\n', plain],
    [
      'a line of totals',
      'reference,amount\nA,1\n,1.00\n',
      [
        [2, 'A', 100],
        [3, '', 100],
      ],
    ],
    ['no rows', 'reference,amount\n', []],
  ])('with %s', async (_what, text, rows) => {
    expect(await rowsIn(text)).toEqual(rows);
  });

  test('the mapping names its columns, and what its amounts are in', async () => {
    const text = 'Txn,Paid (Rs),Currency\nA,1,paisa\nB,250,rupees\n';
    const mapping = { reference: 'txn', amount: 'Paid (Rs)' };
    expect(await rowsIn(text, mapping)).toEqual([
      [2, 'A', 100],
      [3, 'B', 25_000],
    ]);
    expect(await rowsIn(text, { ...mapping, unit: 'Currency' })).toEqual([
      [2, 'A', 1],
      [3, 'B', 25_000],
    ]);
    expect(await rowsIn(text, { ...mapping, unit: 'paisa' })).toEqual([
      [2, 'A', 1],
      [3, 'B', 250],
    ]);
  });

  test('its dates span whole days', async () => {
    const checked = await check('reference,amount,date\nA,1,2026-11-20 10:00\nB,1,\nC,1,2026-11-22\n');
    expect(checked).toMatchObject({
      dates: { first: Date.parse('2026-11-20T04:15:00Z'), last: Date.parse('2026-11-21T18:15:00Z') },
    });
  });
});

describe('a file that is none', () => {
  test.each([
    ['nothing', '\n\n', 'The file is empty.'],
    ['a mark alone', '\uFEFF', 'The file is empty.'],
    ['no header', 'A,1\nB,2\n', 'The file has no column "reference"; its columns are "A", "1".'],
    ['one column alone', 'reference\nA\n', 'The file has no column "amount"; its columns are "reference".'],
    ['a quote without end', 'reference,amount\nA,"1\nB,2\n', 'A quoted text has no end: look at line 2.'],
    [
      'no readable amount',
      'reference,amount\nA,x\nB,1250,50\n'.replace('B,1250,50', 'B,'),
      'No row has an amount that can be read.',
    ],
    ['JSON', '{"reference":"A","amount":1}', 'The file has no column "reference"'],
    [
      'bytes of a spreadsheet',
      'PK\u0003\u0004\u0014\u0000\u0006\u0000\u0008',
      'The file has no column "reference"',
    ],
    [
      'dates too far apart',
      'reference,amount,date\nA,1,2024-01-01\nB,1,2026-01-01\n',
      'The dates of the file span more than 400 days.',
    ],
    [
      'a row without end',
      `reference,amount\nA,${'1'.repeat(rowCharactersMax + 1)}\n`,
      'Line 2 begins a row that is longer than 64 KiB.',
    ],
    [
      'a header of separators alone',
      ','.repeat(rowCharactersMax + 1),
      'Line 1 begins a row that is longer than 64 KiB.',
    ],
    [
      'a later row of separators alone',
      `reference,amount\nA,1\n\nB,2\n${','.repeat(3 * rowCharactersMax)}\n`,
      'Line 5 begins a row that is longer than 64 KiB.',
    ],
    [
      'a long row of many lines',
      `reference,amount\nA,"${'1\n'.repeat(rowCharactersMax)}"\n`,
      'Line 2 begins a row that is longer than 64 KiB.',
    ],
  ])('%s', async (_what, text, reason) => {
    const checked = await check(text);
    expect(checked.is === 'unreadable' ? checked.reason : 'readable').toContain(reason);
  });

  test('a column that was named must be there', async () => {
    const text = 'reference,amount\nA,1\n';
    expect(await check(text, { date: 'When' })).toMatchObject({
      reason: expect.stringContaining('no column "When"') as string,
    });
    expect(await check(text, { unit: 'Currency' })).toMatchObject({ is: 'unreadable' });
    expect(await check(text, { unit: 'paisa' })).toMatchObject({ is: 'readable' });
  });

  test('one row more than allowed', async () => {
    const rows = (count: number): string => `reference,amount\n${'A,1\n'.repeat(count)}`;
    expect(await check(rows(1_000))).toMatchObject({ is: 'readable' });
    expect(await check(rows(rowsMax + 1))).toMatchObject({ is: 'unreadable' });
    const empty = `reference,amount\nA,1\n${',\n'.repeat(rowsMax)}`;
    expect(await check(empty)).toMatchObject({
      reason: expect.stringContaining('more than 100000 rows') as string,
    });
  });
});

test('rows are the same from every place, in whatever parts the text lies', async () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'é', 'नै', '😀', ' ', ',', '"', '\n'), maxLength: 12 }),
    fc.constantFrom('1250.50', 'x'),
  );
  const written = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      async (table, characters) => {
        const text = table.map((row) => `${row.map(written).join(',')}\n`).join('');
        const readPart = partsOf(text, characters);
        const all: CsvRow[] = [];
        for await (const row of rowsFrom(readPart, { part: 0, byte: 0, line: 1 }, ',')) all.push(row);
        expect(all.map(({ cells }) => cells)).toEqual(table);
        for (const [at, { place }] of all.entries()) {
          const rest: CsvRow[] = [];
          for await (const row of rowsFrom(readPart, place, ',')) rest.push(row);
          expect(rest.map(({ cells, line }) => [cells, line])).toEqual(
            all.slice(at).map(({ cells, line }) => [cells, line]),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});
