/** Anyone with a reference can see the state of a payment, and nothing else. */
import { expect, test } from 'vitest';
import type { Answer, Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';
import { buyer, code, phone, premium } from '../support/qr-shop.ts';
import type { Merchant } from '../support/merchant.ts';
import { expectRefusal } from '../support/refusal.ts';

const day = 86_400;
let made = 0;
/** A reference nobody has used in this run. */
const fresh = (): string => `ord-${process.pid}-${++made}`;

describeModes('the public status', (galla) => {
  const ask = (query: string, more: { readonly [name: string]: string } = {}): Promise<Answer> =>
    galla().nobody.get(`/v1/public/payment-status?${new URLSearchParams({ query, ...more }).toString()}`);
  /** What is asked for may be written a moment after the answer that made it. */
  const found = (query: string, more: { readonly [name: string]: string } = {}): Promise<Body> =>
    eventually(
      async () => {
        const answer = await ask(query, more);
        return answer.status === 200 ? answer.body : null;
      },
      () => `${query} to be found`,
    );
  const untilCode = (query: string, wanted: string): Promise<Body> =>
    eventually(
      async () => {
        const { body } = await ask(query);
        return body.at('status.code') === wanted ? body : null;
      },
      () => `${query} to be ${wanted}`,
    );
  const paid = async (shop: Merchant, fields: object = {}): Promise<Body> => {
    const id = (await shop.checkout(fields)).text('id');
    await shop.simulate(id, 'success');
    return shop.untilStatus(id, 'success');
  };

  test('row 6: both spellings of the order id find the payment, a number as text', async () => {
    const shop = await galla().merchant();
    const [first, second, number] = [fresh(), fresh(), 7_000_000_000 + process.pid * 1000 + ++made];
    for (const [metadata, query] of [
      [{ order_id: first }, first],
      [{ orderId: second }, second],
      [{ orderId: number }, String(number)],
    ] as const) {
      const session = await shop.checkout({ metadata });
      const status = await found(query);
      expect(status.value).toMatchObject({
        lookup: { query, matchedBy: 'order_id', type: 'session' },
        session: { id: session.at('id') },
        references: { orderId: query },
      });
    }
  });

  test('row 28: a payment id, a session id, an order id and a reference of the provider find the same payment', async () => {
    const shop = await galla().merchant();
    const orderId = fresh();
    const session = await paid(shop, { metadata: { order_id: orderId }, referenceId: 'A-1001' });
    const [id, paymentId] = [session.text('id'), session.text('paymentId')];
    const providerRef = (await shop.payment(paymentId)).text('providerRef');
    const bodies = [];
    for (const [matchedBy, query] of [
      ['payment_id', paymentId],
      ['session_id', id],
      ['order_id', orderId],
      ['provider_ref', providerRef],
    ] as const) {
      const { value } = await found(query);
      expect(value).toMatchObject({ lookup: { query, matchedBy, type: 'payment', lookbackMonths: 6 } });
      expect((await ask(`  ${query}\t`)).body.value).toEqual(value);
      bodies.push({ ...(value as object), lookup: null });
    }
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect(bodies[0]).toMatchObject({
      status: { code: 'paid', label: 'Paid', terminal: true, autoRefresh: false, refreshIntervalMs: 0 },
      merchant: { name: expect.stringMatching(/^Shop /), logoUrl: null, verified: false },
      amount: { value: 125_050, currency: 'NPR', display: 'NPR 1,250.50' },
      provider: { id: 'wallet_b', label: 'Wallet B' },
      payment: { id: paymentId, status: 'success', providerRef },
      session: { id, status: 'success', referenceId: 'A-1001' },
      references: { orderId, linkReferenceId: null, providerRef },
      mode: 'sandbox',
    });
  });

  test('row 29: a pending session is to be asked for again every 5 seconds, and each change is seen', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    const id = session.text('id');
    const pending = (await ask(id)).body;
    expect(Object.keys(pending.value as object)).toEqual([
      'lookup',
      'status',
      'merchant',
      'amount',
      'provider',
      'payment',
      'session',
      'references',
      'mode',
      'updatedAt',
    ]);
    expect(pending.value).toMatchObject({
      lookup: { type: 'session' },
      status: { code: 'awaiting_payment', terminal: false, autoRefresh: true, refreshIntervalMs: 5000 },
      provider: null,
      payment: null,
      references: { orderId: null, linkReferenceId: null, providerRef: null },
    });
    await shop.start(session);
    const running = (await ask(id)).body;
    expect(running.value).toMatchObject({
      lookup: { type: 'payment' },
      status: { code: 'processing', autoRefresh: true, refreshIntervalMs: 5000 },
      provider: { id: 'wallet_b' },
      session: { status: 'initiated' },
    });
    await shop.api.must('POST', `/v1/checkout/${id}/expire`);
    const over = (await ask(id)).body;
    expect(over.value).toMatchObject({
      status: { code: 'expired', terminal: true, autoRefresh: false, refreshIntervalMs: 0 },
    });
    expect((await ask(running.text('payment.id'))).body.at('status.code')).toBe('expired');
    await shop.simulate(id, 'success');
    expect((await untilCode(id, 'paid')).at('payment.id')).toBe(running.at('payment.id'));
  });

  test('row 29: a refund is seen, of a part and of the whole, by the payment and by its order', async () => {
    const shop = await galla().merchant();
    const orderId = fresh();
    const paymentId = (await paid(shop, { metadata: { orderId } })).text('paymentId');
    for (const [amount, wanted, label] of [
      [25_050, 'partially_refunded', 'Partially refunded'],
      [100_000, 'refunded', 'Refunded'],
    ] as const) {
      const refund = { paymentId, amount, reason: 'customer_request' };
      await shop.api.must('POST', '/v1/refunds', refund);
      for (const query of [paymentId, orderId])
        expect((await untilCode(query, wanted)).value).toMatchObject({
          status: { label, terminal: true, autoRefresh: false, refreshIntervalMs: 0 },
          amount: { value: 125_050 },
          session: { status: 'success' },
        });
    }
  });

  test('row 29: 3 to 120 characters after trimming, and nothing but text', async () => {
    for (const query of ['ab', ' ab ', '', '   ', '\u{1f600}\u{1f600}'])
      expectRefusal(await ask(query), 'validation_failed', ['query too_short']);
    expectRefusal(await ask('x'.repeat(121)), 'validation_failed', ['query too_long']);
    expectRefusal(await ask('x'.repeat(3000)), 'validation_failed', ['query too_long']);
    expectRefusal(await galla().nobody.get('/v1/public/payment-status'), 'validation_failed', [
      'query required',
    ]);
    expectRefusal(await ask('abc', { mode: 'test' }), 'validation_failed', ['mode not_in_enum']);
    for (const query of [
      'abc',
      ` ${'x'.repeat(120)} `,
      '\u{1f600}'.repeat(120),
      '.*',
      '$where',
      '{"$gt":""}',
      '[object Object]',
      "' OR 1=1 --",
      'a\u0000b',
      '\uFFFD\u202Ex',
      'pay_',
      'pay_4t8z1m6q3x9k2v7b',
      'cs_n5y5kc7txbgmy7rz22b0c1r5',
      `pay_${'x'.repeat(100)}`,
      'cs_../../x',
    ].map((each) => each.padEnd(3, '*')))
      expectRefusal(await ask(query), 'payment_not_found');
  });

  test('odd order ids are found by themselves alone', async () => {
    const shop = await galla().merchant();
    for (const start of ['.*', '%_', '$gt ', 'अर्डर ', '\u{1f600}', '<b>"&', '__proto__', 'pay_', 'a=b&']) {
      const orderId = `${start}${fresh()}`;
      const session = await shop.checkout({ metadata: { orderId } });
      expect((await found(orderId)).value).toMatchObject({
        lookup: { matchedBy: 'order_id' },
        session: { id: session.at('id') },
        references: { orderId },
      });
    }
  });

  test('row 30: an order id that two merchants use is ambiguous until one is named', async () => {
    const [one, two] = [await galla().merchant(), await galla().merchant()];
    const metadata = { order_id: fresh() };
    const query = metadata.order_id;
    const [mine, theirs] = [await paid(one, { metadata }), await two.checkout({ metadata })];
    await eventually(
      async () => ((await ask(query)).body.at('error.code') === 'ambiguous_reference' ? true : null),
      () => 'the reference to be ambiguous',
    );
    const refusal = await ask(query);
    expectRefusal(refusal, 'ambiguous_reference');
    expect(refusal.body.at('error.param')).toBe('query');
    expect(refusal.text).not.toContain('prj_');
    expectRefusal(await ask(query, { mode: 'sandbox' }), 'ambiguous_reference');
    expectRefusal(await ask(query, { mode: 'live' }), 'payment_not_found');
    expectRefusal(await ask(query, { merchant: 'prj_00000000000000000000none' }), 'payment_not_found');
    expectRefusal(await ask(query, { merchant: one.projectId, mode: 'live' }), 'payment_not_found');
    for (const [{ projectId }, session] of [
      [one, mine],
      [two, theirs],
    ] as const) {
      expect((await found(query, { merchant: projectId })).at('session.id')).toBe(session.at('id'));
      expect((await found(query, { merchant: projectId, mode: 'sandbox' })).at('mode')).toBe('sandbox');
    }
    // an id is unique, but names nobody else's payment either
    expectRefusal(await ask(mine.text('id'), { merchant: two.projectId }), 'payment_not_found');
    expectRefusal(await ask(mine.text('paymentId'), { mode: 'live' }), 'payment_not_found');
  });

  test('row 30: the answer holds no buyer, no metadata, no failure text and no address of the shop', async () => {
    const shop = await galla().merchant();
    const secrets = {
      description: 'Wedding ring',
      returnUrl: 'http://127.0.0.1:9/thank-you',
      cancelUrl: 'http://127.0.0.1:9/not-today',
      customer: {
        ...buyer,
        address: { line1: 'Ward 4', city: 'Pokhara' },
      },
      metadata: { order_id: fresh(), cart: 'cart-secret', note: 'leave at the gate' },
    };
    const session = await shop.checkout(secrets);
    const id = session.text('id');
    await shop.faults([{ call: 'start', kind: 'http_500_html' }]);
    await shop.start(session);
    const tried = await found(id);
    expect(tried.at('payment.status')).toBe('failed');
    await shop.faults([]);
    await shop.simulate(id, 'success');
    await shop.untilStatus(id, 'success');
    const texts = [];
    for (const query of [id, tried.text('payment.id'), secrets.metadata.order_id])
      texts.push(JSON.stringify((await found(query)).value));
    texts.push(JSON.stringify(tried.value));
    const failure = (await shop.payment(tried.text('payment.id'))).text('failureReason');
    for (const text of texts)
      for (const secret of [
        'Wedding',
        '127.0.0.1',
        'Asha',
        'asha@',
        '9800000000',
        'Ward 4',
        'Pokhara',
        'cart-secret',
        'gate',
        'metadata',
        failure,
        'failure',
        shop.projectId,
      ])
        expect(text).not.toContain(secret);
  });

  test('of several sessions of one order the paid one is shown, otherwise the newest', async () => {
    const shop = await galla().merchant();
    const metadata = { orderId: fresh() };
    const query = metadata.orderId;
    await shop.checkout({ metadata });
    const newer = await shop.checkout({ metadata });
    const shows = (id: unknown): Promise<true> =>
      eventually(
        async () => ((await ask(query)).body.at('session.id') === id ? true : null),
        () => `${query} to show ${String(id)}`,
      );
    await shows(newer.at('id'));
    const bought = await paid(shop, { metadata });
    await shop.checkout({ metadata });
    await shows(bought.at('id'));
  });

  test('an order id and a reference of a provider are found for six months, ids for ever', async () => {
    const shop = await galla().merchant();
    const metadata = { order_id: fresh() };
    const session = await paid(shop, { metadata });
    const providerRef = (await shop.payment(session.text('paymentId'))).text('providerRef');
    await found(metadata.order_id);
    await shop.advance(180 * day);
    expect((await ask(metadata.order_id)).status).toBe(200);
    expect((await ask(providerRef)).status).toBe(200);
    await shop.advance(5 * day);
    expectRefusal(await ask(metadata.order_id), 'payment_not_found');
    expectRefusal(await ask(providerRef), 'payment_not_found');
    expect((await ask(session.text('id'))).body.at('status.code')).toBe('paid');
    expect((await ask(session.text('paymentId'))).body.at('status.code')).toBe('paid');
    // another merchant, whose clock stands, may use it now
    const other = await galla().merchant();
    const theirs = await other.checkout({ metadata });
    expect((await found(metadata.order_id)).at('session.id')).toBe(theirs.at('id'));
  });

  test('a Direct-QR payment is found by its session, and a suspended merchant is no obstacle', async () => {
    const shop = await premium(galla());
    const qr = await code(shop, { metadata: { order_id: fresh() } });
    expect((await ask(qr.text('id'))).body.at('status.code')).toBe('processing');
    const { body } = await galla().admin.must('GET', '/admin/v1/merchants?limit=100');
    const merchant = body.list('data').find((each) => each.at('projectId') === shop.projectId);
    const path = `/admin/v1/merchants/${merchant?.text('id') ?? expect.unreachable()}`;
    await galla().admin.must('PATCH', path, { verified: true });
    await phone(shop, qr.text('qr_message'), 'pay');
    await untilCode(qr.text('id'), 'paid');
    await galla().admin.must('POST', `${path}/suspend`, { reason: 'Review.' });
    expectRefusal(await shop.api.get('/v1/payments'), 'account_suspended');
    await eventually(
      async () => ((await ask(qr.text('id'))).body.at('merchant.verified') === true ? true : null),
      () => 'the merchant to be shown as verified',
    );
    expect((await ask(qr.text('id'))).body.at('status.code')).toBe('paid');
  });
});
