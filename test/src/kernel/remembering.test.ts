import { expect, test } from 'vitest';
import { remembering } from '../../../src/kernel/remembering.ts';

test('a result is computed once while it is among the newest, and again afterwards', () => {
  const made: string[] = [];
  const shouted = remembering((text) => {
    made.push(text);
    return text.toUpperCase();
  }, 2);
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(shouted)).toEqual(['A', 'B', 'A', 'C', 'A', 'B']);
  // c took the place of b, which had been unused for longer than a
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('a failed computation is repeated', () => {
  let tries = 0;
  const never = remembering(() => {
    tries++;
    throw new Error('no');
  }, 2);
  expect(() => never('x')).toThrow('no');
  expect(() => never('x')).toThrow('no');
  expect(tries).toBe(2);
});
