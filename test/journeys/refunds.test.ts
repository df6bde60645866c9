/** Refunds as a merchant and a buyer see them: by a call, in the portal, and never twice. */
import { expect, test } from 'vitest';
import type { Answer, Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { code, paymentOf, phone, premium } from '../support/qr-shop.ts';
import { expectRefusal } from '../support/refusal.ts';
import { ledgerOf, paidPayment, refundOf, refundOnce, untilRefund } from '../support/refunds.ts';

const timeoutMsMax = 40_000;

const ask = (shop: Merchant, paymentId: string, amount: number, more: object = {}): Promise<Answer> =>
  shop.api.post('/v1/refunds', { paymentId, amount, reason: 'customer_request', ...more });
const expectState = (answer: Answer, status: string): void => {
  expectRefusal(answer, 'invalid_state');
  expect(answer.body.at('error.currentStatus')).toBe(status);
};
const kinds = (events: readonly Body[]): readonly unknown[] => events.map((event) => event.at('type'));
const ofRefund = 'refund.created,refund.succeeded,refund.failed,refund.requires_action';

describeModes('refunds', (galla) => {
  // beside the one that waits ten real seconds for its provider
  test.concurrent('row 31: two part refunds up to the amount succeed, with reason, notes and number', async () => {
    const shop = await galla().merchant();
    const payment = await paidPayment(shop);
    const id = payment.text('id');
    const first = await ask(shop, id, 25_050, { notes: 'Returned one item', mobileNumber: '9800000000' });
    expect(first.status).toBe(201);
    expect(first.body.value).toEqual({
      id: first.body.text('id'),
      livemode: false,
      paymentId: id,
      projectId: shop.projectId,
      mode: 'sandbox',
      amount: 25_050,
      currency: 'NPR',
      reason: 'customer_request',
      status: 'succeeded',
      providerRefundId: `${payment.text('providerRef')}-r1`,
      failureReason: null,
      notes: 'Returned one item',
      mobileNumber: '9800000000',
      sequence: 2,
      createdAt: first.body.at('createdAt'),
      updatedAt: first.body.at('updatedAt'),
    });
    expect((await shop.payment(id)).value).toMatchObject({ status: 'success', refundedAmount: 25_050 });
    const second = await ask(shop, id, 100_000, { reason: 'other' });
    expect(second.body.value).toMatchObject({ status: 'succeeded', reason: 'other' });
    expect((await shop.payment(id)).value).toMatchObject({ status: 'refunded', refundedAmount: 125_050 });
    expect(await ledgerOf(shop, id)).toMatchObject({ refunded: 125_050, refundCalls: 2 });
  });

  test.concurrent('row 32: one paisa over is refused, and of ten at once exactly those that fit are accepted', async () => {
    const shop = await galla().merchant();
    const id = (await paidPayment(shop, { amount: 10_000 })).text('id');
    const over = await ask(shop, id, 10_001);
    expectRefusal(over, 'amount_exceeds_refundable');
    expect(over.body.at('error')).toMatchObject({
      param: 'amount',
      message: 'Only 10000 paisa can still be refunded.',
    });
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(shop, id, 3000)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const refused of answers.filter(({ status }) => status !== 201))
      expectRefusal(refused, 'amount_exceeds_refundable');
    await eventually(
      async () => (await shop.payment(id)).at('refundedAmount') === 9000 || null,
      () => 'three',
    );
    expect(await ledgerOf(shop, id)).toMatchObject({ refunded: 9000, refundCalls: 3 });
    const left = await ask(shop, id, 1001);
    expectRefusal(left, 'amount_exceeds_refundable');
    expect(left.body.at('error.message')).toBe('Only 1000 paisa can still be refunded.');
  });

  test.concurrent('row 34: wallet_a is refunded in its portal, and the refund closes by itself when it shows', async () => {
    const shop = await galla().merchant();
    const id = (await paidPayment(shop, {}, 'wallet_a')).text('id');
    const { body } = await ask(shop, id, 25_050);
    expect(body.value).toMatchObject({
      status: 'requires_action',
      failureReason:
        "This provider has no refund API. Refund it in the provider's merchant portal, then mark it complete.",
      sequence: 1,
    });
    const refundId = body.text('id');
    expect(kinds(await shop.untilEvents(2, ofRefund, refundId))).toEqual([
      'refund.created',
      'refund.requires_action',
    ]);
    await shop.control(id, 'refund', { amount: 25_050 });
    await shop.advance(700);
    const closed = await untilRefund(shop, refundId, 'succeeded');
    expect(closed.value).toMatchObject({ failureReason: null, providerRefundId: null, sequence: 2 });
    expect((await shop.payment(id)).value).toMatchObject({
      status: 'success',
      refundedAmount: 25_050,
      needsReview: false,
    });
    expect(await ledgerOf(shop, id, 'wallet_a')).toMatchObject({ refundCalls: 0 });
  });

  test.concurrent('row 35: a refund the provider rejects has failed, and the amount can be refunded again', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    await shop.simulate(session.text('id'), 'refund_rejected');
    await shop.simulate(session.text('id'), 'success');
    const id = (await shop.untilStatus(session.text('id'), 'success')).text('paymentId');
    const rejected = await ask(shop, id, 125_050);
    expect(rejected.status).toBe(201);
    expect(rejected.body.value).toMatchObject({ status: 'failed', providerRefundId: null });
    expect(rejected.body.text('failureReason')).not.toBe('');
    expect((await ask(shop, id, 125_050)).body.value).toMatchObject({ status: 'succeeded' });
    expect(await ledgerOf(shop, id)).toMatchObject({ refunded: 125_050, refundCalls: 2 });
  });

  test.concurrent('row 36: only a provider with a refund API gives a refund its id', async () => {
    const shop = await premium(galla());
    for (const provider of ['wallet_b', 'wallet_a', 'qr_a']) {
      const payment = await paidPayment(shop, {}, provider);
      const { body } = await ask(shop, payment.text('id'), 125_050);
      const done =
        provider === 'wallet_b'
          ? body
          : (await shop.api.must('POST', `/v1/refunds/${body.text('id')}/complete`)).body;
      expect(done.value).toMatchObject({
        status: 'succeeded',
        providerRefundId: provider === 'wallet_b' ? `${payment.text('providerRef')}-r1` : null,
      });
    }
  });

  test.concurrent(
    'row 37: a refund that timed out is never sent twice: one call, and a look-up settles it',
    async () => {
      const shop = await galla().merchant();
      const session = await shop.checkout();
      await shop.simulate(session.text('id'), 'refund_timeout');
      await shop.simulate(session.text('id'), 'success');
      const id = (await shop.untilStatus(session.text('id'), 'success')).text('paymentId');
      const answer = await ask(shop, id, 125_050);
      expect(answer.status).toBe(201);
      expect(answer.body.value).toMatchObject({ status: 'processing', providerRefundId: null });
      expect(answer.tookMs).toBeLessThan(11_500);
      const refundId = answer.body.text('id');
      await eventually(
        async () => (await called(shop, id)) || null,
        () => 'the answer to the call',
      );
      await shop.advance(11);
      expect((await untilRefund(shop, refundId, 'succeeded')).at('failureReason')).toBeNull();
      await shop.advance(73 * 3600);
      expect(await ledgerOf(shop, id)).toMatchObject({ refunded: 125_050, refundCalls: 1 });
      expect((await shop.payment(id)).value).toMatchObject({ status: 'refunded', needsReview: false });
    },
    timeoutMsMax,
  );

  test.concurrent('row 38: read, listed, completed and cancelled, each only where it may be', async () => {
    const shop = await galla().merchant();
    const id = (await paidPayment(shop)).text('id');
    await shop.faults([{ call: 'refund', kind: 'http_502', times: 1 }]);
    const processing = (await ask(shop, id, 1000)).body.text('id');
    for (const how of ['complete', 'cancel'])
      expectState(await shop.api.post(`/v1/refunds/${processing}/${how}`), 'processing');

    const other = (await paidPayment(shop, {}, 'wallet_a')).text('id');
    const [one, two] = [await ask(shop, other, 1000, { notes: 'Damaged' }), await ask(shop, other, 2000)];
    const completed = await shop.api.post(`/v1/refunds/${one.body.text('id')}/complete`, { notes: 'Paid' });
    expect(completed.status).toBe(200);
    expect(completed.body.value).toMatchObject({ status: 'succeeded', notes: 'Damaged\nPaid', sequence: 2 });
    const cancelled = await shop.api.post(`/v1/refunds/${two.body.text('id')}/cancel`);
    expect(cancelled.body.value).toMatchObject({
      status: 'failed',
      failureReason: 'Cancelled by the merchant.',
    });
    for (const [refundId, status] of [
      [one.body.text('id'), 'succeeded'],
      [two.body.text('id'), 'failed'],
    ] as const)
      expectState(await shop.api.post(`/v1/refunds/${refundId}/complete`), status);

    expect((await refundOf(shop, one.body.text('id'))).value).toEqual(completed.body.value);
    const ids = async (query: string): Promise<readonly unknown[]> =>
      (await shop.api.must('GET', `/v1/refunds?${query}`)).body.list('data').map((each) => each.at('id'));
    expect(await ids('')).toEqual([two.body.text('id'), one.body.text('id'), processing]);
    expect(await ids(`paymentId=${other}`)).toEqual([two.body.text('id'), one.body.text('id')]);
    expect(await ids('status=processing')).toEqual([processing]);
    expect(await ids(`status=failed&paymentId=${other}&limit=1`)).toEqual([two.body.text('id')]);
    expect(await ids('paymentId=pay_nobody')).toEqual([]);
    const csv = await shop.api.get(`/v1/refunds?paymentId=${other}`, { headers: { accept: 'text/csv' } });
    const [head = '', ...lines] = csv.text.trim().split('\r\n');
    expect(head.split(',')).toEqual(Object.keys(completed.body.value as object));
    expect(lines.map((line) => line.split(',')[0])).toEqual([two.body.text('id'), one.body.text('id')]);
    expect(await ids(`createdTo=${encodeURIComponent('2020-01-01T00:00:00Z')}`)).toEqual([]);
  });

  test.concurrent('row 39: after a full refund the payment is refunded, and payment.refunded has fired', async () => {
    const shop = await galla().merchant();
    const id = (await paidPayment(shop)).text('id');
    const { body } = await ask(shop, id, 125_050);
    const payment = await shop.payment(id);
    expect(payment.value).toMatchObject({ status: 'refunded', refundedAmount: 125_050 });
    const events = await shop.untilEvents(3, `payment.refunded,${ofRefund}`);
    expect(kinds(events)).toEqual(['refund.created', 'refund.succeeded', 'payment.refunded']);
    expect(events[2]?.at('data')).toEqual({
      ...(payment.value as object),
      session: { id: payment.at('sessionId'), referenceId: null, metadata: {} },
      customerAddress: null,
      refund: body.value,
    });
    const entries = (await shop.api.must('GET', `/v1/payments/${id}/timeline`)).body.list('data');
    const shown = entries.filter((entry) => entry.at('kind') === 'refund');
    expect(shown.map((entry) => [entry.at('from'), entry.at('to')])).toEqual([
      [null, 'processing'],
      ['processing', 'succeeded'],
    ]);
    expectRefusal(await ask(shop, id, 1), 'amount_exceeds_refundable');
  });

  test.concurrent('row 79: a Direct-QR payment has its metadata on webhooks and is refunded like any other', async () => {
    const [shop, server] = [await premium(galla()), await galla().shop()];
    await shop.endpoint(server, ['payment.refunded']);
    const session = await code(shop, { metadata: { order_id: '1001' } });
    await phone(shop, session.text('qr_message'), 'pay');
    await shop.untilStatus(session.text('id'), 'success');
    const id = (await paymentOf(shop, session)).text('id');
    const { body } = await ask(shop, id, 25_050);
    expect(body.at('status')).toBe('requires_action');
    await shop.api.must('POST', `/v1/refunds/${body.text('id')}/complete`);
    const hook = await server.webhook(() => true);
    expect(JSON.parse(hook.raw.toString())).toMatchObject({
      type: 'payment.refunded',
      data: {
        id,
        refundedAmount: 25_050,
        metadata: { order_id: '1001' },
        session: { metadata: { order_id: '1001' } },
        refund: { id: body.text('id'), status: 'succeeded' },
      },
    });
  });

  test('row 37: one that never arrived is not sent again either: after 72 hours a person decides', async () => {
    const shop = await galla().merchant();
    const id = (await paidPayment(shop)).text('id');
    await shop.faults([{ call: 'refund', kind: 'http_502', times: 1 }]);
    const { body } = await ask(shop, id, 125_050);
    expect(body.value).toMatchObject({ status: 'processing' });
    await shop.advance(72 * 3600 + 60);
    const waiting = await untilRefund(shop, body.text('id'), 'requires_action');
    expect(waiting.at('failureReason')).toBe('The provider has not confirmed this refund. Check its portal.');
    expect(await ledgerOf(shop, id)).toMatchObject({ refunded: 0, refundCalls: 1 });
    const cancelled = await shop.api.must('POST', `/v1/refunds/${body.text('id')}/cancel`);
    expect(cancelled.body.value).toMatchObject({ status: 'failed' });
    expect((await ask(shop, id, 125_050)).body.value).toMatchObject({ status: 'succeeded' });
  });

  test('row 17: money that comes twice is found and sent back: one success, one duplicate, one refund', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    await shop.simulate(session.text('id'), 'double_payment');
    const [refund] = await shop.untilEvents(1, 'refund.succeeded');
    const paid = await shop.session(session.text('id'));
    expect(paid.at('status')).toBe('success');
    const duplicate = refund?.text('data.paymentId') ?? '';
    expect(duplicate).not.toBe(paid.at('paymentId'));
    expect(refund?.at('data')).toMatchObject({ reason: 'duplicate', amount: 125_050 });
    expect((await shop.payment(duplicate)).value).toMatchObject({ status: 'refunded', duplicate: true });
    expect((await shop.payment(paid.text('paymentId'))).value).toMatchObject({ refundedAmount: 0 });
    await shop.advance(25 * 3600);
    expect(kinds(await shop.events('payment.succeeded,payment.duplicate,refund.created'))).toEqual([
      'payment.succeeded',
      'payment.duplicate',
      'refund.created',
    ]);
    expect(await ledgerOf(shop, duplicate)).toMatchObject({ refunded: 125_050, refundCalls: 1 });
  });

  test('a refund made in the portal behind our back is told, and waits for a person', async () => {
    const shop = await galla().merchant();
    const id = (await paidPayment(shop)).text('id');
    await shop.control(id, 'refund', { amount: 25_050 });
    // our own refund of another part has no answer, so the payment is looked up: two things may have happened
    await shop.faults([{ call: 'refund', kind: 'http_502', times: 1 }]);
    const { body } = await ask(shop, id, 125_050);
    await shop.advance(11);
    const [mismatch] = await shop.untilEvents(1, 'reconciliation.mismatch');
    expect(mismatch?.at('data')).toMatchObject({
      paymentId: id,
      provider: 'wallet_b',
      field: 'status',
      ours: 'success',
      theirs: 'partially_refunded',
      amountOurs: 125_050,
      source: 'lookup',
    });
    expect((await shop.payment(id)).value).toMatchObject({ needsReview: true, refundedAmount: 0 });
    expect((await refundOf(shop, body.text('id'))).at('status')).toBe('processing');
  });

  test('a second request with the key of a running one conflicts, and afterwards replays it', async () => {
    const shop = await galla().merchant();
    const id = (await paidPayment(shop)).text('id');
    await shop.faults([{ call: 'refund', kind: 'delay', delayMs: 1500, times: 1 }]);
    const body = { paymentId: id, amount: 1000, reason: 'other' };
    const sending = { idempotencyKey: 'at-once' };
    const first = shop.api.post('/v1/refunds', body, sending);
    await eventually(
      async () => (await countOf(shop)) > 0 || null,
      () => 'the refund to be opened',
    );
    const second = await shop.api.post('/v1/refunds', body, sending);
    expect([second.status, second.body.at('code')]).toEqual([409, 'idempotency_conflict']);
    const made = await first;
    expect(made.body.at('status')).toBe('succeeded');
    const again = await shop.api.post('/v1/refunds', body, sending);
    expect(again.text).toBe(made.text);
    expect(await ledgerOf(shop, id)).toMatchObject({ refunded: 1000, refundCalls: 1 });
  });

  test('each POST with a key is executed once: replayed, and refused with another body', async () => {
    const shop = await galla().merchant();
    const paid = (await paidPayment(shop)).text('id');
    await refundOnce(
      shop,
      '/v1/refunds',
      { paymentId: paid, amount: 1000, reason: 'other' },
      { amount: 2000 },
    );
    expect(await ledgerOf(shop, paid)).toMatchObject({ refunded: 1000, refundCalls: 1 });
    const manual = (await paidPayment(shop, {}, 'wallet_a')).text('id');
    for (const how of ['complete', 'cancel']) {
      const { body } = await ask(shop, manual, 1000);
      await refundOnce(shop, `/v1/refunds/${body.text('id')}/${how}`, { notes: 'One' }, { notes: 'Two' });
      expect((await refundOf(shop, body.text('id'))).at('notes')).toBe('One');
    }
  });
});

const countOf = async (shop: Merchant): Promise<number> =>
  (await shop.api.must('GET', '/v1/refunds')).body.list('data').length;

/** Whether the refund call of this payment has ended: nothing is concluded from look-ups before. */
async function called(shop: Merchant, paymentId: string): Promise<boolean> {
  const { body } = await shop.api.must('GET', `/v1/payments/${paymentId}/timeline?limit=100`);
  return body
    .list('data')
    .some((entry) => entry.at('kind') === 'provider_call' && entry.at('cause') === 'refund');
}
