import { describe, expect, test } from 'vitest';
import { Turns } from '../../../../gateways/dashboard/web/turns.ts';

describe('answers to a query that is repeated', () => {
  test('an answer is shown although the query was repeated before it arrived', () => {
    const turns = new Turns();
    const [first, second] = [turns.next(), turns.next()];
    expect(turns.takes(first)).toBe(true);
    expect(turns.takes(second)).toBe(true);
  });

  test('an answer to a query older than the last answer shown is dropped', () => {
    const turns = new Turns();
    const [first, second, third] = [turns.next(), turns.next(), turns.next()];
    expect(turns.takes(second)).toBe(true);
    expect(turns.takes(first)).toBe(false);
    expect(turns.takes(third)).toBe(true);
  });

  test('it is known whether a newer answer is pending', () => {
    const turns = new Turns();
    expect(turns.isUnderWay).toBe(false);
    const [first, second] = [turns.next(), turns.next()];
    turns.takes(first);
    expect(turns.isUnderWay).toBe(true);
    turns.takes(second);
    expect(turns.isUnderWay).toBe(false);
  });

  test('an older answer that never arrives blocks nothing', () => {
    const turns = new Turns();
    turns.next();
    turns.takes(turns.next());
    expect(turns.isUnderWay).toBe(false);
  });
});
