/** A buyer pays through wallet_a, from the hosted page to the shop, with nothing but HTML; and what can go wrong. */
import { expect, test } from 'vitest';
import { buttonFor, buttonOf, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import type { Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';
import type { Merchant } from '../support/merchant.ts';

const login = { id: '9806800001', password: 'Nepal@123', mpin: '1122', token: '123456' };

/** Picks wallet_a on the hosted page, takes the form it hands out, and logs in. */
async function atTheWallet(session: Body): Promise<Page> {
  const chooser = await open(session.text('checkout_url'));
  const handover = await press(buttonFor(chooser, 'provider', 'wallet_a'));
  const wallet = await press(buttonOf(handover, /Continue to Wallet A/));
  return press(buttonOf(wallet, /Log in/), login);
}
const attempt = async (shop: Merchant, session: Body): Promise<Body> =>
  (await shop.api.must('GET', `/v1/payments?sessionId=${session.text('id')}`)).body.list('data')[0] as Body;

describeModes('wallet_a', (galla) => {
  test.concurrent('row 2: the hosted page offers a choice, the redirect flow goes to its provider alone', async () => {
    const shop = await galla().merchant();
    const hosted = await open((await shop.checkout({ provider: 'wallet_a' })).text('checkout_url'));
    const offered = hosted.buttons.flatMap(({ fields }) => fields.get('provider') ?? []);
    expect(offered).toEqual(expect.arrayContaining(['wallet_a', 'wallet_b']));
    // preselected, it leads
    expect(offered[0]).toBe('wallet_a');

    const session = await shop.checkout({ flow: 'redirect', provider: 'wallet_a' });
    expect(session.value).toMatchObject({ provider: 'wallet_a', paymentId: null });
    const step = await open(session.text('checkout_url'));
    expect(step.buttons.flatMap(({ fields }) => fields.get('provider') ?? [])).toEqual(['wallet_a']);
    const handover = await press(buttonOf(step, /Continue to Wallet A/));
    const wallet = await press(buttonOf(handover, /Continue to Wallet A/));
    expect(wallet.url).toMatch(/\/sim\/wallet_a\/\?transaction_uuid=pay-/);
  });

  test.concurrent('row 5: no provider until the buyer has picked one, then that one', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout({ provider: 'wallet_b' });
    expect(session.value).toMatchObject({ status: 'pending', provider: null, paymentId: null });
    await atTheWallet(session);
    expect((await shop.session(session.text('id'))).value).toMatchObject({
      status: 'initiated',
      provider: 'wallet_a',
      paymentId: (await attempt(shop, session)).at('id'),
    });
  });

  test.concurrent('row 12: a payment by wallet_a ends in the shop and carries the reference of the provider', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const session = await shop.checkout({ returnUrl: `${server.url}/return`, amount: 100_000 });
    const back = await press(buttonFor(await atTheWallet(session), 'do', 'pay'));
    expect(back.url).toBe(`${server.url}/return?session_id=${session.text('id')}&status=success`);
    const paid = await shop.session(session.text('id'));
    const payment = await shop.payment(paid.text('paymentId'));
    expect(payment.value).toMatchObject({ status: 'success', provider: 'wallet_a', amount: 100_000 });
    const data = new URL(back.hops[0]?.to ?? '').searchParams.get('data') ?? '';
    const signed = JSON.parse(Buffer.from(data, 'base64').toString()) as { transaction_code: string };
    expect(payment.text('providerRef')).toBe(signed.transaction_code);
  });

  test.concurrent('a buyer who cancels at the wallet sees the provider choice with the reason, and pays by another', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    const back = await press(buttonFor(await atTheWallet(session), 'do', 'cancel'));
    expect(back.words).toContain('The payment at Wallet A was cancelled.');
    expect((await attempt(shop, session)).value).toMatchObject({
      status: 'cancelled',
      failureCode: 'user_cancelled',
    });
    await shop.simulate(session.text('id'), 'success');
    expect((await shop.untilStatus(session.text('id'), 'success')).at('provider')).toBe('wallet_b');
  });

  test.concurrent('a declined buyer sees the reason, and the payment has failed', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    const back = await press(buttonFor(await atTheWallet(session), 'do', 'decline'));
    expect(back.words).toContain('Wallet A declined the payment.');
    expect((await attempt(shop, session)).value).toMatchObject({ status: 'failed', failureCode: 'declined' });
  });

  test.concurrent('row 22: another try after a failed one, with any provider; the fifth failure ends the session', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    const status = async (): Promise<unknown> => (await shop.session(session.text('id'))).at('status');
    for (let attempt = 1; attempt <= 3; attempt++) {
      await press(buttonFor(await atTheWallet(session), 'do', 'decline'));
      expect((await shop.session(session.text('id'))).value).toMatchObject({
        status: 'pending',
        provider: null,
        attempts: attempt,
      });
    }
    await press(buttonFor(await shop.startAndLogIn(session), 'do', 'cancel'));
    expect(await status()).toBe('pending');
    const over = await press(buttonFor(await atTheWallet(session), 'do', 'decline'));
    expect(await status()).toBe('failed');
    expect(new URL(over.url).searchParams.get('status')).toBe('failed');
    const page = await open(session.text('checkout_url'));
    expect(page.buttons.filter(({ fields }) => fields.has('provider'))).toEqual([]);
  });

  test.concurrent.each(['wrong_amount', 'ambiguous'])(
    'row 18: %s of wallet_a leaves the payment as it is, for review, and is never taken as paid',
    async (outcome) => {
      const shop = await galla().merchant();
      const session = await shop.checkout({ metadata: { sandbox_outcome: outcome } });
      const id = session.text('id');
      await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_a'));
      // nobody posts the form: the simulated buyer does, at our first look-up
      await shop.advance(4);
      const reviewed = await eventually(
        async () => {
          const now = await shop.session(id);
          return now.at('needsReview') === true ? now : null;
        },
        () => 'a review',
      );
      expect(reviewed.at('status')).toBe('initiated');
      const payment = await attempt(shop, session);
      expect(payment.value).toMatchObject({ status: 'processing', needsReview: true, paidAt: null });
      const events = await shop.events('payment.succeeded,payment.failed', payment.text('id'));
      expect(events).toEqual([]);
    },
  );

  test.concurrent('row 20: a genuine return of wallet_a, ten times at another payment and at its own, pays nothing more', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    const back = await press(buttonFor(await atTheWallet(session), 'do', 'pay'));
    const paid = await shop.untilStatus(session.text('id'), 'success');
    const genuine = back.hops[0]?.to ?? '';
    expect(genuine).toContain(paid.text('paymentId'));
    const victim = await shop.checkout();
    await atTheWallet(victim);
    const id = (await attempt(shop, victim)).text('id');
    const elsewhere = genuine.replace(paid.text('paymentId'), id);
    const tenTimes = async (url: string): Promise<void> => {
      const pages = await Promise.all(Array.from({ length: 10 }, () => open(url)));
      expect(pages.filter(({ status }) => status >= 500)).toEqual([]);
    };
    await tenTimes(elsewhere);
    await tenTimes(genuine);
    expect((await shop.payment(id)).value).toMatchObject({ status: 'processing', providerRef: null });
    expect((await shop.session(victim.text('id'))).value).toMatchObject({ status: 'initiated' });
    expect((await shop.session(session.text('id'))).value).toEqual(paid.value);
    const told = await shop.untilEvents(1, 'payment.succeeded');
    expect(told.map((event) => event.at('data.id'))).toEqual([paid.at('paymentId')]);
  });

  test.concurrent('row 20: a forged return of wallet_a pays nothing', async () => {
    const shop = await galla().merchant();
    const session = await shop.checkout();
    await atTheWallet(session);
    const { value } = await attempt(shop, session);
    const { id } = value as { id: string };
    const forged = Buffer.from(
      JSON.stringify({
        transaction_code: '000FAKE',
        status: 'COMPLETE',
        total_amount: '1250.50',
        transaction_uuid: id.replace('_', '-'),
        product_code: 'EPAYTEST',
        signed_field_names: 'status,total_amount,transaction_uuid,product_code',
        signature: 'A'.repeat(43) + '=',
      }),
    ).toString('base64');
    await open(`${galla().url}/return/wallet_a/${id}/web/success?data=${encodeURIComponent(forged)}`);
    expect((await shop.payment(id)).value).toMatchObject({ status: 'processing', providerRef: null });
    const timeline = await shop.api.must('GET', `/v1/payments/${id}/timeline`);
    expect(timeline.text).toContain('a signature that does not hold');
  });
});
