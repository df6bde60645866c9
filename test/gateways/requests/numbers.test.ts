/** Numbers of a block as bytes. */
import { expect, test } from 'vitest';
import {
  numberBytesMax,
  NumbersIn,
  signed,
  unsigned,
  writeNumber,
} from '../../../gateways/requests/numbers.ts';

test('numbers of any size are read as they were written, small ones in one byte', () => {
  const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
  const bytes = new Uint8Array(numbers.length * numberBytesMax);
  let end = 0;
  const ends = numbers.map((number) => (end = writeNumber(bytes, end, number)));
  expect(ends.slice(0, 4)).toEqual([1, 2, 3, 5]);
  const read = new NumbersIn(bytes.subarray(0, end));
  expect(numbers.map(() => read.next())).toEqual(numbers);
  expect(read.more).toBe(false);
});

test('a number that may be negative is written as one that is not', () => {
  const numbers = [0, -1, 1, -64, 63, -(2 ** 40), 2 ** 52 + 1];
  const bytes = new Uint8Array(numberBytesMax);
  for (const number of numbers) {
    const end = writeNumber(bytes, 0, unsigned(number));
    expect(signed(new NumbersIn(bytes.subarray(0, end)).next())).toBe(number);
  }
});
