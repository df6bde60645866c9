import { expect, test } from 'vitest';
import fc from 'fast-check';
import { canonicalJson, type JsonValue } from '../../../src/kernel/canonical-json.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';

const canonical = (text: string): string => canonicalJson(JSON.parse(text) as JsonValue);

test('the vector of docs/reference/api.md: keys are ordered and the hash is the published one', () => {
  const text = canonical('{"returnUrl":"https://shop.example/return","amount":125050}');
  expect(text).toBe('{"amount":125050,"returnUrl":"https://shop.example/return"}');
  expect(sha256Hex(text)).toBe('e7d389b118c4118b73ba6004218b1729d756b98a4690fa4ee43dac89f40556d0');
});

test('keys are ordered by UTF-16 code units at every depth, as RFC 8785 shows', () => {
  const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
  const sent = JSON.stringify({ outer: Object.fromEntries(keys.map((key) => [key, 0])) });
  expect(canonical(sent)).toBe('{"outer":{"\\r":0,"1":0,"\u0080":0,"ö":0,"€":0,"😀":0,"\ufb33":0}}');
});

test.each([
  [
    '[125050.0, 1.25050e5, -0, 333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]',
    '[125050,125050,0,333333333.3333333,1e+30,4.5,0.002,1e-27]',
  ],
  ['{ "a" : [ ] , "b" : { } , "c" : null }', '{"a":[],"b":{},"c":null}'],
  ['"\\u0041\\/\\u000f\\u20ac"', '"A/\\u000f€"'],
])('%s has the one text %s', (sent, text) => {
  expect(canonical(sent)).toBe(text);
});

test('a key called __proto__ is an ordinary key', () => {
  expect(canonical('{"b":1,"__proto__":{"x":2}}')).toBe('{"__proto__":{"x":2},"b":1}');
});

test('numbers beyond a double neither fail nor look like null', () => {
  expect(canonical('[1e400,-1e400,null]')).toBe('[1e999,-1e999,null]');
});

test('a body nested as deep as 64 KiB allow does not exhaust the stack', () => {
  const deep = '['.repeat(32_000) + ']'.repeat(32_000);
  expect(canonical(deep)).toBe(deep);
});

test('a list of 200,000 numbers does not exhaust the stack either', () => {
  const wide = `[${'1,'.repeat(199_999)}1]`;
  expect(canonical(wide)).toBe(wide);
});

test('the text parses to the same value, and does not depend on the order of keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as { [key: string]: JsonValue };
      const turned = Object.fromEntries(Object.entries(json).reverse());
      expect(JSON.parse(canonicalJson(json))).toEqual(json);
      expect(canonicalJson(turned)).toBe(canonicalJson(json));
    }),
  );
});
