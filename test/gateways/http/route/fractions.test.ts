import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withFractionsKept } from '../../../../gateways/http/route/fractions.ts';
import { readObject } from '../../../../gateways/http/route/request.ts';
import { scanJson } from '../../../../src/kernel/json-scan.ts';

const amountOf = (text: string): unknown => {
  const read = readObject(Buffer.from(`{"amount":${text}}`));
  return 'object' in read ? read.object['amount'] : read.refusal.code;
};
const kept = (json: string): string => {
  const bytes = Buffer.from(json);
  return withFractionsKept(bytes, scanJson(bytes).fractions).toString();
};

/** A decimal number, and whether it is an integer: computed without a double. */
const decimal = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,17}$/), fc.stringMatching(/^9{1,16}$/)),
    fraction: fc.oneof(
      fc.constant(''),
      fc.stringMatching(/^\.\d{1,25}$/),
      fc.stringMatching(/^\.0{0,20}\d$/),
      fc.stringMatching(/^\.9{1,25}$/),
      fc.stringMatching(/^\.0{310,340}\d$/),
    ),
    exponent: fc.option(fc.integer({ min: -340, max: 40 }), { nil: null }),
  })
  .map(({ sign, whole, fraction, exponent }) => {
    const digits = whole + fraction.slice(1);
    const places = Math.max(0, fraction.length - 1) - (exponent ?? 0);
    const isWhole = places <= 0 || BigInt(digits) % 10n ** BigInt(places) === 0n;
    return { text: `${sign}${whole}${fraction}${exponent === null ? '' : `e${exponent}`}`, isWhole };
  });

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
    expect(amount).toBeCloseTo(Number(text), 5);
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
    expect(kept(json)).toBe(json);
  });

  test('beyond the range of fractions in doubles is unchanged', () => {
    expect(amountOf('9007199254740993.5')).toBe(9_007_199_254_740_994);
    expect(amountOf('1e999')).toBe(Number.POSITIVE_INFINITY);
  });

  test('of any size never becomes an integer, and no other number is changed', () => {
    fc.assert(
      fc.property(decimal, ({ text, isWhole }) => {
        const [amount, double] = [Number(amountOf(text)), Number(text)];
        if (isWhole || !Number.isInteger(double)) expect(amount).toBe(double);
        else if (Math.abs(double) < 2 ** 52) expect(Number.isInteger(amount), text).toBe(false);
        expect(Math.abs(amount - double)).toBeLessThanOrEqual(Math.abs(double) * 1e-13 + 1e-13);
      }),
      { numRuns: 5000 },
    );
  });

  test.each(['1e-999x', '1.0e-400.5', '00.0e-999', '1.00000000000000000001.1', '-e-999', '.0e-9999'])(
    '%s is no number before, and none after',
    (text) => {
      expect(amountOf(text)).toBe('invalid_json');
    },
  );

  test('in any JSON that a program writes is read unchanged', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(kept(text)).toBe(text);
      }),
    );
  });
});
