import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonItemsMax, scanJson } from '../../../src/kernel/json-scan.ts';

const scan = (json: string) => scanJson(Buffer.from(json));
const list = (count: number, value: string): string =>
  `[${Array.from({ length: count }, () => value).join(',')}]`;

/** Names and values in a parsed value, itself not counted. */
function itemsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const each = Object.values(value).reduce((sum: number, one) => sum + 1 + itemsIn(one), 0);
  return Array.isArray(value) ? each : each + Object.keys(value).length;
}

describe('names and values', () => {
  test.each([
    ['numbers', '0'],
    ['negative numbers', '-1.5e-3'],
    ['words', 'true'],
    ['texts', '"a"'],
    ['texts that hold JSON', String.raw`"[1,2,{\"a\":3}]"`],
    ['empty lists', '[]'],
    ['empty objects', ' { } '],
    ['nulls after white space', '\n\t null'],
  ])('%s: as many as may be, and not one more', (_name, value) => {
    expect(scan(list(jsonItemsMax, value)).is).toBe('fine');
    expect(scan(list(jsonItemsMax + 1, value)).is).toBe('too_many');
  });

  test('a name counts as well as its value', () => {
    const named = (count: number): string =>
      `{${Array.from({ length: count }, (_, at) => `"${at}" : ${at}`).join(' , ')}}`;
    expect(scan(named(jsonItemsMax / 2)).is).toBe('fine');
    expect(scan(named(jsonItemsMax / 2 + 1)).is).toBe('too_many');
  });

  test('of any JSON are counted as a parser finds them', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(3), (value, spaces) => {
        const own = JSON.parse(JSON.stringify(value)) as unknown;
        const rest = jsonItemsMax - itemsIn([own]);
        const filled = (more: number): string =>
          JSON.stringify([own, ...Array.from({ length: rest + more }, () => 0)], null, spaces);
        expect(scan(filled(0)).is).toBe('fine');
        expect(scan(filled(1)).is).toBe('too_many');
      }),
    );
  });
});

test('a character that lacks its other half is found, and no complete one is', () => {
  const unit = fc.constantFrom(
    '\\ud83d',
    '\\uDE4F',
    '\\uD7ff',
    '\\ue000',
    '\\n',
    'a',
    '\\\\',
    '\\udbff',
    '\\udc00',
    'ud83d',
  );
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const json = `{"a":"${units.join('')}"}`;
      const { a } = JSON.parse(json) as { readonly a: string };
      expect(scan(json).is).toBe(/\p{Surrogate}/u.test(a) ? 'half_character' : 'fine');
    }),
  );
});

test('any bytes are scanned to their end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => scanJson(bytes).fractions.length % 2 === 0),
  );
});
