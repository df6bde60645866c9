/** The cells of a statement as providers and spreadsheets write them. */
import { describe, expect, test } from 'vitest';
import { amountIn, dateIn, feeIn, unitIn } from '../../../src/books/cells.ts';

describe('an amount in rupees', () => {
  test.each([
    ['1250.50', 125_050],
    ['1250.5', 125_050],
    ['1,250.50', 125_050],
    ['1,25,000', 12_500_000],
    [' 50 ', 5_000],
    ['NPR 1,250', 125_000],
    ['Rs. 50', 5_000],
    ['rs 50.00', 5_000],
    ['रु 50', 5_000],
    ['-50', -5_000],
    ['−50', -5_000],
    ['Rs. -50', -5_000],
    ['-Rs 50', -5_000],
    ['(1,250.50)', -125_050],
    ['0.00', 0],
    ['-0', 0],
    ['50.000', 5_000],
  ])('%s is %i paisa', (cell, paisa) => expect(amountIn(cell, 'rupees')).toBe(paisa));

  test.each([
    '',
    '-',
    'abc',
    '1250,50',
    '1e3',
    '50.005',
    '(50',
    '50)',
    '(-50)',
    '--50',
    '१२',
    '1 250',
    '$50',
    'NaN',
  ])('%j is not an amount', (cell) => expect(amountIn(cell, 'rupees')).toBeNull());

  test('as many digits as a row holds are no amount of ours', () => {
    expect(amountIn('9'.repeat(60_000), 'rupees')).toBeNull();
  });

  test('a cell full of blanks takes no time', () => {
    const from = performance.now();
    for (const cell of [`NPR${' '.repeat(60_000)}x`, `1 ${'T '.repeat(30_000)}x`]) {
      expect(amountIn(cell, 'rupees')).toBeNull();
      expect(dateIn(cell)).toBeNull();
    }
    expect(performance.now() - from).toBeLessThan(500);
  });
});

test('an amount in paisa is whole', () => {
  expect(amountIn('125050', 'paisa')).toBe(125_050);
  expect(amountIn('1,25,050.00', 'paisa')).toBe(125_050);
  expect(amountIn('-5', 'paisa')).toBe(-5);
  expect(amountIn('125.5', 'paisa')).toBeNull();
});

test('a fee has no sign, and a unit is a word', () => {
  expect([feeIn('-12.50', 'rupees'), feeIn('12.50', 'rupees'), feeIn('', 'rupees')]).toEqual([
    1250,
    1250,
    null,
  ]);
  expect(['Rupees', 'NPR', 'Rs.', 'paisa', 'PAISE', 'dollars', ''].map(unitIn)).toEqual([
    'rupees',
    'rupees',
    'rupees',
    'paisa',
    'paisa',
    null,
    null,
  ]);
});

describe('a date', () => {
  test.each([
    ['2026-11-20T09:16:40.123Z', '2026-11-20T09:16:40.123Z'],
    ['2026-11-20T09:16:40+05:45', '2026-11-20T03:31:40.000Z'],
    ['2026-11-20 09:16:40 -0100', '2026-11-20T10:16:40.000Z'],
    ['2026-11-20 09:16 UTC', '2026-11-20T09:16:00.000Z'],
    ['2026-11-20 15:01:40', '2026-11-20T09:16:40.000Z'],
    ['2026-11-20', '2026-11-19T18:15:00.000Z'],
    ['2026/11/20', '2026-11-19T18:15:00.000Z'],
    ['20-11-2026', '2026-11-19T18:15:00.000Z'],
    ['20/11/2026 3:05 PM', '2026-11-20T09:20:00.000Z'],
    ['20.11.2026, 12:00 AM', '2026-11-19T18:15:00.000Z'],
    ['1/2/2026', '2026-01-31T18:15:00.000Z'],
    ['20 Nov 2026', '2026-11-19T18:15:00.000Z'],
    ['20-November-2026 10:00', '2026-11-20T04:15:00.000Z'],
    ['Nov 20, 2026 10:00:01', '2026-11-20T04:15:01.000Z'],
    ['29-02-2028', '2028-02-28T18:15:00.000Z'],
  ])('%s is %s', (cell, at) => expect(new Date(dateIn(cell) ?? NaN).toISOString()).toBe(at));

  test.each([
    '',
    'yesterday',
    '11/20/2026',
    '31-02-2026',
    '29-02-2026',
    '2026-11-20 24:00',
    '2026-11-20 9:60',
    '20-11/2026',
    '20 Nom 2026',
    '20 Nov 2026 13:00 PM',
    '0001-01-01',
    '46345',
    '2026-11-20 10:00 2026-11-21 11:00',
  ])('%j is none', (cell) => expect(dateIn(cell)).toBeNull());
});
