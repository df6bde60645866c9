/** The headers of a webhook: those that never change, and both signatures (Standard Webhooks, and the form with a
 *  timestamp inside). */
import { hmacSha256 } from '../../src/kernel/hash.ts';

/** Headers that are the same on every delivery. */
export const fixedHeaders = {
  'Content-Type': 'application/json',
  'User-Agent': 'payment-webhooks/1',
} as const;

/** What the signatures cover, and with which secrets. */
export interface Signing {
  readonly eventId: string;
  /** Unix seconds of this try, real time. */
  readonly timestamp: number;
  /** The body exactly as it is sent. */
  readonly body: string;
  /** `whsec_...` texts, the newest first; more than one while rotating. */
  readonly secrets: readonly string[];
}

/** The four headers a receiver verifies with. */
export function signatureHeaders(signing: Signing) {
  const { eventId, timestamp, secrets } = signing;
  const dated = `${timestamp}.${signing.body}`;
  const named = `${eventId}.${dated}`;
  const standard = secrets.map((secret) => `v1,${hmacSha256(bytesOf(secret), named, 'base64')}`);
  const timed = secrets.map((secret) => `v1=${hmacSha256(secret, dated, 'hex')}`);
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
    'X-Webhook-Signature': [`t=${timestamp}`, ...timed].join(','),
  };
}

const bytesOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');
