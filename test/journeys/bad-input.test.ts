import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../src/cli/demo/api.ts';
import type { ErrorCode } from '../../src/errors.ts';
import type { Galla } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { expectRefusal } from '../support/refusal.ts';
import { order, Unchanged } from './unchanged.ts';

let unchanged: Unchanged;
let galla: Galla;
let shop: Merchant;
let readOnly: Api;
let live: Api;
let sessionId: string;

beforeAll(async () => {
  unchanged = await Unchanged.start();
  ({ galla, shop, sessionId } = unchanged);
  readOnly = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'sandbox', access: 'read' }));
  live = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'live' }));
});
afterAll(() => galla.stop());
afterEach(() => unchanged.check());

describe('keys', () => {
  test('a missing, foreign or unknown key gets its own error', async () => {
    const says: readonly [{ [name: string]: string }, ErrorCode][] = [
      [{}, 'api_key_missing'],
      [{ authorization: 'Basic c2s6' }, 'api_key_missing'],
      [{ authorization: 'Bearer ' }, 'api_key_missing'],
      [{ authorization: 'Bearer sk_test_00000000000000000000000000000000' }, 'api_key_invalid'],
      [{ authorization: 'Bearer nonsense' }, 'api_key_invalid'],
      [{ authorization: `Bearer sk_test_${'9'.repeat(3000)}` }, 'api_key_invalid'],
    ];
    for (const [headers, code] of says)
      expectRefusal(await galla.nobody.send('POST', '/v1/checkout', { body: order, headers }), code);
    const key = galla.keys.secretKey;
    expectRefusal(
      await galla.nobody.send('GET', `/v1/checkout?api_key=${key}&key=${key}`),
      'api_key_missing',
    );
    expectRefusal(
      await galla.nobody.send('POST', '/v1/checkout', { body: { ...order, apiKey: key } }),
      'api_key_missing',
    );
    expect(
      (await galla.nobody.send('GET', '/v1/checkout', { headers: { authorization: `bEaReR ${key}` } }))
        .status,
    ).toBe(200);
  });

  test('a key may do what it is for and nothing else', async () => {
    expectRefusal(await shop.publishable.post('/v1/checkout', order), 'api_key_must_be_secret');
    expectRefusal(await shop.publishable.get('/v1/payments'), 'api_key_must_be_secret');
    expectRefusal(await readOnly.post('/v1/checkout', order), 'key_access_insufficient');
    expectRefusal(await live.get('/v1/test/clock'), 'sandbox_only');
    expectRefusal(
      await live.post(`/v1/test/checkout/${sessionId}/simulate`, { outcome: 'success' }),
      'sandbox_only',
    );
    expectRefusal(await shop.api.get('/admin/v1/merchants'), 'admin_token_invalid');
  });

  test('an object of another project or mode does not exist', async () => {
    const stranger = (await galla.merchant()).api;
    for (const api of [stranger, live]) {
      expectRefusal(await api.get(`/v1/checkout/${sessionId}`), 'resource_not_found');
      expectRefusal(await api.post(`/v1/checkout/${sessionId}/expire`), 'resource_not_found');
      expect((await api.must('GET', '/v1/checkout')).body.at('total')).toBe(0);
    }
  });
});

describe('bodies', () => {
  test('a body that is not one JSON object is refused', async () => {
    const texts = [
      '{',
      '[]',
      '[{}]',
      '1',
      '"text"',
      'null',
      'true',
      '{"amount":1,}',
      "{'amount':1}",
      `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    ];
    for (const text of texts) expectRefusal(await unchanged.post(text), 'invalid_json');
    expectRefusal(
      await unchanged.post(
        new Uint8Array([...Buffer.from('{"description":"'), 0xff, 0xfe, ...Buffer.from('"}')]),
      ),
      'invalid_json',
    );
  });

  test('another media type is refused, a charset is not', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      '',
    ]) {
      expectRefusal(
        await unchanged.post(JSON.stringify(order), { 'content-type': type }),
        'unsupported_media_type',
      );
    }
    expectRefusal(
      await unchanged.post('{', { 'content-type': 'Application/JSON; charset=utf-8' }),
      'invalid_json',
    );
  });

  test('more than 64 KiB is refused, announced or not', async () => {
    const large = JSON.stringify({ ...order, description: 'x'.repeat(70_000) });
    expectRefusal(await unchanged.post(large), 'request_too_large');
    const text = await raw(
      galla.url,
      [
        `POST /v1/checkout HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${galla.keys.secretKey}\r\n`,
        'Content-Type: application/json\r\n',
        'Transfer-Encoding: chunked\r\n\r\n',
        ...Array.from({ length: 80 }, () => `400\r\n${'x'.repeat(1024)}\r\n`),
        '0\r\n\r\n',
      ].join(''),
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('"request_too_large"');
  });
});

describe('buyers', () => {
  test('see a page when one of their paths is used wrongly, their script sees JSON', async () => {
    const pay = `/pay/${sessionId}`;
    const answers = await Promise.all([
      galla.nobody.send('PUT', pay),
      galla.nobody.send('GET', `${pay}/start`),
      galla.nobody.send('DELETE', '/return/wallet_b/pay_4t8z1m6q3x9k2v7b/web/done'),
      galla.nobody.send('POST', `${pay}/cancel`, { body: 'x'.repeat(70_000) }),
      galla.nobody.send('PUT', `${pay}/status`),
    ]);
    expect(answers.map(({ status, text }) => [status, text.startsWith('<!doctype html>')])).toEqual([
      [405, true],
      [405, true],
      [405, true],
      [413, true],
      [405, false],
    ]);
  });
});

describe('callbacks', () => {
  test('of more than 8 KiB are refused before anything of them is read', async () => {
    const statusOf = async (bytes: number): Promise<number> => {
      const body = 'x'.repeat(bytes);
      return (await galla.nobody.send('POST', '/callback/wallet_b/pay_4t8z1m6q3x9k2v7b', { body })).status;
    };
    expect([await statusOf(8 * 1024), await statusOf(8 * 1024 + 1)]).toEqual([404, 413]);
  });
});

describe('methods, paths, headers', () => {
  test('an unknown path is 404, a known path with another method 405, both without a check of the key', async () => {
    for (const path of [
      '/v1',
      '/v2/checkout',
      '/checkout',
      '/v1/checkout/',
      '/v1/checkouts',
      '/v1/checkout/a/b/c',
      '/V1/checkout',
      '/v1/../admin',
    ]) {
      expectRefusal(await galla.nobody.get(path), 'endpoint_not_found');
    }
    const wrong: readonly [method: string, path: string, allow: RegExp][] = [
      ['DELETE', '/v1/checkout', /GET.*POST|POST.*GET/],
      ['PUT', '/v1/checkout', /GET/],
      ['POST', '/v1/payments', /^GET/],
      ['GET', `/v1/checkout/${sessionId}/expire`, /^POST$/],
      ['PATCH', '/health', /^GET/],
    ];
    for (const [method, path, allow] of wrong) {
      const refused = await galla.nobody.send(method, path);
      expectRefusal(refused, 'method_not_allowed');
      expect(refused.headers.get('allow')).toMatch(allow);
    }
  });

  test('any text may be sent as an id, and an impossible one is unknown', async () => {
    const ids = [
      'cs_',
      'x',
      'pay_4t8z1m6q3x9k2v7b',
      'cs_n5y5kc7txbgmy7rz22b0c1r5',
      '%00',
      '%2e%2e%2fadmin',
      '%F0%9F%92%B8',
      'a'.repeat(2000),
      '%ff',
      '$where',
      '__proto__',
    ];
    for (const id of ids) {
      expectRefusal(await shop.api.get(`/v1/checkout/${id}`), 'resource_not_found');
      expectRefusal(await shop.api.get(`/v1/payments/${id}`), 'resource_not_found');
    }
  });

  test('headers with wrong contents', async () => {
    for (const key of ['', 'x'.repeat(256), 'two words', 'naïve']) {
      expectRefusal(await unchanged.post(order, { 'idempotency-key': key }), 'idempotency_key_invalid');
    }
    for (const version of ['', '2031-01-01']) {
      const headers = { 'api-version': version };
      expectRefusal(await unchanged.post(order, headers), 'api_version_unknown');
      expectRefusal(await shop.api.send('GET', '/v1/checkout', { headers }), 'api_version_unknown');
      expectRefusal(await shop.api.send('DELETE', '/v1/webhooks/x', { headers }), 'api_version_unknown');
    }
  });

  test('bytes that are no HTTP end the connection and nothing else', async () => {
    for (const text of [
      'nonsense\r\n\r\n',
      'GET / HTTP/1.0\r\n\r\n',
      'GET /health HTTP/1.1\r\n\r\n',
      `GET /health HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`,
    ]) {
      expect(await raw(galla.url, text)).toMatch(/^(HTTP\/1\.1 (400|431|505)|$)/);
    }
  });
});

/** Sends bytes as they are; what came back until the other side closed, or half a second of silence. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setTimeout(500, () => socket.destroy());
    socket.on('data', (chunk) => void (heard += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
  });
}
