/** Texts that are kept once. */
import { beforeEach, expect, test } from 'vitest';
import { Texts } from '../../../gateways/requests/texts.ts';

let texts: Texts;
beforeEach(() => {
  texts = new Texts(1024, 32 * 1024);
});

function kept(text: string): number {
  texts.begin();
  expect(texts.write(text)).toBe(true);
  return texts.place();
}
const at = (place: number): string => texts.bytes.toString('latin1', texts.start(place), texts.end(place));

test('a text that comes again gets the place it has, and takes no more room', () => {
  const many = Array.from({ length: 500 }, (_, n) => `pay_${n}`);
  const places = many.map(kept);
  expect(places.map(at)).toEqual(many);
  const { used } = texts;
  // a few may have found their places of the table taken
  const again = many.filter((text, n) => kept(text) === places[n]);
  expect(again.length).toBeGreaterThan(450);
  expect(texts.used - used).toBeLessThan(50 * 'pay_000'.length);
});

test('as many different texts as it has room for are kept, each as it was', () => {
  const many = Array.from({ length: 1024 }, (_, n) => `text ${n}`.replace(' ', '_'));
  expect(many.map(kept).map(at)).toEqual(many);
});

test('it can be emptied: no text is found that was there before', () => {
  kept('one');
  kept('two');
  texts.clear();
  expect([kept('two'), kept('one')]).toEqual([0, 1]);
  expect(at(0)).toBe('two');
});

test.each(['', 'a b', 'à', 'a\nb', '\x7f'])('%j is no text of visible ASCII', (text) => {
  texts.begin();
  expect(texts.write(text)).toBe(false);
  texts.begin();
  texts.write('one');
  expect(at(texts.place())).toBe('one');
});
