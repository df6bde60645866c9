import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Api, Sending } from '../../src/testing/demo/api.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { expectRefusal } from '../support/refusal.ts';

let galla: Galla;
let shop: Merchant;
let readOnly: Api;
let live: Api;
let sessionId: string;
let before: string;

beforeAll(async () => {
  galla = await startGalla();
  shop = await galla.merchant();
  readOnly = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'sandbox', access: 'read' }));
  live = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'live' }));
  sessionId = (await shop.checkout()).text('id');
  await shop.untilEvents(1, 'checkout.created');
  before = await everything();
});
afterAll(() => galla.stop());
afterEach(async () => {
  expect((await galla.nobody.get('/health')).status).toBe(200);
  expect(await everything()).toBe(before);
});

/** All that a bad request could have changed. */
async function everything(): Promise<string> {
  const paths = ['/v1/checkout', '/v1/payments', '/v1/events', '/v1/webhooks'];
  return (await Promise.all(paths.map((path) => shop.api.must('GET', path))))
    .map(({ text }) => text)
    .join('\n');
}

const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
const post = (body: Sending['body'], headers: { [name: string]: string } = {}) =>
  shop.api.send('POST', '/v1/checkout', { ...(body === undefined ? {} : { body }), headers });

describe('keys', () => {
  test('a missing, foreign or unknown key is told apart', async () => {
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
  test('what is not one JSON object is refused', async () => {
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
    for (const text of texts) expectRefusal(await post(text), 'invalid_json');
    expectRefusal(
      await post(new Uint8Array([...Buffer.from('{"description":"'), 0xff, 0xfe, ...Buffer.from('"}')])),
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
      expectRefusal(await post(JSON.stringify(order), { 'content-type': type }), 'unsupported_media_type');
    }
    expectRefusal(await post('{', { 'content-type': 'Application/JSON; charset=utf-8' }), 'invalid_json');
  });

  test('more than 64 KiB is refused, told beforehand or not', async () => {
    const large = JSON.stringify({ ...order, description: 'x'.repeat(70_000) });
    expectRefusal(await post(large), 'request_too_large');
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
  test('see a page where a path of theirs is used in a wrong way, their script sees JSON', async () => {
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

describe('fields', () => {
  const cases: readonly [title: string, body: object, fields: readonly string[]][] = [
    ['nothing', {}, ['amount required', 'returnUrl required']],
    ['nulls', { amount: null, returnUrl: null }, ['amount required', 'returnUrl required']],
    ['a fraction', { ...order, amount: 1250.5 }, ['amount amount_must_be_integer']],
    ['text for an amount', { ...order, amount: '125050' }, ['amount wrong_type']],
    ['too little', { ...order, amount: 999 }, ['amount too_small']],
    ['less than nothing', { ...order, amount: -125_050 }, ['amount too_small']],
    ['too much', { ...order, amount: 1e21 }, ['amount too_large']],
    ['another currency', { ...order, currency: 'USD' }, ['currency currency_not_supported']],
    ['no address', { ...order, returnUrl: 'not a url' }, ['returnUrl invalid_format']],
    ['a script for an address', { ...order, returnUrl: 'javascript:alert(1)' }, ['returnUrl invalid_format']],
    ['an unknown flow', { ...order, flow: 'popup' }, ['flow not_in_enum']],
    ['a redirect to nobody', { ...order, flow: 'redirect' }, ['provider required']],
    ['an unknown provider', { ...order, provider: 'wallet_z' }, ['provider not_in_enum']],
    ['a customer of the wrong kind', { ...order, customer: 'Asha' }, ['customer wrong_type']],
    [
      'wrong things in a customer',
      { ...order, customer: { email: 'at home', address: { line2: 'x' } } },
      ['customer.email invalid_format', 'customer.address.line1 required', 'customer.address.city required'],
    ],
    ['metadata that is none', { ...order, metadata: [] }, ['metadata wrong_type']],
    [
      'too deep metadata',
      { ...order, metadata: { a: { b: { c: { d: 1 } } } } },
      ['metadata.a metadata_too_deep'],
    ],
    [
      'our own metadata key',
      { ...order, metadata: { wallet_a_intent: {} } },
      ['metadata.wallet_a_intent metadata_key_reserved'],
    ],
    [
      '51 metadata keys',
      { ...order, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, at])) },
      ['metadata metadata_too_many_keys'],
    ],
    [
      'a number in metadata that would become another one',
      { ...order, metadata: { id: 2 ** 53 } },
      ['metadata.id wrong_type'],
    ],
    ['too short a life', { ...order, expiresInMinutes: 4 }, ['expiresInMinutes too_small']],
    [
      'three things at once',
      { amount: 'x', returnUrl: 7, collectAddress: 'yes' },
      ['amount wrong_type', 'returnUrl wrong_type', 'collectAddress wrong_type'],
    ],
  ];
  test.each(cases)('a checkout with %s', async (_title, body, fields) => {
    expectRefusal(await post(body), 'validation_failed', fields);
  });

  test('webhook endpoints, the clock, simulation and lists have their own', async () => {
    const cases: readonly [
      method: string,
      path: string,
      body: object | undefined,
      fields: readonly string[],
    ][] = [
      ['POST', '/v1/webhooks', {}, ['url required']],
      ['POST', '/v1/webhooks', { url: 'ftp://shop.example' }, ['url url_not_allowed']],
      ['POST', '/v1/webhooks', { url: 'http://user:secret@shop.example' }, ['url url_not_allowed']],
      [
        'POST',
        '/v1/webhooks',
        { url: 'http://shop.example', events: ['payment.exploded'] },
        ['events[0] unknown_event_type'],
      ],
      ['POST', '/v1/test/clock/advance', { bySeconds: 0 }, ['bySeconds too_small']],
      ['POST', '/v1/test/clock/advance', { to: '2020-01-01T00:00:00.000Z' }, ['to must_be_later']],
      ['POST', '/v1/test/clock/advance', { to: '2126-01-01' }, ['to invalid_format']],
      [
        'POST',
        `/v1/test/checkout/${sessionId}/simulate`,
        { outcome: 'explode', provider: 'wallet_b' },
        ['outcome not_in_enum'],
      ],
      ['POST', `/v1/test/checkout/${sessionId}/simulate`, { outcome: 'success' }, ['provider required']],
      ['GET', '/v1/checkout?page=0', undefined, ['page too_small']],
      ['GET', '/v1/checkout?limit=abc', undefined, ['limit wrong_type']],
      ['GET', '/v1/checkout?status=asleep', undefined, ['status not_in_enum']],
      ['GET', '/v1/payments?amountMin=x', undefined, ['amountMin wrong_type']],
      ['GET', '/v1/events?type=payment.exploded', undefined, ['type unknown_event_type']],
    ];
    for (const [method, path, body, fields] of cases) {
      expectRefusal(
        await shop.api.send(method, path, body === undefined ? {} : { body }),
        'validation_failed',
        fields,
      );
    }
    for (const body of [{}, { bySeconds: 5, to: '2126-01-01T00:00:00Z' }]) {
      const refused = await shop.api.post('/v1/test/clock/advance', body);
      expectRefusal(refused, 'validation_failed');
      expect(refused.body.at('error.errors.0.code')).toBe('mutually_exclusive');
    }
    expectRefusal(await shop.api.get('/v1/checkout?page=101&limit=100'), 'page_too_deep');
  });

  test('unknown names are accepted, ignored and named', async () => {
    const answer = await shop.api.get('/v1/checkout?colour=red');
    expect([answer.status, answer.headers.get('x-ignored-params')]).toEqual([200, 'colour']);
    const refused = await post({ ...order, amount: 1, customer: { nick: 'A' }, colour: 'red' });
    expectRefusal(refused, 'validation_failed', ['amount too_small']);
  });

  test('a name is text and nothing more', async () => {
    expectRefusal(
      await post(
        '{"__proto__":{"amount":125050},"constructor":{"prototype":{}},"returnUrl":"https://shop.example"}',
      ),
      'validation_failed',
      ['amount required'],
    );
    expect((await shop.api.get('/v1/checkout?metadata.__proto__=x&metadata.%24where=1')).status).toBe(200);
  });
});

describe('methods, paths, headers', () => {
  test('what is not there is 404, what is there by another method 405, both without a look at the key', async () => {
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

  test('any text is an id, and one that cannot be ours is unknown', async () => {
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

  test('headers that say something wrong', async () => {
    for (const key of ['', 'x'.repeat(256), 'two words', 'naïve']) {
      expectRefusal(await post(order, { 'idempotency-key': key }), 'idempotency_key_invalid');
    }
    for (const version of ['', '2031-01-01']) {
      const headers = { 'api-version': version };
      expectRefusal(await post(order, headers), 'api_version_unknown');
      expectRefusal(await shop.api.send('GET', '/v1/checkout', { headers }), 'api_version_unknown');
      expectRefusal(await shop.api.send('DELETE', '/v1/webhooks/x', { headers }), 'api_version_unknown');
    }
  });

  test('what is no HTTP ends the connection and nothing else', async () => {
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

test('thousands of unknown kinds of events are refused shortly, and hold up nobody', async () => {
  const events = Array.from({ length: 16_000 }, () => 'x');
  const url = 'https://shop.example/hooks';
  const asked = Array.from({ length: 6 }, () => shop.api.post('/v1/webhooks', { url, events }));
  const health = await galla.nobody.get('/health');
  expect(health.tookMs).toBeLessThan(2000);
  for (const answer of await Promise.all(asked)) {
    expectRefusal(answer, 'validation_failed');
    expect(answer.text.length).toBeLessThan(32 * 1024);
    expect(answer.body.list('error.errors').length).toBe(100);
    expect(answer.body.text('error.message')).toBe('events must have at most 100 entries.');
  }
});
