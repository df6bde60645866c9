/** The simulated wallet_c over real HTTP: its session call, form and page, its look-up, and its server's call. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Payment } from '../../../../actors/checkout-session/attempt.ts';
import type { LogEntry } from '../../../../actors/simulated-payment/messages.ts';
import { minutes, seconds } from '../../../../src/kernel/time.ts';
import { eventually } from '../../../support/eventually.ts';
import { formOf, openWorld, type HttpAnswer, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.faults());

type Texts = { readonly [name: string]: string };
const buyer = { wallet: '9841414141', pin: '0000', otp: '000000' };
const started = async (): Promise<Payment> =>
  world.start(await world.open({ source: 'invoice' }), 'wallet_c');
const fieldsOf = (payment: Payment): Texts => payment.legs[0].instructions?.fields ?? {};
const post = (payment: Payment, more: Texts = {}): Promise<HttpAnswer> =>
  world.http('POST', '/sim/wallet_c/gateway', formOf({ ...fieldsOf(payment), ...more }));
const press = (payment: Payment, act: string, more: Texts = {}): Promise<HttpAnswer> =>
  world.http(
    'POST',
    '/sim/wallet_c/',
    formOf({ session_id: fieldsOf(payment)['session_id'] ?? '', do: act, ...more }),
  );
const come = async ({ headers }: HttpAnswer): Promise<HttpAnswer> => {
  const { pathname, search } = new URL(String(headers['location']), world.url);
  return world.http('GET', `${pathname}${search}`);
};
async function entered(): Promise<Payment> {
  const payment = await started();
  expect((await post(payment)).status).toBe(303);
  expect((await press(payment, 'login', buyer)).status).toBe(303);
  return payment;
}
const reference = (payment: Payment): string => payment.id.replace('_', '-');
const sessionIdOf = async (payment: Payment): Promise<string> =>
  (await world.simulated(payment.id)).sessionId;

/** The calls of its server that were sent, once there are so many. */
const calls = (payment: Payment, count: number): Promise<readonly LogEntry[]> =>
  eventually(
    async () => {
      const { log } = await world.simulated(payment.id);
      const sent = log.filter(({ call }) => call === 'callback');
      return sent.length >= count ? sent : null;
    },
    () => `${count} calls of the wallet's server`,
  );

describe('a start', () => {
  test('is a session by our call, then a form by the browser that leads to the log-in', async () => {
    const payment = await started();
    // a test clock runs on between the two sides
    const ends = (await world.simulated(payment.id)).lifeEndsAt ?? 0;
    expect(Math.abs((payment.legs[0].providerExpiresAt ?? 0) - ends)).toBeLessThan(5000);
    const answer = await post(payment);
    expect(answer.headers['location']).toBe(
      `/sim/wallet_c/?session_id=SESS-${payment.id.slice('pay_'.length)}`,
    );
    const page = await come(answer);
    expect(page.text).toContain('Simulated Wallet C');
    expect(page.text).toContain('NPR 1,250.50');
    expect(page.text).toContain('No real money');
    expect(page.text).not.toContain('<script');
  });
  test.each<[string, Texts, RegExp]>([
    ['a wrong token', { token: 'AAAA' }, /token/],
    ['another reference', { merchant_transaction_id: 'pay-0000000000000000' }, /transaction id/],
    ['a missing field', { remarks: '' }, /remarks/],
    ['a session of nobody', { session_id: 'SESS-0000000000000000' }, /No such session/],
  ])('whose form has %s is refused by a page', async (_what, more, says) => {
    const answer = await post(await started(), more);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(says)]);
  });
});

describe('a buyer without script', () => {
  test('logs in, pays, and comes back paid with the tracking id', async () => {
    const payment = await entered();
    await world.faults({ provider: 'wallet_c', call: 'callback', kind: 'callback_never' });
    const back = await press(payment, 'pay');
    expect(back.headers['location']).toBe(
      `${world.url}/return/wallet_c/${payment.id}/web/success?MerchantTxnId=${reference(payment)}`,
    );
    const shop = await come(back);
    expect(shop.headers['location']).toBe(
      `http://127.0.0.1:9/return?session_id=${await sessionIdOf(payment)}&status=success`,
    );
    expect(await world.payment(payment.id)).toMatchObject({
      status: 'success',
      providerRef: `TRK${payment.id.slice('pay_'.length).toUpperCase()}`,
    });
  });
  test.each([
    ['decline', 'declined'],
    ['cancel', 'declined'],
    ['insufficient_funds', 'insufficient_funds'],
  ])('who presses %s comes back unpaid: %s', async (act, code) => {
    const payment = await entered();
    const back = await press(payment, act);
    expect(back.headers['location']).toContain(`/return/wallet_c/${payment.id}/web/failure?MerchantTxnId=`);
    await come(back);
    expect(await world.payment(payment.id)).toMatchObject({ status: 'failed', failure: { code } });
  });
});

describe("the call of the wallet's server", () => {
  test('finds its payment, and a look-up makes it paid, although the buyer never comes back', async () => {
    const payment = await entered();
    await press(payment, 'pay');
    await world.until(await sessionIdOf(payment), ({ status }) => status === 'success');
    const [sent] = await calls(payment, 1);
    expect(sent).toMatchObject({
      request: expect.stringContaining(`POST ${world.url}/callback/wallet_c {"merchantTxnId"`) as string,
      response: '200',
    });
  });
  test.each(['1000', '1000.0', '1000.00', '1,000.0'])('is accepted with its amount as %s', async (value) => {
    const payment = await entered();
    await world.faults({ provider: 'wallet_c', call: 'callback', kind: 'amount_text', value });
    await press(payment, 'pay');
    const [sent] = await calls(payment, 1);
    expect(sent?.response).toBe('200');
  });
  test('row 19: badly signed is refused and repeated three times, ten seconds apart; polling finds the money', async () => {
    const payment = await entered();
    await world.faults({ provider: 'wallet_c', call: 'callback', kind: 'bad_signature' });
    await press(payment, 'pay');
    await calls(payment, 1);
    await world.advance(seconds(60));
    const sent = await calls(payment, 4);
    expect(sent.map(({ response }) => response)).toEqual(['400', '400', '400', '400']);
    const [first = 0, ...rest] = sent.map(({ at }) => at);
    expect(rest.map((at) => Math.round((at - first) / 1000))).toEqual([10, 20, 30]);
    await world.until(await sessionIdOf(payment), ({ status }) => status === 'success');
    await world.advance(minutes(1));
    expect(await calls(payment, 4)).toHaveLength(4);
  });
  test('is repeated until it is taken', async () => {
    const payment = await entered();
    await world.faults({ provider: 'wallet_c', call: 'callback', kind: 'bad_signature', times: 1 });
    await press(payment, 'pay');
    await calls(payment, 1);
    await world.advance(seconds(40));
    expect((await calls(payment, 2)).map(({ response }) => response)).toEqual(['400', '200']);
  });
  test('held back comes after its time, and twice is once', async () => {
    const payment = await entered();
    await world.faults(
      { provider: 'wallet_c', call: 'callback', kind: 'callback_delay', delayMs: 5000 },
      { provider: 'wallet_c', call: 'callback', kind: 'double_callback' },
    );
    const at = world.node.client.now(world.scope);
    await press(payment, 'pay');
    await world.advance(seconds(6));
    const sent = await calls(payment, 2);
    expect(sent.map(({ response }) => response)).toEqual(['200', '200']);
    expect((sent[0]?.at ?? 0) - at).toBeGreaterThanOrEqual(5000);
    await world.until(await sessionIdOf(payment), ({ status }) => status === 'success');
    expect((await world.session(await sessionIdOf(payment))).payments).toHaveLength(1);
  });
  test('row 20: forged, of another payment, or genuine for a payment that nobody has paid, makes nothing paid', async () => {
    const payment = await entered();
    const say = (secret: string, of: string, status = 'COMPLETED') => {
      const body = { merchantTxnId: of, merchantId: 'MRC100', amount: 1250.5, status, metadata: {} };
      const signature = createHmac('sha512', secret).update(`${of},MRC100,${status},1250.5`).digest('base64');
      const headers = { 'content-type': 'application/json', signature };
      return world.http('POST', '/callback/wallet_c', { body: JSON.stringify(body), headers });
    };
    expect((await say('guessed', reference(payment))).status).toBe(400);
    expect((await say('test_webhook_secret', 'pay-0000000000000000')).status).toBe(404);
    expect((await world.http('POST', '/callback/wallet_c', { body: 'garbage' })).status).toBe(404);
    const ten = await Promise.all(
      Array.from({ length: 10 }, () => say('test_webhook_secret', reference(payment))),
    );
    expect(new Set(ten.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {"received":true}']),
    );
    expect(await world.payment(payment.id)).toMatchObject({ status: 'processing', providerRef: null });
  });
});

test('a session that nobody opens ends after ten minutes: the attempt is over', async () => {
  const aside = await openWorld();
  try {
    const id = await aside.open({ source: 'invoice' });
    const payment = await aside.start(id, 'wallet_c');
    await aside.advance(minutes(12));
    expect((await aside.simulated(payment.id)).status).toBe('ended');
    await aside.until(id, ({ status }) => status === 'pending');
    expect((await aside.payment(payment.id)).failure?.code).toBe('attempt_expired');
  } finally {
    await aside.stop();
  }
});
