import { describe, expect, test } from 'vitest';
import {
  descriptionWordsMax,
  isFoundBy,
  paymentWordsMax,
  searchTag,
  searchTags,
  wordsOfPayment,
  type Searchable,
} from '../../../actors/checkout-session/payment-words.ts';
import { searchCharactersMax } from '../../../src/kernel/search-words.ts';

const payment: Searchable = {
  customer: { name: 'आशा Rai', email: 'Asha.Rai@example.com', phone: '+977 984-1234567' },
  description: 'Cookbook, and apron',
  providerRef: 'TXWFVVVC5FKJJQM0PF',
  metadata: { order_id: 'A-1001', orderId: 7, branch: 'Patan' },
};
const nothing: Searchable = { customer: null, description: null, providerRef: null, metadata: {} };
const many = (count: number): string => Array.from({ length: count }, (_, n) => `word${n}`).join(' ');

describe('the words of a payment', () => {
  test.each([
    'आशा',
    'RAI',
    'asha.rai@EXAMPLE.com',
    '9841234567',
    '984 1234567',
    '+977-9841234567',
    'apron',
    'txwfvvvc5fkjjqm0pf',
    'a-1001',
    '7',
    'rai apron A-1001 9841234567',
  ])('find it: %s', (text) => {
    expect(isFoundBy(text, payment)).toBe(true);
  });

  test.each(['ash', 'asha', 'patan', 'rai thapa', 'example.com', '984123456', 'null', '...', ''])(
    'do not find it: %s',
    (text) => {
      expect(isFoundBy(text, payment)).toBe(false);
    },
  );

  test('are none when nothing is known', () => {
    expect(wordsOfPayment(nothing)).toEqual([]);
    expect(isFoundBy('null', nothing)).toBe(false);
  });

  test('a search needs a tag for each word; one without words needs a tag that nobody has', () => {
    const tags = new Set(wordsOfPayment(payment).map(searchTag));
    expect(searchTags('rai 9841234567').every((tag) => tags.has(tag))).toBe(true);
    expect(searchTags('rai 9841234567')).toEqual(['find=9841234567', 'find=rai']);
    expect(searchTags('...').some((tag) => tags.has(tag))).toBe(false);
  });

  test('are bounded, and a long description takes no room from the others', () => {
    const long: Searchable = {
      customer: { name: many(50), email: `${'e'.repeat(240)}@example.com`, phone: '1 2 3 4 5 6 7 8 9' },
      description: `the ${many(100)}`,
      providerRef: 'r '.repeat(300),
      metadata: { order_id: 'o'.repeat(400), orderId: 'A 1' },
    };
    const words = wordsOfPayment(long);
    expect(words.length).toBeLessThanOrEqual(paymentWordsMax);
    expect(Math.max(...words.map((word) => word.length))).toBe(searchCharactersMax);
    expect(isFoundBy('a 1 word5', long)).toBe(true);
    expect(wordsOfPayment({ ...nothing, description: many(100) })).toHaveLength(descriptionWordsMax);
    expect(isFoundBy('o'.repeat(searchCharactersMax), long)).toBe(true);
  });
});
