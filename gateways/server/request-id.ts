/** Request ids: `req_`, the second in 7 letters, and 17 letters that are a keyed check of the request's number.
 *  1. A number is its second and a count within it. Who has the key makes the id of a number again, so the log of
 *     requests keeps numbers. Who has no key learns nothing from an id but its second: neither how many requests there
 *     were, nor another id.
 *  2. No number is given twice, also when the clock is set back or more than a million fall into one second: then ids
 *     say a second that is yet to come.
 *  3. Every answer needs an id, so letters are made for many at once. */
import { createCipheriv, randomBytes, type Cipher } from 'node:crypto';

const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const codes: readonly number[] = Array.from({ length: letters.length }, (_, n) => letters.charCodeAt(n));
const prefix = 'req_';
/** The second of the request, so that the log of requests finds an id without an index of all ids. */
const secondLength = 7;
const lettersPerId = 24;
const idLength = prefix.length + lettersPerId;
/** Numbers of one second; all are safe integers until the year 2242. */
const perSecond = 2 ** 20;
const keyBytes = 16;
const blockBytes = 16;
const idsPerDraw = 256;
/** Encoded as one text that each id is a slice of: keeping an id keeps the whole text in memory. It divides
 *  `perSecond`, so all of a text have one second. */
const idsPerText = 16;

/** The ids of one process. */
export class RequestIds {
  /** The check's, drawn at random; in base64. */
  readonly key: string;
  /** That of the id given last. */
  number = 0;
  private readonly now: () => number;
  private readonly letters: Letters;
  private readonly written = Buffer.from(prefix.padEnd(idLength).repeat(idsPerText), 'latin1');
  private drawn: Uint8Array = this.written.subarray(0, 0);
  private drawnFrom = 0;
  private text = '';
  /** The number of the first id of `text`, and the second it says. */
  private first = 0;
  private second = -1;
  private used = idsPerText;

  /** `now`: real time, in milliseconds. */
  constructor(now: () => number = Date.now) {
    this.now = now;
    const key = randomBytes(keyBytes);
    this.key = key.toString('base64');
    this.letters = new Letters(key);
  }

  /** The next id; `number` is then its number. */
  next(): string {
    const second = Math.floor(this.now() / 1000);
    if (second > this.second || this.used === idsPerText) this.write(second);
    const at = this.used++;
    this.number = this.first + at;
    return this.text.slice(at * idLength, (at + 1) * idLength);
  }

  private write(second: number): void {
    const { written } = this;
    this.first = Math.max(this.first + idsPerText, second * perSecond);
    this.second = Math.floor(this.first / perSecond);
    this.used = 0;
    let from = this.first - this.drawnFrom;
    if (from * blockBytes >= this.drawn.length) {
      this.drawnFrom = this.first;
      this.drawn = this.letters.draw(idsPerDraw, (at) => this.first + at);
      from = 0;
    }
    const stamp = secondText(this.second);
    for (let at = 0; at < idsPerText; at++) {
      const start = at * idLength + prefix.length;
      written.write(stamp, start, 'latin1');
      writeLetters(this.drawn, (from + at) * blockBytes, written, start + secondLength);
    }
    this.text = written.toString('latin1');
  }
}

/** Makes the ids of numbers again. */
export class RequestIdsOf {
  private readonly letters: Letters;

  /** `key`: of the process that gave the ids. */
  constructor(key: string) {
    this.letters = new Letters(Buffer.from(key, 'base64'));
  }

  of(numbers: readonly number[]): readonly string[] {
    const drawn = this.letters.draw(numbers.length, (at) => numbers[at] ?? 0);
    const checked = Buffer.alloc(lettersPerId - secondLength);
    return numbers.map((number, at) => {
      writeLetters(drawn, at * blockBytes, checked, 0);
      return prefix + secondText(secondOfNumber(number)) + checked.toString('latin1');
    });
  }
}

/** The second that the id of a number says. */
export const secondOfNumber = (number: number): number => Math.floor(number / perSecond);

/** What the letters of ids are made of: the numbers, encrypted. A block cipher with a secret key gives bytes that
 *  nobody else can tell from random ones. */
class Letters {
  private readonly cipher: Cipher;

  constructor(key: Buffer) {
    this.cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  }

  draw(count: number, numberAt: (at: number) => number): Uint8Array {
    const numbers = Buffer.alloc(count * blockBytes);
    for (let at = 0; at < count; at++) numbers.writeDoubleLE(numberAt(at), at * blockBytes);
    return this.cipher.update(numbers);
  }
}

/** 85 bits of a block: the low five of each byte, and five of the others of the first two. */
function writeLetters(drawn: Uint8Array, from: number, into: Uint8Array, start: number): void {
  for (let at = 0; at < blockBytes; at++)
    into[start + at] = codes[(drawn[from + at] ?? 0) & (codes.length - 1)] ?? 0;
  const rest = ((drawn[from] ?? 0) >> 5) | (((drawn[from + 1] ?? 0) >> 5) << 3);
  into[start + blockBytes] = codes[rest & (codes.length - 1)] ?? 0;
}

/** Base32, most significant letter first. */
export function secondText(second: number): string {
  let text = '';
  for (let left = second; text.length < secondLength; left = Math.floor(left / letters.length))
    text = (letters[left % letters.length] ?? '0') + text;
  return text;
}

/** The letters of an id that name its second; null for any other text. */
export const secondOf = (id: string): string | null =>
  /^req_[0-9a-hjkmnp-tv-z]{24}$/.test(id) ? id.slice(prefix.length, prefix.length + secondLength) : null;
