/** The start page and its test payment: what one click does, and for whom there is none. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoPayment } from '../../../src/compose/demo-merchant.ts';
import { startGalla, type Galla } from '../../support/galla.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

interface Seen {
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly text: string;
}

type Headers = { readonly [name: string]: string };

async function get(url: string, path: string, headers: Headers = {}): Promise<Seen> {
  const answer = await request(`${url}${path}`, { headers: { accept: browser, ...headers } });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

async function press(url: string, token: string, headers: Headers = {}): Promise<Seen> {
  const answer = await request(`${url}/sim/test-payment`, {
    method: 'POST',
    headers: { ...form, ...headers },
    body: `token=${encodeURIComponent(token)}`,
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

const tokenIn = ({ text }: Seen): string | null => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? null;
const offers = ({ text }: Seen): boolean => text.includes('Make a test payment');

describe('where the service runs on its user’s own machine', () => {
  let galla: Galla;
  beforeAll(async () => {
    galla = await startGalla({ GALLA_RATE_LIMITS: 'on' });
  });
  afterAll(() => galla.stop());

  test('one click creates a checkout of the demo merchant that returns to the thank-you page', async () => {
    const page = await get(galla.url, '/');
    const { status, headers } = await press(galla.url, tokenIn(page) ?? '', {
      'sec-fetch-site': 'same-origin',
    });
    expect([status, headers['location']]).toEqual([303, expect.stringMatching(/^\/pay\/cs_[0-9a-z]{24}$/)]);
    const id = String(headers['location']).slice('/pay/'.length);
    const { body } = await galla.with(galla.keys.secretKey).must('GET', `/v1/checkout/${id}`);
    expect(body.value).toMatchObject({ amount: 125_050, description: 'Order 1001', livemode: false });
    expect(body.at('returnUrl')).toBe(`${galla.url}/sim/thanks`);
  });

  test('the page links to dashboard and simulator, and shows no key, no login and no folder', async () => {
    const page = await get(galla.url, '/');
    expect([page.status, page.headers['vary']]).toEqual([200, 'Accept']);
    for (const place of ['/dashboard', '/sim', '/health']) expect(page.text).toContain(`href="${place}"`);
    const demo = JSON.parse(readFileSync(join(galla.dataDir, 'demo.json'), 'utf8')) as object;
    const secrets = Object.values(demo).filter((each): each is string => typeof each === 'string');
    expect(secrets.length).toBeGreaterThan(5);
    for (const each of [...secrets, galla.dataDir]) expect(page.text).not.toContain(each);
  });

  test('a form from another origin creates nothing', async () => {
    const token = tokenIn(await get(galla.url, '/')) ?? '';
    for (const [sent, headers] of [
      ['', {}],
      ['x'.repeat(token.length), {}],
      [token, { 'sec-fetch-site': 'cross-site' }],
      [token, { 'sec-fetch-site': 'same-site' }],
    ] as const) {
      const { status, text } = await press(galla.url, sent, headers);
      expect([status, text.includes('No test payment was made')]).toEqual([403, true]);
    }
  });

  test('a request under another host name neither gets the form nor is accepted', async () => {
    const rebound = { host: 'attacker.example:8080' };
    expect(offers(await get(galla.url, '/', rebound))).toBe(false);
    const token = tokenIn(await get(galla.url, '/')) ?? '';
    expect((await press(galla.url, token, rebound)).status).toBe(404);
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080'])
      expect(offers(await get(galla.url, '/', { host }))).toBe(true);
  });

  test('an address that clicks too often is told to retry later', async () => {
    const statuses: number[] = [];
    for (let clicks = 0; clicks < 40 && statuses.at(-1) !== 429; clicks++)
      statuses.push((await press(galla.url, '')).status);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.length).toBeLessThanOrEqual(31);
  });
});

test('a refusal of the API is shown on a page, with the reason in the log', async () => {
  const galla = await startGalla();
  try {
    const token = tokenIn(await get(galla.url, '/')) ?? '';
    rmSync(join(galla.dataDir, 'demo.json'));
    const { status, headers, text } = await press(galla.url, token);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(text).toContain('No test payment was made');
  } finally {
    await galla.stop();
  }
});

test.each([
  ['a listener open to others', { HOST: '0.0.0.0' }],
  ['a public address', { BASE_URL: 'https://pay.example' }],
  ['no simulator', { GALLA_SIMULATOR: 'off' }],
])('with %s no test payment is offered', async (_why, env: { readonly [name: string]: string }) => {
  const galla = await startGalla(env);
  const url = galla.url.replace('0.0.0.0', '127.0.0.1');
  try {
    const page = await get(url, '/');
    expect(page.text).toContain('<h1>Galla takes payments for shops</h1>');
    expect(offers(page)).toBe(false);
    expect((await press(url, '')).status).toBe(404);
    expect(page.text.includes('href="/sim"')).toBe(env['GALLA_SIMULATOR'] !== 'off');
    expect((await get(url, '/sim')).status).toBe(env['GALLA_SIMULATOR'] === 'off' ? 404 : 200);
  } finally {
    await galla.stop();
  }
});

test('in a cluster there is no demo merchant, and so no test payment', () => {
  const here = 'http://127.0.0.1:8080';
  const settings = { host: '127.0.0.1', simulator: 'on' } as const;
  const options = { settings, baseUrl: here, listenerUrl: here };
  expect(demoPayment({ ...options, demoDir: null })).toBeNull();
  expect(demoPayment({ ...options, demoDir: '/tmp' })).not.toBeNull();
});
