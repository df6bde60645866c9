import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anyWordsIn,
  phoneDigits,
  searchCharactersMax,
  searchedWords,
  searchWordsMax,
  wordsIn,
} from '../../../src/kernel/search-words.ts';

const words = (text: string): readonly string[] => wordsIn(text, 100);

describe('words of a text', () => {
  test.each<[string, readonly string[]]>([
    ['Asha  RAI', ['asha', 'rai']],
    ['  "Order #1001", two shirts (blue)/apron. ', ['order', '1001', 'two', 'shirts', 'blue', 'apron']],
    ['Asha.Rai+shop@Example.COM', ['asha.rai+shop@example.com']],
    ["T-shirt O'Neil INV_2026-17", ['t-shirt', "o'neil", 'inv_2026-17']],
    ['blue Blue BLUE', ['blue']],
    ['आशा राई, ललितपुर।', ['आशा', 'राई', 'ललितपुर']],
    ['', []],
    ['# - ... 👍', []],
  ])('%s', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test('one letter is one letter, however its accents and joiners were typed', () => {
    expect(words('Jose\u0301')).toEqual(words('JOS\u00c9'));
    expect(words('\u0928\u093c')).toEqual(words('\u0929'));
    expect(words('श्रे\u200dष्ठ')).toEqual(words('श्रेष्ठ'));
  });

  test.each([
    '9841234567',
    '+977 984-1234567',
    '+977-9841234567',
    '00977 9841234567',
    '977 98412 34567',
    '984 123 4567',
    '(984) 123-4567.',
  ])('a phone number is one word of digits: %s', (text) => {
    expect(words(text)).toEqual(['9841234567']);
    expect(words(`Asha ${text}`)).toEqual(['asha', '9841234567']);
    expect(phoneDigits(text)).toBe('9841234567');
  });

  test('other numbers stay as they are', () => {
    expect(words('1001 2002')).toEqual(['1001', '2002']);
    expect(words('2026-11-22 17')).toEqual(['2026-11-22', '17']);
    expect(words('1001 984-1234567')).toEqual(['1001', '9841234567']);
    expect(words('+44 20 7946 0958')).toEqual(['442079460958']);
    expect(words('01-4123456')).toEqual(words('01 4123456'));
    expect(words('TX9841234567AB')).toEqual(['tx9841234567ab']);
  });

  test('are bounded in number and length', () => {
    const many = Array.from({ length: 50 }, (_, n) => `w${n}`).join(' ');
    expect(wordsIn(many, 12)).toEqual(many.split(' ').slice(0, 12));
    expect(searchedWords(many)).toHaveLength(searchWordsMax + 1);
    expect(words('ñ'.repeat(400))).toEqual(['ñ'.repeat(searchCharactersMax)]);
    expect(words(`${' '.repeat(1000)}late`)).toEqual([]);
    const began = performance.now();
    for (const hostile of ['(1'.repeat(50_000), '1 '.repeat(50_000), '...'.repeat(50_000)]) words(hostile);
    expect(performance.now() - began).toBeLessThan(500);
  });

  /** Made of what words, numbers and phone numbers are made of, in any order. */
  const pieces = fc.array(
    fc.oneof(
      fc.stringMatching(/^[ ,;:!?"()[\]{}<>|/&=*@.\-_#'+\t\n]$/),
      fc.constantFrom(
        '977',
        '00977',
        '+977',
        '984',
        '01',
        '4123456',
        '1001',
        'Order',
        'aZ',
        'é',
        'आ',
        '\u200d',
      ),
      fc.stringMatching(/^\d{1,11}$/),
      fc.string({ unit: 'binary-ascii', maxLength: 6 }),
    ),
    { maxLength: 12 },
  );
  const texts = fc.oneof(
    pieces.map((all) => all.join('')),
    fc.string({ unit: 'binary-ascii' }),
    fc.array(fc.stringMatching(/^[ -~]{20,150}$/), { maxLength: 6 }).map((all) => all.join('')),
    fc.stringMatching(/^[a-z.-]{110,130}$/),
  );

  test('plain texts, which are split in a simpler way, have the words of any text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(words(text)).toEqual([...new Set(anyWordsIn(text))].slice(0, 100));
      }),
      { numRuns: 3000 },
    );
  });
});
