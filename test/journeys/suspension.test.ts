/** A merchant is suspended while buyers and the merchant are at its pages: every node refuses at once what would change
 *  anything, long before what it remembers grows too old. */
import { expect, test } from 'vitest';
import { buttonFor, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import type { Body } from '../../src/cli/demo/api.ts';
import { merchantWithLogin, Page as DashboardPage } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';

/** A hint between nodes takes some ms. What is forgotten by age alone is read again after 2 s at the earliest. */
const feltMsMax = 1500;

describeModes('suspension', (galla) => {
  const scene = async () => {
    const email = `suspended.${Date.now().toString(36)}@example.com`;
    const person = await merchantWithLogin(galla().admin, { email });
    const { merchantId, projectId } = person;
    const shop = galla().with(await galla().key(projectId, { kind: 'secret', mode: 'sandbox' }));
    const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
    const checkout = async (): Promise<Body> => (await shop.must('POST', '/v1/checkout', order)).body;
    const set = (what: 'suspend' | 'unsuspend') =>
      galla().admin.must(
        'POST',
        `/admin/v1/merchants/${merchantId}/${what}`,
        what === 'suspend' ? { reason: 'Review.' } : undefined,
      );
    return { person, projectId, shop, checkout, set };
  };

  /** The page of a session at one node. */
  const pageAt = (url: string, session: Body): Promise<Page> => open(`${url}/pay/${session.text('id')}`);
  const untilPages = (status: number, session: Body): Promise<true> =>
    eventually(
      async () => {
        const seen = await Promise.all(galla().urls.map((url) => pageAt(url, session)));
        return seen.every((page) => page.status === status) || null;
      },
      () => `every node to show ${status}`,
      feltMsMax,
    );

  test("row 88: a suspension takes effect on buyers' pages at once, and so does lifting it; no attempt starts between", async () => {
    const { shop, checkout, set } = await scene();
    const sessions = await Promise.all(galla().urls.map(checkout));
    // each node has just read the merchant when he is suspended
    const pages = await Promise.all(
      galla().urls.map((url, at) => pageAt(url, sessions[at] ?? expect.unreachable())),
    );
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));

    await set('suspend');
    for (const session of sessions) await untilPages(403, session);
    const pressed = await Promise.all(pages.map((page) => press(buttonFor(page, 'provider', 'wallet_b'))));
    expect(pressed.map(({ status }) => status)).toEqual(pressed.map(() => 403));

    await set('unsuspend');
    for (const session of sessions) await untilPages(200, session);
    for (const session of sessions) {
      const { body } = await shop.must('GET', `/v1/checkout/${session.text('id')}`);
      expect([body.at('status'), body.at('paymentId')]).toEqual(['pending', null]);
    }
  });

  test('row 88: a suspension takes effect in the dashboard of every node at once', async () => {
    const { person, projectId, set } = await scene();
    const first = new DashboardPage(galla().urls[0] ?? '');
    expect((await first.logIn(person)).status).toBe(200);
    const pages = galla().urls.map((url) => new DashboardPage(url, first));
    const path = `/dashboard/api/${projectId}/sandbox/webhooks/deliveries/whd_f32ydxkr15tkrabjxt73h22c/retry`;
    const statuses = () => Promise.all(pages.map(async (page) => (await page.post(path)).status));
    expect(await statuses()).toEqual(pages.map(() => 404));
    await set('suspend');
    await eventually(
      async () => (await statuses()).every((status) => status === 403) || null,
      () => 'every node to refuse',
      feltMsMax,
    );
  });
});
