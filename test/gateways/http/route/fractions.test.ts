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
  ])('%s is no integer, although a double cannot hold its fraction', (text) => {
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
  ])('%s has no fraction, and is that integer', (text) => {
    expect(amountOf(text)).toBe(Number(text));
    expect(Number.isInteger(amountOf(text))).toBe(true);
  });

  test('inside a text is not touched', () => {
    const json =
      '{"a":"1000.0000000000000001","1.00000000000000000001":"\\"1.00000000000000000001","b":1.5e1}';
    expect(withFractionsKept(json)).toBe(json);
  });

  test('beyond the range of fractions in doubles is unchanged', () => {
    expect(amountOf('9007199254740993.5')).toBe(9_007_199_254_740_994);
    expect(amountOf('1e999')).toBe(Number.POSITIVE_INFINITY);
  });

  test('in any JSON that a program writes is read unchanged', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(withFractionsKept(text))).toEqual(JSON.parse(text));
      }),
    );
  });
});
