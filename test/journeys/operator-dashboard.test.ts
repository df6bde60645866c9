/** The operator's endpoints of the dashboard: merchants, suspension, plan, passwords. */
import { describe, expect, test } from 'vitest';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { expectRefusal } from '../support/refusal.ts';

const base = '/dashboard/api/operator/merchants';

describe('the operator at the dashboard', { timeout: 30_000 }, () => {
  const galla = gallaOfFile();

  const operatorPage = async (): Promise<Page> => {
    const page = new Page(galla.url);
    const { status } = await page.logIn({ email: 'operator', password: galla.admin.key ?? '' });
    expect(status).toBe(200);
    return page;
  };
  const merchants = new Map<string, ReturnType<typeof merchantWithLogin>>();
  const merchantCalled = (name: string): ReturnType<typeof merchantWithLogin> => {
    const email = `${name}.${Date.now().toString(36)}@example.com`;
    const known = merchants.get(name) ?? merchantWithLogin(galla.admin, { email });
    merchants.set(name, known);
    return known;
  };

  test('row 104: a merchant that the operator creates logs in with the password of the answer', async () => {
    const page = await operatorPage();
    const email = `created.${Date.now().toString(36)}@example.com`;
    const made = await page.post(base, { name: 'Created Pasal', email, plan: 'premium' });
    expect(made.status).toBe(201);
    expect(made.body.value).toMatchObject({
      merchant: { name: 'Created Pasal', plan: 'premium', suspended: false },
    });
    const projectId = made.body.text('project.id');
    expect((await page.get(`/dashboard/api/${projectId}/live/payments`)).status).toBe(200);
    const own = new Page(galla.url);
    expect((await own.logIn({ email, password: made.body.text('password') })).status).toBe(200);
    const fresh = await page.post(`${base}/${made.body.text('merchant.id')}/reset-password`, {});
    expect(fresh.status).toBe(200);
    expectRefusal(await own.logIn({ email, password: made.body.text('password') }), 'login_invalid');
    expect((await own.logIn({ email, password: fresh.body.text('password') })).status).toBe(200);
  });

  test('row 104: suspended with a reason, told another one, lifted: as under /admin/v1', async () => {
    const page = await operatorPage();
    const { merchantId, projectId, email } = await merchantCalled('suspended');
    const shop = galla.with(await galla.key(projectId, { kind: 'secret', mode: 'sandbox' }));
    expect((await shop.get('/v1/payments')).status).toBe(200);
    expectRefusal(await page.post(`${base}/${merchantId}/suspend`, {}), 'validation_failed');
    expectRefusal(await page.post(`${base}/${merchantId}/suspend`, { reason: '' }), 'validation_failed');
    const reasons = ['Document review is overdue.', 'Its bank account is closed.'];
    const since = new Set<string>();
    for (const reason of reasons) {
      const { status, body } = await page.post(`${base}/${merchantId}/suspend`, { reason });
      expect([status, body.text('suspension.reason')]).toEqual([200, reason]);
      since.add(body.text('suspension.suspended_at'));
      const refusal = await shop.get('/v1/payments');
      expectRefusal(refusal, 'account_suspended');
      expect(refusal.body.text('error.suspension.reason')).toBe(reason);
    }
    expect(since.size).toBe(1);
    const list = await page.get(`${base}?suspended=true&email=${encodeURIComponent(email)}`);
    expect(list.body.value).toMatchObject({ total: 1, data: [{ id: merchantId, suspended: true }] });
    expect(
      (await page.get(`${base}?suspended=false&email=${encodeURIComponent(email)}`)).body.at('total'),
    ).toBe(0);
    const lifted = await page.post(`${base}/${merchantId}/unsuspend`);
    expect(lifted.body.value).toMatchObject({ suspended: false, suspension: null });
    expect((await shop.get('/v1/payments')).status).toBe(200);
  });

  test('row 104: plan, verified and the limit are set, and listed by plan', async () => {
    const page = await operatorPage();
    const { merchantId, email } = await merchantCalled('changed');
    const change = { plan: 'premium', verified: true, createPerSecond: 250 };
    expect((await page.patch(`${base}/${merchantId}`, change)).body.value).toMatchObject(change);
    expectRefusal(await page.patch(`${base}/${merchantId}`, { createPerSecond: 0 }), 'validation_failed');
    const found = `${base}?email=${encodeURIComponent(email)}`;
    expect((await page.get(`${found}&plan=premium`)).body.value).toMatchObject({ total: 1, data: [change] });
    expect((await page.get(`${found}&plan=free`)).body.at('total')).toBe(0);
  });

  test('for a merchant they do not exist, and nobody gets in without a login, a token or our page', async () => {
    const { merchantId, ...person } = await merchantCalled('curious');
    const own = new Page(galla.url);
    expectRefusal(await own.get(base), 'login_required');
    expectRefusal(await own.post(base, { name: 'Mine', email: 'mine@example.com' }), 'login_required');
    expect((await own.logIn(person)).status).toBe(200);
    expectRefusal(await own.get(base), 'endpoint_not_found');
    expectRefusal(await own.get(`${base}/${merchantId}`), 'endpoint_not_found');
    expectRefusal(await own.patch(`${base}/${merchantId}`, { plan: 'premium' }), 'endpoint_not_found');
    for (const path of [
      '',
      `/${merchantId}/suspend`,
      `/${merchantId}/unsuspend`,
      `/${merchantId}/reset-password`,
    ])
      expectRefusal(
        await own.post(`${base}${path}`, { reason: 'x', name: 'x', email: 'x@example.com' }),
        'endpoint_not_found',
      );
    const page = await operatorPage();
    const suspend = `${base}/${merchantId}/suspend`;
    expectRefusal(
      await page.post(suspend, { reason: 'x' }, { 'x-csrf-token': 'other' }),
      'csrf_token_invalid',
    );
    expectRefusal(
      await page.post(suspend, { reason: 'x' }, { origin: 'https://evil.example' }),
      'origin_not_allowed',
    );
    expectRefusal(await page.get(`${base}/mer_000000000000000000000000`), 'resource_not_found');
    expect((await page.get(`${base}/${merchantId}`)).body.value).toMatchObject({
      plan: 'free',
      suspended: false,
    });
  });
});
