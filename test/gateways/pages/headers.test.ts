import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  assetDoors,
  markPath,
  scriptPath,
  socketClientPath,
  stylesheetPath,
} from '../../../gateways/pages/assets.ts';
import { originOf, pageHeaders } from '../../../gateways/pages/headers.ts';
import type { DoorReply } from '../../../gateways/server/door.ts';

describe('the headers of a page', () => {
  test('forbid everything that the page does not need', () => {
    expect(pageHeaders()).toEqual({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; " +
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
    });
  });

  test('allow the logo of a shop from any https host, where there is one', () => {
    expect(pageHeaders([], 'logo')['Content-Security-Policy']).toContain("img-src 'self' data: https:;");
  });

  test('allow a form its target, and nothing else', () => {
    const csp = pageHeaders([
      'https:',
      'http://127.0.0.1:8080',
      "x; script-src 'unsafe-inline'",
      'https://a.example/\r\nX: y',
    ])['Content-Security-Policy'];
    expect(csp).toContain("form-action 'self' https: http://127.0.0.1:8080; frame-ancestors");
    expect(csp).not.toContain('unsafe');
    expect(csp).not.toContain('X: y');
  });

  test('accept only the origin of a web address', () => {
    expect(originOf('https://wallet-b.example/?pidx=1')).toBe('https://wallet-b.example');
    for (const bad of ['javascript:alert(1)', 'intent://x', 'x', '']) expect(originOf(bad)).toBeNull();
  });
});

describe('files that pages refer to', () => {
  const [door] = assetDoors();
  const get = async (path: string, accepts = ''): Promise<DoorReply> => {
    if (door === undefined) throw new Error('there is a door');
    return door.handle({
      requestId: 'req_',
      method: 'GET',
      path,
      params: {},
      rawQuery: '',
      header: (name) => (name === 'accept-encoding' ? accepts : ''),
      body: Buffer.alloc(0),
      ip: '',
    });
  };

  test.each([
    [stylesheetPath, 'text/css; charset=utf-8'],
    [scriptPath, 'text/javascript; charset=utf-8'],
    [socketClientPath, 'text/javascript; charset=utf-8'],
    [markPath('wallet_b'), 'image/svg+xml'],
    [markPath('unheard_of'), 'image/svg+xml'],
  ])('%s is served, may be cached permanently, and has its exact type', async (path, type) => {
    const { status, headers } = await get(path);
    expect([
      status,
      headers?.['Content-Type'],
      headers?.['Cache-Control'],
      headers?.['X-Content-Type-Options'],
    ]).toEqual([200, type, 'public, max-age=31536000, immutable', 'nosniff']);
  });

  test.each(['gzip', 'gzip, deflate, br, zstd', 'br,gzip', 'gzip;q=1.0', 'br, gzip; q=0.5'])(
    'are compressed for "%s"',
    async (accepts) => {
      const [plain, packed] = [await get(socketClientPath), await get(socketClientPath, accepts)];
      expect(packed.headers).toEqual({ ...plain.headers, 'Content-Encoding': 'gzip' });
      expect(packed.headers?.['Vary']).toBe('Accept-Encoding');
      expect(gunzipSync(packed.body as Uint8Array).toString()).toBe(plain.body);
      expect((packed.body as Uint8Array).length).toBeLessThan(20_000);
    },
  );

  test.each(['', 'br', 'gzip;q=0', 'gzip; q=0.000, br', 'x-gzip2'])(
    'are not compressed for "%s"',
    async (accepts) => {
      expect((await get(socketClientPath, accepts)).headers).not.toHaveProperty('Content-Encoding');
    },
  );

  test('include no file that is not served', async () => {
    for (const path of [scriptPath, socketClientPath, stylesheetPath])
      expect(String((await get(path)).body)).not.toContain('sourceMappingURL');
  });

  test.each(['/ui/pages.css', '/ui/', '/ui/..%2f..%2fetc%2fpasswd', '/ui/__proto__'])(
    '%s is a 404',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  test('the stylesheet loads nothing from other hosts', async () => {
    const css = String((await get(stylesheetPath)).body);
    for (const [, address] of css.matchAll(/url\("?([^")]*)/g))
      expect(address).toMatch(/^data:image\/svg\+xml,/);
    expect(css).not.toContain('@import');
  });
});
