import { expect, test } from 'vitest';
import { buttonFor, open, press, waitThere } from '../../src/cli/demo/buyer.ts';
import { describeModes } from '../support/modes.ts';

describeModes('money', (galla) => {
  test('row 11: listing and reading payments answers the same twice', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout({ metadata: { order_id: '1001' } });
    await shop.simulate(session.text('id'), 'success');
    const paid = await shop.untilStatus(session.text('id'), 'success');
    for (const path of [
      '/v1/payments',
      `/v1/payments/${paid.text('paymentId')}`,
      '/v1/payments?status=success&orderId=1001',
    ]) {
      const [first, second] = [await shop.api.must('GET', path), await shop.api.must('GET', path)];
      expect(second.text).toBe(first.text);
      expect(first.text).toContain(paid.text('paymentId'));
    }
  });

  test('row 12: a paid payment carries the reference of the provider', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const session = await shop.checkout({ returnUrl: `${server.url}/return?cart=7#top` });
    const wallet = await shop.startAndLogIn(session);
    const back = await press(buttonFor(wallet, 'do', 'pay'));
    expect(back.url).toBe(`${server.url}/return?cart=7&session_id=${session.text('id')}&status=success#top`);
    const hinted = back.hops
      .map(({ to }) => new URL(to).searchParams.get('transaction_id'))
      .find((id) => id !== null);
    const paid = await shop.session(session.text('id'));
    const payment = await shop.payment(paid.text('paymentId'));
    expect(payment.value).toMatchObject({
      id: paid.at('paymentId'),
      status: 'success',
      provider: 'wallet_b',
      sessionId: session.at('id'),
      amount: 125_050,
      livemode: false,
    });
    expect(payment.text('providerRef')).toBe(hinted);
    for (const field of ['createdAt', 'updatedAt', 'paidAt'])
      expect(payment.text(field)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('row 16: money that arrives after the end makes the session a success, late, reported once', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    await shop.simulate(session.text('id'), 'late_success');
    await shop.advance(30 * 60 + 15);
    expect((await shop.session(session.text('id'))).value).toMatchObject({ status: 'expired', late: false });
    await shop.advance(150);
    const paid = await shop.untilStatus(session.text('id'), 'success');
    expect(paid.at('late')).toBe(true);
    expect((await shop.payment(paid.text('paymentId'))).value).toMatchObject({
      status: 'success',
      late: true,
      failureCode: null,
    });
    // every later look, to the last one after 24 hours, finds a settled payment
    await shop.advance(25 * 3600);
    expect((await shop.untilEvents(1, 'payment.succeeded')).length).toBe(1);
    expect((await shop.session(session.text('id'))).value).toEqual(paid.value);
  });

  test.each([
    ['row 19: with the return lost the payment is found by the next poll', 'wallet_b'],
    ['row 19: with every word of its socket lost it is, too', 'qr_a'],
  ])('%s', async (_says, provider) => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    const lost = { outcome: 'lost_redirect', provider };
    await shop.api.must('POST', `/v1/test/checkout/${session.text('id')}/simulate`, lost);
    const { body } = await shop.api.must('GET', `/v1/checkout/${session.text('id')}`);
    expect(body.at('status')).toBe('initiated');
    // the first wait is 3 s, at most a tenth longer
    await shop.advance(4);
    const paid = await shop.session(session.text('id'));
    expect(paid.at('status')).toBe('success');
    expect((await shop.untilEvents(1, 'payment.succeeded')).length).toBe(1);
    const timeline = await shop.api.must('GET', `/v1/payments/${paid.text('paymentId')}/timeline`);
    const entries = timeline.body.list('data');
    expect(entries.find((entry) => entry.at('to') === 'success')?.at('cause')).toBe('poll');
    // no return, no message
    const kinds = new Set(entries.map((entry) => entry.at('kind')));
    expect(kinds).toEqual(new Set(['transition', 'provider_call', 'poll']));
  });

  test('row 20: a forged return, correctly shaped, changes nothing for an unpaid payment', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    const wallet = await shop.start(session);
    const before = await shop.session(session.text('id'));
    const query = new URLSearchParams({
      pidx: new URL(wallet.url).searchParams.get('pidx') ?? '',
      txnId: 'BKFORGED',
      amount: '125050',
      total_amount: '125050',
      status: 'Completed',
      mobile: '9800000000',
      tidx: 'TXFORGED',
      purchase_order_id: before.text('paymentId').replace('_', '-'),
      purchase_order_name: 'x',
      transaction_id: 'TXFORGED',
    });
    const page = await open(
      `${galla().url}/return/wallet_b/${before.text('paymentId')}/web/done?${query.toString()}`,
    );
    expect(page.status).toBe(200);
    expect(page.url.startsWith(galla().url)).toBe(true);
    await shop.advance(60);
    expect((await shop.session(session.text('id'))).value).toMatchObject({
      status: 'initiated',
      paymentId: before.at('paymentId'),
      needsReview: false,
    });
    expect((await shop.payment(before.text('paymentId'))).value).toMatchObject({
      status: 'processing',
      providerRef: null,
      paidAt: null,
    });
    expect(await shop.events('payment.succeeded,payment.failed')).toEqual([]);
  });

  test('row 21: a returning buyer waits a moment, sees processing, then the shop; returns have one outcome', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const session = await shop.checkout({ returnUrl: `${server.url}/return` });
    const wallet = await shop.startAndLogIn(session);
    // the look-up takes longer than a buyer may wait
    await shop.faults([{ call: 'lookup', kind: 'delay', delayMs: 5000, times: 1 }]);
    const processing = await press(buttonFor(wallet, 'do', 'pay'));
    expect(processing.status).toBe(200);
    expect(processing.url.startsWith(`${galla().url}/return/wallet_b/`)).toBe(true);
    expect(processing.refresh).not.toBeNull();
    const back = await waitThere(processing, ({ url }) => url.startsWith(server.url));
    expect(back.url).toBe(`${server.url}/return?session_id=${session.text('id')}&status=success`);
    const again = await Promise.all(Array.from({ length: 10 }, () => open(processing.url)));
    expect(new Set(again.map(({ url }) => url))).toEqual(new Set([back.url]));
    expect(new Set(server.returns.map(({ status }) => status))).toEqual(new Set(['success']));
    expect((await shop.untilEvents(1, 'payment.succeeded')).length).toBe(1);
  }, 60_000);
});
