/** What is public may be read by pages of other sites, and not too often. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGalla, type Galla } from '../../support/galla.ts';
import { expectRefusal } from '../../support/refusal.ts';

const path = '/v1/public/payment-status';
let galla: Galla;
beforeAll(async () => {
  // each test is another client, named by what a trusted proxy says
  galla = await startGalla({ GALLA_RATE_LIMITS: 'on', GALLA_TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => galla.stop());

const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });

describe('the limit of look-ups', () => {
  test('row 95: the 31st look-up in a minute is 429 with Retry-After, by the API and by the page together', async () => {
    const client = from('203.0.113.1');
    // sent together: a token comes back every two seconds
    const paths = Array.from({ length: 40 }, (_, n) => `${path}?query=${n % 2 === 0 ? 'abc' : 'ab'}`);
    const answers = await Promise.all(paths.map((each) => galla.nobody.get(each, client)));
    const refused = answers.filter(({ status }) => status === 429);
    const taken = answers.filter(({ status }) => status !== 429);
    expect(taken.length).toBeGreaterThanOrEqual(30);
    expect(taken.length).toBeLessThan(40);
    for (const { status, headers } of taken) {
      expect([400, 404]).toContain(status);
      expect(headers.get('ratelimit-limit')).toBe('30');
      expect(headers.get('ratelimit-remaining')).toMatch(/^[0-9]+$/);
      expect(headers.get('retry-after')).toBeNull();
    }
    for (const answer of refused) {
      expectRefusal(answer, 'rate_limit_exceeded');
      expect(answer.headers.get('ratelimit-remaining')).toBe('0');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }

    const page = await galla.nobody.get('/status?query=abc', client);
    expect(page.status).toBe(429);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    // the form alone looks nothing up, and other clients are not held up
    expect((await galla.nobody.get('/status', client)).status).toBe(200);
    expect((await galla.nobody.get(`${path}?query=abc`, from('203.0.113.2'))).status).toBe(404);
  });
});

describe('other sites', () => {
  const client = from('203.0.113.3');
  const isOpen = (headers: Headers): void => {
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
  };

  test('may read every answer, also one that refuses', async () => {
    const { publishable, ...shop } = await galla.merchant();
    const session = (
      await shop.api.must('POST', '/v1/checkout', { amount: 1000, returnUrl: 'https://shop.example' })
    ).body;
    const found = await galla.nobody.get(`${path}?query=${session.text('id')}&lang=ne`, client);
    expect([found.status, found.headers.get('x-ignored-params')]).toEqual([200, 'lang']);
    isOpen(found.headers);
    expect(found.headers.get('vary')).toBeNull();
    for (const [method, asked, status] of [
      ['GET', `${path}?query=ab`, 400],
      ['GET', '/v1/public/keys', 200],
      ['GET', `${path}?query=nobody`, 404],
      ['HEAD', `${path}?query=nobody`, 404],
      ['POST', path, 405],
      ['GET', '/v1/public/nothing', 404],
    ] as const) {
      const answer = await galla.nobody.send(method, asked, client);
      expect(answer.status, `${method} ${asked}`).toBe(status);
      isOpen(answer.headers);
    }
    // a key is neither needed nor looked at
    expect((await publishable.get(`${path}?query=nobody`, client)).status).toBe(404);
    const version = { headers: { ...client.headers, 'api-version': '1999-01-01' } };
    const unknown = await galla.nobody.get(`${path}?query=abc`, version);
    expectRefusal(unknown, 'api_version_unknown');
    isOpen(unknown.headers);
  });

  test('may ask before they send a header of their own', async () => {
    const asked = { headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' } };
    const answer = await galla.nobody.send('OPTIONS', path, asked);
    expect([answer.status, answer.text]).toEqual([204, '']);
    isOpen(answer.headers);
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    expect(answer.headers.get('access-control-allow-headers')).toBe('*');
    expect((await galla.nobody.send('OPTIONS', '/v1/public/nothing', asked)).status).toBe(404);
  });

  test('may read nothing else', async () => {
    for (const [method, asked] of [
      ['GET', '/v1/payments'],
      ['OPTIONS', '/v1/payments'],
      ['GET', '/v1/publicity'],
      ['GET', '/status?query=abc'],
      ['GET', '/health'],
      ['GET', '/live'],
      ['GET', '/v1/nothing'],
    ] as const) {
      const { headers } = await galla.nobody.send(method, asked, client);
      expect(headers.get('access-control-allow-origin'), `${method} ${asked}`).toBeNull();
    }
  });
});
