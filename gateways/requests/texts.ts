/** Texts that are kept once: each has a place, and a text that comes again gets the place it has.
 *  Boundary: memory only, of a fixed size.
 *  1. Nothing is allocated for a text.
 *  2. Bounded time: a text is looked for in few places of the table. A text that finds them taken by others is kept
 *     once more, which costs room and nothing else. */
import { randomInt } from 'node:crypto';

const probesMax = 4;

export class Texts {
  readonly bytes: Buffer;
  length = 0;
  /** Bytes in use, those of the text that was begun included. */
  used = 0;
  private begun = 0;
  /** Of the text that was begun. */
  private hash = 0;
  /** Nobody who chooses paths can choose what they collide with. */
  private readonly factor = randomInt(2 ** 30) * 2 + 1;
  private readonly ends: Int32Array;
  private readonly hashes: Int32Array;
  /** By hash: a place, plus one; 0 where there is none. */
  private readonly table: Int32Array;

  /** At most `textsMax` texts, a power of two. */
  constructor(textsMax: number, bytesMax: number) {
    this.bytes = Buffer.allocUnsafeSlow(bytesMax);
    this.ends = new Int32Array(textsMax);
    this.hashes = new Int32Array(textsMax);
    this.table = new Int32Array(2 * textsMax);
  }

  clear(): void {
    this.length = 0;
    this.used = 0;
    this.begun = 0;
    this.table.fill(0);
  }

  start(place: number): number {
    return place === 0 ? 0 : (this.ends[place - 1] ?? 0);
  }

  end(place: number): number {
    return this.ends[place] ?? 0;
  }

  /** Begins a text, in place of one that was begun and has no place. */
  begin(): void {
    this.used = this.begun;
    this.hash = 0;
  }

  /** Adds visible ASCII to the text that was begun; false: it is empty or has anything else. */
  write(value: string): boolean {
    const { bytes, factor } = this;
    let { used: end, hash } = this;
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at);
      if (code <= space || code > 0x7e) return false;
      bytes[end++] = code;
      hash = Math.imul(hash ^ code, factor);
    }
    this.used = end;
    this.hash = hash;
    return value.length > 0;
  }

  separate(): void {
    this.bytes[this.used++] = space;
  }

  /** The place of the text that was begun. */
  place(): number {
    const { table, hashes, begun } = this;
    const hash = this.hash ^ (this.hash >>> 15);
    let free = -1;
    for (let probe = 0; probe < probesMax; probe++) {
      const slot = (hash + probe) & (table.length - 1);
      const place = (table[slot] ?? 0) - 1;
      if (place < 0) {
        free = slot;
        break;
      }
      if (hashes[place] === hash && this.isAt(place)) {
        this.used = begun;
        return place;
      }
    }
    const place = this.length++;
    this.ends[place] = this.begun = this.used;
    hashes[place] = hash;
    if (free >= 0) table[free] = place + 1;
    return place;
  }

  /** Whether the text at a place equals the one that was begun. */
  private isAt(place: number): boolean {
    const { bytes, begun } = this;
    const start = this.start(place);
    const length = this.used - begun;
    if (this.end(place) - start !== length) return false;
    for (let at = 0; at < length; at++) if (bytes[start + at] !== bytes[begun + at]) return false;
    return true;
  }
}

const space = 0x20;
