/** Ids: a prefix and random or derived base32, whose first two characters name the slot. */
import { randomFillSync } from 'node:crypto';
import { assert } from './assert.ts';

/** Lower-case Crockford base32. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** How many slots the first two characters of an id can name. */
export const slotCount = 1024;

const lengths: Readonly<Record<string, number>> = { pay: 16 };

/** All pairs of characters: ten bits are one entry. */
const pairs: readonly string[] = Array.from(
  { length: slotCount },
  (_, n) => alphabet.charAt(n >> 5) + alphabet.charAt(n & 31),
);

/** The first `length` base32 characters of `bytes`, 5 bits each. */
export function base32(bytes: Uint8Array, length: number): string {
  assert(bytes.length * 8 >= length * 5, 'enough bytes for the base32 text');
  let text = '';
  let bits = 0;
  let held = 0;
  for (let at = 0; text.length < length;) {
    for (; bits < 10; bits += 8) held = (held << 8) | (bytes[at++] ?? 0);
    bits -= 10;
    text += pairs[(held >> bits) & (slotCount - 1)];
    held &= (1 << bits) - 1;
  }
  return text.length === length ? text : text.slice(0, length);
}

/** The source of randomness for new ids; tests and the simulation use a seeded one. */
export type RandomBytes = (count: number) => Uint8Array;

/** Random bytes are drawn for many ids at once, because one draw per id would cost ten times as much. The
 *  unused rest is never exposed to a caller. */
function pooled(bytesPerDraw: number): RandomBytes {
  let bytes = new Uint8Array(0);
  let used = 0;
  return (count) => {
    assert(count <= bytesPerDraw, 'a pool holds enough');
    if (used + count > bytes.length) {
      // bytes already returned must not change
      bytes = randomFillSync(new Uint8Array(bytesPerDraw));
      used = 0;
    }
    used += count;
    return bytes.subarray(used - count, used);
  };
}
const pooledRandomBytes = pooled(15 * 256);

/** A new id `prefix_...`: 24 random characters, 16 for payments. `besides` names an id whose slot it shares. */
export function mintId(prefix: string, besides?: string, random: RandomBytes = pooledRandomBytes): string {
  const length = lengths[prefix] ?? 24;
  const text = base32(random(15), length);
  return `${prefix}_${besides === undefined ? text : slotText(besides) + text.slice(2)}`;
}

/** The two slot characters: `ab` for `cs_ab...`; for a scope, its project's. */
function slotText(id: string): string {
  const start = id.indexOf('_') + 1;
  const text = id.slice(start, start + 2);
  assert(/^[0-9a-hjkmnp-tv-z]{2}$/.test(text), `an id of ours has a slot: ${id}`);
  return text;
}

/** The slot (0 to 1023) of an id of ours; asserts that it is one. */
export function slotOf(id: string): number {
  const text = slotText(id);
  return alphabet.indexOf(text.charAt(0)) * 32 + alphabet.indexOf(text.charAt(1));
}

/** Prefix id of a text derived elsewhere, placed in the slot of `besides`. */
export const placedBeside = (prefix: string, besides: string, text: string): string =>
  `${prefix}_${slotText(besides)}${text.slice(2)}`;

/** Whether `text` could be one of our ids with this prefix. Any other text is simply an unknown id. */
export const couldBeId = (prefix: string, text: string): boolean =>
  text.startsWith(`${prefix}_`) && /^[a-z]+_[0-9a-hjkmnp-tv-z]{16,24}$/.test(text);
