/** Signed receipts: what a shop verifies offline, with a library that is not ours. */
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import type { House } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';

async function paidBy(shop: Merchant): Promise<string> {
  const id = (await shop.checkout({ metadata: { order_id: '1001' } })).text('id');
  await shop.simulate(id, 'success');
  return (await shop.untilStatus(id, 'success')).text('paymentId');
}

const receiptOf = async ({ api }: Merchant, id: string): Promise<Body> =>
  (await api.must('GET', `/v1/payments/${id}/receipt`)).body;

const keysAt = async (url: string): Promise<JSONWebKeySet> =>
  (await new Api(url, null).must('GET', '/v1/public/keys')).body.value as JSONWebKeySet;

const verified = (jws: string, keys: JSONWebKeySet) =>
  compactVerify(jws, createLocalJWKSet(keys), { algorithms: ['EdDSA'] });

/** The receipt with the character at this place replaced by another of the alphabet. */
const changed = (jws: string, at: number): string =>
  `${jws.slice(0, at)}${jws.charAt(at) === 'A' ? 'Q' : 'A'}${jws.slice(at + 1)}`;

const kids = ({ keys }: JSONWebKeySet): readonly unknown[] => keys.map(({ kid }) => kid);

/** The keys once each node publishes as many. */
const untilKeys = ({ urls }: House, count: number): Promise<readonly JSONWebKeySet[]> =>
  eventually(
    async () => {
      const each = await Promise.all(urls.map(keysAt));
      return each.every(({ keys }) => keys.length === count) ? each : null;
    },
    () => `each node to publish ${count} keys`,
  );

describeModes('signed receipts', (galla) => {
  test('row 25: a receipt verifies with the key of any node, and fails after one changed character', async () => {
    const shop = await galla().merchant();
    const payment = await shop.payment(await paidBy(shop));
    const answer = await receiptOf(shop, payment.text('id'));
    const jws = answer.text('receipt');
    for (const url of galla().urls) {
      const { payload, protectedHeader } = await verified(jws, await keysAt(url));
      expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: answer.at('keyId') });
      const signed = JSON.parse(new TextDecoder().decode(payload)) as { readonly merchant: string };
      expect(signed.merchant).toMatch(/^Shop \d+$/);
      // the names and their order, too
      expect(JSON.stringify(signed)).toBe(
        JSON.stringify({
          paymentId: payment.at('id'),
          sessionId: payment.at('sessionId'),
          merchant: signed.merchant,
          amount: 125_050,
          currency: 'NPR',
          provider: 'wallet_b',
          providerRef: payment.at('providerRef'),
          status: 'success',
          refundedAmount: 0,
          livemode: false,
          paidAt: payment.at('paidAt'),
          issuedAt: answer.at('issuedAt'),
        }),
      );
    }
    const keys = await keysAt(galla().url);
    for (let at = 0; at < jws.length; at++) {
      if (jws.charAt(at) === '.') continue;
      await expect(verified(changed(jws, at), keys), `character ${at}`).rejects.toThrow();
    }
  });

  test('there is none for a payment that is not paid, nor for another merchant', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    await shop.start(session);
    const running = (await shop.session(session.text('id'))).text('paymentId');
    const refused = await shop.api.get(`/v1/payments/${running}/receipt`);
    expectRefusal(refused, 'invalid_state');
    expect(refused.body.at('error.currentStatus')).toBe('pending');
    const paid = await paidBy(shop);
    const stranger = await galla().merchant();
    expectRefusal(await stranger.api.get(`/v1/payments/${paid}/receipt`), 'resource_not_found');
    expectRefusal(await shop.publishable.get(`/v1/payments/${paid}/receipt`), 'api_key_must_be_secret');
    expectRefusal(await shop.api.get('/v1/payments/pay_0000000000000000/receipt'), 'resource_not_found');
    expectRefusal(await shop.api.get('/v1/payments/x/receipt'), 'resource_not_found');
  });

  test('a rotation publishes one key more on every node, and old receipts keep verifying', async () => {
    const shop = await galla().merchant();
    const paid = await paidBy(shop);
    const old = await receiptOf(shop, paid);
    const before = kids(await keysAt(galla().url));
    const answer = await galla().admin.must('POST', '/admin/v1/receipt-keys');
    expect(answer.status).toBe(201);
    const after = kids(answer.body.value as JSONWebKeySet);
    expect(after).toEqual([`rk_${before.length + 1}`, ...before]);
    // the new key is not used before every node publishes it
    const soon = await receiptOf(shop, paid);
    expect(before).toContain(soon.at('keyId'));
    for (const keys of await untilKeys(galla(), after.length)) {
      for (const jws of [old, soon]) await verified(jws.text('receipt'), keys);
    }
    expectRefusal(await shop.api.post('/admin/v1/receipt-keys'), 'admin_token_invalid');
  });

  test('a page of any origin reads the keys, and nothing else', async () => {
    const keys = await galla().nobody.get('/v1/public/keys?x=1');
    expect(keys.headers.get('access-control-allow-origin')).toBe('*');
    expect(keys.headers.get('x-ignored-params')).toBe('x');
    const wrong = await galla().nobody.get('/v1/public/keys', { headers: { 'api-version': '1999-01-01' } });
    expectRefusal(wrong, 'api_version_unknown');
    expect(wrong.headers.get('access-control-allow-origin')).toBe('*');
    const receipt = await galla().nobody.get('/v1/payments/pay_0000000000000000/receipt');
    expect(receipt.headers.get('access-control-allow-origin')).toBe(null);
    expect(JSON.stringify(keys.body.value)).not.toMatch(/sealed|"d"/);
  });
});
