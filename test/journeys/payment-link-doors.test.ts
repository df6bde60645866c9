/** The doors of a payment link: what they refuse, and what they show to anybody. */
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { beforeAll, expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { open } from '../../src/cli/demo/buyer.ts';
import { openBrowser } from '../browser/rig.ts';
import { pageOf, sessionOn, submit } from '../support/link-buyer.ts';
import { gallaOfFile } from '../support/of-file.ts';
import type { Merchant } from '../support/merchant.ts';

const formsPerMinute = 30;

const galla = gallaOfFile({ GALLA_RATE_LIMITS: 'on' });
let shop: Merchant;
beforeAll(async () => {
  shop = await galla.merchant();
});

const made = async (fields: object = {}): Promise<Body> =>
  (await shop.api.must('POST', '/v1/payment-links', { name: 'Seat', amount: 50_000, ...fields })).body;
const sessions = async (): Promise<unknown> =>
  (await shop.api.must('GET', '/v1/checkout?source=payment_link')).body.at('total');

test('the QR code is the address of the link, as an image and as a drawing, and may be cached', async () => {
  const link = await made();
  const path = `${galla.url}/link/${link.text('referenceId')}`;
  const png = await fetch(`${path}/qr.png`);
  const { data, width, height } = PNG.sync.read(Buffer.from(await png.arrayBuffer()));
  expect(jsQR.default(new Uint8ClampedArray(data), width, height)?.data).toBe(link.text('url'));
  expect([width, png.headers.get('content-type'), png.headers.get('cache-control')]).toEqual([
    320,
    'image/png',
    'public, max-age=86400',
  ]);
  expect(png.headers.get('content-disposition')).toBe(`inline; filename="${link.text('referenceId')}.png"`);

  const svg = await fetch(`${path.toLowerCase()}/qr.svg?download`);
  expect([svg.headers.get('content-type'), svg.headers.get('content-disposition')]).toEqual([
    'image/svg+xml',
    `attachment; filename="${link.text('referenceId')}.svg"`,
  ]);
  const browser = await openBrowser();
  try {
    const tab = await browser.newPage({ viewport: { width: 400, height: 400 } });
    await tab.setContent(`<style>body{margin:0}svg{width:400px}</style>${await svg.text()}`);
    const drawn = PNG.sync.read(await tab.screenshot());
    expect(jsQR.default(new Uint8ClampedArray(drawn.data), drawn.width, drawn.height)?.data).toBe(
      link.text('url'),
    );
  } finally {
    await browser.close();
  }
  for (const name of ['qr.png', 'qr.svg'])
    expect((await fetch(`${galla.url}/link/PL-00000000/${name}`)).status).toBe(404);
});

test('an unknown reference has a page of its own, in the language of the buyer', async () => {
  for (const reference of ['PL-00000000', 'PL-U', 'x', '%00', 'PL-7K2M9Q4XX']) {
    const page = await open(`${galla.url}/link/${reference}`);
    expect([reference, page.status, page.title]).toEqual([reference, 404, 'We do not know this link']);
    expect((await open(`${galla.url}/link/${reference}`, { method: 'POST' })).status).toBe(404);
  }
  const nepali = await open(`${galla.url}/link/PL-00000000?lang=ne`);
  expect([nepali.status, nepali.title]).toEqual([404, 'यो लिङ्क फेला परेन']);
});

test('only a form of this link opens a session, and no form of a suspended merchant', async () => {
  const [link, other] = [await made(), await made()];
  const [form, foreign] = [await pageOf(link, galla.url), await pageOf(other, galla.url)];
  const path = `${galla.url}/link/${link.text('referenceId')}`;
  const fieldsOf = (page: typeof form) => Object.fromEntries(page.buttons[0]?.fields ?? []);
  const mine = fieldsOf(form);
  for (const fields of [
    {},
    { ...mine, token: '' },
    { ...mine, token: fieldsOf(foreign)['token'] ?? '' },
    { ...mine, session: fieldsOf(foreign)['session'] ?? '' },
    { ...mine, session: 'cs_1' },
    fieldsOf(foreign),
  ]) {
    const refused = await open(path, { method: 'POST', body: new URLSearchParams(fields) });
    expect([refused.status, refused.title]).toEqual([403, 'This form is out of date']);
  }
  const { body: all } = await galla.admin.must('GET', '/admin/v1/merchants');
  const merchant =
    all
      .list('data')
      .find((each) => each.at('projectId') === shop.projectId)
      ?.text('id') ?? '';
  await galla.admin.must('POST', `/admin/v1/merchants/${merchant}/suspend`, { reason: 'Review.' });
  expect([(await pageOf(link, galla.url)).status, (await submit(form)).status]).toEqual([403, 403]);
  await galla.admin.must('POST', `/admin/v1/merchants/${merchant}/unsuspend`);
  expect(await sessions()).toBe(0);
  expect(sessionOn(await submit(form))).not.toBeNull();
});

test('the forms of one address are limited as on the payment pages', async () => {
  const link = await made({ amount: null });
  const form = await pageOf(link, galla.url);
  const before = await sessions();
  const statuses = new Set<number>();
  // forms of the tests before count, too
  for (let forms = 0; forms <= formsPerMinute; forms++) statuses.add((await submit(form)).status);
  expect(statuses).toEqual(new Set([400, 429]));
  expect(await sessions()).toBe(before);
});
