import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withFractionsKept } from '../../../../gateways/http/route/fractions.ts';
import { objectFrom } from '../../../../gateways/http/route/request.ts';

const amountOf = (text: string): unknown => objectFrom(Buffer.from(`{"amount":${text}}`))?.['amount'];

describe('a number written with a fraction', () => {
  test.each([
    '1000.0000000000000001',
    '-1000.0000000000000001',
    '100000000.000000001',
    '10000000000000000.1e-13',
  ])('%s is no integer, though a double cannot hold its fraction', (text) => {
    expect(Number.isInteger(Number(text))).toBe(true);
    const amount = amountOf(text);
    expect(Number.isInteger(amount)).toBe(false);
    expect(amount).toBeCloseTo(Number(text), 6);
  });

  test('0.000...1 is not 0', () => {
    expect(amountOf(`0.${'0'.repeat(400)}1`)).toBeGreaterThan(0);
  });

  test.each([
    '1000',
    '1000.0',
    '1000.00000000000000000000',
    '1e3',
    '1.25e2',
    '125050.0',
    '1000000000e-6',
    '-0.0',
  ])('%s has none, and is the integer it says', (text) => {
    expect(amountOf(text)).toBe(Number(text));
    expect(Number.isInteger(amountOf(text))).toBe(true);
  });

  test('in a text is text', () => {
    const json =
      '{"a":"1000.0000000000000001","1.00000000000000000001":"\\"1.00000000000000000001","b":1.5e1}';
    expect(withFractionsKept(json)).toBe(json);
  });

  test('where no double has a fraction stays what it is', () => {
    expect(amountOf('9007199254740993.5')).toBe(9_007_199_254_740_994);
    expect(amountOf('1e999')).toBe(Number.POSITIVE_INFINITY);
  });

  test('of any JSON, numbers a program writes are read as they were', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(withFractionsKept(text))).toEqual(JSON.parse(text));
      }),
    );
  });
});
