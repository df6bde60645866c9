/** Ids of requests. Every answer needs one, so randomness is drawn for many at once and turned into text in pairs. */
import { randomFillSync } from 'node:crypto';
import { slotCount } from '../../src/kernel/id.ts';

const letters = '0123456789abcdefghjkmnpqrstvwxyz';
/** Every pair of letters: ten random bits are one entry. */
const pairs: readonly string[] = Array.from(
  { length: slotCount },
  (_, n) => letters.charAt(n >> 5) + letters.charAt(n & 31),
);
const pairsPerId = 12;
const idsPerDraw = 256;

/** A source of `req_...` ids, 120 random bits each. */
export function requestIds(): () => string {
  const drawn = new Uint16Array(pairsPerId * idsPerDraw);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    let id = 'req_';
    for (const end = used + pairsPerId; used < end; used++) id += pairs[(drawn[used] ?? 0) & (slotCount - 1)];
    return id;
  };
}
