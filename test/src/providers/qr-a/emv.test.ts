import fc from 'fast-check';
import { checksum } from 'promptparse';
import { describe, expect, test } from 'vitest';
import { checksumOf, qrTextProblem } from '../../../../src/providers/qr-a/emv.ts';
import { codes } from './vectors.ts';

/** The text with its checksum made right again. */
const summedUp = (text: string): string => `${text.slice(0, -4)}${checksumOf(text.slice(0, -4))}`;

describe('a QR text', () => {
  test('has the published checksum, over bytes of UTF-8', () => {
    expect(checksumOf('123456789')).toBe('29B1');
    for (const text of Object.values(codes)) expect(checksumOf(text.slice(0, -4))).toBe(text.slice(-4));
    expect(checksumOf(codes.rs100.replace('100.00', '100.01').slice(0, -4))).toBe('BEAB');
  });

  test.each([
    [codes.rs100, 10_000],
    [codes.rs1250, 125_050],
    [codes.largest, 100_000_000],
  ])('as published is accepted for its own amount only', (text, amount) => {
    expect(qrTextProblem(text, amount)).toBeNull();
    for (const other of [amount - 1, amount + 1, amount * 100]) {
      expect(qrTextProblem(text, other)).toBe('asks for another amount');
    }
  });

  test.each([
    ['another currency', codes.emvco, 2372, 'is in another currency'],
    ['no amount', codes.unpriced, 10_000, 'asks for another amount'],
    ['a wrong CRC', `${codes.rs100.slice(0, -1)}2`, 10_000, 'has a wrong CRC'],
    ['no CRC', codes.rs100.slice(0, -8), 10_000, 'has a wrong CRC'],
    ['something behind the CRC', `${codes.rs100}0002`, 10_000, 'is not well formed'],
    [
      'a length that is no number',
      summedUp(codes.rs100.replace('5303524', '53x3524')),
      10_000,
      'is not well formed',
    ],
    ['a length past the end', codes.rs100.replace('6304', '6399'), 10_000, 'is not well formed'],
    ['its beginning cut off', summedUp(codes.rs100.slice(6)), 10_000, 'is not well formed'],
    [
      'two amounts',
      summedUp(codes.rs100.replace('5802NP', '5406100.005802NP')),
      10_000,
      'asks for another amount',
    ],
    [
      'a comma in its amount',
      summedUp(codes.rs1250.replace('54071250.50', '54081,250.50')),
      125_050,
      'asks for another amount',
    ],
    [
      'an exponent in its amount',
      summedUp(codes.rs100.replace('5406100.00', '540310e')),
      10_000,
      'asks for another amount',
    ],
    ['nothing in it', '', 10_000, 'is no QR text'],
    ['no end', '00'.repeat(501), 10_000, 'is no QR text'],
  ])('with %s is refused', (_what, text, amount, problem) => {
    expect(qrTextProblem(text, amount)).toBe(problem);
  });

  test('has the checksum that another reader computes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(checksumOf(text)).toBe(checksum(text).toUpperCase().padStart(4, '0'));
      }),
    );
  });

  test('with random content never throws and is refused', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{0,60}$/)), (text) => {
        expect(qrTextProblem(text, 10_000)).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  test('with one changed character is refused', () => {
    for (let at = 0; at < codes.rs1250.length; at++) {
      const other = codes.rs1250[at] === '1' ? '2' : '1';
      const text = codes.rs1250.slice(0, at) + other + codes.rs1250.slice(at + 1);
      expect(qrTextProblem(text, 125_050), text).not.toBeNull();
    }
  });
});
