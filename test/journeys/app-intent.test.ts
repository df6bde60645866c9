/** A buyer pays in the app of wallet_a: on the phone, by the web after all, twice, too late, and without anybody telling us. */
import { describe, expect, test } from 'vitest';
import type { Answer, Body } from '../../src/cli/demo/api.ts';
import { buttonFor, buttonOf, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import { eventually } from '../support/eventually.ts';
import type { House } from '../support/galla.ts';
import { gallaOfFile } from '../support/of-file.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';

/** A merchant whose buyers may pay in the app. */
async function appShop(house: House, settings: object = { appIntent: true }): Promise<Merchant> {
  const shop = await house.merchant();
  await house.admin.must('PUT', `/admin/v1/projects/${shop.projectId}/providers/wallet_a`, {
    mode: 'sandbox',
    ...settings,
  });
  return shop;
}

const picked = async (session: Body): Promise<Page> =>
  press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_a'));

const attempt = async (shop: Merchant, session: Body, at = 0): Promise<Body> =>
  (await shop.api.must('GET', `/v1/payments?sessionId=${session.text('id')}`)).body.list('data')[at] as Body;

/** The app, opened by the link of the page. */
const appOf = async (house: House, payment: Body): Promise<Page> =>
  open(`${house.url}/sim/wallet_a/app/?d=d${payment.text('id').slice('pay_'.length)}`);

const referenceOf = (payment: Body): string => `${payment.text('id').replace('_', '-')}-i`;

/** What the simulated wallet knows of the leg in its app. */
async function inTheApp(shop: Merchant, payment: Body): Promise<Body> {
  const { body } = await shop.api.must('GET', `/sim/control/payments?reference=${referenceOf(payment)}`);
  return body.list('data')[0] as Body;
}

/** The buyer pays in the app and is not sent back. */
const pays = (shop: Merchant, payment: Body): Promise<Answer> =>
  shop.api.must('POST', `/sim/control/payments/${referenceOf(payment)}/pay`, {});

const simulated = (shop: Merchant, session: Body, outcome: string): Promise<Answer> =>
  shop.api.must('POST', `/v1/test/checkout/${session.text('id')}/simulate`, {
    outcome,
    provider: 'wallet_a',
  });

const allPayments = async (shop: Merchant, session: Body): Promise<readonly Body[]> =>
  (await shop.api.must('GET', `/v1/payments?sessionId=${session.text('id')}`)).body.list('data');

const web = async (house: House, shop: Merchant, fields: object = {}): Promise<void> => {
  const session = await shop.checkout(fields);
  const handover = await picked(session);
  const wallet = await press(buttonOf(handover, /Continue to Wallet A/));
  expect(wallet.url).toBe(
    `${house.url}/sim/wallet_a/?transaction_uuid=${(await attempt(shop, session)).text('id').replace('_', '-')}`,
  );
};

const testBuyer = { id: '9806800001', password: 'Nepal@123', mpin: '1122', token: '123456' };

describeModes('app-intent', (house) => {
  test('row 83: paid in the app: the callback brings one success and one event, and polling adds nothing', async () => {
    const [shop, server] = [await appShop(house()), await house().shop()];
    const session = await shop.checkout({ returnUrl: `${server.url}/return` });
    await picked(session);
    const payment = await attempt(shop, session);
    expect(payment.value).toMatchObject({ provider: 'wallet_a', status: 'pending' });
    const app = await appOf(house(), payment);
    const back = await press(buttonFor(app, 'do', 'pay'));
    expect(back.url).toBe(`${server.url}/return?session_id=${session.text('id')}&status=success`);
    const paid = await shop.untilStatus(session.text('id'), 'success');
    expect(paid.value).toMatchObject({ provider: 'wallet_a', attempts: 1 });
    await shop.advance(120);
    const told = await shop.untilEvents(1, 'payment.succeeded');
    expect(told.map((event) => event.at('data.id'))).toEqual([payment.at('id')]);
  });

  test('row 19: paid in the app, and nobody comes back: one polling step finds it', async () => {
    const shop = await appShop(house());
    const session = await shop.checkout();
    await picked(session);
    const payment = await attempt(shop, session);
    await shop.faults([{ provider: 'wallet_a', call: 'callback', kind: 'callback_never' }]);
    await pays(shop, payment);
    expect((await shop.session(session.text('id'))).at('status')).toBe('initiated');
    await shop.advance(34);
    await shop.untilStatus(session.text('id'), 'success');
    expect((await attempt(shop, session)).value).toMatchObject({ status: 'success', late: false });
  });

  test('row 83: the callback alone brings the success, however often it comes', async () => {
    const shop = await appShop(house());
    const session = await shop.checkout();
    await picked(session);
    const payment = await attempt(shop, session);
    await shop.faults([{ provider: 'wallet_a', call: 'callback', kind: 'double_callback' }]);
    await pays(shop, payment);
    await shop.untilStatus(session.text('id'), 'success');
    const calls = (await inTheApp(shop, payment))
      .list('log')
      .filter((entry) => entry.at('call') === 'callback');
    expect(calls.map((entry) => entry.at('response'))).toContain('200');
    const timeline = await shop.api.must('GET', `/v1/payments/${payment.text('id')}/timeline?limit=100`);
    const paid = timeline.body.list('data').filter((entry) => entry.at('to') === 'success');
    expect(paid.map((entry) => entry.at('cause'))).toEqual(['provider_callback']);
    expect(await shop.untilEvents(1, 'payment.succeeded')).toHaveLength(1);
    const forged = await house().nobody.post(`/callback/wallet_a/${payment.text('id')}`, {
      status: 'SUCCESS',
    });
    expect([forged.status, forged.body.at('error.code')]).toEqual([400, 'callback_signature_invalid']);
  });

  test('the web form of the same payment comes at once; the booking is cancelled, and the attempt is one', async () => {
    const shop = await appShop(house());
    const session = await shop.checkout();
    const page = await picked(session);
    const payment = await attempt(shop, session);
    const form = await press(buttonOf(page, /web/i));
    const wallet = await press(buttonOf(form, /Continue to Wallet A/));
    expect(wallet.url).toContain(`transaction_uuid=${payment.text('id').replace('_', '-')}`);
    await eventually(
      async () => ((await inTheApp(shop, payment)).at('state') === 'cancelled' ? true : null),
      () => 'the booking to be cancelled',
    );
    await press(buttonFor(await press(buttonOf(wallet, /Log in/), testBuyer), 'do', 'pay'));
    const paid = await shop.untilStatus(session.text('id'), 'success');
    expect(paid.value).toMatchObject({ paymentId: payment.at('id'), attempts: 1 });
  });
});

describe('app-intent, in one process', () => {
  const galla = gallaOfFile();
  const house = (): House => galla;

  test('a booking whose cancelling fails stays booked, and the web form pays all the same', async () => {
    const shop = await appShop(house());
    await shop.faults([{ provider: 'wallet_a', call: 'cancel', kind: 'http_500_html' }]);
    const session = await shop.checkout();
    const page = await picked(session);
    const payment = await attempt(shop, session);
    const wallet = await press(buttonOf(await press(buttonOf(page, /web/i)), /Continue to Wallet A/));
    await press(buttonFor(await press(buttonOf(wallet, /Log in/), testBuyer), 'do', 'pay'));
    const paid = await shop.untilStatus(session.text('id'), 'success');
    expect(paid.value).toMatchObject({ paymentId: payment.at('id'), attempts: 1 });
    expect((await inTheApp(shop, payment)).at('state')).toBe('created');
  });

  test('row 84: a session that enters the app lives 30 minutes from then', async () => {
    const shop = await appShop(house());
    const session = await shop.checkout({ expiresInMinutes: 1440 });
    await picked(session);
    const now = Date.parse((await shop.clock()).text('now'));
    const ends = Date.parse((await shop.session(session.text('id'))).text('expires_at'));
    expect(Math.abs(ends - now - 30 * 60_000)).toBeLessThan(10_000);
    await shop.advance(31 * 60);
    expect((await shop.untilStatus(session.text('id'), 'expired')).at('paymentId')).toBeNull();
  });

  test('row 84: a booking that ends at the provider ends the session, and the page says so', async () => {
    const shop = await appShop(house());
    await shop.faults([{ provider: 'wallet_a', call: 'start', kind: 'booking_short', value: 10 }]);
    const session = await shop.checkout();
    await picked(session);
    await shop.advance(60);
    await shop.untilStatus(session.text('id'), 'expired');
    const payment = await attempt(shop, session);
    expect(payment.value).toMatchObject({ status: 'cancelled', failureCode: 'attempt_expired' });
    expect((await open(session.text('checkout_url'))).words).toMatch(/expired/i);
  });

  test('row 83: both legs really paid: the second is a duplicate payment with its refund', async () => {
    const shop = await appShop(house());
    const session = await shop.checkout();
    await simulated(shop, session, 'double_payment');
    await shop.untilStatus(session.text('id'), 'success');
    const both = await eventually(
      async () => {
        await shop.advance(130);
        const all = await allPayments(shop, session);
        return all.length === 2 ? all : null;
      },
      () => 'the second payment',
    );
    expect(both.map((each) => `${each.text('status')} ${String(each.at('duplicate'))}`)).toEqual(
      expect.arrayContaining(['success false', 'success true']),
    );
    const refunds = await shop.api.must(
      'GET',
      `/v1/refunds?paymentId=${both.find((each) => each.at('duplicate'))?.text('id')}`,
    );
    expect(refunds.body.list('data')[0]?.value).toMatchObject({
      reason: 'duplicate',
      status: 'requires_action',
    });
    expect(await shop.events('payment.succeeded')).toHaveLength(1);
    await shop.untilEvents(1, 'payment.duplicate');
  });

  test.each([
    ['success', 'success', {}],
    ['lost_redirect', 'success', {}],
    ['bad_signature', 'success', {}],
    ['duplicate_callback', 'success', {}],
    ['server_error', 'success', {}],
    ['declined', 'pending', { status: 'failed', failureCode: 'declined' }],
    ['cancelled', 'pending', { status: 'cancelled', failureCode: 'user_cancelled' }],
    ['ambiguous', 'initiated', { needsReview: true }],
    ['wrong_amount', 'initiated', { needsReview: true, failureCode: 'amount_mismatch' }],
    ['never', 'expired', { status: 'cancelled' }],
    ['late_success', 'success', { late: true }],
  ])('outcome %s of a payment in the app: the session is %s', async (outcome, status, shown) => {
    const shop = await appShop(house());
    const session = await shop.checkout();
    await simulated(shop, session, outcome);
    const walks = outcome === 'never' ? [1810] : outcome === 'late_success' ? [1810, 600] : [40, 40, 40];
    for (const seconds of walks) await shop.advance(seconds);
    await shop.untilStatus(session.text('id'), status);
    await eventually(
      async () => {
        const { value } = await attempt(shop, session);
        return Object.entries(shown).every(
          ([name, its]) => (value as { [field: string]: unknown })[name] === its,
        )
          ? true
          : null;
      },
      () => `the payment of ${outcome}`,
    );
  });

  test('row 80: off by default, and switched off: the ordinary web flow', async () => {
    await web(house(), await house().merchant());
    await web(house(), await appShop(house(), { appIntent: false }));
  });

  test('row 80: switched on, with the two credentials that the provider publishes for its sandbox: the app', async () => {
    const credentials = { merchantCode: 'EPAYTEST', secretKey: '8gBm/:&EnhH.1/q' };
    const shop = await appShop(house(), { appIntent: true, credentials });
    const session = await shop.checkout();
    const page = await picked(session);
    expect(page.buttons.map(({ words }) => words)).not.toContain('Continue to Wallet A');
    expect((await inTheApp(shop, await attempt(shop, session))).at('state')).toBe('created');
  });

  test('row 80: a booking that is refused, or unanswered for 5 s, leads to the web, and no payment fails', async () => {
    const shop = await appShop(house());
    for (const kind of ['http_500_html', 'timeout']) {
      await shop.faults([{ provider: 'wallet_a', call: 'start', kind, times: 1 }]);
      const begun = Date.now();
      await web(house(), shop);
      if (kind === 'timeout') expect(Date.now() - begun).toBeLessThan(9000);
    }
    // its circuit opens after five in a row; the web is not held for down
    await shop.faults([{ provider: 'wallet_a', call: 'start', kind: 'http_502', times: 6 }]);
    for (let n = 0; n < 4; n++) {
      const session = await shop.checkout();
      await picked(session);
      expect((await attempt(shop, session)).at('status')).toBe('pending');
    }
    await shop.faults([]);
    await web(house(), shop);
    expect((await shop.events('payment.failed')).length).toBe(0);
  });
});
