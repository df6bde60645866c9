/** Checks the header `X-Webhook-Signature` with nothing but node. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;

/** Whether `header` signs these very bytes with `secret` (`whsec_...`), lately. `body`: the bytes as they came. */
export function isSigned(
  body: Buffer,
  header: string,
  secret: string,
  nowSeconds = Date.now() / 1000,
): boolean {
  const parts = header.split(',').map((part) => part.split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!(Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds)) return false;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  return parts.some(([name, hex = '']) => {
    const given = Buffer.from(hex, 'hex');
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
