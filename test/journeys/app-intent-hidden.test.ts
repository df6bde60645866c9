/** What the app of wallet_a calls a payment is shown on the dashboard's page of that payment, and nowhere else: every
 *  answer, webhook, event, socket message, stream, file, receipt, page, line of the log and metric is searched.
 *  1. The service is a process of its own, so that its output is all of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { entry } from '../faults/run.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf, type House } from '../support/galla.ts';
import { Merchant } from '../support/merchant.ts';
import { forgetScreens, Screen } from '../support/screen.ts';
import { StreamReader } from '../gateways/sse/reader.ts';

const operatorToken = 'an-operator-token-of-this-test-77b1';

let dataDir = '';
let service: Service;
let house: House;
let printed = '';
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'galla-hidden-'));
  service = await Service.start({
    dataDir,
    entry,
    printed: (text) => (printed += text),
    env: {
      LOG_LEVEL: 'trace',
      GALLA_RATE_LIMITS: 'off',
      GALLA_ADMIN_TOKEN: operatorToken,
      WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on',
    },
  });
  house = await houseOf(new Api(service.url, operatorToken), () => Promise.resolve());
}, 30_000);
afterAll(async () => {
  await house.stop();
  await service.kill();
  await rm(dataDir, { recursive: true, force: true });
});
afterEach(forgetScreens);

test('row 85: the ids of the booking are on the dashboard page of the payment and nowhere else', async () => {
  const person = { email: 'app@shop.example', password: 'a long password of this test' };
  const { projectId } = await merchantWithLogin(house.admin, person);
  const key = await house.key(projectId, { kind: 'secret', mode: 'sandbox' });
  const shop = new Merchant(projectId, new Api(service.url, key), new Api(service.url, key));
  await house.admin.must('PUT', `/admin/v1/projects/${projectId}/providers/wallet_a`, {
    mode: 'sandbox',
    appIntent: true,
  });
  const server = await house.shop();
  const { id: endpoint } = await shop.endpoint(server);
  const screen = await Screen.of(key, service.url);
  const stream = await StreamReader.open({
    port: Number(new URL(service.url).port),
    path: '/v1/events/stream',
    headers: [`Authorization: Bearer ${key}`],
    patienceMs: 20_000,
  });
  const seen: string[] = [];
  const read = async (path: string, headers: { readonly [name: string]: string } = {}): Promise<string> => {
    const { text, status } = await shop.api.send('GET', path, { headers });
    expect([path, status]).toEqual([path, 200]);
    seen.push(text);
    return text;
  };

  const session = await shop.checkout({ metadata: { order_id: 'A-85' }, returnUrl: `${server.url}/return` });
  const id = session.text('id');
  const page = await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_a'));
  seen.push(page.html, session.text('id'));
  await read(`/pay/${id}/status`);
  const { body } = await shop.api.must('GET', `/v1/payments?sessionId=${id}`);
  const paymentId = body.text('data.0.id');
  const dashboard = new Page(service.url);
  await dashboard.logIn(person);
  const base = `/dashboard/api/${projectId}/sandbox`;
  const shown = (await dashboard.get(`${base}/payments/${paymentId}`)).body;
  const { bookingId, correlationId } = shown.at('walletAIntent') as {
    bookingId: string;
    correlationId: string;
  };
  expect([bookingId, correlationId]).toEqual([expect.stringMatching(/^BK-/), expect.stringMatching(/^CR-/)]);

  const app = await open(`${service.url}/sim/wallet_a/app/?d=d${paymentId.slice(4)}`);
  const back = await press(buttonFor(app, 'do', 'pay'));
  seen.push(back.html, ...back.hops.map(({ to }) => to));
  await shop.untilStatus(id, 'success');
  await screen.until('change', (change) => change.at('data.status') === 'success');
  await server.webhook(({ type }) => type === 'payment.succeeded');
  await stream.hears(3);
  await shop.advance(130);

  for (const path of [
    `/v1/checkout/${id}`,
    '/v1/checkout?limit=100',
    `/v1/payments/${paymentId}`,
    '/v1/payments?limit=100',
    `/v1/payments/${paymentId}/timeline?limit=100`,
    `/v1/payments/${paymentId}/receipt`,
    '/v1/events?limit=100',
    '/v1/providers',
    '/v1/webhooks',
    `/v1/webhooks/${endpoint}/deliveries`,
    '/v1/test/messages',
    `/v1/public/payment-status?query=${id}`,
    `/status?query=${id}`,
  ])
    await read(path);
  await read('/v1/payments', { accept: 'text/csv' });
  await read('/v1/checkout', { accept: 'text/csv' });
  for (const path of [
    '/checkout',
    '/payments',
    `/payments/${paymentId}/timeline`,
    '/requests',
    '/events',
    '/today',
  ])
    seen.push((await dashboard.get(`${base}${path}`)).text);
  seen.push((await house.admin.get('/metrics')).text, (await house.nobody.get('/metrics')).text);
  seen.push(
    JSON.stringify(screen.heard),
    ...stream.news,
    ...server.webhooks.map(({ raw }) => raw.toString('utf8')),
  );
  await eventually(
    async () => (printed.includes(paymentId) || printed.length > 0 ? true : null),
    () => 'the log',
  );
  for (const label of [bookingId, correlationId, 'wallet_a_intent', 'walletAIntent']) {
    expect(seen.filter((text) => text.includes(label))).toEqual([]);
    expect(printed).not.toContain(label);
  }
  stream.leave();
}, 60_000);
