import { describe, expect, test } from 'vitest';
import { Turns } from '../../../../gateways/dashboard/web/turns.ts';

describe('answers to one question, asked again and again', () => {
  test('an answer is shown although it was asked again before it came', () => {
    const turns = new Turns();
    const [first, second] = [turns.next(), turns.next()];
    expect(turns.takes(first)).toBe(true);
    expect(turns.takes(second)).toBe(true);
  });

  test('what was asked before the last answer taken comes too late', () => {
    const turns = new Turns();
    const [first, second, third] = [turns.next(), turns.next(), turns.next()];
    expect(turns.takes(second)).toBe(true);
    expect(turns.takes(first)).toBe(false);
    expect(turns.takes(third)).toBe(true);
  });

  test('one knows whether something newer is still to come', () => {
    const turns = new Turns();
    expect(turns.isUnderWay).toBe(false);
    const [first, second] = [turns.next(), turns.next()];
    turns.takes(first);
    expect(turns.isUnderWay).toBe(true);
    turns.takes(second);
    expect(turns.isUnderWay).toBe(false);
  });

  test('an older answer that never comes keeps nobody waiting', () => {
    const turns = new Turns();
    turns.next();
    turns.takes(turns.next());
    expect(turns.isUnderWay).toBe(false);
  });
});
