/** What the dashboard's own sockets are told beside the changes: which kinds of objects changed, on any node. */
import { afterEach, expect, test } from 'vitest';
import { newsKinds } from '../../gateways/socketio/news-kinds.ts';
import { Api } from '../../src/cli/demo/api.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { describeModes } from '../support/modes.ts';
import { forgetScreens, Screen } from '../support/screen.ts';

afterEach(forgetScreens);

const dayMs = 86_400_000;

describeModes('news for the dashboard', (house, mode) => {
  test('a screen at one node is told of each kind that is changed at another; a ticket of the API is told nothing', async () => {
    const [first = '', second = first, third = second] = house().urls;
    const email = `news-${mode}@example.com`;
    const { projectId, merchantId, ...person } = await merchantWithLogin(house().admin, { email });
    const page = new Page(first);
    expect((await page.logIn(person)).status).toBe(200);
    const key = await house().key(projectId, { kind: 'secret', mode: 'sandbox' });
    const screen = await new Screen(
      second,
      { projectId, mode: 'sandbox' },
      { cookie: page.cookie, origin: second },
    ).begun();
    const ofTicket = await Screen.of(key, second, first);
    expect((await screen.until('news')).at('kinds')).toEqual([]);

    const api = new Api(third, key);
    const admin = new Api(third, house().admin.key);
    const told = (kind: string) => screen.until('news', ({ value }) => JSON.stringify(value).includes(kind));
    const make = async (path: string, body: object) => (await api.must('POST', path, body)).body;
    const customer = await make('/v1/billing/customers', { name: 'Asha' });
    await told('customer');
    const plan = await make('/v1/billing/plans', { name: 'Tea', amount: 5_000, intervalUnit: 'month' });
    await told('plan');
    await make('/v1/billing/subscriptions', { planId: plan.text('id'), customerId: customer.text('id') });
    await told('subscription');
    await make('/v1/payment-links', { name: 'Tea', amount: 5_000 });
    await told('link');
    await make('/v1/reconciliation/statements', {
      provider: 'wallet_b',
      csv: 'reference,amount\nNOBODY,1\n',
    });
    await told('statement');
    const hook = await make('/v1/webhooks', { url: 'http://127.0.0.1:19999/hook', events: ['*'] });
    await told('endpoint');
    await make(`/v1/webhooks/${hook.text('id')}/test`, {});
    await told('delivery');
    await house().key(projectId, { kind: 'publishable', mode: 'sandbox' });
    await told('project');
    await admin.must('PATCH', `/admin/v1/merchants/${merchantId}`, { verified: true });
    await told('merchant');
    // a wrong secret is an incident at the first start
    await admin.must('PUT', `/admin/v1/projects/${projectId}/providers/wallet_b`, {
      mode: 'sandbox',
      credentials: { secretKey: 'revoked-by-the-provider' },
    });
    const { value: checkout } = await make('/v1/checkout', {
      amount: 5_000,
      returnUrl: 'http://127.0.0.1:9/r',
    });
    await api.post(`/v1/test/checkout/${(checkout as { id: string }).id}/simulate`, {
      outcome: 'success',
      provider: 'wallet_b',
    });
    await told('provider');
    expect(new Set(screen.all('news').flatMap((news) => news.at('kinds')))).toEqual(new Set(newsKinds));

    const { value: before } = screen.all('news').at(-1) ?? { value: null };
    expect(before).toMatchObject({ at: expect.any(String), now: expect.any(String) });
    await make('/v1/test/clock/advance', { bySeconds: (7 * dayMs) / 1_000 });
    await screen.until(
      'news',
      (news) => Date.parse(news.text('now')) - Date.parse(news.text('at')) > 6 * dayMs,
    );
    expect(ofTicket.all('news')).toEqual([]);
  });
});
