/** Money of another amount: it is kept or refunded, after one more look-up that says exactly the amount that a person
 *  has named. */
import { expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { Billing } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';

const asked = 125_050;
/** What the simulator reports with `wrong_amount`. */
const amount = asked - 100;
const reason = 'The buyer pays the rest at the counter.';

const untilReview = (shop: Merchant, id: string): Promise<Body> =>
  eventually(
    async () => {
      const payment = await shop.payment(id);
      return payment.at('needsReview') === true ? payment : null;
    },
    () => `a review of ${id}`,
  );

/** A session whose payment is under review for its amount. */
async function doubted(shop: Merchant, outcome = 'wrong_amount', provider = 'wallet_b') {
  const sessionId = (await shop.checkout()).text('id');
  await shop.api.must('POST', `/v1/test/checkout/${sessionId}/simulate`, { outcome, provider });
  const id = await paymentOf(shop, sessionId);
  await untilReview(shop, id);
  return { sessionId, id };
}

const paymentOf = (shop: Merchant, sessionId: string): Promise<string> =>
  eventually(
    async () => {
      const id = (await shop.session(sessionId)).at('paymentId');
      return typeof id === 'string' ? id : null;
    },
    () => `a payment of ${sessionId}`,
  );

/** The cells of this payment in the CSV. */
async function cells(shop: Merchant, id: string): Promise<{ readonly [column: string]: string }> {
  const { text } = await shop.api.get('/v1/payments', { headers: { accept: 'text/csv' } });
  const [head = '', ...lines] = text.trim().split('\r\n');
  const line = lines.find((each) => each.startsWith(id)) ?? '';
  const values = line.split(',');
  return Object.fromEntries(head.split(',').map((name, at) => [name, values[at] ?? '']));
}

describeModes('money of another amount', (galla) => {
  const operator = (id: string, how: 'keep' | 'refund', of: unknown = amount) =>
    galla().admin.post(`/admin/v1/payments/${id}/${how}`, { amount: of, reason });

  test('kept: the payment is paid with what was paid, the order with what it asked for, everywhere', async () => {
    const shop = await galla().merchant();
    const { sessionId, id } = await doubted(shop);
    expect((await shop.payment(id)).value).toMatchObject({ amount: asked, amountExpected: null });
    const kept = await operator(id, 'keep');
    expect(kept.status).toBe(200);
    const paid = { status: 'success', amount, amountExpected: asked, needsReview: false, duplicate: false };
    expect(kept.body.value).toMatchObject({ id, ...paid, failureCode: null });
    expect((await shop.payment(id)).value).toEqual(kept.body.value);
    expect((await shop.session(sessionId)).value).toMatchObject({
      status: 'success',
      paymentId: id,
      amount: asked,
      needsReview: false,
    });
    const [event] = await shop.untilEvents(1, 'payment.succeeded', id);
    expect(event?.at('data')).toMatchObject(paid);
    expect(await cells(shop, id)).toMatchObject({ amount: `${amount}`, amountExpected: `${asked}` });
    const open = await galla().nobody.get(`/v1/public/payment-status?query=${id}`);
    expect(open.body.value).toMatchObject({ status: { code: 'paid' }, amount: { value: amount } });
    // said again it is done already; nothing else is possible any more
    expect((await operator(id, 'keep')).text).toBe(kept.text);
    expectRefusal(await operator(id, 'refund'), 'invalid_state');
    const over = await shop.api.post('/v1/refunds', { paymentId: id, amount: asked, reason: 'other' });
    expectRefusal(over, 'amount_exceeds_refundable');
    const { body } = await shop.api.must('POST', '/v1/refunds', { paymentId: id, amount, reason: 'other' });
    await shop.untilEvents(1, 'refund.succeeded', body.text('id'));
    expect((await shop.payment(id)).value).toMatchObject({ status: 'refunded', refundedAmount: amount });
  });

  test('refunded: it is a duplicate that is paid back in full, and the order can still be paid', async () => {
    const shop = await galla().merchant();
    const { sessionId, id } = await doubted(shop);
    const refunded = await operator(id, 'refund');
    expect(refunded.status).toBe(200);
    expect(refunded.body.value).toMatchObject({
      amount,
      amountExpected: asked,
      duplicate: true,
      needsReview: false,
    });
    expect((await shop.session(sessionId)).value).toMatchObject({ status: 'initiated', amount: asked });
    const [refund] = await shop.untilEvents(1, 'refund.succeeded');
    expect(refund?.at('data')).toMatchObject({ paymentId: id, amount, reason: 'duplicate' });
    expect(await shop.untilEvents(1, 'payment.duplicate', id)).toHaveLength(1);
    expect((await shop.payment(id)).value).toMatchObject({ status: 'refunded', refundedAmount: amount });
    expect((await operator(id, 'refund')).status).toBe(200);
    expectRefusal(await operator(id, 'keep'), 'invalid_state');
    expect(await shop.events('payment.succeeded')).toEqual([]);
    // the buyer's page offers the providers again, also the one that was paid
    await shop.startAndLogIn(await shop.session(sessionId));
    await shop.simulate(sessionId, 'success');
    const { value } = await shop.untilStatus(sessionId, 'success');
    expect(value).toMatchObject({ attempts: 2, amount: asked });
    expect(await shop.untilEvents(1, 'payment.succeeded')).toHaveLength(1);
  });

  test('of a session that is paid already, what is kept is a duplicate', async () => {
    const shop = await galla().merchant();
    const { sessionId, id } = await doubted(shop, 'wrong_amount', 'wallet_a');
    await shop.startAndLogIn(await shop.session(sessionId));
    await shop.simulate(sessionId, 'success');
    await shop.untilStatus(sessionId, 'success');
    const kept = await operator(id, 'keep');
    expect(kept.body.value).toMatchObject({ amount, amountExpected: asked, duplicate: true });
    const { body } = await shop.api.must('GET', `/v1/refunds?paymentId=${id}`);
    expect(body.list('data').map((one) => one.value)).toMatchObject([{ amount, status: 'requires_action' }]);
    expect(await shop.events('payment.succeeded')).toHaveLength(1);
  });

  test('nothing changes unless the provider says exactly this amount of our reference, asked now', async () => {
    const shop = await galla().merchant();
    const { sessionId, id } = await doubted(shop);
    const unchanged = async () => {
      expect((await shop.payment(id)).value).toMatchObject({
        status: 'processing',
        needsReview: true,
        amount: asked,
        amountExpected: null,
      });
      expect((await shop.session(sessionId)).at('status')).toBe('initiated');
    };
    for (const how of ['keep', 'refund'] as const) {
      const other = await operator(id, how, amount - 1);
      expectRefusal(other, 'review_changed');
      expect(other.body.at('error.currentStatus')).toBe('processing');
      await unchanged();
    }
    // what was read on the screen is not what the provider says by now
    await shop.faults([{ call: 'lookup', kind: 'ambiguous' }]);
    for (const how of ['keep', 'refund'] as const) {
      expectRefusal(await operator(id, how), 'review_changed');
      await unchanged();
    }
    expectRefusal(await operator(id, 'keep', 0), 'validation_failed', ['amount too_small']);
    expectRefusal(await operator(id, 'keep', 1.5), 'validation_failed', ['amount amount_must_be_integer']);
    const path = `/admin/v1/payments/${id}/refund`;
    expectRefusal(await galla().admin.post(path, {}), 'validation_failed', [
      'amount required',
      'reason required',
    ]);
    expectRefusal(await shop.api.post(path, { amount, reason }), 'admin_token_invalid');
    expectRefusal(await operator('pay_0000000000000000', 'keep'), 'resource_not_found');
  });

  test('an invoice is not paid by less than it asks for: that money is refunded', async () => {
    const shop = await galla().merchant();
    const billing = new Billing(shop);
    const subscription = await billing.subscribe(await billing.plan({ amount: asked }));
    const invoiceId = (await billing.subscription(subscription.text('id'))).text('latestInvoice.id');
    const sessionId = (await billing.actOn(invoiceId, 'pay-link')).text('url').split('/').at(-1) ?? '';
    await shop.simulate(sessionId, 'wrong_amount');
    const id = await eventually(
      async () => {
        const { body } = await shop.api.must('GET', `/v1/payments?invoiceId=${invoiceId}`);
        return body.list('data')[0]?.text('id') ?? null;
      },
      () => `a payment of ${invoiceId}`,
    );
    await untilReview(shop, id);
    const kept = await operator(id, 'keep');
    expectRefusal(kept, 'review_changed');
    expect(kept.body.text('error.message')).toContain('an invoice is paid whole or not at all');
    expect((await operator(id, 'refund')).body.value).toMatchObject({ amount, duplicate: true });
    expect((await billing.invoice(invoiceId)).value).toMatchObject({ status: 'open', paymentId: null });
  });

  test('in the dashboard the ways out are those of the review, and its login has ended it', async () => {
    const { admin, url, key } = galla();
    const email = 'other.amount@example.com';
    const owner = await merchantWithLogin(admin, { email });
    const secretKey = await key(owner.projectId, { kind: 'secret', mode: 'sandbox' });
    const shop = new Merchant(owner.projectId, new Api(url, secretKey), galla().nobody);
    const page = new Page(url);
    expect((await page.logIn(owner)).status).toBe(200);
    const reviews = `/dashboard/api/${owner.projectId}/sandbox/reviews`;
    const { id: unclear } = await doubted(shop, 'ambiguous');
    const { id } = await doubted(shop);
    const ways = async () =>
      Object.fromEntries(
        (await page.get(reviews)).body
          .list('data')
          .map((one) => [one.text('payment.id'), one.at('review.ways')]),
      );
    expect(await ways()).toEqual({
      [unclear]: ['accept', 'dismiss'],
      [id]: ['accept', 'keep', 'refund', 'dismiss'],
    });
    const body = { amount, reason };
    expectRefusal(await page.post(`${reviews}/${unclear}/keep`, body), 'review_changed');
    expectRefusal(await page.post(`${reviews}/${id}/keep`, { ...body, amount: asked }), 'review_changed');
    const kept = await page.post(`${reviews}/${id}/keep`, body);
    expect(kept.body.value).toMatchObject({ id, amount, amountExpected: asked });
    const ended = (await page.get(`${reviews}?status=ended`)).body.list('data');
    expect(ended.map((one) => one.at('review'))).toEqual([
      expect.objectContaining({ how: 'kept', by: email, reason, ways: [] }),
    ]);
    const timeline = (await shop.api.must('GET', `/v1/payments/${id}/timeline?limit=100`)).body.list('data');
    const acts = timeline.filter((one) => one.at('kind') === 'operator');
    expect(acts.at(-1)?.at('detail')).toEqual({ ...body, by: email });
  });
});
