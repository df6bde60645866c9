/** What a person finds without documentation: the root, an unknown path, the metrics. */
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { gallaOfFile } from '../../support/of-file.ts';
import { expectRefusal } from '../../support/refusal.ts';

const galla = gallaOfFile();

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

interface Seen {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function get(path: string, headers: { readonly [name: string]: string } = {}): Promise<Seen> {
  const { statusCode, headers: said, body } = await request(`${galla.url}${path}`, { headers });
  return { status: statusCode, type: String(said['content-type']), text: await body.text() };
}

describe('GET /', () => {
  test('points a program to the documentation', async () => {
    const { status, type, text } = await get('/');
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toEqual({
      service: 'Galla',
      api: '/v1',
      health: '/health',
      live: '/live',
      openapi: '/v1/openapi.json',
      documentation: '/docs',
    });
  });

  test('shows a browser a page', async () => {
    const { status, type, text } = await get('/', { accept: browser });
    expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<h1>Galla is running</h1>');
    expect(text).toContain('href="/health"');
  });

  test('accepts no other method', async () => {
    const { statusCode, headers, body } = await request(`${galla.url}/`, { method: 'POST' });
    await body.dump();
    expect([statusCode, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

describe('an unknown path', () => {
  test.each(['/pay/cs_1/other', '/nowhere', '/sim/nowhere'])(
    '%s is a page for a browser, JSON for a program',
    async (path) => {
      const page = await get(path, { accept: browser });
      expect([page.status, page.type]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<h1>There is nothing here</h1>');
      const json = await get(path);
      expect([json.status, json.type]).toEqual([404, 'application/json; charset=utf-8']);
    },
  );

  test.each(['/v1/nowhere', '/v1', '/admin/v1/nowhere', '/sim/control/nowhere'])(
    '%s is JSON for every client',
    async (path) => {
      const { status, type } = await get(path, { accept: browser });
      expect([status, type]).toEqual([404, 'application/json; charset=utf-8']);
    },
  );
});

describe('GET /metrics', () => {
  test('counts answers, by route and code', async () => {
    await get('/health');
    await get('/nowhere');
    await get('/v1/checkout/cs_unknown');
    const { status, type, text } = await get('/metrics');
    expect(status).toBe(200);
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^galla_http_requests_total\{method="GET",route="\/health",code="200"\} [1-9]/m);
    expect(text).toMatch(/^galla_http_requests_total\{method="any",route="none",code="404"\} [1-9]/m);
    expect(text).toMatch(
      /^galla_http_requests_total\{method="GET",route="\/v1\/checkout\/\{id\}",code="401"\} 1$/m,
    );
    expect(text).toMatch(/^galla_http_requests_in_hand 1$/m);
    expect(text).not.toContain('cs_unknown');
    expect(text).not.toContain('nowhere');
  });

  test("is open to local clients; through a proxy it needs the operator's token", async () => {
    const headers = { 'x-forwarded-for': '127.0.0.1' };
    expectRefusal(await galla.nobody.send('GET', '/metrics', { headers }), 'admin_token_invalid');
    expect((await galla.admin.send('GET', '/metrics', { headers })).status).toBe(200);
  });
});
