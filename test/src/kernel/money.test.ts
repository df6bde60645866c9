import { expect, test } from 'vitest';
import { displayNpr, paisaFromRupees, rupeesText } from '../../../src/kernel/money.ts';

test.each([
  [100, 'NPR 1.00'],
  [12550, 'NPR 125.50'],
  [125050, 'NPR 1,250.50'],
  [12500000, 'NPR 1,25,000.00'],
  [100000000, 'NPR 10,00,000.00'],
])('%i paisa reads %s', (paisa, text) => {
  expect(displayNpr(paisa)).toBe(text);
});

test.each(['1000', '1000.0', '1,000.0', '1000.00'])('%s rupees are 100000 paisa', (raw) => {
  expect(paisaFromRupees(raw)).toBe(100000);
});

test.each(['1000.005', '-1', '1e3', ''])('"%s" is no clear amount', (raw) => {
  expect(paisaFromRupees(raw)).toBeNull();
});

test('a wire with two decimals gets exactly two', () => {
  expect(rupeesText(125050)).toBe('1250.50');
  expect(rupeesText(100)).toBe('1.00');
});
