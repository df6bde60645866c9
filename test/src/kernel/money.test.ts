import { expect, test } from 'vitest';
import { displayNpr, paisaFromRupees, rupeesText } from '../../../src/kernel/money.ts';

test.each([
  [100, 'NPR 1.00'],
  [12550, 'NPR 125.50'],
  [125050, 'NPR 1,250.50'],
  [12500000, 'NPR 1,25,000.00'],
  [100000000, 'NPR 10,00,000.00'],
])('%i paisa is shown as %s', (paisa, text) => {
  expect(displayNpr(paisa)).toBe(text);
});

test.each(['1000', '1000.0', '1,000.0', '1000.00'])('%s rupees are 100000 paisa', (raw) => {
  expect(paisaFromRupees(raw)).toBe(100000);
});

test.each([
  ['1,250.50', 125050],
  ['1,25,000', 12500000],
  ['1,25,000.50', 12500050],
  ['12,34,56,789', 12345678900],
  ['125,000', 12500000],
  ['1,250,000.00', 125000000],
])('%s rupees are %i paisa: South Asian groups, or groups of three', (raw, paisa) => {
  expect(paisaFromRupees(raw)).toBe(paisa);
});

test.each([
  '1250,50',
  '1,250,50',
  '12,50',
  '1,2500',
  ',125',
  '125,',
  '1,,250',
  '1,250.5,0',
  '1,25,000,000',
  '1,250,00,000',
  '0,250',
  '1234,567',
])('"%s" has misplaced commas: no clear amount', (raw) => {
  expect(paisaFromRupees(raw)).toBeNull();
});

test.each(['1000.005', '-1', '1e3', ''])('"%s" is no clear amount', (raw) => {
  expect(paisaFromRupees(raw)).toBeNull();
});

test('a protocol with two decimals gets exactly two', () => {
  expect(rupeesText(125050)).toBe('1250.50');
  expect(rupeesText(100)).toBe('1.00');
});
