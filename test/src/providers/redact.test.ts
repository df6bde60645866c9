import { expect, test } from 'vitest';
import { cutToBytes, rawBytesMax, redacted, wordKept } from '../../../src/providers/redact.ts';

test.each([
  ['{"secret_key":"s3cr3t","status":"Completed"}', '{"secret_key":"***","status":"Completed"}'],
  ['{"accessToken" : "a\\"b", "n": 1}', '{"accessToken" : "***", "n": 1}'],
  ['{"mpin":1111,"otp": 987654}', '{"mpin":"***","otp": "***"}'],
  ['{"password":"cut in the midd', '{"password":"***"'],
  ['pidx=px1&token=abc&status=Completed', 'pidx=px1&token=***&status=Completed'],
  ['Authorization: Key abcdefghijk', 'Authorization: Key ***'],
  [
    '{"detail":"Invalid token.","error_key":"validation_error"}',
    '{"detail":"Invalid token.","error_key":"validation_error"}',
  ],
])('%s is kept as %s', (raw, kept) => {
  expect(redacted(raw, [])).toBe(kept);
});

test('our own key is removed wherever a provider repeats it', () => {
  expect(redacted('<p>You sent key_live_77 to us</p>', ['key_live_77', ''])).toBe(
    '<p>You sent *** to us</p>',
  );
});

test('an unknown status is kept printable, without our key, at most 100 characters of it', () => {
  expect(wordKept('On Hold', ['key_live_77'])).toBe('On Hold');
  expect(wordKept('key_live_77 is\nहोल्ड', ['key_live_77'])).toBe('*** is??????');
  expect(wordKept('x'.repeat(5000), [])).toBe('x'.repeat(100));
});

test('at most 2 KiB are kept, never half a character, never half a secret', () => {
  const key = 'k'.repeat(40);
  const kept = redacted(`${'x'.repeat(rawBytesMax - 10)}${key}`, [key]);
  expect(kept).not.toContain('kk');
  expect(Buffer.byteLength(redacted('न'.repeat(2000), []))).toBeLessThanOrEqual(rawBytesMax);
  expect(cutToBytes('नेपाल', 7)).toBe('ने');
  expect(cutToBytes('a😀', 3)).toBe('a');
  expect(cutToBytes('abc', 3)).toBe('abc');
});

test('a huge hostile text is processed in bounded time', () => {
  expect(redacted(`"${'key'.repeat(80_000)}`, [])).toHaveLength(rawBytesMax);
  expect(redacted('"password":"'.repeat(20_000), [])).not.toBe('');
});
