/** Request ids. Every answer needs one, so random bytes are drawn, and encoded, for many ids at once. */
import { randomFillSync } from 'node:crypto';

const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const codes: readonly number[] = Array.from({ length: letters.length }, (_, n) => letters.charCodeAt(n));
const prefix = 'req_';
const lettersPerId = 24;
const idLength = prefix.length + lettersPerId;
const idsPerDraw = 256;
/** Encoded as one text that each id is a slice of: keeping an id keeps the whole text in memory. */
const idsPerText = 16;

/** A source of `req_...` ids, 120 random bits each. */
export function requestIds(): () => string {
  const drawn = new Uint8Array(lettersPerId * idsPerDraw);
  const written = Buffer.from(prefix.padEnd(idLength).repeat(idsPerText), 'latin1');
  let used = drawn.length;
  let text = '';
  let at = 0;
  const write = (): void => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    for (let id = 0; id < written.length; id += idLength)
      for (let letter = prefix.length; letter < idLength; letter++)
        written[id + letter] = codes[(drawn[used++] ?? 0) & (codes.length - 1)] ?? 0;
    text = written.toString('latin1');
    at = 0;
  };
  return () => {
    if (at === text.length) write();
    at += idLength;
    return text.slice(at - idLength, at);
  };
}
