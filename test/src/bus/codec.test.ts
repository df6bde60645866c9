/** What crosses the wire with an answer. */
import { expect, test } from 'vitest';
import { readBytesMax, resultFrom, resultText, shownBytesMax } from '../../../src/bus/codec.ts';
import type { AskResult, Shown } from '../../../src/runtime/model/envelope.ts';

const meta = { id: 'cnt_ab1', scope: 'prj_abcd:sandbox', createdAt: 5 } as const;
const shown: Shown = { state: { note: 'नमस्ते' }, meta, v: 3, schema: 1 };
const ok = (carried: Shown): AskResult => ({ is: 'ok', v: 3, detail: { a: 1 }, shown: carried });

test('an answer carries what the actor shows, without the view, which the other node builds itself', () => {
  expect(resultFrom(resultText(ok({ ...shown, view: { note: 'seen' } }), true))).toEqual(ok(shown));
  const refused: AskResult = { is: 'refused', code: 'no', detail: {}, shown };
  expect(resultFrom(resultText(refused, true))).toEqual(refused);
});

test(`what is shown is carried up to ${shownBytesMax} bytes, ${readBytesMax} to a read; a byte more, and it is left out`, () => {
  const bytes = Buffer.byteLength(JSON.stringify({ ...shown, state: { note: '' } }));
  const sized = (length: number): Shown => ({ ...shown, state: { note: 'x'.repeat(length - bytes) } });
  for (const [shows, most] of [
    [true, shownBytesMax],
    ['whole', readBytesMax],
  ] as const) {
    expect(resultFrom(resultText(ok(sized(most)), shows))).toEqual(ok(sized(most)));
    expect(resultFrom(resultText(ok(sized(most + 1)), shows))).toEqual({
      is: 'ok',
      v: 3,
      detail: { a: 1 },
    });
  }
});

test('something shown that cannot be read is left out, and the outcome stands', () => {
  const wrong = [7, {}, { ...shown, schema: 'x' }, { ...shown, meta: {} }, { ...shown, state: null }];
  for (const one of wrong) {
    const text = JSON.stringify({ is: 'ok', v: 3, detail: {}, shown: one });
    expect(resultFrom(text)).toEqual({ is: 'ok', v: 3, detail: {} });
  }
});
