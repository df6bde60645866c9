/** The log of requests of a running service, as a merchant reads it in the dashboard. */
import { beforeAll, expect, test } from 'vitest';
import type { Answer, Body } from '../../src/cli/demo/api.ts';
import { Page } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { gallaOfFile } from '../support/of-file.ts';

const galla = gallaOfFile();
let page: Page;
let projectId: string;
let keys: { readonly full: string; readonly read: string };
beforeAll(async () => {
  const { body } = await galla.admin.must('POST', '/admin/v1/merchants', {
    name: 'Log shop',
    email: 'log@example.com',
    password: 'a-password-of-mine',
  });
  projectId = body.text('project.id');
  const key = (access: 'full' | 'read') => galla.key(projectId, { kind: 'secret', mode: 'sandbox', access });
  keys = { full: await key('full'), read: await key('read') };
  page = new Page(galla.url);
  await page.logIn({ email: 'log@example.com', password: 'a-password-of-mine' });
}, 20_000);

const logged = async (query: string, mode = 'sandbox'): Promise<readonly Body[]> =>
  (await page.get(`/dashboard/api/${projectId}/${mode}/requests?${query}`)).body.list('data');
const idOf = ({ headers }: Answer): string => headers.get('x-request-id') ?? '';
const untilLogged = (id: string): Promise<Body> =>
  eventually(
    async () => (await logged(`id=${id}`))[0] ?? null,
    () => `${id} in the log`,
  );

test('row 99: the id of any answer to a key is found in the dashboard, also of those that were refused', async () => {
  const [full, read] = [galla.with(keys.full), galla.with(keys.read)];
  const order = { amount: 125_050, returnUrl: 'https://shop.example/' };
  const answers = [
    await full.post('/v1/checkout', order, { idempotencyKey: 'one' }),
    await full.post('/v1/checkout', order, { idempotencyKey: 'one' }),
    await full.get('/v1/payments?customerEmail=asha%40example.com'),
    await full.get('/v1/payments/pay_0000000000000000'),
    await full.post('/v1/checkout', { amount: -1 }),
    await full.send('POST', '/v1/checkout', { body: '{', headers: { 'content-type': 'application/json' } }),
    await full.get('/v1/no-such-thing'),
    await full.send('DELETE', '/v1/payments'),
    await full.send('POST', '/v1/checkout', { body: Buffer.alloc(70_000) }),
    await full.get('/v1/payments', { headers: { 'api-version': '1999-01-01' } }),
    await read.post('/v1/checkout', order),
  ];
  expect(answers.map(({ status }) => status)).toEqual([
    201, 201, 200, 404, 400, 400, 404, 405, 413, 400, 403,
  ]);
  for (const answer of answers) {
    const found = await untilLogged(idOf(answer));
    const code = answer.body.at('error.code') ?? null;
    expect([found.at('id'), found.at('status'), found.at('code')]).toEqual([
      idOf(answer),
      answer.status,
      code,
    ]);
    expect(code === null).toBe(answer.status < 400);
  }

  // by key, path and status
  const [{ id: readKey }] = (await logged('status=403')).map((one) => ({ id: one.text('keyId') })) as [
    { id: string },
  ];
  expect((await logged(`key=${readKey}`)).map((one) => one.text('id'))).toEqual([
    idOf(answers[10] as Answer),
  ]);
  expect((await logged('path=/v1/no-such')).map((one) => one.text('id'))).toEqual([
    idOf(answers[6] as Answer),
  ]);
  const all = await logged('');
  expect(all).toHaveLength(answers.length);
  // no query, which may name a buyer
  expect(JSON.stringify(all.map(({ value }) => value))).not.toContain('asha');
  expect(await logged('', 'live')).toEqual([]);
});

test('pages follow one another; another merchant sees none of it', async () => {
  const first = await page.get(`/dashboard/api/${projectId}/sandbox/requests?limit=4`);
  const next = await page.get(
    `/dashboard/api/${projectId}/sandbox/requests?limit=100&after=${first.body.text('next')}`,
  );
  const ids = [...first.body.list('data'), ...next.body.list('data')].map((one) => one.text('id'));
  expect([first.body.list('data').length, new Set(ids).size, next.body.at('next')]).toEqual([4, 11, null]);
  const shop = await galla.merchant();
  expect((await page.get(`/dashboard/api/${shop.projectId}/sandbox/requests`)).status).toBe(404);
});

test('events are listed in the dashboard by kind and object, and read by id', async () => {
  const base = `/dashboard/api/${projectId}/sandbox/events`;
  const [created] = (await page.get(`${base}?type=checkout.created`)).body.list('data');
  const about = await page.get(`${base}?objectId=${created?.text('data.id')}`);
  expect(about.body.list('data').map((one) => one.at('id'))).toContain(created?.at('id'));
  expect((await page.get(`${base}/${created?.text('id')}`)).body.value).toEqual(created?.value);
});
