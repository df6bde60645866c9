import { expect, test } from 'vitest';
import { pay } from '../../actors/checkout-session/buyer.ts';
import { buyerLimits, callbacksBurst, callbacksPerMinute } from '../../../gateways/buyer/limits.ts';
import { createLimits } from '../../../gateways/http/access/rate-limit.ts';
import type { DoorReply } from '../../../gateways/server/door.ts';
import { Till } from './till.ts';

test('callbacks of an address that calls far more often than any provider are refused before anything is read', async () => {
  let now = 0;
  const limits = createLimits({ on: true, now: () => now, sharing: null });
  const till = new Till({ parts: { limitCallbacks: (ip) => buyerLimits(limits).limitCallbacks(ip) } });
  const call = (): Promise<DoorReply> => till.send('POST', `/callback/wallet_b/${pay(2)}`, '{}');
  for (let n = 1; n < callbacksBurst; n++) buyerLimits(limits).limitCallbacks('203.0.113.7');
  expect((await call()).status).toBe(404);
  const refused = await call();
  expect([refused.status, refused.headers?.['Retry-After']]).toEqual([429, '1']);
  expect(JSON.parse(String(refused.body))).toMatchObject({
    error: { code: 'rate_limit_exceeded', type: 'rate_limit_error' },
  });
  // 200 a second from then on
  now += 1000;
  for (let n = 0; n < callbacksPerMinute / 60; n++) expect((await call()).status).toBe(404);
  expect((await call()).status).toBe(429);
});

test('a callback that is nested too deep is refused before its provider reads it', async () => {
  const till = new Till();
  const nested = (depth: number): string =>
    `{"merchantTxnId":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  const called = (body: string): Promise<DoorReply> => till.send('POST', '/callback/wallet_c', body);
  expect((await called(nested(64))).status).toBe(404);
  expect(JSON.parse(String((await called(nested(65))).body))).toMatchObject({
    error: { code: 'invalid_json' },
  });
});
