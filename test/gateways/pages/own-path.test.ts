import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlainPath } from '../../../gateways/pages/own-path.ts';

const origin = 'http://here.invalid';

test.each(['/', '/pay/cs_1?lang=ne#top', '/a//b', '/%zz', '/[x', '/a\\b', '/a?b="<>'])(
  '%s is a plain path',
  (text) => expect(isPlainPath(text)).toBe(true),
);

test.each(['', 'pay', '//other.example', '/\\other.example', '/\t/other.example', '/a b', '/é', '/a\n'])(
  '%j is none: a browser parses it',
  (text) => expect(isPlainPath(text)).toBe(false),
);

test('browsers take every plain path for one of this host', () => {
  const piece = fc.oneof(
    fc.constantFrom('/', '\\', '.', '..', ':', '@', '?', '#', '[', '%', '\t', 'http:', 'other.example'),
    fc.string({ unit: 'binary-ascii', maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = `/${pieces.join('')}`;
      if (isPlainPath(text)) expect(new URL(text, origin).origin).toBe(origin);
    }),
    { numRuns: 2000 },
  );
});
