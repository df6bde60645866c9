/** One pass over the bytes of a JSON text before it is parsed.
 *  1. What is too deep, or has too many names and values, is never built: parsing costs most for those.
 *  2. Texts are skipped, whatever they hold; for broken JSON the counts mean nothing, and parsing refuses it. */

/** Lists and objects within one another. */
export const jsonDepthMax = 64;
/** Names and values of one body; the outermost value is not counted. */
export const jsonItemsMax = 5_000;

export interface JsonScan {
  /** `half_character`: an escape without its other half, as in `"\ud83d"`. It is no text in any encoding, and could
   *  not be stored as it was sent. */
  readonly is: 'fine' | 'too_deep' | 'too_many' | 'half_character';
  /** Beginning and end of each number that has a point or an exponent, in turn. */
  readonly fractions: readonly number[];
}

const quote = 0x22;
const backslash = 0x5c;

export function scanJson(json: Uint8Array): JsonScan {
  const end = json.length;
  const fractions: number[] = [];
  let depth = 0;
  // the outermost value is met first
  let items = -1;
  for (let at = 0; at < end;) {
    const byte = json[at++] ?? 0;
    if (byte === quote) {
      items++;
      for (let inside = json[at++]; inside !== quote && at < end; inside = json[at++])
        if (inside === backslash) {
          const length = escapeBytes(json, at);
          if (length === 0) return { is: 'half_character', fractions };
          at += length;
        }
    } else if (isOpening(byte)) {
      items++;
      if (++depth > jsonDepthMax) return { is: 'too_deep', fractions };
    } else if (isClosing(byte)) depth--;
    else if (!isBetween(byte)) {
      items++;
      const from = at - 1;
      let found = 0;
      for (; at < end; at++) {
        const what = within[json[at] ?? 0] ?? 0;
        if (what === 0) break;
        found |= what;
      }
      if ((found & ofFraction) !== 0 && isNumeric(byte)) fractions.push(from, at);
    }
    if (items > jsonItemsMax) return { is: 'too_many', fractions };
  }
  return { is: 'fine', fractions };
}

/** `{` and `[`. */
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
/** `}` and `]`. */
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;
/** White space, commas and colons. */
const isBetween = (byte: number): boolean => byte <= 0x20 || byte === 0x2c || byte === 0x3a;
/** Set for a point and for the `e` of an exponent. */
const ofFraction = 2;
/** 0: of no number and no word. A table, as each byte of a long number is looked up. */
const within = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (isBetween(byte) || byte === quote || isOpening(byte) || isClosing(byte)) return 0;
  return byte === 0x2e || (byte | 0x20) === 0x65 ? 1 | ofFraction : 1;
});
/** A digit or `-`. */
const isNumeric = (byte: number): boolean => (byte >= 0x30 && byte <= 0x39) || byte === 0x2d;

/** Bytes of an escape that belong together, after its backslash; 0: half a character. */
function escapeBytes(json: Uint8Array, at: number): number {
  const half = halfAt(json, at);
  if (half === null) return 1;
  const other = half === 'first' && json[at + 5] === backslash ? halfAt(json, at + 6) : null;
  return other === 'second' ? 11 : 0;
}

/** `ud8..` to `udb..` is the first half of a character, `udc..` to `udf..` the second. */
function halfAt(json: Uint8Array, at: number): 'first' | 'second' | null {
  if (json[at] !== 0x75 || ((json[at + 1] ?? 0) | 0x20) !== 0x64) return null;
  const digit = (json[at + 2] ?? 0) | 0x20;
  // 8, 9, a, b
  if (digit === 0x38 || digit === 0x39 || digit === 0x61 || digit === 0x62) return 'first';
  return digit >= 0x63 && digit <= 0x66 ? 'second' : null;
}
