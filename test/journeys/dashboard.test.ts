/** A merchant opens the dashboard: logs in at one node, reads at another, logs out at a third. */
import { describe, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';
import { pngOf } from '../support/pictures.ts';
import { merchantWithLogin, Page, untilStatus, type Person } from '../support/dashboard.ts';
import { expectRefusal } from '../support/refusal.ts';

/** What is promised of every node. */
const feltMsMax = 5000;
/** Stories that wait until something is felt, or try many passwords: a third of a second of one core each. */
const longStoryMsMax = 60_000;

/** The cookie this page sends is no session's. */
async function expectNobody(page: Page): Promise<void> {
  expect((await page.me()).status).toBe(204);
  expectRefusal(await page.get('/dashboard/api/prj_x/sandbox/payments'), 'login_required');
}

describeModes('the dashboard', (galla) => {
  let emails = 0;
  const newMerchant = () => {
    const email = `Owner${++emails}.${Date.now().toString(36)}@Example.com`;
    return merchantWithLogin(galla().admin, { email });
  };
  /** A page of one node, and the same page as every other node would see it. */
  const pageOf = (): Page => new Page(galla().urls[0] ?? '');
  const elsewhere = (page: Page): readonly Page[] => {
    const [first = '', ...others] = galla().urls;
    return (others.length === 0 ? [first] : others).map((url) => new Page(url, page));
  };
  const logIn = async (person: Person & { readonly projectId: string }) => {
    const page = pageOf();
    expect((await page.logIn(person)).status).toBe(200);
    return { ...person, page, api: `/dashboard/api/${person.projectId}/sandbox` };
  };
  const loggedIn = async () => {
    const merchant = await newMerchant();
    return { ...merchant, ...(await logIn(merchant)) };
  };
  /** Two who stay logged in for all stories that end no session: a password costs a third of a second each time. */
  const staying: ReturnType<typeof loggedIn>[] = [];
  const mine = () => (staying[0] ??= loggedIn());
  const another = () => (staying[1] ??= loggedIn());

  test(
    'a login at one node is valid at every other; after log-out the cookie is refused everywhere',
    async () => {
      const { email, page, api, projectId } = await logIn(await mine());
      const me = await page.me();
      expect(me.body.value).toEqual({
        email: email.toLowerCase(),
        role: 'merchant',
        csrf: page.csrf,
        projects: [{ id: projectId, name: `Shop of ${email}`, merchantName: `Shop of ${email}` }],
      });
      const others = elsewhere(page);
      for (const other of others) {
        expect((await other.me()).body.value).toEqual(me.body.value);
        expect((await other.get(`${api}/payments`)).status).toBe(200);
      }
      const dead = page.cookie;
      expect((await page.logOut()).status).toBe(204);
      expect(page.cookie).toBe('');
      page.cookie = dead;
      await expectNobody(page);
      for (const other of others) await untilStatus(() => other.get(`${api}/payments`), 401, feltMsMax);
    },
    longStoryMsMax,
  );

  test('it returns exactly the answers of the API', async () => {
    const { page, api, projectId } = await loggedIn();
    const key = await galla().key(projectId, { kind: 'secret', mode: 'sandbox' });
    const shop = galla().with(key);
    const body = { amount: 125_050, returnUrl: 'https://shop.example/return', metadata: { order_id: 'A-1' } };
    const { body: session } = await shop.must('POST', '/v1/checkout', body);
    const { body: hook } = await shop.must('POST', '/v1/webhooks', { url: 'https://shop.example/hooks' });
    const paths = [
      'checkout?orderId=A-1',
      `checkout/${session.text('id')}`,
      'payments',
      'webhooks',
      `webhooks/${hook.text('id')}`,
      `webhooks/${hook.text('id')}/deliveries`,
    ];
    for (const path of paths) {
      const theirs = async (): Promise<string> => (await shop.get(`/v1/${path}`)).text;
      // a delivery goes on meanwhile: compared are answers between which nothing changed
      const [ours, text] = await eventually(
        async () => {
          const before = await theirs();
          const answer = await page.get(`${api}/${path}`);
          return before === (await theirs()) ? ([answer, before] as const) : null;
        },
        () => `${path} to be at rest`,
      );
      expect([ours.status, ours.text]).toEqual([200, text]);
    }
    expect((await page.get(`${api}/today`)).body.value).toMatchObject({ paidCount: 0, openCount: 1 });
    const live = await page.get(api.replace('sandbox', 'live') + '/checkout');
    expect(live.body.at('total')).toBe(0);
    const bad = await page.get(`${api}/payments?status=paid&limit=0&x=y`);
    expectRefusal(bad, 'validation_failed');
    expect(bad.headers.get('x-ignored-params')).toBe('x');
  });

  test('objects of another merchant are answered as unknown', async () => {
    const [ours, theirs] = [await mine(), await another()];
    const foreign = await ours.page.get(`/dashboard/api/${theirs.projectId}/sandbox/payments`);
    expectRefusal(foreign, 'resource_not_found');
    for (const path of ['prj_x/sandbox/payments', `${ours.projectId}/test/payments`])
      expectRefusal(await ours.page.get(`/dashboard/api/${path}`), 'resource_not_found');
    // a session of another project is not there either, whichever project the path names
    const key = await galla().key(theirs.projectId, { kind: 'secret', mode: 'sandbox' });
    const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
    const { body } = await galla().with(key).must('POST', '/v1/checkout', order);
    expectRefusal(await ours.page.get(`${ours.api}/checkout/${body.text('id')}`), 'resource_not_found');
  });

  test('an API key is refused at the dashboard and a cookie at the API', async () => {
    const { page, api, projectId } = await mine();
    const key = await galla().key(projectId, { kind: 'secret', mode: 'sandbox' });
    expectRefusal(await galla().with(key).get(`${api}/payments`), 'login_required');
    expect((await galla().with(key).get('/dashboard/api/me')).status).toBe(204);
    expectRefusal(await page.get('/v1/payments'), 'api_key_missing');
    expectRefusal(await page.get('/admin/v1/merchants'), 'admin_token_invalid');
    // both together: each counts at its own door
    const headers = { authorization: `Bearer ${key}` };
    expect((await page.get('/v1/payments', headers)).status).toBe(200);
    expect((await page.get(`${api}/payments`, headers)).status).toBe(200);
  });

  describe('a change', () => {
    const retry = (api: string): string => `${api}/webhooks/deliveries/whd_f32ydxkr15tkrabjxt73h22c/retry`;

    test('needs the session’s own token', async () => {
      const [{ page, api }, other] = [await mine(), await another()];
      expectRefusal(await page.post(retry(api)), 'resource_not_found');
      for (const csrf of ['', 'x', other.page.csrf, page.csrf.slice(1)])
        expectRefusal(await page.post(retry(api), {}, { 'x-csrf-token': csrf }), 'csrf_token_invalid');
      expectRefusal(await page.post('/dashboard/logout', {}, { 'x-csrf-token': '' }), 'csrf_token_invalid');
      expect((await page.me()).status).toBe(200);
    });

    test('must come from a page of ours', async () => {
      const { page, api } = await mine();
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: '' },
        { origin: `${galla().urls[0]}.evil.example` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ])
        for (const path of [retry(api), '/dashboard/logout', '/dashboard/login'])
          expectRefusal(await page.post(path, {}, headers), 'origin_not_allowed');
      expect((await page.me()).status).toBe(200);
    });
  });

  describe('a login', () => {
    test('opens a new session: one sent along is not reused, and ends', async () => {
      const { page, ...merchant } = await logIn(await mine());
      const [before, csrf] = [page.cookie, page.csrf];
      await page.logIn(merchant);
      expect(page.cookie).not.toBe(before);
      expect(page.csrf).not.toBe(csrf);
      page.cookie = before;
      await expectNobody(page);
    });

    test('cannot be planted: an invented cookie gives no session', async () => {
      const [merchant, page] = [await mine(), pageOf()];
      const planted = `__Host-galla=usr_4t8z1m6q3x9k2v7b4t8z1m6q.${'A'.repeat(43)}`;
      page.cookie = planted;
      expect((await page.logIn(merchant)).status).toBe(200);
      expect(page.cookie).not.toBe(planted);
      page.cookie = planted;
      await expectNobody(page);
    });

    test('is refused with one answer, whatever is wrong with it', async () => {
      const [{ email }, page] = [await mine(), pageOf()];
      const answers = [
        await page.logIn({ email, password: 'a wrong one' }),
        await page.logIn({ email: `nobody.${email}`, password: 'a wrong one' }),
        await page.logIn({ email: 'operator', password: 'a wrong one' }),
      ];
      for (const answer of answers) {
        expectRefusal(answer, 'login_invalid');
        expect(answer.headers.get('set-cookie')).toBeNull();
      }
      const texts = answers.map(({ text }) => text.replace(/req_[0-9a-z]+/, 'req_'));
      expect(new Set(texts).size).toBe(1);
    });

    test('is checked like any other body', async () => {
      const page = pageOf();
      const refused = await page.post('/dashboard/login', { email: 5 });
      expectRefusal(refused, 'validation_failed', ['email wrong_type', 'password required']);
      expectRefusal(await page.post('/dashboard/login', '{'), 'invalid_json');
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expectRefusal(await page.post('/dashboard/login', 'email=a', form), 'unsupported_media_type');
      expectRefusal(await page.post('/dashboard/login', 'x'.repeat(9000)), 'request_too_large');
    });
  });

  test(
    'two shops of one e-mail are two logins; with one password they are one',
    async () => {
      const person = { email: `twin.${Date.now().toString(36)}@example.com` };
      const one = await merchantWithLogin(galla().admin, { ...person, password: 'first password' });
      const two = await merchantWithLogin(galla().admin, { ...person, password: 'second password' });
      const three = await merchantWithLogin(galla().admin, { ...person, password: 'first password' });
      const page = pageOf();
      const opens = async (password: string): Promise<readonly unknown[]> => {
        const answer = await page.logIn({ ...person, password });
        return answer.body.list('projects').map((each) => each.at('id'));
      };
      expect(await opens('second password')).toEqual([two.projectId]);
      expect(new Set(await opens('first password'))).toEqual(new Set([one.projectId, three.projectId]));
    },
    longStoryMsMax,
  );

  test(
    'changing a password ends the sessions of the old one, on every node',
    async () => {
      const { page, email, merchantId, password } = await loggedIn();
      const path = `/admin/v1/merchants/${merchantId}/reset-password`;
      const { body } = await galla().admin.must('POST', path);
      expect(body.at('email')).toBe(email);
      for (const other of [page, ...elsewhere(page)]) await untilStatus(() => other.me(), 204, feltMsMax);
      expectRefusal(await page.logIn({ email, password }), 'login_invalid');
      expect((await page.logIn({ email, password: body.text('password') })).status).toBe(200);
      const chosen = await galla().admin.must('POST', path, { password: 'a chosen one' });
      expect(chosen.body.value).toEqual({ email });
      const nobodys = await galla().admin.post('/admin/v1/merchants/mer_x/reset-password');
      expectRefusal(nobodys, 'resource_not_found');
    },
    longStoryMsMax,
  );

  test(
    'row 88: a suspended merchant may still read, and nothing else, until it is lifted',
    async () => {
      const { page, api, merchantId } = await loggedIn();
      const retry = (): ReturnType<Page['post']> =>
        page.post(`${api}/webhooks/deliveries/whd_f32ydxkr15tkrabjxt73h22c/retry`);
      await galla().admin.must('POST', `/admin/v1/merchants/${merchantId}/suspend`, { reason: 'Review.' });
      await untilStatus(retry, 403, feltMsMax);
      const refused = await retry();
      expectRefusal(refused, 'account_suspended');
      expect(refused.body.at('error.suspension.reason')).toBe('Review.');
      expect((await page.get(`${api}/payments`)).status).toBe(200);
      expect((await page.me()).status).toBe(200);
      await galla().admin.must('POST', `/admin/v1/merchants/${merchantId}/unsuspend`);
      await untilStatus(retry, 404, feltMsMax);
    },
    longStoryMsMax,
  );

  test(
    'row 86: a key created in the settings at one node works at every other; revoked, it works nowhere',
    async () => {
      const { page, api } = await mine();
      const made = await page.post(`${api}/keys`, { name: 'Server', kind: 'secret' });
      const key = made.body.text('key');
      const everywhere = galla().urls.map((url) => () => new Api(url, key).get('/v1/payments'));
      for (const ask of everywhere) await untilStatus(ask, 200, feltMsMax);
      await page.post(`${api}/keys/${made.body.text('id')}/revoke`);
      for (const ask of everywhere) await untilStatus(ask, 401, feltMsMax);
    },
    longStoryMsMax,
  );

  test(
    'a logo uploaded at one node is served by every other; removed, by none',
    async () => {
      const { page, api, projectId } = await mine();
      const headers = { 'content-type': 'image/png' };
      await page.change('PUT', `${api}/logo`, { body: pngOf(), headers });
      const everywhere = galla().urls.map((url) => () => new Api(url, null).get(`/logo/${projectId}.png`));
      for (const ask of everywhere) await untilStatus(ask, 200, feltMsMax);
      await page.change('DELETE', `${api}/logo`);
      for (const ask of everywhere) await untilStatus(ask, 404, feltMsMax);
    },
    longStoryMsMax,
  );

  test('the operator logs in by the operator’s token and opens every project', async () => {
    const [merchant, page] = [await mine(), pageOf()];
    const answer = await page.logIn({ email: 'operator', password: galla().admin.key ?? '' });
    expect(answer.body.at('role')).toBe('operator');
    expect(answer.body.list('projects').map((each) => each.at('id'))).toContain(merchant.projectId);
    for (const other of elsewhere(page)) {
      const path = `/dashboard/api/${merchant.projectId}/live/payments`;
      expect((await other.get(path)).status).toBe(200);
    }
  });

  test(
    'guessing is limited across nodes',
    async () => {
      const places = galla().urls;
      // an account that does not exist is limited like any other
      const email = `nobody.${Date.now().toString(36)}@example.com`;
      const guess = (at: number): ReturnType<Page['logIn']> =>
        new Page(places[at % places.length] ?? '').logIn({ email, password: `guess ${at}` });
      let last = await guess(0);
      // a node may still grant what it does not know that others granted
      for (let at = 1; at < 20 && last.status !== 429; at++) last = await guess(at);
      expectRefusal(last, 'rate_limit_exceeded');
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
      for (const at of places.keys()) expectRefusal(await guess(at), 'rate_limit_exceeded');
    },
    longStoryMsMax,
  );

  test('without a session there is nothing to read', async () => {
    const { api, page } = await mine();
    const stranger = new Page(galla().urls[0] ?? '');
    for (const path of [`${api}/payments`, `${api}/today`])
      expectRefusal(await stranger.get(path), 'login_required');
    expectRefusal(await stranger.post('/dashboard/logout'), 'login_required');
    stranger.cookie = `${page.cookie.slice(0, -1)}${page.cookie.endsWith('A') ? 'B' : 'A'}`;
    await expectNobody(stranger);
  });
});
