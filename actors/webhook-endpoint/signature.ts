/** Both signatures of a webhook: Standard Webhooks, and the form with a timestamp inside. */
import { hmacSha256 } from '../../src/kernel/hash.ts';

export interface Signed {
  readonly eventId: string;
  /** Unix seconds of this try, real time. */
  readonly timestamp: number;
  /** The body exactly as it is sent. */
  readonly body: string;
  /** `whsec_...` texts, the newest first; more than one while rotating. */
  readonly secrets: readonly string[];
}

/** The four headers a receiver verifies with. */
export function signatureHeaders(signed: Signed) {
  const { eventId, timestamp, secrets } = signed;
  const dated = `${timestamp}.${signed.body}`;
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
