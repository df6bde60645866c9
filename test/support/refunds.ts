/** Refunds of a merchant, for the tests. */
import { expect } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { eventually } from './eventually.ts';
import type { Merchant } from './merchant.ts';
import { expectRefusal } from './refusal.ts';

/** A payment that has just been paid. */
export async function paidPayment(shop: Merchant, fields: object = {}, provider = 'wallet_b'): Promise<Body> {
  const id = (await shop.checkout(fields)).text('id');
  await shop.api.must('POST', `/v1/test/checkout/${id}/simulate`, { outcome: 'success', provider });
  return shop.payment((await shop.untilStatus(id, 'success')).text('paymentId'));
}

export const refundOf = async (shop: Merchant, id: string): Promise<Body> =>
  (await shop.api.must('GET', `/v1/refunds/${id}`)).body;

export const untilRefund = (shop: Merchant, id: string, status: string): Promise<Body> =>
  eventually(
    async () => {
      const refund = await refundOf(shop, id);
      return refund.at('status') === status ? refund : null;
    },
    () => `refund ${id} to be ${status}`,
  );

/** What the simulated provider has counted: calls received, and money that went back. */
export async function ledgerOf(shop: Merchant, paymentId: string, provider = 'wallet_b'): Promise<unknown> {
  const reference = paymentId.replace('_', '-');
  const path = `/sim/control/payments?provider=${provider}&reference=${reference}`;
  return (await shop.api.must('GET', path)).body.at('data.0.ledger');
}

/** A POST that changes something: the same key replays it, and takes no other body. */
export async function refundOnce(shop: Merchant, path: string, body: object, other: object): Promise<void> {
  const idempotencyKey = `once ${path}`.replaceAll(/[^!-~]/g, '-');
  const first = await shop.api.post(path, body, { idempotencyKey });
  expect(first.status).toBeLessThan(300);
  const again = await shop.api.post(path, body, { idempotencyKey });
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expectRefusal(
    await shop.api.post(path, { ...body, ...other }, { idempotencyKey }),
    'idempotency_key_reused',
  );
}
