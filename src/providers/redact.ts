/** Redacts a provider's raw answer so that it may be kept in a timeline: secrets are replaced, then the
 *  text is cut.
 *  1. Redaction comes before cutting, so that no half of a secret remains at the cut. */

export const rawBytesMax = 2048;
const blank = '***';

/** Names whose values must not be shown: keys, tokens, passwords, PINs. `error_key` names a kind of error. */
const nameEnds = 'secret|token|passw(?:or)?d|passcode|pin|otp|cvv|authorization|key';
const anyNameEnd = new RegExp(nameEnds, 'i');
const secretNames = `[\\w-]{0,40}(?:${nameEnds})`;
const jsonValue = '"(?:[^"\\\\]|\\\\.)*"?|[^\\s,}\\]]+';
const inJson = new RegExp(`("(?!error_key")${secretNames}"\\s*:\\s*)(?:${jsonValue})`, 'gi');
const inForm = new RegExp(`(^|[?&\\s])((?!error_key=)${secretNames}=)[^&\\s"'<]*`, 'gi');
const inHeader = /\b(key|bearer|basic)\s+[a-z0-9._~+/=-]{8,}/gi;

/** A shorter secret is found only by its name: replacing its text everywhere would destroy half of any
 *  answer. */
const secretCharactersMin = 4;

/** `raw` without secrets, at most 2 KiB of UTF-8. `secrets` are replaced wherever they occur. */
export function redacted(raw: string, secrets: readonly string[]): string {
  let text = raw;
  for (const secret of secrets) {
    if (secret.length >= secretCharactersMin) text = text.replaceAll(secret, blank);
  }
  // the search for names begins anew at each quote; most answers have no such name
  if (anyNameEnd.test(text)) {
    text = text.replace(inJson, `$1"${blank}"`).replace(inForm, `$1$2${blank}`);
  }
  return cutToBytes(text.replace(inHeader, `$1 ${blank}`), rawBytesMax);
}

const wordCharactersMax = 100;

/** One text of a provider, to be shown and compared: redacted, printable, cut. */
export const wordKept = (word: string, secrets: readonly string[]): string =>
  redacted(word, secrets)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, wordCharactersMax);

const messageCharactersMax = 500;

/** A message of a provider, to be shown to the merchant: redacted, printable, cut. */
export const messageKept = (message: string, secrets: readonly string[]): string =>
  Array.from(redacted(message, secrets).replaceAll(/\p{C}/gu, ' ')).slice(0, messageCharactersMax).join('');

/** The longest beginning of `text` that fits, without splitting a character. */
export function cutToBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text.slice(0, bytesMax));
  if (bytes.length <= bytesMax) return text.slice(0, bytesMax);
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}
