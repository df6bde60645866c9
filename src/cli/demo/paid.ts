/** First part of the demo: a buyer pays; the shop receives the webhook and verifies it. */
import { randomUUID } from 'node:crypto';
import { buttonFor, open, press, waitThere, type Page } from './buyer.ts';
import type { Body } from './api.ts';
import { verifyByHand, verifyStandard } from './signature.ts';
import { eventually, expect } from './printer.ts';
import type { World } from './world.ts';

const amount = 125_050;
const amountShown = 'NPR 1,250.50';
/** A test buyer of the simulated wallet. */
export const testBuyer = { mobile: '9800000000', mpin: '1111', otp: '987654' } as const;

export async function showPaid(world: World): Promise<void> {
  const { printer, shop } = world;
  printer.chapter('A payment');
  await printer.step('The shop registers its webhook endpoint', () => registerEndpoint(world));
  const session = await printer.step('It creates a checkout, and asks again with the same key', () =>
    createTwice(world),
  );
  const hosted = await printer.step('The buyer opens the hosted page, without script', () =>
    openPage(session),
  );
  const wallet = await printer.step('picks wallet_b and stands at the provider', () => pickWallet(hosted));
  const pay = await printer.step('logs in there', () => logIn(wallet));
  await printer.step('presses Pay and comes back to the shop', async () => {
    const from = shop.returns.length;
    const back = await waitThere(await press(buttonFor(pay, 'do', 'pay')), ({ url }) =>
      url.startsWith(shop.url),
    );
    expect(
      back.url.startsWith(shop.url),
      `the buyer stands at ${back.url} ("${back.title}"), not at the shop`,
    );
    const seen = shop.returns.slice(from).find(({ sessionId }) => sessionId === session.text('id'));
    expect(seen?.status === 'success', `the shop saw status ${seen?.status ?? 'nothing'}`);
    return { value: null, facts: [['redirects', `${back.hops.length}, the last with status=success`]] };
  });
  await printer.step('The webhook arrives; both signatures verify', () => hear(world, session));
  await printer.step('The payment, the session and the event log agree', () => agree(world, session));
}

async function registerEndpoint(world: World) {
  const answer = await world.api.must('POST', '/v1/webhooks', {
    url: `${world.shop.url}/hooks`,
    description: 'Demo shop',
  });
  world.webhookSecret = answer.body.text('signing_secret');
  const secret = `${world.webhookSecret.slice(0, 12)}... (shown once)`;
  return {
    value: null,
    facts: [
      ['endpoint', answer.body.text('id')],
      ['url', answer.body.text('url')],
      ['secret', secret],
    ] as const,
  };
}

async function createTwice({ api, shop }: World) {
  const idempotencyKey = randomUUID();
  const body = {
    amount,
    returnUrl: `${shop.url}/return`,
    description: 'Order 1001',
    referenceId: 'A-1001',
    customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000' },
    metadata: { order_id: '1001' },
  };
  const first = await api.must('POST', '/v1/checkout', body, { idempotencyKey });
  const again = await api.must('POST', '/v1/checkout', body, { idempotencyKey });
  expect(first.text === again.text, 'the repeated request was answered with other bytes');
  expect(again.headers.get('idempotent-replayed') === 'true', 'the repeated request was executed again');
  const facts = [
    ['session', first.body.text('id')],
    ['status', `${first.status} ${first.body.text('status')}, sandbox`],
    ['again', `same ${Buffer.byteLength(again.text)} bytes, Idempotent-Replayed: true`],
  ] as const;
  return { value: first.body, facts };
}

async function openPage(session: Body) {
  const page = await open(session.text('checkout_url'));
  expect(page.status === 200, `the hosted page answered ${page.status}`);
  expect(page.words.includes(amountShown), `the hosted page does not show ${amountShown}`);
  return {
    value: page,
    facts: [
      ['address', page.url],
      ['page', `"${page.title}", shows ${amountShown}`],
    ] as const,
  };
}

async function pickWallet(hosted: Page) {
  const page = await press(buttonFor(hosted, 'provider', 'wallet_b'));
  expect(
    page.status === 200 && page.url.includes('/sim/wallet_b'),
    `the buyer stands at ${page.url} (${page.status})`,
  );
  return { value: page, facts: [['handed over', `${page.hops[0]?.status ?? 0} to ${page.url}`]] as const };
}

/** Logs in at the simulated wallet; a page without a log-in form is left as it is. */
export async function logIn(wallet: Page) {
  const login = wallet.buttons.find(({ fields }) => fields.has('mpin'));
  if (login === undefined) return { value: wallet, facts: [] };
  const page = await press(login, testBuyer);
  expect(page.status === 200, `the log-in answered ${page.status}`);
  return {
    value: page,
    facts: [['buyer', `${testBuyer.mobile}, MPIN ${testBuyer.mpin}, OTP ${testBuyer.otp}`]] as const,
  };
}

async function hear({ shop, webhookSecret, api }: World, session: Body) {
  const current = await api.must('GET', `/v1/checkout/${session.text('id')}`);
  const paymentId = current.body.text('paymentId');
  const heard = await shop.webhook(
    ({ type, objectId }) => type === 'payment.succeeded' && objectId === paymentId,
  );
  verifyStandard(heard, webhookSecret);
  verifyByHand(heard, webhookSecret);
  const facts = [
    ['event', heard.id],
    ['kind', `${heard.type}, ${heard.raw.length} bytes`],
    ['verified', 'webhook-signature by standardwebhooks, X-Webhook-Signature by hand'],
  ] as const;
  return { value: heard, facts };
}

async function agree({ api, shop }: World, session: Body) {
  const { body: paid } = await api.must('GET', `/v1/checkout/${session.text('id')}`);
  const { body: payment } = await api.must('GET', `/v1/payments/${paid.text('paymentId')}`);
  const event = await eventually('payment.succeeded in GET /v1/events', 5000, async () => {
    const { body } = await api.must(
      'GET',
      `/v1/events?type=payment.succeeded&objectId=${payment.text('id')}`,
    );
    expect(body.list('data').length <= 1, 'there is more than one payment.succeeded');
    return body.list('data')[0] ?? null;
  });
  const heard = await shop.webhook(({ id }) => id === event.text('id'));
  expect(
    heard.raw.toString('utf8') === JSON.stringify(event.value),
    'the event log and the webhook tell different bytes',
  );
  expect(
    paid.at('status') === 'success' && payment.at('status') === 'success',
    `session ${paid.text('status')}, payment ${payment.text('status')}`,
  );
  expect(payment.at('amount') === amount, `the payment is of ${String(payment.at('amount'))} paisa`);
  const facts = [
    ['payment', `${payment.text('id')}, ${payment.text('status')}, ${String(payment.at('amount'))} paisa`],
    ['reference', `${payment.text('providerRef')} at ${payment.text('provider')}`],
    ['event', `${event.text('id')}, the same bytes as the webhook`],
  ] as const;
  return { value: null, facts };
}
