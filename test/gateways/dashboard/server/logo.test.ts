/** A logo is uploaded, served, replaced and removed: every bound and refusal, on one service. */
import { beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../../../src/cli/demo/api.ts';
import { merchantWithLogin, Page } from '../../../support/dashboard.ts';
import { gallaOfFile } from '../../../support/of-file.ts';
import { pngOf, svgLogo, svgOf } from '../../../support/pictures.ts';
import { expectRefusal } from '../../../support/refusal.ts';

const galla = gallaOfFile();
let page: Page;
let projectId: string;
let merchantId: string;
/** Another merchant's project. */
let others: string;
let api: string;

beforeAll(async () => {
  const merchant = await merchantWithLogin(galla.admin, { email: 'logo@example.com' });
  ({ projectId, merchantId } = merchant);
  ({ projectId: others } = await galla.merchant());
  page = new Page(galla.url);
  expect((await page.logIn(merchant)).status).toBe(200);
  api = `/dashboard/api/${projectId}/sandbox`;
});

const put = (body: Uint8Array | string, type: string): Promise<Answer> =>
  page.change('PUT', `${api}/logo`, { body, headers: { 'content-type': type } });
const addressOf = (answer: Answer): string => answer.body.text('logoUrl').slice(galla.url.length);

test('a PNG is served as it was uploaded, and kept by browsers until it changes', async () => {
  const answer = await put(pngOf(), 'image/png');
  expect(answer.body.at('logoUploaded')).toBe(true);
  expect(addressOf(answer)).toMatch(new RegExp(`^/logo/${projectId}\\.png\\?v=[0-9a-f]{12}$`));
  const served = await fetch(answer.body.text('logoUrl'));
  expect(Buffer.from(await served.arrayBuffer()).equals(pngOf())).toBe(true);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
  });
  const bare = await fetch(answer.body.text('logoUrl').split('?')[0] ?? '');
  expect(bare.headers.get('cache-control')).toBe('public, no-cache');
  const etag = bare.headers.get('etag') ?? '';
  const known = await fetch(answer.body.text('logoUrl'), {
    headers: { 'if-none-match': `"x", W/${etag}` },
  });
  expect([known.status, await known.text()]).toEqual([304, '']);
});

test('an SVG is made harmless; another picture has another address at once', async () => {
  const before = addressOf(await put(pngOf(), 'image/png'));
  const answer = await put(svgLogo, 'image/svg+xml; charset=utf-8');
  expect(addressOf(answer)).not.toBe(before);
  const served = await fetch(answer.body.text('logoUrl'));
  expect(served.headers.get('content-type')).toBe('image/svg+xml');
  expect(await served.text()).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  // whoever still has the earlier address sees the picture of today, and asks again next time
  const old = await fetch(galla.url + before);
  expect([old.headers.get('content-type'), old.headers.get('cache-control')]).toEqual([
    'image/svg+xml',
    'public, no-cache',
  ]);
  const shown = await galla.admin.must('GET', `/admin/v1/merchants/${merchantId}`);
  expect(shown.body.at('logoUrl')).toBe(answer.body.at('logoUrl'));
});

test('it is on the payment page and in the public status', async () => {
  const address = addressOf(await put(pngOf(), 'image/png'));
  const key = galla.with(await galla.key(projectId, { kind: 'secret', mode: 'sandbox' }));
  const order = { amount: 125_050, returnUrl: 'https://shop.example/return', referenceId: 'A-1' };
  const { body } = await key.must('POST', '/v1/checkout', order);
  const hosted = await (await fetch(body.text('checkout_url'))).text();
  expect(hosted).toContain(`<img class="logo" src="${address}"`);
  const status = await galla.nobody.get(`/v1/public/payment-status?query=${body.text('id')}`);
  expect(status.body.at('merchant.logoUrl')).toBe(galla.url + address);
});

test('once removed it is nowhere; removed twice is removed', async () => {
  const address = (await put(pngOf(), 'image/png')).body.text('logoUrl');
  for (let times = 0; times < 2; times++) {
    const gone = await page.change('DELETE', `${api}/logo`);
    expect(gone.body.value).toMatchObject({ logoUrl: null, logoUploaded: false });
  }
  expect((await fetch(address)).status).toBe(404);
});

test('the address that the operator gives replaces an uploaded picture', async () => {
  const address = (await put(pngOf(), 'image/png')).body.text('logoUrl');
  const path = `/admin/v1/merchants/${merchantId}`;
  await galla.admin.must('PATCH', path, { logoUrl: 'https://cdn.example/logo.png' });
  expect((await page.get(`${api}/business`)).body.value).toMatchObject({
    logoUrl: 'https://cdn.example/logo.png',
    logoUploaded: false,
  });
  expect((await fetch(address)).status).toBe(404);
  expect((await page.change('DELETE', `${api}/logo`)).body.at('logoUrl')).toBeNull();
});

test.each([
  ['no PNG', () => 'GIF89a', 'image/png', 'logo must be what its type says: image/png.'],
  ['a PNG called SVG', () => pngOf(), 'image/svg+xml', 'logo must be what its type says: image/svg+xml.'],
  ['a broken PNG', () => pngOf().subarray(0, 60), 'image/png', 'logo must be a PNG that can be read.'],
  [
    'a PNG that is too large to draw',
    () => pngOf({ width: 2049, height: 1 }),
    'image/png',
    'logo must be a PNG of at most 2048 x 2048 pixels.',
  ],
  ['an SVG that can run', () => svgOf('<script/>'), 'image/svg+xml', 'logo must be an SVG without <script>.'],
  ['nothing', () => '', 'image/png', 'logo must be what its type says: image/png.'],
])('%s is refused', async (_what, body, type, message) => {
  const answer = await put(body(), type);
  expectRefusal(answer, 'validation_failed', ['logo invalid_format']);
  expect(answer.body.at('error.message')).toBe(message);
});

test('other types are refused by name', async () => {
  for (const type of ['image/jpeg', 'application/json', 'text/html']) {
    const answer = await put('x', type);
    expectRefusal(answer, 'unsupported_media_type');
    expect(answer.body.at('error.message')).toBe('Send image/png or image/svg+xml.');
  }
});

test('at most 256 KiB, at this door alone', async () => {
  const comment = (bytes: number): string => svgOf(`<!--${'x'.repeat(bytes)}-->`);
  const fits = comment(256 * 1024 - comment(0).length);
  expect((await put(fits, 'image/svg+xml')).status).toBe(200);
  const tooLarge = await put(`${fits} `, 'image/svg+xml');
  expectRefusal(tooLarge, 'request_too_large');
  expect(tooLarge.body.at('error.message')).toBe('The body is larger than 256 KiB.');
  const body = { name: 'x'.repeat(70_000) };
  const elsewhere = await page.change('PATCH', `${api}/business`, { body });
  expectRefusal(elsewhere, 'request_too_large');
  expect(elsewhere.body.at('error.message')).toBe('The body is larger than 64 KiB.');
  // what grows when it is written out is bounded, too
  const grows = svgOf(`<text>${'"'.repeat(200_000)}</text>`);
  const answer = await put(grows, 'image/svg+xml');
  expect(answer.body.at('error.message')).toBe(
    'logo must be an SVG of at most 256 KiB once it is written out.',
  );
});

test('only the merchant’s own pages upload it', async () => {
  const theirs = `/dashboard/api/${others}/sandbox/logo`;
  const sending = { body: pngOf(), headers: { 'content-type': 'image/png' } };
  expectRefusal(await page.change('PUT', theirs, sending), 'resource_not_found');
  expectRefusal(await page.change('DELETE', theirs), 'resource_not_found');
  const forged = { ...sending, headers: { ...sending.headers, 'x-csrf-token': '' } };
  expectRefusal(await page.change('PUT', `${api}/logo`, forged), 'csrf_token_invalid');
  const foreign = { ...sending, headers: { ...sending.headers, origin: 'https://evil.example' } };
  expectRefusal(await page.change('PUT', `${api}/logo`, foreign), 'origin_not_allowed');
  expectRefusal(await new Page(galla.url).change('PUT', `${api}/logo`, sending), 'login_required');
});

test('addresses that name no logo are 404, whatever they are', async () => {
  const paths = [`${others}.png`, 'prj_x.png', `${projectId}.gif`, projectId, '..%2f..%2fetc.png', '.png'];
  for (const path of paths) expect((await fetch(`${galla.url}/logo/${path}`)).status, path).toBe(404);
});

test('many uploads of one login are checked one after the other; what does not fit is answered 503', async () => {
  const large = svgOf('<rect width="1"/>'.repeat(4900));
  const answers = await Promise.all(Array.from({ length: 60 }, () => put(large, 'image/svg+xml')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
});
