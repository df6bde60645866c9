/** An unclear payment waits for a person, who ends the review. */
import { expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { buttonFor, press } from '../../src/cli/demo/buyer.ts';
import { eventually } from '../support/eventually.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';

const reason = { reason: 'The buyer has shown his receipt.' };

const untilReview = (shop: Merchant, id: string): Promise<Body> =>
  eventually(
    async () => {
      const payment = await shop.payment(id);
      return payment.at('needsReview') === true ? payment : null;
    },
    () => `a review of ${id}`,
  );

/** A payment the buyer has made and the provider does not own up to. */
async function unclear(shop: Merchant): Promise<{ readonly sessionId: string; readonly id: string }> {
  const session = await shop.checkout();
  const wallet = await shop.startAndLogIn(session);
  const sessionId = session.text('id');
  const id = (await shop.session(sessionId)).text('paymentId');
  await shop.faults([{ call: 'lookup', kind: 'ambiguous' }]);
  await press(buttonFor(wallet, 'do', 'pay'));
  await untilReview(shop, id);
  return { sessionId, id };
}

describeModes('reviews', (galla) => {
  const operator = (id: string, how: string, body: object = reason) =>
    galla().admin.post(`/admin/v1/payments/${id}/${how}`, body);
  const queue = async (): Promise<readonly unknown[]> =>
    (await galla().admin.must('GET', '/admin/v1/reviews')).body.list('data').map((one) => one.at('id'));

  test("row 18: the operator's accept makes an unclear payment paid only when the provider confirms it", async () => {
    const shop = await galla().merchant();
    const { sessionId, id } = await unclear(shop);
    await shop.api.must('POST', `/v1/checkout/${sessionId}/expire`);
    expect((await shop.payment(id)).value).toMatchObject({ status: 'cancelled', needsReview: true });
    expect(await queue()).toContain(id);

    const early = await operator(id, 'accept');
    expectRefusal(early, 'invalid_state');
    expect(early.body.value).toMatchObject({ error: { currentStatus: 'cancelled' } });
    expect((await shop.payment(id)).value).toMatchObject({ status: 'cancelled', needsReview: true });

    await shop.faults([]);
    const accepted = await operator(id, 'accept');
    expect(accepted.status).toBe(200);
    expect(accepted.body.value).toMatchObject({ id, status: 'success', late: true, needsReview: false });
    expect((await shop.payment(id)).value).toEqual(accepted.body.value);
    expect((await shop.session(sessionId)).value).toMatchObject({ status: 'success', needsReview: false });
    expect(await queue()).not.toContain(id);
    // said again it changes nothing, and the other way out is closed
    expect((await operator(id, 'accept')).text).toBe(accepted.text);
    const dismissed = await operator(id, 'dismiss');
    expectRefusal(dismissed, 'invalid_state');
    expect(dismissed.body.at('error.currentStatus')).toBe('success');
    expect(await shop.untilEvents(1, 'payment.succeeded', id)).toHaveLength(1);

    const { body } = await shop.api.must('GET', `/v1/payments/${id}/timeline?limit=100`);
    const told = body.list('data').map((one) => [one.at('kind'), one.at('cause'), one.at('to')]);
    const acts = told.slice(told.findIndex(([kind]) => kind === 'operator'));
    expect(acts.filter(([kind]) => kind !== 'webhook_attempt')).toEqual([
      ['operator', 'accept', null],
      ['poll', 'operator', null],
      ['refused', 'operator', null],
      ['operator', 'accept', null],
      ['poll', 'operator', null],
      ['transition', 'operator', 'success'],
    ]);
    expect(
      body
        .list('data')
        .find((one) => one.at('kind') === 'operator')
        ?.at('detail'),
    ).toEqual({ ...reason, by: 'operator' });
  });

  test('row 18: a dismissed payment stays as it is, and the same doubt opens no new review', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    await shop.simulate(session.text('id'), 'wrong_amount');
    const id = (await shop.session(session.text('id'))).text('paymentId');
    const reviewed = await untilReview(shop, id);
    expect(reviewed.value).toMatchObject({ status: 'processing', failureCode: 'amount_mismatch' });
    const dismissed = await operator(id, 'dismiss');
    expect(dismissed.body.value).toMatchObject({
      status: 'processing',
      needsReview: false,
      failureCode: null,
    });
    expect((await operator(id, 'dismiss')).text).toBe(dismissed.text);
    expectRefusal(await operator(id, 'accept'), 'invalid_state');
    expect(await queue()).not.toContain(id);
    // its look-ups go on saying the same, to the last one after 24 hours
    await shop.advance(25 * 3600);
    expect((await shop.payment(id)).value).toMatchObject({
      status: 'cancelled',
      needsReview: false,
      failureCode: 'session_expired',
    });
    expect((await shop.session(session.text('id'))).value).toMatchObject({
      status: 'expired',
      needsReview: false,
    });
    expect(await shop.events('payment.succeeded')).toEqual([]);
  });

  test("row 18: a merchant's dashboard shows why a payment waits, and who has ended its review", async () => {
    const { admin, url, key } = galla();
    const email = 'review.owner@example.com';
    const owner = await merchantWithLogin(admin, { email });
    const secretKey = await key(owner.projectId, { kind: 'secret', mode: 'sandbox' });
    const shop = new Merchant(owner.projectId, new Api(url, secretKey), galla().nobody);
    const page = new Page(url);
    expect((await page.logIn(owner)).status).toBe(200);
    const base = `/dashboard/api/${owner.projectId}/sandbox`;
    const reviews = async (query = ''): Promise<readonly unknown[]> =>
      (await page.get(`${base}/reviews${query}`)).body.list('data').map((one) => one.value);
    const counts = async (): Promise<unknown> => (await page.get(`${base}/attention`)).body.value;
    expect(await counts()).toEqual({ reviews: 0, refunds: 0, endpoints: 0 });

    const session = await shop.checkout();
    await shop.simulate(session.text('id'), 'wrong_amount');
    const id = (await shop.session(session.text('id'))).text('paymentId');
    await untilReview(shop, id);
    const review = {
      since: expect.stringMatching(/Z$/),
      doubt: expect.stringMatching(/^paid, but NPR .* instead of NPR 1,250.50$/),
      word: null,
      amountProvider: expect.any(Number),
      ways: ['accept', 'keep', 'refund', 'dismiss'],
      endedAt: null,
      how: null,
      by: null,
      reason: null,
    };
    expect(await reviews()).toEqual([{ payment: (await shop.payment(id)).value, review }]);
    expect(await counts()).toEqual({ reviews: 1, refunds: 0, endpoints: 0 });
    expect((await page.get(`/dashboard/api/${owner.projectId}/live/reviews`)).body.list('data')).toEqual([]);

    const looked = await page.post(`${base}/reviews/${id}/look-up`);
    expect([looked.status, looked.body.at('payment.needsReview')]).toEqual([200, true]);
    expectRefusal(await page.post(`${base}/reviews/${id}/accept`, reason), 'invalid_state');
    expectRefusal(await page.post(`${base}/reviews/${id}/dismiss`, {}), 'validation_failed', [
      'reason required',
    ]);
    expectRefusal(await page.post(`${base}/reviews/${id}/dismiss`, { reason: '' }), 'validation_failed', [
      'reason too_short',
    ]);
    const dismissed = await page.post(`${base}/reviews/${id}/dismiss`, reason);
    const ended = { endedAt: expect.stringMatching(/Z$/), how: 'dismissed', by: email, ...reason };
    expect(dismissed.body.value).toEqual((await shop.payment(id)).value);
    expect(dismissed.body.at('needsReview')).toBe(false);
    expect(await reviews()).toEqual([]);
    expect(await reviews('?status=ended')).toEqual([
      { payment: (await shop.payment(id)).value, review: { ...review, ways: [], ...ended } },
    ]);
    expect(await counts()).toEqual({ reviews: 0, refunds: 0, endpoints: 0 });
    const { body } = await shop.api.must('GET', `/v1/payments/${id}/timeline?limit=100`);
    const acts = body.list('data').filter((one) => one.at('kind') === 'operator');
    expect(acts.map((one) => [one.at('cause'), one.at('detail.by')])).toEqual([
      ['look_up', email],
      ['accept', email],
      ['dismiss', email],
    ]);
  });

  test('under /admin/v1 a review is ended only by the operator, with a reason, and only if there is one', async () => {
    const shop = await galla().merchant();
    const { id } = await unclear(shop);
    for (const how of ['accept', 'dismiss']) {
      const path = `/admin/v1/payments/${id}/${how}`;
      expectRefusal(await shop.api.post(path, reason), 'admin_token_invalid');
      expectRefusal(await operator(id, how, {}), 'validation_failed', ['reason required']);
      expectRefusal(await operator(id, how, { reason: '' }), 'validation_failed', ['reason too_short']);
      expectRefusal(await operator('pay_0000000000000000', how), 'resource_not_found');
      expectRefusal(await operator('nonsense', how), 'resource_not_found');
    }
    expectRefusal(await shop.api.get('/admin/v1/reviews'), 'admin_token_invalid');
    expect((await shop.payment(id)).at('needsReview')).toBe(true);
  });
});
