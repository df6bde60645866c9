/** The doors of the dashboard's settings: every bound and refusal, on one service. */
import { beforeAll, describe, expect, test } from 'vitest';
import { loginNameOf } from '../../../../actors/dashboard-user/messages.ts';
import { keysMax } from '../../../../actors/project/project.ts';
import type { Answer } from '../../../../src/cli/demo/api.ts';
import { merchantWithLogin, Page } from '../../../support/dashboard.ts';
import { gallaOfFile } from '../../../support/of-file.ts';
import { pngOf } from '../../../support/pictures.ts';
import { expectRefusal } from '../../../support/refusal.ts';

const galla = gallaOfFile();
let page: Page;
let projectId: string;
let merchantId: string;
/** In the sandbox, unless told. */
let api: string;
/** Another merchant's. */
let other: { readonly page: Page; readonly projectId: string };

async function loggedIn(email: string) {
  const merchant = await merchantWithLogin(galla.admin, { email: loginNameOf(email) });
  const opened = new Page(galla.url);
  expect((await opened.logIn(merchant)).status).toBe(200);
  return { ...merchant, page: opened };
}

beforeAll(async () => {
  ({ page, projectId, merchantId } = await loggedIn('settings@example.com'));
  api = `/dashboard/api/${projectId}/sandbox`;
  other = await loggedIn('other@example.com');
});

const inLive = (): string => api.replace('/sandbox', '/live');
const secret = { name: 'Shop server', kind: 'secret' } as const;
const create = (body: object, at = api, key?: string): Promise<Answer> =>
  page.post(`${at}/keys`, body, key === undefined ? {} : { 'idempotency-key': key });

describe('API keys', () => {
  test('a key of the mode that is open is created, works at once, and is never shown again', async () => {
    const made = await create({ ...secret, access: 'read', expiresAt: '2099-01-31T23:59:59.999+05:45' });
    expect(made.status).toBe(201);
    const text = made.body.text('key');
    expect(text).toMatch(/^sk_test_[0-9A-Za-z]{32}$/);
    const { key: _text, ...record } = made.body.value as { key: string; id: string };
    expect(record).toMatchObject({
      name: 'Shop server',
      kind: 'secret',
      mode: 'sandbox',
      access: 'read',
      last4: text.slice(-4),
      expiresAt: '2099-01-31T18:14:59.999Z',
      revokedAt: null,
    });
    expect((await galla.with(text).get('/v1/payments')).status).toBe(200);
    expectRefusal(await galla.with(text).post('/v1/checkout', {}), 'key_access_insufficient');
    const listed = await page.get(`${api}/keys`);
    expect(listed.text).not.toContain(text.slice(8, -4));
    expect(
      listed.body
        .list('data')
        .find((one) => one.at('id') === record.id)
        ?.at('name'),
    ).toBe('Shop server');
  });

  test('the place decides the mode: live keys are listed, created and revoked in live alone', async () => {
    const made = await create({ name: 'Live', kind: 'publishable', access: 'full' }, inLive());
    expect(made.body.text('key')).toMatch(/^pk_live_/);
    expect(made.body.at('access')).toBe('read');
    const id = made.body.text('id');
    const idsAt = async (at: string) =>
      (await page.get(`${at}/keys`)).body.list('data').map((one) => one.at('id'));
    expect(await idsAt(inLive())).toEqual([id]);
    expect(await idsAt(api)).not.toContain(id);
    expectRefusal(await page.post(`${api}/keys/${id}/revoke`), 'resource_not_found');
    expect((await page.post(`${inLive()}/keys/${id}/revoke`)).body.text('revokedAt')).toMatch(/Z$/);
  });

  test('an answer that was lost leaves one key: the repeat has the same text', async () => {
    const before = (await page.get(`${api}/keys`)).body.at('total');
    const first = await create(secret, api, 'form-1');
    const again = await create(secret, api, 'form-1');
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ]);
    expect((await page.get(`${api}/keys`)).body.at('total')).toBe(Number(before) + 1);
    expectRefusal(await create({ ...secret, name: 'Other' }, api, 'form-1'), 'idempotency_key_reused');
    // the merchant's own keys can look the record up, but not read the text in it
    const found = await galla.with(first.body.text('key')).get('/v1/idempotency/form-1');
    expect(found.body.at('data.0.response.id')).toBe(first.body.at('id'));
    expect(found.body.at('data.0.response.key')).toBeNull();
    expect(found.text).not.toContain(first.body.text('key').slice(8, -4));
  });

  test('a revoked key is refused at once and for good, and stays in the list', async () => {
    const made = await create(secret);
    const [id, text] = [made.body.text('id'), made.body.text('key')];
    expect((await galla.with(text).get('/v1/payments')).status).toBe(200);
    const revoked = await page.post(`${api}/keys/${id}/revoke`);
    expectRefusal(await galla.with(text).get('/v1/payments'), 'api_key_revoked');
    const again = await page.post(`${api}/keys/${id}/revoke`);
    expect(again.body.at('revokedAt')).toBe(revoked.body.at('revokedAt'));
    expect((await page.get(`${api}/keys`)).text).toContain(id);
  });

  test.each([
    [{}, ['kind required']],
    [{ name: '', kind: 'secret' }, ['name too_short']],
    [{ name: 'x'.repeat(101), kind: 'secret' }, ['name too_long']],
    [{ name: 5, kind: 'root' }, ['kind not_in_enum', 'name wrong_type']],
    [{ ...secret, access: 'write' }, ['access not_in_enum']],
    [{ ...secret, expiresAt: 'tomorrow' }, ['expiresAt invalid_format']],
    [{ ...secret, expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt must_be_later']],
  ])('%j is refused', async (body, errors) => {
    expectRefusal(await create(body), 'validation_failed', errors);
  });

  test('the name may be absent, as under the operator’s address', async () => {
    const made = await create({ kind: 'secret' });
    expect([made.status, made.body.at('name'), made.body.at('mode')]).toEqual([201, null, 'sandbox']);
  });

  test('the mode cannot be sent: it is that of the place', async () => {
    const made = await create({ ...secret, mode: 'live' });
    expect([made.body.at('mode'), made.headers.get('x-ignored-params')]).toEqual(['sandbox', 'mode']);
  });

  test('keys of others do not exist', async () => {
    const made = await create(secret);
    const theirs = `/dashboard/api/${other.projectId}/sandbox`;
    expectRefusal(await page.get(`${theirs}/keys`), 'resource_not_found');
    expectRefusal(await create(secret, theirs), 'resource_not_found');
    for (const id of [made.body.text('id'), 'key_x', 'x'])
      expectRefusal(await other.page.post(`${theirs}/keys/${id}/revoke`), 'resource_not_found');
    const key = made.body.text('key');
    expectRefusal(await galla.with(key).get(`${api}/keys`), 'login_required');
    expectRefusal(await page.post(`${api}/keys`, secret, { 'x-csrf-token': '' }), 'csrf_token_invalid');
    expectRefusal(
      await page.post(`${api}/keys`, secret, { origin: 'https://evil.example' }),
      'origin_not_allowed',
    );
  });

  test('a project has at most 200 keys, revoked ones included', async () => {
    const full = await galla.merchant();
    const operator = new Page(galla.url);
    await operator.logIn({ email: 'operator', password: galla.admin.key ?? '' });
    const at = `/dashboard/api/${full.projectId}/sandbox/keys`;
    const { body } = await operator.get(at);
    const left = keysMax - Number(body.at('total'));
    const made = await Promise.all(Array.from({ length: left }, () => operator.post(at, secret)));
    expect(made.every(({ status }) => status === 201)).toBe(true);
    await operator.post(`${at}/${made[0]?.body.text('id')}/revoke`);
    expectRefusal(await operator.post(at, secret), 'key_limit_reached');
    const second = await operator.get(`${at}?page=2&limit=100`);
    expect([second.body.list('data').length, second.body.at('total')]).toEqual([100, keysMax]);
  });
});

describe('providers', () => {
  const put = (provider: string, body: object, at = api): Promise<Answer> =>
    page.change('PUT', `${at}/provider-settings/${provider}`, { body });
  const settingsAt = async (at = api) => (await page.get(`${at}/provider-settings`)).body.list('data');

  test('the place decides the mode: what is stored in live is not in the sandbox, and no value comes back', async () => {
    const credentials = { secretKey: 'live_secret_key_of_the_shop' };
    const stored = await put('wallet_b', { credentials, order: 1, refundsNeedMobile: true }, inLive());
    expect(stored.body.value).toMatchObject({
      mode: 'live',
      configured: true,
      credentialNames: ['secretKey'],
    });
    const listed = await page.get(`${inLive()}/provider-settings`);
    expect(stored.text + listed.text).not.toContain('live_secret_key');
    const [sandbox] = (await settingsAt()).filter((one) => one.at('provider') === 'wallet_b');
    expect(sandbox?.value).toMatchObject({ mode: 'sandbox', refundsNeedMobile: false });
    const removed = await put('wallet_b', { credentials: null }, inLive());
    expect(removed.body.value).toMatchObject({ configured: false, credentialNames: [] });
    // the operator reads the same
    const path = `/admin/v1/projects/${projectId}/providers?mode=live`;
    expect((await galla.admin.must('GET', path)).body.value).toEqual(
      (await page.get(`${inLive()}/provider-settings`)).body.value,
    );
  });

  test('the mode cannot be sent: it is that of the place', async () => {
    const changed = await put('wallet_b', { mode: 'live', enabled: true });
    expect([changed.body.at('mode'), changed.headers.get('x-ignored-params')]).toEqual(['sandbox', 'mode']);
    const listed = await page.get(`${api}/provider-settings?mode=live`);
    expect(new Set(listed.body.list('data').map((one) => one.at('mode')))).toEqual(new Set(['sandbox']));
    expect(listed.headers.get('x-ignored-params')).toBe('mode');
  });

  test.each([
    ['wallet_b', { enabled: 'yes' }, ['enabled wrong_type']],
    ['wallet_b', { order: 101 }, ['order too_large']],
    ['wallet_b', { order: -1 }, ['order too_small']],
    ['wallet_b', { credentials: {} }, ['credentials.secretKey required']],
    ['wallet_b', { credentials: 'x' }, ['credentials wrong_type']],
    ['wallet_b', { appIntent: true }, ['appIntent wrong_type']],
    ['wallet_a', { refundsNeedMobile: true }, ['refundsNeedMobile wrong_type']],
  ])('%s does not take %j', async (provider, body, errors) => {
    expectRefusal(await put(provider, body), 'validation_failed', errors);
  });

  test('unknown providers, and those of others, do not exist; the app-intent toggle needs its entitlement', async () => {
    expectRefusal(await put('wallet_x', { enabled: true }), 'resource_not_found');
    const theirs = `/dashboard/api/${other.projectId}/sandbox`;
    expectRefusal(await put('wallet_b', { enabled: false }, theirs), 'resource_not_found');
    expectRefusal(await page.get(`${theirs}/provider-settings`), 'resource_not_found');
    expect((await put('wallet_a', { appIntent: true })).body.at('appIntent')).toBe(true);
    const live = await put('wallet_a', { appIntent: true }, inLive());
    expectRefusal(live, 'entitlement_required');
    expect(live.body.at('entitlement')).toBe('wallet_a.intent');
  });
});

describe('the business', () => {
  const change = (body: object): Promise<Answer> => page.change('PATCH', `${api}/business`, { body });
  const business = async () => (await page.get(`${api}/business`)).body;

  test('shows name, shop, plan and what the plan includes', async () => {
    expect((await business()).value).toEqual({
      name: 'Shop of settings@example.com',
      email: 'settings@example.com',
      shopUrl: null,
      logoUrl: null,
      logoUploaded: false,
      plan: 'free',
      verified: false,
      suspension: null,
      entitlements: [
        { entitlement: 'qr_a.directQr', sandbox: false, live: false },
        { entitlement: 'wallet_a.intent', sandbox: true, live: false },
      ],
    });
  });

  test('name and shop are changed in both modes at once; the operator sees it; null clears the shop', async () => {
    const changed = await change({ name: 'Asha Books', shopUrl: 'https://asha.example/shop' });
    expect(changed.body.value).toMatchObject({ name: 'Asha Books', shopUrl: 'https://asha.example/shop' });
    expect((await page.get(`${inLive()}/business`)).text).toBe(changed.text);
    expect((await page.me()).body.at('projects.0.merchantName')).toBe('Asha Books');
    const seen = await galla.admin.must('GET', `/admin/v1/merchants/${merchantId}`);
    expect(seen.body.at('shopUrl')).toBe('https://asha.example/shop');
    expect((await change({ shopUrl: null })).body.at('shopUrl')).toBeNull();
    expect((await business()).at('name')).toBe('Asha Books');
  });

  test('the operator changes the shop address, too', async () => {
    const path = `/admin/v1/merchants/${merchantId}`;
    const { body } = await galla.admin.must('PATCH', path, { shopUrl: 'https://other.example' });
    expect(body.at('shopUrl')).toBe('https://other.example');
    expect((await business()).at('shopUrl')).toBe('https://other.example');
    await galla.admin.must('PATCH', path, { shopUrl: null });
  });

  test('plan and verification are the operator’s: what is sent is ignored', async () => {
    const sent = await change({ plan: 'premium', verified: true, logoUrl: 'https://evil.example/x.png' });
    expect(sent.body.value).toMatchObject({ plan: 'free', verified: false, logoUrl: null });
    expect(sent.headers.get('x-ignored-params')).toBe('plan,verified,logoUrl');
  });

  test.each([
    [{ name: '' }, ['name too_short']],
    [{ name: '   ' }, ['name too_short']],
    [{ name: null }, ['name wrong_type']],
    [{ name: 'x'.repeat(101) }, ['name too_long']],
    [{ shopUrl: 'asha.example' }, ['shopUrl invalid_format']],
    [{ shopUrl: '' }, ['shopUrl invalid_format']],
    [{ shopUrl: 'javascript:alert(1)' }, ['shopUrl invalid_format']],
    [{ shopUrl: 'ftp://asha.example' }, ['shopUrl url_not_allowed']],
    [{ shopUrl: 'http://asha.example' }, ['shopUrl url_not_allowed']],
    [{ shopUrl: 'https://user:secret@asha.example' }, ['shopUrl url_not_allowed']],
    [{ shopUrl: `https://asha.example/${'x'.repeat(2048)}` }, ['shopUrl too_long']],
  ])('%j is refused', async (body, errors) => {
    expectRefusal(await change(body), 'validation_failed', errors);
  });

  test('http is for this machine alone', async () => {
    const { body } = await change({ shopUrl: 'http://localhost:3000/' });
    expect(body.at('shopUrl')).toBe('http://localhost:3000/');
    await change({ shopUrl: null });
  });
});

test('row 88: a suspended merchant reads its settings and changes none of them', async () => {
  const suspend = (end: string, body?: object) =>
    galla.admin.must('POST', `/admin/v1/merchants/${merchantId}/${end}`, body);
  const made = await create(secret);
  await suspend('suspend', { reason: 'Document review is overdue.' });
  expect((await page.get(`${api}/keys`)).status).toBe(200);
  const { body } = await page.get(`${api}/business`);
  expect(body.at('suspension.reason')).toBe('Document review is overdue.');
  const picture = { body: pngOf(), headers: { 'content-type': 'image/png' } };
  const refused = [
    await create(secret),
    await page.post(`${api}/keys/${made.body.text('id')}/revoke`),
    await page.change('PATCH', `${api}/business`, { body: { name: 'Other' } }),
    await page.change('PUT', `${api}/logo`, picture),
    await page.change('DELETE', `${api}/logo`),
    await page.change('PUT', `${api}/provider-settings/wallet_b`, { body: { enabled: false } }),
  ];
  for (const answer of refused) {
    expectRefusal(answer, 'account_suspended');
    expect(answer.body.at('error.suspension.reason')).toBe('Document review is overdue.');
  }
  // the operator still can
  await galla.admin.must('POST', `/admin/v1/keys/${made.body.text('id')}/revoke`);
  await suspend('unsuspend');
  expect((await page.change('PATCH', `${api}/business`, { body: { name: 'Other' } })).status).toBe(200);
});
