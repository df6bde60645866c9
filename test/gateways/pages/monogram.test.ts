import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostedPage } from '../../../gateways/pages/hosted/frame.ts';
import { html } from '../../../gateways/pages/html.ts';
import { english } from '../../../gateways/pages/locale.ts';

const monogramOf = (name: string): string => {
  const sheet = { shop: { name, logoUrl: null }, sandbox: false, amount: null, description: null };
  const page = hostedPage({ title: 'Pay', locale: english, sheet, main: html`` });
  return /<span class="monogram"[^>]*>([^]*?)<\/span>/.exec(page)?.[1] ?? '';
};

test.each([
  ['Bench shop', 'B'],
  ['  asha', 'A'],
  ['7 to 8', '7'],
  ['e\u0301cole', 'E\u0301'],
  ['हिमालय', 'हि'],
  ['👩‍🍳 Ama', '👩‍🍳'],
  ['', ''],
])('a shop without a logo, %j, is marked by its first letter', (name, letter) => {
  expect(monogramOf(name)).toBe(letter);
});

test('the first letter ends where readers see its end, whatever follows', () => {
  const graphemes = new Intl.Segmenter('ne', { granularity: 'grapheme' });
  const signs = fc.constantFrom(
    'a',
    'Z',
    '1',
    '-',
    ' ',
    '\u0301',
    '\u200d',
    '\ufe0f',
    '\u20e3',
    'ि',
    'é',
    '\t',
  );
  fc.assert(
    fc.property(fc.string({ unit: signs, maxLength: 4 }), (name) => {
      const first = [...graphemes.segment(name.trim())][0]?.segment.toUpperCase() ?? '';
      expect(monogramOf(name)).toBe(first);
    }),
    { numRuns: 1000 },
  );
});
