/** Digests and keyed digests in the text formats we use: hex, base64, base32; and constant-time comparison. */
import { createHmac, hash as oneShot, timingSafeEqual } from 'node:crypto';
import { base32 } from './id.ts';

/** One call, and a text as its result: an object for each hash costs four times as much, a Buffer twice. */
export const sha256Hex = (text: string | Uint8Array): string => oneShot('sha256', text, 'hex');

/** The first `length` characters (5 bits each) of the SHA-256 of the parts, joined unambiguously. */
export function sha256Base32(parts: readonly string[], length: number): string {
  return base32(Buffer.from(oneShot('sha256', JSON.stringify(parts), 'binary'), 'latin1'), length);
}

/** The first `length` characters (5 bits each) of the HMAC-SHA256 of the parts, joined unambiguously. */
export const hmacBase32 = (key: Uint8Array, parts: readonly (string | number)[], length: number): string =>
  base32(createHmac('sha256', key).update(JSON.stringify(parts)).digest(), length);

/** HMAC-SHA256 of `text`; `key` as UTF-8 when it is a string. */
export const hmacSha256 = (
  key: string | Uint8Array,
  text: string | Uint8Array,
  encoding: 'hex' | 'base64' | 'base64url',
): string => createHmac('sha256', key).update(text).digest(encoding);

/** Compares two texts in a time that depends only on their lengths. */
export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A deterministic number in [0, 1) derived from the parts: the jitter of pure code. */
export function fractionOf(...parts: readonly (string | number)[]): number {
  return Number.parseInt(sha256Hex(JSON.stringify(parts)).slice(0, 8), 16) / 2 ** 32;
}
