import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine, csvRow } from '../../../../gateways/http/route/csv.ts';

const read = (csv: string): readonly string[][] => parse(csv, { record_delimiter: '\r\n' });

/** Texts a buyer or a merchant may have written, with everything that CSV and spreadsheets take for special. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary-ascii' }),
  fc
    .array(fc.constantFrom('"', ',', '\r', '\n', '\t', '=', '+', '-', '@', "'", ';', ' ', 'a', 'क'), {
      maxLength: 8,
    })
    .map((parts) => parts.join('')),
);
const values = fc.oneof(texts, fc.integer(), fc.boolean(), fc.constant(null), fc.record({ name: texts }));

const shown = (value: unknown): string => {
  if (value === null) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  const visible = value.replace(/^[\s\p{Cc}\p{Cf}]+/u, '');
  const isRun = '\t\r\n'.includes(value.slice(0, 1)) || '=+-@＝＋－＠'.includes(visible.slice(0, 1));
  return value !== '' && isRun && (visible !== '' || /^[\t\r\n]/.test(value)) ? `'${value}` : value;
};

test('a parser that is not ours reads back every cell of every line', () => {
  fc.assert(
    // one empty cell alone is an empty line, which has no cells: our objects have many fields
    fc.property(fc.array(fc.array(values, { minLength: 3, maxLength: 3 }), { minLength: 1 }), (rows) => {
      expect(read(rows.map(csvLine).join(''))).toEqual(rows.map((row) => row.map(shown)));
    }),
    { numRuns: 1000 },
  );
});

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
/** What a spreadsheet does not show, and skips or drops. */
const unseen = ['', ' ', '\u00A0', '\u200B', '\uFEFF', '\u0000', ' \n '];
const beginnings = ['\t', '\r', '\n', ...unseen.flatMap((before) => signs.map((sign) => before + sign))];

test('no cell that a parser reads is a formula, whatever was written into it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...beginnings), texts, (first, rest) => {
      const [[cell = ''] = []] = read(csvLine([first + rest, 'x']));
      expect(cell).toBe(`'${first}${rest}`);
    }),
  );
});

test('numbers stay numbers, what is nested is JSON, what is absent is empty', () => {
  const object = { amount: -5, metadata: { note: '=1+1', list: ['a,b'] }, name: null, paid: true };
  expect(csvRow(['amount', 'metadata', 'name', 'paid', 'other'], object)).toBe(
    '-5,"{""note"":""=1+1"",""list"":[""a,b""]}",,true,\r\n',
  );
});
