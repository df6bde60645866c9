/** How a project uses its providers: what may be set, what is refused, and what nobody ever sees again. */
import { createPrivateKey } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { open } from '../../src/cli/demo/buyer.ts';
import type { Answer } from '../../src/cli/demo/api.ts';
import { checkoutProviders } from '../../src/providers/catalog.ts';
import { sandboxCredentialsOf } from '../../src/providers/registry.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { expectRefusal } from '../support/refusal.ts';

const galla = gallaOfFile();

const put = (projectId: string, provider: string, body: object): Promise<Answer> =>
  galla.admin.send('PUT', `/admin/v1/projects/${projectId}/providers/${provider}`, { body });
const list = async (projectId: string, query = ''): Promise<Answer> =>
  galla.admin.get(`/admin/v1/projects/${projectId}/providers${query}`);

const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };

describe('a new project', () => {
  test('has the credentials of the simulator for every provider in the sandbox, and none in live', async () => {
    const { projectId } = await galla.merchant();
    const [sandbox, live] = await Promise.all(
      ['sandbox', 'live'].map((mode) => list(projectId, `?mode=${mode}`)),
    );
    expect(
      sandbox?.body.list('data').map((each) => [each.at('provider'), each.at('credentialNames')]),
    ).toEqual([
      ['wallet_a', ['merchantCode', 'secretKey', 'intentProductCode', 'intentSecretKey']],
      ['wallet_b', ['secretKey']],
      ['qr_a', ['merchantCode', 'secretKey', 'username', 'password']],
      ['bank_a', ['merchantId', 'appId', 'appName', 'appPassword', 'privateKey']],
      ['wallet_c', ['merchantId', 'clientId', 'clientApiKey', 'clientSecret', 'webhookSecret']],
    ]);
    for (const [at, each] of (live?.body.list('data') ?? []).entries()) {
      expect(each.value).toMatchObject({
        configured: false,
        credentialNames: [],
        enabled: true,
        order: at + 1,
      });
    }
    expect((await list(projectId)).body.list('data')).toHaveLength(10);
    expectRefusal(await list('prj_000000000000000000000000'), 'resource_not_found');
    expectRefusal(await list(projectId, '?mode=both'), 'validation_failed', ['mode not_in_enum']);
  });
});

describe('the place on the page', () => {
  test('decides the order of the hosted page and of the list of providers; a disabled one is not offered', async () => {
    const { projectId, api } = await galla.merchant();
    expect((await put(projectId, 'qr_a', { mode: 'sandbox', order: 0 })).body.at('order')).toBe(0);
    await put(projectId, 'wallet_a', { mode: 'sandbox', order: 100 });
    const listed = async () =>
      (await api.must('GET', '/v1/providers')).body
        .list('data')
        .filter((each) => checkoutProviders.some((provider) => provider === each.at('id')));
    expect((await listed()).map((each) => each.at('id'))).toEqual(['qr_a', 'wallet_b', 'wallet_a']);
    const session = (await api.must('POST', '/v1/checkout', order)).body;
    const offered = async () => {
      const { html } = await open(session.text('checkout_url'));
      return [...html.matchAll(/name="provider" value="(\w+)"/g)].map(([, provider]) => provider);
    };
    expect(await offered()).toEqual(['qr_a', 'wallet_b', 'wallet_a']);
    await put(projectId, 'wallet_b', { mode: 'sandbox', enabled: false });
    expect(await offered()).toEqual(['qr_a', 'wallet_a']);
    expect((await listed()).map((each) => each.at('enabled'))).toEqual([true, false, true]);
  });
});

describe('switches', () => {
  test('app-intent is for wallet_a in the sandbox alone, on every plan', async () => {
    const { projectId, api } = await galla.merchant();
    const on = await put(projectId, 'wallet_a', { mode: 'sandbox', appIntent: true });
    expect([on.status, on.body.at('appIntent')]).toEqual([200, true]);
    expect((await api.get('/v1/providers')).body.at('data.0.appIntent')).toBe(true);
    const live = await put(projectId, 'wallet_a', { mode: 'live', appIntent: true });
    expectRefusal(live, 'entitlement_required');
    expect([live.body.at('entitlement'), live.body.at('error.entitlement')]).toEqual([
      'wallet_a.intent',
      'wallet_a.intent',
    ]);
    expect((await put(projectId, 'wallet_a', { mode: 'live', appIntent: false })).status).toBe(200);
    const other = await put(projectId, 'wallet_b', { mode: 'sandbox', appIntent: true });
    expectRefusal(other, 'validation_failed', ['appIntent wrong_type']);
  });
});

describe('credentials', () => {
  const canary = 'canary_9c1f7e_secret';

  test('are whole or refused, field by field', async () => {
    const { projectId } = await galla.merchant();
    const tooLong = 'x'.repeat(501);
    const cases: readonly [provider: string, credentials: unknown, fields: readonly string[]][] = [
      ['wallet_b', {}, ['credentials.secretKey required']],
      ['wallet_b', { secretKey: null }, ['credentials.secretKey required']],
      ['wallet_b', { secretKey: '' }, ['credentials.secretKey too_short']],
      ['wallet_b', { secretKey: tooLong }, ['credentials.secretKey too_long']],
      ['wallet_b', { secretKey: 'a\nb' }, ['credentials.secretKey invalid_format']],
      ['wallet_b', { secretKey: 'a\u0000b' }, ['credentials.secretKey invalid_format']],
      ['wallet_b', { secretKey: ' padded' }, ['credentials.secretKey invalid_format']],
      ['wallet_b', { secretKey: 'padded ' }, ['credentials.secretKey invalid_format']],
      ['wallet_b', { secretKey: 'schlüssel' }, ['credentials.secretKey invalid_format']],
      ['wallet_b', { secretKey: 5 }, ['credentials.secretKey wrong_type']],
      ['wallet_b', { secretKey: ['a'] }, ['credentials.secretKey wrong_type']],
      ['wallet_b', canary, ['credentials wrong_type']],
      ['wallet_b', [canary], ['credentials wrong_type']],
      ['wallet_b', { secretKey: 'fine', password: 'x' }, ['credentials.password not_in_enum']],
      [
        'wallet_b',
        { secretkey: 'x' },
        ['credentials.secretKey required', 'credentials.secretkey not_in_enum'],
      ],
      ['wallet_a', { merchantCode: 'M' }, ['credentials.secretKey required']],
      [
        'bank_a',
        { ...sandboxCredentialsOf('bank_a'), appId: 'x'.repeat(16), appName: 'x'.repeat(31) },
        ['credentials.appId too_long', 'credentials.appName too_long'],
      ],
      [
        'qr_a',
        { merchantCode: 'M', secretKey: '\t' },
        [
          'credentials.secretKey invalid_format',
          'credentials.username required',
          'credentials.password required',
        ],
      ],
      [
        'bank_a',
        { merchantId: '1', appId: 'a', appName: 'b', appPassword: 'c', privateKey: 'no key' },
        ['credentials.privateKey invalid_format'],
      ],
    ];
    for (const [provider, credentials, fields] of cases) {
      const answer = await put(projectId, provider, { mode: 'live', credentials });
      expectRefusal(answer, 'validation_failed', fields);
      expect(answer.text).not.toContain(canary);
    }
    const longest = { ...sandboxCredentialsOf('bank_a'), appId: 'x'.repeat(15), appName: 'x'.repeat(30) };
    expect((await put(projectId, 'bank_a', { mode: 'live', credentials: longest })).status).toBe(200);
    const proto = await galla.admin.send('PUT', `/admin/v1/projects/${projectId}/providers/wallet_b`, {
      body: '{"mode":"live","credentials":{"secretKey":"x","__proto__":"y","constructor":"z"}}',
    });
    expectRefusal(proto, 'validation_failed', [
      'credentials.__proto__ not_in_enum',
      'credentials.constructor not_in_enum',
    ]);
    const many = Object.fromEntries(Array.from({ length: 2400 }, (_, at) => [`n${at}`, 'x']));
    const flood = await put(projectId, 'wallet_b', { mode: 'live', credentials: many });
    expectRefusal(flood, 'validation_failed');
    expect(flood.text.length).toBeLessThan(32 * 1024);
    expect((await list(projectId, '?mode=live')).body.at('data.1.configured')).toBe(false);
  });

  test('the other fields are checked, too', async () => {
    const { projectId } = await galla.merchant();
    const wrong = { mode: 'test', enabled: 'yes', order: 101, appIntent: 1, refundsNeedMobile: 'no' };
    expectRefusal(await put(projectId, 'wallet_b', wrong), 'validation_failed', [
      'mode not_in_enum',
      'enabled wrong_type',
      'order too_large',
      'appIntent wrong_type',
      'refundsNeedMobile wrong_type',
    ]);
    for (const [value, code] of [
      [-1, 'too_small'],
      [1.5, 'wrong_type'],
      ['1', 'wrong_type'],
    ] as const) {
      const answer = await put(projectId, 'wallet_b', { mode: 'live', order: value });
      expectRefusal(answer, 'validation_failed', [`order ${code}`]);
    }
    expectRefusal(await put(projectId, 'wallet_z', { mode: 'live' }), 'resource_not_found');
    expectRefusal(await put('prj_nobody', 'wallet_b', { mode: 'live' }), 'resource_not_found');
    const ignored = await put(projectId, 'wallet_b', { mode: 'live', secretKey: canary });
    expect([ignored.status, ignored.headers.get('x-ignored-params')]).toEqual([200, 'secretKey']);
  });

  test('are in no answer and in no file of the store once they were accepted, and can be removed', async () => {
    const { projectId } = await galla.merchant();
    const live = galla.with(await galla.key(projectId, { kind: 'secret', mode: 'live' }));
    expectRefusal(await live.post('/v1/checkout', order), 'provider_not_configured');
    const set = await put(projectId, 'wallet_b', { mode: 'live', credentials: { secretKey: canary } });
    expect(set.body.value).toEqual({
      provider: 'wallet_b',
      mode: 'live',
      enabled: true,
      order: 2,
      configured: true,
      credentialNames: ['secretKey'],
      appIntent: false,
      refundsNeedMobile: false,
      liveHost: false,
      attempts15m: 0,
      health: 'up',
    });
    const session = await live.post('/v1/checkout', order);
    expect(session.status).toBe(201);
    const answers = await Promise.all([
      list(projectId),
      live.get('/v1/providers'),
      live.get('/v1/events'),
      live.get('/v1/checkout'),
      galla.admin.get('/admin/v1/merchants'),
      galla.admin.get('/admin/v1/dead'),
      galla.admin.get('/metrics'),
    ]);
    for (const { text } of [set, session, ...answers]) expect(text).not.toContain(canary);
    const files = (await readdir(galla.dataDir)).filter((name) => name.startsWith('galla'));
    expect(files).not.toEqual([]);
    for (const name of files) {
      expect((await readFile(join(galla.dataDir, name))).includes(canary), name).toBe(false);
    }
    const none = await put(projectId, 'wallet_b', { mode: 'live', credentials: null });
    expect([none.body.at('configured'), none.body.at('credentialNames')]).toEqual([false, []]);
    expectRefusal(await live.post('/v1/checkout', order), 'provider_not_configured');
  });

  test('a provider for invoices may have them, and still no checkout can be paid with it', async () => {
    const { projectId } = await galla.merchant();
    const live = galla.with(await galla.key(projectId, { kind: 'secret', mode: 'live' }));
    for (const provider of ['bank_a', 'wallet_c'] as const) {
      const credentials = sandboxCredentialsOf(provider);
      const set = await put(projectId, provider, { mode: 'live', credentials });
      expect(set.body.at('credentialNames')).toEqual(Object.keys(credentials));
    }
    const { asymmetricKeyDetails } = createPrivateKey(sandboxCredentialsOf('bank_a')['privateKey'] ?? '');
    expect(asymmetricKeyDetails).toMatchObject({ modulusLength: 2048 });
    expectRefusal(await live.post('/v1/checkout', order), 'provider_not_configured');
  });
});
