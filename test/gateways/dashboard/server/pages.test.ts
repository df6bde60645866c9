/** The pages and their files, from a folder of the test's own, over a real listener. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageDoors, readBuilt } from '../../../../gateways/dashboard/server/pages.ts';
import { listen, type Listener } from '../../../../gateways/server/listener.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { head, Raw, type RawAnswer } from '../../../support/raw.ts';
import { bareListener } from '../../../support/alone.ts';

const script = `console.log(${JSON.stringify('ग'.repeat(1000))});\n`;
const folder = mkdtempSync(join(tmpdir(), 'galla-pages-'));
let listener: Listener;
let unbuilt: Listener;

const listening = async (built: ReturnType<typeof readBuilt>): Promise<Listener> => {
  const log = createLog({ level: 'silent', pretty: false });
  const opened = await listen({ ...bareListener, host: '127.0.0.1', port: 0, log });
  opened.mount(pageDoors(built));
  return opened;
};

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Dashboard</title>');
  writeFileSync(join(folder, 'assets', 'page-1a2b.js'), script);
  writeFileSync(join(folder, 'assets', 'page-1a2b.js.gz'), gzipSync(script));
  writeFileSync(join(folder, 'assets', 'page-1a2b.css'), 'body{}');
  writeFileSync(join(folder, 'assets', 'notes.txt'), 'no file of a page');
  writeFileSync(join(folder, 'secret.js'), 'secret');
  listener = await listening(readBuilt([join(folder, 'nowhere'), folder]));
  unbuilt = await listening(readBuilt([join(folder, 'nowhere')]));
});
afterAll(async () => {
  await Promise.all([listener.drain(1000), unbuilt.drain(1000)]);
  rmSync(folder, { recursive: true });
});

async function one(request: string, of = listener): Promise<RawAnswer> {
  const raw = await Raw.open(of.port);
  const { answers } = await raw.send(request).answers(1);
  raw.leave();
  return answers[0] ?? { status: 0, headers: {}, body: '' };
}

describe('the page', () => {
  test.each(['', '/', '/prj_x/sandbox/payments/pay_x', '/prj_x/live', '/login/', '/apistries'])(
    'is served at /dashboard%s',
    async (path) => {
      const answer = await one(head(`GET /dashboard${path}`));
      expect([answer.status, answer.body]).toEqual([200, '<!doctype html><title>Dashboard</title>']);
    },
  );

  test('allows only our own resources, and is revalidated each time', async () => {
    const { headers } = await one(head('GET /dashboard'));
    expect(headers['cache-control']).toBe('no-cache');
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
    });
  });

  test('answers HEAD, too, and no other method', async () => {
    const asked = await fetch(`http://127.0.0.1:${listener.port}/dashboard/x`, { method: 'HEAD' });
    expect([asked.status, await asked.text()]).toEqual([200, '']);
    expect(await one(head('POST /dashboard/x'))).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
  });

  test('says how to build it when it is not built', async () => {
    const answer = await one(head('GET /dashboard'), unbuilt);
    expect(answer.status).toBe(503);
    expect(answer.body).toContain('npm run build');
    expect((await one(head('GET /dashboard/assets/page-1a2b.js'), unbuilt)).status).toBe(404);
  });
});

describe('its files', () => {
  test('are cached permanently', async () => {
    const { status, headers, body } = await one(head('GET /dashboard/assets/page-1a2b.css'));
    expect([status, body]).toEqual([200, 'body{}']);
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  });

  test('are compressed for clients that accept it', async () => {
    const ask = (encodings: string) =>
      request(`http://127.0.0.1:${listener.port}/dashboard/assets/page-1a2b.js`, {
        headers: { 'accept-encoding': encodings },
      });
    const [plain, packed] = [await ask('identity'), await ask('br, gzip')];
    expect(await plain.body.text()).toBe(script);
    expect([plain.headers['vary'], packed.headers['vary']]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect((await ask('gzip;q=0')).headers).not.toHaveProperty('content-encoding');
    expect(gunzipSync(await packed.body.bytes()).toString()).toBe(script);
  });

  test.each([
    'assets/other.js',
    'assets/notes.txt',
    'assets/page-1a2b.js.gz',
    'assets/..%2Fsecret.js',
    'assets/%2e%2e%2fsecret.js',
    'assets/..%5Csecret.js',
    'assets/page-1a2b.js%00',
    'assets/__proto__',
    'assets/constructor',
    `assets/${'a'.repeat(5000)}`,
  ])('/dashboard/%s is not one of them', async (path) => {
    expect((await one(head(`GET /dashboard/${path}`))).status).toBe(404);
  });

  test.each(['/dashboard/assets/../secret.js', '/dashboard/../package.json', '/dashboard//etc/passwd'])(
    '%s cannot leave the folder',
    async (path) => {
      const { body } = await one(head(`GET ${path}`));
      expect(body).not.toContain('secret');
      expect(body).not.toContain('"name"');
      expect(body).not.toContain('root:');
    },
  );
});

test.each(['/dashboard/api', '/dashboard/api/', '/dashboard/api/prj_x/sandbox/nothing'])(
  '%s is not a page: it answers JSON',
  async (path) => {
    const { status, body } = await one(head(`GET ${path}`));
    expect([status, body]).toEqual([404, expect.stringContaining('endpoint_not_found') as string]);
    expect((await one(head(`POST ${path}`))).status).toBe(404);
  },
);
