import { expect, test } from 'vitest';
import { beginning, shortened } from '../../../src/kernel/text.ts';

test('a text is cut between characters, never within one', () => {
  const wide = '\u{1f600}';
  expect(beginning(wide.repeat(5), 3)).toBe(wide.repeat(3));
  expect(beginning(`a${wide.repeat(5)}`, 3)).toBe(`a${wide.repeat(2)}`);
  expect(beginning(`${wide}a`, 3)).toBe(`${wide}a`);
  for (let count = 1; count < 8; count++)
    expect(beginning(`a${wide}b${wide}${wide}cd`, count)).not.toMatch(/[\u{d800}-\u{dfff}]/u);
});

test('a long text shows that it goes on', () => {
  expect(shortened('abc', 3)).toBe('abc');
  expect(shortened('abcd', 3)).toBe('abc...');
});
