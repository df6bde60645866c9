/** Verifies a webhook as a careful merchant would: with the `standardwebhooks` package, and the other
 *  header manually. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Received } from './shop.ts';

const toleranceSeconds = 300;

/** Throws unless the Standard Webhooks headers verify under `secret` (`whsec_...`). */
export function verifyStandard(received: Received, secret: string): void {
  new Webhook(secret).verify(received.raw.toString('utf8'), { ...received.headers });
}

/** Throws unless `X-Webhook-Signature: t=...,v1=...` verifies under `secret`. */
export function verifyByHand(received: Received, secret: string, nowSeconds = Date.now() / 1000): void {
  const parts = (received.headers['x-webhook-signature'] ?? '').split(',').map((part) => part.split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!(Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds))
    throw new Error(`timestamp ${timestamp} is too far from now`);
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(received.raw).digest();
  const known = parts.some(([name, hex]) => {
    const given = Buffer.from(hex ?? '', 'hex');
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!known) throw new Error('X-Webhook-Signature does not verify');
}
