import { beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../../src/cli/demo/api.ts';
import { expiredKey } from '../../support/expired-key.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import type { Merchant } from '../../support/merchant.ts';
import { expectRefusal } from '../../support/refusal.ts';

const galla = gallaOfFile();
let shop: Merchant;
beforeAll(async () => {
  shop = await galla.merchant();
});

const record = { kind: 'secret', mode: 'sandbox' } as const;

/** A new key of the shop: its record and a client with it. */
async function issue(
  fields: object = record,
): Promise<{ readonly id: string; readonly text: string; readonly api: Api }> {
  const { body } = await galla.admin.must('POST', `/admin/v1/projects/${shop.projectId}/keys`, fields);
  return { id: body.text('id'), text: body.text('key'), api: galla.with(body.text('key')) };
}
const merchantId = async (): Promise<string> => {
  const { body } = await galla.admin.must('GET', '/admin/v1/merchants');
  return (
    body
      .list('data')
      .find((one) => one.at('projectId') === shop.projectId)
      ?.text('id') ?? ''
  );
};

describe('row 86: keys', () => {
  test('row 86: are issued with the prefix of their kind and mode, shown once, and kept as a hash', async () => {
    const says = [
      ['secret', 'sandbox', /^sk_test_[0-9A-Za-z]{32}$/],
      ['secret', 'live', /^sk_live_[0-9A-Za-z]{32}$/],
      ['publishable', 'sandbox', /^pk_sandbox_[0-9A-Za-z]{32}$/],
      ['publishable', 'live', /^pk_live_[0-9A-Za-z]{32}$/],
    ] as const;
    for (const [kind, mode, form] of says) expect((await issue({ kind, mode })).text).toMatch(form);
    const { id, text } = await issue({
      ...record,
      name: 'Shop server',
      access: 'read',
      expiresAt: '2036-01-01T00:00:00+05:45',
    });
    const listed = await galla.admin.must('GET', `/admin/v1/projects/${shop.projectId}/keys`);
    expect(listed.text).not.toContain(text.slice(0, -4));
    expect(listed.body.list('data').find((one) => one.at('id') === id)?.value).toEqual({
      id,
      name: 'Shop server',
      kind: 'secret',
      mode: 'sandbox',
      access: 'read',
      prefix: 'sk_test_',
      last4: text.slice(-4),
      apiVersion: '2026-11-20',
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: '2035-12-31T18:15:00.000Z',
      revokedAt: null,
      lastUsedAt: null,
    });
  });

  test('the operator and a login send the same body: a name may be absent and not empty, an end is ahead', async () => {
    const path = `/admin/v1/projects/${shop.projectId}/keys`;
    const wrong = { ...record, name: '', expiresAt: 'tomorrow' };
    expectRefusal(await galla.admin.post(path, wrong), 'validation_failed', [
      'name too_short',
      'expiresAt invalid_format',
    ]);
    const past = { ...record, expiresAt: '2020-01-01T00:00:00Z' };
    expectRefusal(await galla.admin.post(path, past), 'validation_failed', ['expiresAt must_be_later']);
  });

  test('row 86: an old key works beside a new one until it is revoked, at once and for good', async () => {
    const [old, young] = [await issue(), await issue()];
    expect([
      (await old.api.get('/v1/payments')).status,
      (await young.api.get('/v1/payments')).status,
    ]).toEqual([200, 200]);
    const revoked = await galla.admin.must('POST', `/admin/v1/keys/${old.id}/revoke`);
    expect(revoked.body.text('revokedAt')).toMatch(/Z$/);
    expectRefusal(await old.api.get('/v1/payments'), 'api_key_revoked');
    expect((await young.api.get('/v1/payments')).status).toBe(200);
    const again = await galla.admin.must('POST', `/admin/v1/keys/${old.id}/revoke`);
    expect(again.body.at('revokedAt')).toBe(revoked.body.at('revokedAt'));
  });

  test('row 86: a sandbox key never sees a live object, nor a live key a sandbox one', async () => {
    const session = await shop.checkout();
    const live = (await issue({ kind: 'secret', mode: 'live' })).api;
    expectRefusal(await live.get(`/v1/checkout/${session.text('id')}`), 'resource_not_found');
    expectRefusal(await live.post(`/v1/checkout/${session.text('id')}/expire`), 'resource_not_found');
    for (const path of ['/v1/checkout', '/v1/payments', '/v1/events']) {
      expect((await live.must('GET', path)).body.at('total'), path).toBe(0);
    }
    expect((await shop.session(session.text('id'))).at('status')).toBe('pending');
  });

  test('a publishable key only reads, whatever access was requested for it', async () => {
    for (const fields of [{}, { access: 'full' }, { access: 'read' }]) {
      const { body } = await galla.admin.must('POST', `/admin/v1/projects/${shop.projectId}/keys`, {
        kind: 'publishable',
        mode: 'sandbox',
        ...fields,
      });
      expect(body.at('access')).toBe('read');
    }
  });

  test('a used key shows its last use', async () => {
    const { id, api } = await issue();
    await api.must('GET', '/v1/payments');
    await expect
      .poll(async () => {
        const { body } = await galla.admin.must('GET', `/admin/v1/projects/${shop.projectId}/keys`);
        return body
          .list('data')
          .find((one) => one.at('id') === id)
          ?.at('lastUsedAt');
      })
      .toMatch(/Z$/);
  });
});

describe('row 87: refused callers', () => {
  const body = (answer: { readonly text: string }): string =>
    answer.text.replace(/req_[0-9a-z]{24}/, 'req_X');
  const says = (message: string, type: string, code: string, more = ''): string =>
    `{"error":{"message":"${message}","type":"${type}","code":"${code}","request_id":"req_X"${more}}}`;

  test('row 87: six refusals have exactly the documented text, with their request id', async () => {
    const { api: expired } = await expiredKey((expiresAt) => issue({ ...record, expiresAt }));
    const gone = await issue();
    await galla.admin.must('POST', `/admin/v1/keys/${gone.id}/revoke`);
    const auth = 'authentication_error';
    const table = [
      [
        galla.nobody,
        401,
        says('No API key was sent. Send it as: Authorization: Bearer <API_KEY>.', auth, 'api_key_missing'),
      ],
      [
        galla.with(`sk_test_${'0'.repeat(32)}`),
        401,
        says('This API key is not recognised.', auth, 'api_key_invalid'),
      ],
      [gone.api, 401, says('This API key was revoked.', auth, 'api_key_revoked')],
      [expired, 401, says('This API key has expired.', auth, 'api_key_expired')],
      [
        shop.publishable,
        403,
        says('This endpoint needs a secret key (sk_...).', auth, 'api_key_must_be_secret'),
      ],
    ] as const;
    for (const [api, status, text] of table) {
      const answer = await api.get('/v1/payments');
      expect([answer.status, body(answer)]).toEqual([status, text]);
      expect(answer.headers.get('x-request-id')).toBe(answer.body.at('error.request_id'));
    }
    const id = await merchantId();
    await galla.admin.must('POST', `/admin/v1/merchants/${id}/suspend`, {
      reason: 'Document review is overdue.',
    });
    const suspended = await shop.api.get('/v1/payments');
    await galla.admin.must('POST', `/admin/v1/merchants/${id}/unsuspend`);
    const at = suspended.body.text('error.suspension.suspended_at');
    expect([suspended.status, body(suspended)]).toEqual([
      403,
      says(
        'This merchant account is suspended.',
        'account_error',
        'account_suspended',
        `,"suspension":{"suspended_at":"${at}","reason":"Document review is overdue."}`,
      ),
    ]);
  });
});

test('a suspended merchant is refused at every route of its keys, and accepted again once it is lifted', async () => {
  const session = await shop.checkout();
  const id = await merchantId();
  const { body } = await galla.admin.must('POST', `/admin/v1/merchants/${id}/suspend`, { reason: 'x' });
  expect(body.at('suspended')).toBe(true);
  expectRefusal(await shop.api.post('/v1/checkout', { amount: 'bad' }), 'account_suspended');
  expectRefusal(await shop.api.get(`/v1/checkout/${session.text('id')}`), 'account_suspended');
  expectRefusal(await shop.publishable.get(`/v1/checkout/${session.text('id')}`), 'account_suspended');
  expectRefusal(await shop.publishable.get('/v1/payments'), 'account_suspended');
  await galla.admin.must('POST', `/admin/v1/merchants/${id}/unsuspend`);
  expect((await shop.api.get(`/v1/checkout/${session.text('id')}`)).status).toBe(200);
});

test('row 96: a read-only key reads and changes nothing', async () => {
  const { api } = await issue({ ...record, access: 'read' });
  const session = await shop.checkout();
  expect((await api.get(`/v1/checkout/${session.text('id')}`)).status).toBe(200);
  for (const [method, path] of [
    ['POST', '/v1/checkout'],
    ['POST', `/v1/checkout/${session.text('id')}/expire`],
    ['POST', '/v1/webhooks'],
    ['DELETE', '/v1/webhooks/x'],
    ['POST', '/v1/test/clock/advance'],
    ['POST', '/v1/test/clock/stop'],
  ] as const) {
    expectRefusal(await api.send(method, path), 'key_access_insufficient');
  }
  expect((await shop.session(session.text('id'))).at('status')).toBe('pending');
});

test('a publishable key reads one session of its own project, without the buyer', async () => {
  const session = await shop.checkout({
    customer: { name: 'Asha Rai', email: 'asha@example.com' },
    metadata: { order_id: '1' },
  });
  const seen = (await shop.publishable.must('GET', `/v1/checkout/${session.text('id')}`)).body;
  expect(seen.value).toEqual({
    ...(session.value as object),
    customer: null,
    customerAddress: null,
    metadata: null,
  });
  for (const path of [
    '/v1/checkout',
    '/v1/payments',
    '/v1/events',
    '/v1/webhooks',
    '/v1/test/clock',
    '/v1/idempotency/x',
  ]) {
    expectRefusal(await shop.publishable.get(path), 'api_key_must_be_secret');
  }
});

test('row 93: an object of another project is answered like an unknown one', async () => {
  const other = await galla.merchant();
  const session = (await other.checkout()).text('id');
  const endpoint = (
    await other.api.must('POST', '/v1/webhooks', { url: 'https://shop.example/hooks' })
  ).body.text('id');
  const [event] = await other.untilEvents(1, 'checkout.created');
  for (const path of [
    `/v1/checkout/${session}`,
    `/v1/webhooks/${endpoint}`,
    `/v1/events/${event?.text('id')}`,
  ]) {
    const answer = await shop.api.get(path);
    expectRefusal(answer, 'resource_not_found');
    expect(answer.body.at('error.param')).toBe('id');
  }
  expectRefusal(await shop.api.post(`/v1/checkout/${session}/expire`), 'resource_not_found');
  expectRefusal(await shop.api.send('DELETE', `/v1/webhooks/${endpoint}`), 'resource_not_found');
  expectRefusal(
    await shop.api.post(`/v1/test/checkout/${session}/simulate`, {
      outcome: 'success',
      provider: 'wallet_b',
    }),
    'resource_not_found',
  );
  expect((await other.session(session)).at('status')).toBe('pending');
  expect((await other.api.get(`/v1/webhooks/${endpoint}`)).status).toBe(200);
});

describe('the operator', () => {
  test('creates a merchant with a project and a password, shown if it was generated', async () => {
    const { body } = await galla.admin.must('POST', '/admin/v1/merchants', {
      name: 'Pasal',
      email: 'pasal@example.com',
    });
    expect(body.value).toMatchObject({
      merchant: {
        id: expect.stringMatching(/^mer_/),
        name: 'Pasal',
        email: 'pasal@example.com',
        plan: 'free',
        suspended: false,
      },
      project: { id: expect.stringMatching(/^prj_/) },
      password: expect.stringMatching(/^.{20}$/),
    });
    const own = await galla.admin.must('POST', '/admin/v1/merchants', {
      name: 'P',
      email: 'p@example.com',
      password: 'my own password',
      plan: 'premium',
    });
    expect(own.text).not.toContain('my own password');
    expect(own.body.at('merchant.plan')).toBe('premium');
  });

  test('changes the fields an operator may change', async () => {
    const id = await merchantId();
    const path = `/admin/v1/merchants/${id}`;
    const changed = await galla.admin.must('PATCH', path, {
      plan: 'premium',
      verified: true,
      logoUrl: 'https://shop.example/logo.png',
      createPerSecond: 500,
    });
    expect(changed.body.value).toMatchObject({
      plan: 'premium',
      verified: true,
      logoUrl: 'https://shop.example/logo.png',
      createPerSecond: 500,
    });
    const cleared = await galla.admin.must('PATCH', path, { logoUrl: null, createPerSecond: null });
    expect(cleared.body.value).toMatchObject({ plan: 'premium', logoUrl: null, createPerSecond: null });
    expectRefusal(
      await galla.admin.send('PATCH', path, { body: { plan: 'gold', name: null, createPerSecond: 0 } }),
      'validation_failed',
      ['plan not_in_enum', 'name wrong_type', 'createPerSecond too_small'],
    );
  });

  test('gets errors for missing, wrong and unknown fields', async () => {
    expectRefusal(await galla.admin.post('/admin/v1/merchants', { email: 'nobody' }), 'validation_failed', [
      'name required',
      'email invalid_format',
    ]);
    expectRefusal(
      await galla.admin.post(`/admin/v1/merchants/${await merchantId()}/suspend`, {}),
      'validation_failed',
      ['reason required'],
    );
    for (const path of [
      '/admin/v1/merchants/nobody/suspend',
      '/admin/v1/merchants/mer_4t8z1m6q3x9k2v7b4t8z1m6q/suspend',
    ]) {
      expectRefusal(await galla.admin.post(path, { reason: 'x' }), 'resource_not_found');
    }
    expectRefusal(await galla.admin.post('/admin/v1/projects/prj_x/keys', record), 'resource_not_found');
    expectRefusal(
      await galla.admin.post(`/admin/v1/projects/${shop.projectId}/keys`, { kind: 'master', mode: 'both' }),
      'validation_failed',
      ['kind not_in_enum', 'mode not_in_enum'],
    );
    expectRefusal(await galla.admin.post('/admin/v1/keys/key_x/revoke'), 'resource_not_found');
    expectRefusal(await shop.api.get('/admin/v1/merchants'), 'admin_token_invalid');
    expectRefusal(await galla.nobody.get('/admin/v1/merchants'), 'admin_token_invalid');
  });
});
