/** Makes a provider's raw answer fit to be kept in a timeline: secrets blanked, then cut.
 *  1. Blanking comes before cutting, so no half of a secret survives the cut. */

export const rawBytesMax = 2048;
const blank = '***';

/** Names whose values nobody may read: keys, tokens, passwords, PINs. `error_key` names a kind of error. */
const secretNames = '[\\w-]{0,40}(?:secret|token|passw(?:or)?d|passcode|pin|otp|cvv|authorization|key)';
const jsonValue = '"(?:[^"\\\\]|\\\\.)*"?|[^\\s,}\\]]+';
const inJson = new RegExp(`("(?!error_key")${secretNames}"\\s*:\\s*)(?:${jsonValue})`, 'gi');
const inForm = new RegExp(`(^|[?&\\s])((?!error_key=)${secretNames}=)[^&\\s"'<]*`, 'gi');
const inHeader = /\b(key|bearer|basic)\s+[a-z0-9._~+/=-]{8,}/gi;

/** Shorter than this a secret is found by its name alone: its text would blank half of any answer. */
const secretCharactersMin = 4;

/** `raw` without secrets, at most 2 KiB of UTF-8. `secrets` are blanked wherever they stand. */
export function redacted(raw: string, secrets: readonly string[]): string {
  let text = raw;
  for (const secret of secrets) {
    if (secret.length >= secretCharactersMin) text = text.replaceAll(secret, blank);
  }
  text = text
    .replace(inJson, `$1"${blank}"`)
    .replace(inForm, `$1$2${blank}`)
    .replace(inHeader, `$1 ${blank}`);
  return cutToBytes(text, rawBytesMax);
}

const wordCharactersMax = 100;

/** One word of a provider's, to be shown and compared: blanked, printable, cut. */
export const wordKept = (word: string, secrets: readonly string[]): string =>
  redacted(word, secrets)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, wordCharactersMax);

/** The longest beginning of `text` that fits, never half a character. */
export function cutToBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text.slice(0, bytesMax));
  if (bytes.length <= bytesMax) return text.slice(0, bytesMax);
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}
