/** The demo's part on payments in a provider's app: switched on, paid in the app, and on the web when the app is not
 *  there. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Api, type Body } from './api.ts';
import { buttonFor, buttonOf, open, press, type Page } from './buyer.ts';
import { expect } from './printer.ts';
import type { LoneWorld } from './world.ts';

const price = 75_000;
const phone =
  'Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';
const testBuyer = { id: '9806800001', password: 'Nepal@123', mpin: '1122', token: '123456' };

export async function showInApp(world: LoneWorld): Promise<void> {
  const { printer } = world;
  printer.chapter("In the wallet's app");
  await printer.step('The merchant switches app payments of wallet_a on', () => switchOn(world));
  await printer.step("A buyer pays in the app; the wallet's server reports it", () => payInApp(world));
  await printer.step('A buyer without the app pays on the web: the same payment', () => payOnWeb(world));
}

async function switchOn({ options, api }: LoneWorld) {
  const token = (await readFile(join(options.dataDir, 'admin-token'), 'utf8')).trim();
  const { body: paid } = await api.must('GET', '/v1/payments?limit=1');
  const path = `/admin/v1/projects/${paid.text('data.0.projectId')}/providers/wallet_a`;
  const { body } = await new Api(api.baseUrl, token).must('PUT', path, { mode: 'sandbox', appIntent: true });
  return { value: null, facts: [['appIntent', String(body.at('appIntent'))]] as const };
}

async function started({ api, shop }: LoneWorld): Promise<{ session: Body; payment: Body; page: Page }> {
  const fields = { amount: price, returnUrl: `${shop.url}/return` };
  const { body: session } = await api.must('POST', '/v1/checkout', fields);
  const page = await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_a'));
  const { body } = await api.must('GET', `/v1/payments?sessionId=${session.text('id')}`);
  const [payment] = body.list('data');
  if (payment === undefined) throw new Error('no attempt was started');
  return { session, payment, page };
}

/** The simulator's link and its app, by the payment they are of. */
const slugOf = (payment: Body): string => `d${payment.text('id').slice('pay_'.length)}`;

async function payInApp(world: LoneWorld) {
  const { api, shop } = world;
  const { session, payment } = await started(world);
  const link = `${api.baseUrl}/sim/wallet_a/pay/${slugOf(payment)}`;
  const onPhone = await fetch(link, { redirect: 'manual', headers: { 'user-agent': phone } });
  const opens = onPhone.headers.get('location') ?? '';
  expect(opens.startsWith('intent://'), `the link leads a phone to "${opens}"`);
  const app = await open(`${api.baseUrl}/sim/wallet_a/app/?d=${slugOf(payment)}`);
  await press(buttonFor(app, 'do', 'pay'));
  const heard = await shop.webhook(
    ({ type, objectId }) => type === 'payment.succeeded' && objectId === payment.text('id'),
  );
  const { body: now } = await api.must('GET', `/v1/checkout/${session.text('id')}`);
  expect(now.at('status') === 'success', `the session is ${now.text('status')}`);
  return {
    value: null,
    facts: [
      ['the link', `302 ${opens}`],
      ['event', `${heard.id}, ${heard.type}`],
      ['payment', `${payment.text('id')}, wallet_a, like any other`],
    ] as const,
  };
}

async function payOnWeb(world: LoneWorld) {
  const { api } = world;
  const { session, payment, page } = await started(world);
  const form = await press(buttonOf(page, /web/i));
  const wallet = await press(buttonOf(form, /Continue to Wallet A/));
  await press(buttonFor(await press(buttonOf(wallet, /Log in/), testBuyer), 'do', 'pay'));
  const { body: now } = await api.must('GET', `/v1/checkout/${session.text('id')}`);
  expect(now.at('paymentId') === payment.at('id'), 'another payment has paid');
  expect(now.at('attempts') === 1, `the session has ${String(now.at('attempts'))} attempts`);
  return {
    value: null,
    facts: [
      ['session', `${now.text('status')} after one attempt`],
      ['payment', `${payment.text('id')}, the one that was booked in the app`],
    ] as const,
  };
}
