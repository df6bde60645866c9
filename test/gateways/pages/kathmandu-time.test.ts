import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inKathmandu } from '../../../gateways/pages/texts/kathmandu-time.ts';

const shown = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const;

test.each(['en-GB', 'ne-NP'])('a time in %s is the same, written for the first time or again', (language) => {
  const written = inKathmandu(language, shown);
  const formatter = new Intl.DateTimeFormat(language, { timeZone: 'Asia/Kathmandu', ...shown });
  const recent = Date.parse('2026-11-20T18:10:00.000Z');
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: recent, max: recent + 1_200_000 }), fc.integer({ min: 0, max: 2 ** 42 })),
      (at) => {
        const text = formatter.format(at);
        expect([written(at), written(at)]).toEqual([text, text]);
      },
    ),
    { numRuns: 1500 },
  );
});

test('an instant that is none is refused', () => {
  expect(() => inKathmandu('en-GB', shown)(Number.NaN)).toThrow(RangeError);
});
