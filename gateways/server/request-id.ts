/** Request ids. Every answer needs one, so random bytes are drawn, and encoded, for many ids at once. */
import { randomFillSync } from 'node:crypto';

const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const codes: readonly number[] = Array.from({ length: letters.length }, (_, n) => letters.charCodeAt(n));
const prefix = 'req_';
/** The second of the request, so that the log of requests finds an id without an index of all ids. */
export const secondLength = 7;
const lettersPerId = 24;
const randomLetters = lettersPerId - secondLength;
const idLength = prefix.length + lettersPerId;
const idsPerDraw = 256;
/** Encoded as one text that each id is a slice of: keeping an id keeps the whole text in memory. */
const idsPerText = 16;

/** A source of `req_...` ids: the second in 7 letters, then 85 random bits. */
export function requestIds(now: () => number = Date.now): () => string {
  const drawn = new Uint8Array(randomLetters * idsPerDraw);
  const written = Buffer.from(prefix.padEnd(idLength).repeat(idsPerText), 'latin1');
  let used = drawn.length;
  let text = '';
  let at = 0;
  let second = 0;
  const write = (): void => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    const stamp = secondText(second);
    for (let id = 0; id < written.length; id += idLength) {
      written.write(stamp, id + prefix.length, 'latin1');
      for (let letter = prefix.length + secondLength; letter < idLength; letter++)
        written[id + letter] = codes[(drawn[used++] ?? 0) & (codes.length - 1)] ?? 0;
    }
    text = written.toString('latin1');
    at = 0;
  };
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second || at === text.length) {
      second = current;
      write();
    }
    at += idLength;
    return text.slice(at - idLength, at);
  };
}

/** Base32, most significant letter first. */
function secondText(second: number): string {
  let text = '';
  for (let left = second; text.length < secondLength; left = Math.floor(left / letters.length))
    text = (letters[left % letters.length] ?? '0') + text;
  return text;
}

/** The letters of an id that name its second; null for any other text. */
export const secondOf = (id: string): string | null =>
  /^req_[0-9a-hjkmnp-tv-z]{24}$/.test(id) ? id.slice(prefix.length, prefix.length + secondLength) : null;
