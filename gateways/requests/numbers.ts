/** Whole numbers as few bytes: seven bits each, the lowest first; all but the last of a number have the eighth bit set.
 *  Boundary: pure. Numbers are not negative, and safe integers. */

/** Of 53 bits. */
export const numberBytesMax = 8;

/** The end of what was written. */
export function writeNumber(into: Uint8Array, at: number, number: number): number {
  let large = number;
  // bit operations are for 31 bits
  for (; large >= 2 ** 31; large = Math.floor(large / 0x80)) into[at++] = (large % 0x80) | 0x80;
  let left = large | 0;
  for (; left >= 0x80; left >>= 7) into[at++] = (left & 0x7f) | 0x80;
  into[at++] = left;
  return at;
}

/** A number that may be negative, as one that is not. */
export const unsigned = (number: number): number => (number < 0 ? -2 * number - 1 : 2 * number);
export const signed = (number: number): number => (number % 2 === 1 ? -(number + 1) / 2 : number / 2);

/** Reads numbers one after the other. */
export class NumbersIn {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get more(): boolean {
    return this.at < this.bytes.length;
  }

  next(): number {
    let number = 0;
    for (let weight = 1; this.more; weight *= 0x80) {
      const byte = this.bytes[this.at++] ?? 0;
      number += (byte & 0x7f) * weight;
      if (byte < 0x80) break;
    }
    return number;
  }
}
