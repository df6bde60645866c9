/** Error messages help their reader, reveal nothing of others, and stay short whatever was sent. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiParts } from '../../../gateways/http/api-parts.ts';
import { specsOf } from '../../../gateways/http/routes.ts';
import type { Answer } from '../../../src/cli/demo/api.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import type { Merchant } from '../../support/merchant.ts';
import { expectRefusal } from '../../support/refusal.ts';

const galla = gallaOfFile();
let shop: Merchant;
let other: Merchant;
beforeAll(async () => {
  [shop, other] = [await galla.merchant(), await galla.merchant()];
});

const messageOf = (answer: Answer): string => answer.body.text('error.message');

describe('a 404 of an object', () => {
  test.each([
    ['GET', '/v1/checkout/x-1', 'No checkout session x-1 in sandbox.'],
    ['POST', '/v1/checkout/x-1/expire', 'No checkout session x-1 in sandbox.'],
    ['GET', '/v1/payments/pay_1', 'No payment pay_1 in sandbox.'],
    ['GET', '/v1/webhooks/we_1/deliveries', 'No webhook endpoint we_1 in sandbox.'],
    ['POST', '/v1/webhooks/deliveries/whd_1/retry', 'No webhook delivery whd_1 in sandbox.'],
    ['GET', '/v1/idempotency/order-1', 'No request with the Idempotency-Key order-1 in sandbox.'],
    ['POST', '/sim/control/payments/pay-1/pay', 'No simulated payment pay-1 in sandbox.'],
    ['GET', '/v1/qr/cs_1/events', 'No Direct-QR session cs_1.'],
    ['GET', '/pay/cs_1/status', 'No checkout session cs_1.'],
  ])('%s %s says: %s', async (method, path, message) => {
    const answer = await shop.api.send(method, path);
    expectRefusal(answer, 'resource_not_found');
    expect(messageOf(answer)).toBe(message);
  });

  test('names the mode of the key, and no mode to the operator', async () => {
    const live = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'live' }));
    const id = (await shop.checkout()).text('id');
    expect(messageOf(await live.get(`/v1/checkout/${id}`))).toBe(`No checkout session ${id} in live.`);
    expect(messageOf(await galla.admin.get('/admin/v1/merchants/mer_1'))).toBe('No merchant mer_1.');
    expectRefusal(await galla.admin.post('/admin/v1/keys/key_1/revoke'), 'resource_not_found');
  });

  test("is the same for another project's object as for an unknown one", async () => {
    const theirs = (await other.checkout()).text('id');
    const never = `${theirs.slice(0, -4)}0000`;
    const without = (answer: Answer, id: string): string =>
      answer.text.replaceAll(id, 'ID').replace(answer.body.text('error.request_id'), 'REQUEST');
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/expire'],
    ]) {
      const [one, none] = [
        await shop.api.send(method ?? '', `/v1/checkout/${theirs}${path}`),
        await shop.api.send(method ?? '', `/v1/checkout/${never}${path}`),
      ];
      expect(without(one, theirs)).toBe(without(none, never));
      expect(one.status).toBe(404);
    }
  });

  test('stays short and escaped whatever the id is', async () => {
    const long = await shop.api.get(`/v1/checkout/${'x'.repeat(8000)}`);
    expect(messageOf(long)).toBe(`No checkout session ${'x'.repeat(64)}... in sandbox.`);
    const odd = await shop.api.get('/v1/checkout/%22%0d%0aX-Evil:%201%00%F0%9F%98%80');
    expect(messageOf(odd)).toBe('No checkout session "\r\nX-Evil: 1\0\u{1f600} in sandbox.');
    expect(odd.text).not.toMatch(/[\r\n\0]/);
    expect(odd.headers.get('x-evil')).toBeNull();
  });

  test('is sent by every route with an object in its path', () => {
    const simulate = async (): Promise<never> => Promise.reject(new Error('never asked'));
    const nameless = specsOf({ simulate } as unknown as ApiParts).filter(
      ({ path, object }) => path.includes('{') && object === undefined,
    );
    expect(nameless.map(({ path }) => path)).toEqual([]);
  });
});

describe('unknown endpoints', () => {
  test('method and path are named, without the query', async () => {
    const lost = await galla.nobody.get('/v1/nowhere?key=sk_test_1');
    expectRefusal(lost, 'endpoint_not_found');
    expect(messageOf(lost)).toBe('No such endpoint: GET /v1/nowhere.');
    const unknownCommand = await shop.api.post('/sim/control/payments/pay-1/steal');
    expect(messageOf(unknownCommand)).toBe('No such endpoint: POST /sim/control/payments/pay-1/steal.');
  });

  test('a wrong method is named with those that are allowed', async () => {
    const wrong = await galla.nobody.send('PUT', '/v1/checkout', { body: {} });
    expectRefusal(wrong, 'method_not_allowed');
    expect(messageOf(wrong)).toBe('Method not allowed: PUT /v1/checkout. Allowed: GET, HEAD, POST.');
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  test('a long or odd path is cut and escaped', async () => {
    const long = await galla.nobody.get(`/v1/${'%22'.repeat(4000)}`);
    expect(messageOf(long)).toBe(`No such endpoint: GET /v1/${'%22'.repeat(66).slice(0, 196)}....`);
  });
});
