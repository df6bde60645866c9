/** Live payments by all five providers, from the hosted page or the invoice to the refund. The providers are a second
 *  process, which words its answers as their public documents do. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { buttonFor, buttonOf, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import { providers } from '../../src/providers/registry.ts';
import { Page as DashboardPage } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { House } from '../support/galla.ts';
import { invoiceSession } from '../support/invoice-session.ts';
import { liveHosts, startLiveProviders, type LiveProviders } from '../support/live-providers.ts';
import { Merchant } from '../support/merchant.ts';
import { describeModesAlone } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';

const { port, env: hosts } = await liveHosts();
const provider = `http://127.0.0.1:${port}`;
let live: LiveProviders;
beforeAll(async () => void (live = await startLiveProviders(port)));
afterAll(() => live.stop());

const logins = {
  bank_a: { user: 'testbuyer1', password: 'Bank@123' },
  wallet_c: { wallet: '9841414141', pin: '0000', otp: '000000' },
  wallet_a: { id: '9806800001', password: 'Nepal@123', mpin: '1122', token: '123456' },
  wallet_b: { mobile: '9800000000', mpin: '1111', otp: '987654' },
};
/** How soon a change of settings takes effect on every node. */
const feltMsMax = 5000;
const shopUrl = 'https://shop.example/return';

interface LiveShop {
  readonly projectId: string;
  readonly api: Api;
  readonly sandbox: Api;
  configure(provider: string, credentials?: object): Promise<void>;
  checkout(fields?: object): Promise<Body>;
  /** The session once it is in this status, and its payment. */
  until(session: Body, status: string): Promise<Body>;
}

async function liveShop(galla: House): Promise<LiveShop> {
  const { body } = await galla.admin.must('POST', '/admin/v1/merchants', {
    name: 'Live Store',
    email: `live.${performance.now()}@example.com`,
    plan: 'premium',
  });
  const projectId = body.text('project.id');
  const [api, sandbox] = await Promise.all(
    (['live', 'sandbox'] as const).map(async (mode) =>
      galla.with(await galla.key(projectId, { kind: 'secret', mode })),
    ),
  );
  if (api === undefined || sandbox === undefined) throw new Error('two keys were made');
  return {
    projectId,
    api,
    sandbox,
    async configure(name, credentials = providers.get(name as 'wallet_a')?.sandboxCredentials ?? {}) {
      const path = `/admin/v1/projects/${projectId}/providers/${name}`;
      await galla.admin.must('PUT', path, { mode: 'live', credentials });
      // every node knows it, and not only the one that was asked
      await eventually(
        async () => {
          const asked = galla.urls.map((url) => new Api(url, api.key).must('GET', '/v1/providers'));
          const known = (await Promise.all(asked)).map(({ body }) =>
            body
              .list('data')
              .find((each) => each.at('id') === name)
              ?.at('configured'),
          );
          return known.every((is) => is === true) || null;
        },
        () => `every node to know the credentials of ${name}`,
        feltMsMax,
      );
    },
    checkout: async (fields = {}) =>
      (await api.must('POST', '/v1/checkout', { amount: 125_050, returnUrl: shopUrl, ...fields })).body,
    until: (session, status) =>
      eventually(
        async () => {
          const found = (await api.must('GET', `/v1/checkout/${session.text('id')}`)).body;
          if (found.at('status') !== status) return null;
          return (
            (await api.must('GET', `/v1/payments?sessionId=${found.text('id')}`)).body.list('data')[0] ?? null
          );
        },
        () => `the live session to be ${status}`,
      ),
  };
}

/** Opens an invoice's payment page and follows a provider to its own page, at its own host, and logs in there. */
async function atTheInvoicesProvider(
  url: string,
  name: 'bank_a' | 'wallet_c',
  login: { readonly [field: string]: string } = logins[name],
): Promise<Page> {
  const handover = await press(buttonFor(await open(url), 'provider', name));
  const page = await press(buttonOf(handover, /^Continue to/));
  expect(new URL(page.url).origin).toBe(live.pageUrl);
  return press(buttonOf(page, /Log in/), login);
}

/** The latest payment of the invoice once it is in this status. */
const untilPaid = (api: Api, invoiceId: string, status: string): Promise<Body> =>
  eventually(
    async () => {
      const [found] = (await api.must('GET', `/v1/payments?invoiceId=${invoiceId}`)).body.list('data');
      return found?.at('status') === status ? found : null;
    },
    () => `the payment of the invoice to be ${status}`,
  );

const timelineOf = async (api: Api, payment: Body): Promise<string> =>
  (await api.must('GET', `/v1/payments/${payment.text('id')}/timeline`)).text;

/** Without the marks of a text inside a text. */
const plainTimelineOf = async (api: Api, payment: Body): Promise<string> =>
  (await timelineOf(api, payment)).replaceAll('\\', '');

/** Picks a wallet on the hosted page, follows it to the provider, and logs in there. */
async function atTheWallet(session: Body, wallet: 'wallet_a' | 'wallet_b'): Promise<Page> {
  const chooser = await open(session.text('checkout_url'));
  const picked = await press(buttonFor(chooser, 'provider', wallet));
  const page = wallet === 'wallet_a' ? await press(buttonOf(picked, /Continue to Wallet A/)) : picked;
  expect(new URL(page.url).origin).toBe(provider);
  return press(buttonOf(page, /Log in/), logins[wallet]);
}

const backAtTheShop = (session: Body): string => `${shopUrl}?session_id=${session.text('id')}&status=success`;

describeModesAlone(
  'live payments',
  (galla) => {
    test('wallet_b: paid at the provider, looked up, reported, refunded; row 89: live objects say that they are', async () => {
      const shop = await liveShop(galla());
      expectRefusal(
        await shop.api.post('/v1/checkout', { amount: 1000, returnUrl: shopUrl }),
        'provider_not_configured',
      );
      await shop.configure('wallet_b');
      const endpoint = await shop.api.must('POST', '/v1/webhooks', { url: 'https://shop.example/hooks' });
      const session = await shop.checkout({ metadata: { sandbox_outcome: 'declined' } });
      const chooser = await open(session.text('checkout_url'));
      expect(chooser.words).not.toMatch(/sandbox|no real money/i);
      expect(chooser.buttons.flatMap(({ fields }) => fields.get('provider') ?? [])).toEqual(['wallet_b']);
      // browsers follow the redirect of a form only where the page allows it
      expect(chooser.headers.get('content-security-policy')).toContain(` ${provider}`);
      const wallet = await atTheWallet(session, 'wallet_b');
      const back = await press(buttonFor(wallet, 'do', 'pay'));
      expect(back.url).toBe(backAtTheShop(session));

      const payment = await shop.until(session, 'success');
      // the outcome is plain metadata in live
      expect(payment.value).toMatchObject({
        livemode: true,
        status: 'success',
        provider: 'wallet_b',
        metadata: { sandbox_outcome: 'declined' },
      });
      const id = payment.text('id');
      // signed and sent to public https hosts only, so here the log of the endpoint is read
      const log = `/v1/webhooks/${endpoint.body.text('id')}/deliveries?eventType=payment.succeeded`;
      const delivery = await eventually(
        async () => (await shop.api.must('GET', log)).body.list('data')[0] ?? null,
        () => 'the delivery of the event',
      );
      expect(delivery.at('payload')).toMatchObject({ livemode: true, data: { id, livemode: true } });
      const event = (await shop.api.must('GET', `/v1/events/${delivery.text('eventId')}`)).body;
      expect(event.value).toMatchObject({ livemode: true, type: 'payment.succeeded', data: { id } });

      const refund = await shop.api.must('POST', '/v1/refunds', {
        paymentId: id,
        amount: 125_050,
        reason: 'other',
      });
      expect(refund.body.value).toMatchObject({ livemode: true, status: 'succeeded' });
      expect(endpoint.body.at('livemode')).toBe(true);
      expect((await open(wallet.url)).words).toMatch(/Refunded/);
    });

    test('wallet_a: the signed form is accepted by the provider, and the return comes back here', async () => {
      const shop = await liveShop(galla());
      await shop.configure('wallet_a');
      const session = await shop.checkout({ flow: 'redirect', provider: 'wallet_a', amount: 100_000 });
      const back = await press(buttonFor(await atTheWallet(session, 'wallet_a'), 'do', 'pay'));
      expect(back.url).toBe(backAtTheShop(session));
      expect((await shop.until(session, 'success')).value).toMatchObject({
        livemode: true,
        provider: 'wallet_a',
        amount: 100_000,
      });
    });

    test('qr_a: a code on the hosted page and one of Direct-QR, scanned by a phone at the provider', async () => {
      const shop = await liveShop(galla());
      const order = { amount: 125_050, customer: { name: 'Asha Rai', email: 'asha@example.com' } };
      expectRefusal(await shop.api.post('/v1/qr/qr_a', order), 'provider_not_configured');
      await shop.configure('qr_a');
      const pays = async (prn: string): Promise<void> => {
        const phone = await open(`${provider}/sim/qr_a/?prn=${prn}`);
        expect((await press(buttonFor(phone, 'do', 'pay'))).words).toContain('Paid');
      };
      const session = await shop.checkout();
      const page = await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'qr_a'));
      expect(page.title).toContain('Scan to pay with QR A');
      expect(page.html).not.toContain('/sim/');
      const running = await shop.until(session, 'initiated');
      // the network says `failed` of a code that nobody has paid: that ends nothing
      await eventually(
        async () => ((await timelineOf(shop.api, running)).includes('Lookup: declined') ? true : null),
        () => 'a look-up that says failed',
      );
      expect((await shop.until(session, 'initiated')).at('failureCode')).toBeNull();
      await pays(running.text('id').replace('_', '-'));
      const paid = await shop.until(session, 'success');
      expect(paid.at('livemode')).toBe(true);
      expect(paid.text('providerRef')).toMatch(/^\d+$/);
      expect(await timelineOf(shop.api, running)).toContain('networkTraceId');

      const code = (await shop.api.must('POST', '/v1/qr/qr_a', order)).body;
      expect(code.text('qr_message')).toMatch(/6304(?=.*[a-f\d])[a-f\d]{4}$/);
      const [prn = ''] = /pay-[0-9a-z]{16}/.exec(code.text('qr_message')) ?? [];
      await pays(prn);
      expect((await shop.until(code, 'success')).at('provider')).toBe('qr_a');
    });

    test('qr_a: a refused merchant code is told as such, and not as an outage', async () => {
      const shop = await liveShop(galla());
      const credentials = providers.get('qr_a')?.sandboxCredentials ?? {};
      await shop.configure('qr_a', { ...credentials, merchantCode: 'XXXX' });
      const order = { amount: 125_050, customer: { name: 'Asha Rai', email: 'asha@example.com' } };
      const refused = await shop.api.post('/v1/qr/qr_a', order);
      expectRefusal(refused, 'provider_unavailable');
      expect(refused.body.text('error.message')).toContain('refused our credentials');
      const operator = new DashboardPage(galla().urls[0] ?? '');
      const password = galla().admin.key ?? '';
      expect((await operator.logIn({ email: 'operator', password })).status).toBe(200);
      const path = `/dashboard/api/${shop.projectId}/live/provider-incidents`;
      const [incident] = await eventually(
        async () => {
          const open = (await operator.get(path)).body.list('open');
          return open.length > 0 ? open : null;
        },
        () => 'an incident of the refusal',
      );
      expect(incident?.value).toMatchObject({ provider: 'qr_a', kind: 'refused' });
      await shop.configure('qr_a');
      const accepted = await shop.api.post('/v1/qr/qr_a', order);
      expect(accepted.status).toBe(201);
    });

    test.each(['bank_a', 'wallet_c'] as const)(
      '%s: an invoice is paid at its page, at another host than its calls',
      async (name) => {
        live.returnsTo(galla().url);
        const shop = await liveShop(galla());
        await shop.configure(name);
        const { url, invoiceId } = await invoiceSession(new Merchant(shop.projectId, shop.api, shop.api));
        const back = await press(buttonFor(await atTheInvoicesProvider(url, name), 'do', 'pay'));
        const home = name === 'bank_a' ? live.registeredUrl : galla().url;
        expect(back.hops.map(({ to }) => to).join(' ')).toContain(`${home}/return/${name}/`);
        const payment = await untilPaid(shop.api, invoiceId, 'success');
        expect(payment.value).toMatchObject({ livemode: true, provider: name });
        if (name === 'wallet_c')
          await eventually(
            async () => ((await timelineOf(shop.api, payment)).includes('"provider_callback"') ? true : null),
            () => "the call of the wallet's server",
          );
      },
    );

    test('bank_a: whichever word says that it is credited, it is paid without a review, and only a charge that the merchant bears is its fee', async () => {
      live.returnsTo(galla().url);
      const shop = await liveShop(galla());
      await shop.configure('bank_a');
      const merchant = new Merchant(shop.projectId, shop.api, shop.api);
      const booked = [
        ['MN', '000', 1000],
        ['MN', '999', 1000],
        ['MN', 'DEFER', 1000],
        ['CG', '000', null],
        ['CG', '999', null],
        ['CG', 'DEFER', null],
      ] as const;
      for (const [at, [liability, credit, fee]] of booked.entries()) {
        // 1200 is a multiple of the six that the bank takes in turn
        const { url, invoiceId } = await invoiceSession(merchant, { amount: 120_000 + at * 100 });
        await press(buttonFor(await atTheInvoicesProvider(url, 'bank_a'), 'do', 'pay'));
        const payment = await untilPaid(shop.api, invoiceId, 'success');
        expect(await plainTimelineOf(shop.api, payment)).toContain(
          `"creditStatus":"${credit}","chargeLiability":"${liability}"`,
        );
        expect(payment.value).toMatchObject({ fee, needsReview: false, amount: 120_000 + at * 100 });
      }
    });

    test('bank_a: FAILED with a text of the bank is a failed payment, and the invoice can be paid again', async () => {
      live.returnsTo(galla().url);
      const shop = await liveShop(galla());
      await shop.configure('bank_a');
      const { url, invoiceId } = await invoiceSession(new Merchant(shop.projectId, shop.api, shop.api));
      await press(buttonFor(await atTheInvoicesProvider(url, 'bank_a'), 'do', 'decline'));
      const failed = await untilPaid(shop.api, invoiceId, 'failed');
      expect(failed.at('failureCode')).toBe('declined');
      expect(await timelineOf(shop.api, failed)).toContain('DECLINED BY DEBTOR BANK');
      await press(buttonFor(await atTheInvoicesProvider(url, 'bank_a'), 'do', 'pay'));
      await untilPaid(shop.api, invoiceId, 'success');
    });

    test('wallet_c: one OTP of its test host stays pending, another one fails', async () => {
      live.returnsTo(galla().url);
      const shop = await liveShop(galla());
      await shop.configure('wallet_c');
      const merchant = new Merchant(shop.projectId, shop.api, shop.api);
      for (const [otp, status] of [
        ['111111', 'processing'],
        ['222222', 'failed'],
      ] as const) {
        const { url, invoiceId } = await invoiceSession(merchant);
        await atTheInvoicesProvider(url, 'wallet_c', { ...logins.wallet_c, otp });
        const payment = await untilPaid(shop.api, invoiceId, status);
        await eventually(
          async () =>
            (await timelineOf(shop.api, payment)).includes(status === 'failed' ? 'FAILED' : 'PENDING')
              ? true
              : null,
          () => `a look-up that says ${status}`,
        );
      }
    });

    test("wrong credentials stop one merchant's payments, and no other merchant's", async () => {
      const [wrong, right] = [await liveShop(galla()), await liveShop(galla())];
      await Promise.all([
        wrong.configure('wallet_b', { secretKey: 'wrong_key' }),
        right.configure('wallet_b'),
      ]);
      for (let tries = 0; tries < 6; tries++) {
        const session = await wrong.checkout();
        const page = await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_b'));
        expect(page.words).toMatch(/could not be started|did not answer|try again/i);
        expect((await wrong.until(session, 'pending')).value).toMatchObject({
          status: 'failed',
          failureCode: 'provider_error',
        });
      }
      const session = await right.checkout();
      const back = await press(buttonFor(await atTheWallet(session, 'wallet_b'), 'do', 'pay'));
      expect(back.url).toBe(backAtTheShop(session));
      // once they are right, the same merchant can be paid
      await wrong.configure('wallet_b');
      const again = await wrong.checkout();
      expect((await atTheWallet(again, 'wallet_b')).status).toBe(200);
    });

    test('row 89: objects of the sandbox say that they are not live', async () => {
      const { sandbox } = await liveShop(galla());
      const endpoint = await sandbox.must('POST', '/v1/webhooks', { url: 'https://shop.example/hooks' });
      expect(endpoint.body.at('livemode')).toBe(false);
      const made = await sandbox.must('POST', '/v1/checkout', {
        amount: 125_050,
        returnUrl: shopUrl,
        metadata: { sandbox_outcome: 'success' },
      });
      await press(buttonFor(await open(made.body.text('checkout_url')), 'provider', 'wallet_b'));
      const paid = await eventually(
        async () => {
          const [one] = (
            await sandbox.must('GET', `/v1/payments?sessionId=${made.body.text('id')}`)
          ).body.list('data');
          return one?.at('status') === 'success' ? one : null;
        },
        () => 'the sandbox payment to be paid',
      );
      const refund = { paymentId: paid.text('id'), amount: 1000, reason: 'other' };
      expect((await sandbox.must('POST', '/v1/refunds', refund)).body.at('livemode')).toBe(false);
    });
  },
  hosts,
);
