/** The simulated bank_a over real HTTP: its form, its page, its look-up and details, and the two return doors. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Payment } from '../../../../actors/checkout-session/attempt.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import { formOf, openWorld, type HttpAnswer, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.faults());

type Texts = { readonly [name: string]: string };
const buyer = { user: 'testbuyer1', password: 'Bank@123' };
const started = async (): Promise<Payment> => world.start(await world.open({ source: 'invoice' }), 'bank_a');
const reference = (payment: Payment): string => payment.id.replace('_', '-');
const post = (payment: Payment, more: Texts = {}): Promise<HttpAnswer> =>
  world.http(
    'POST',
    '/sim/bank_a/gateway/loginpage',
    formOf({ ...payment.legs[0].instructions?.fields, ...more }),
  );
const show = (payment: Payment): Promise<HttpAnswer> =>
  world.http('GET', `/sim/bank_a/?TXNID=${reference(payment)}`);
const press = (payment: Payment, act: string, more: Texts = {}): Promise<HttpAnswer> =>
  world.http('POST', '/sim/bank_a/', formOf({ TXNID: reference(payment), do: act, ...more }));
const come = async ({ headers }: HttpAnswer): Promise<HttpAnswer> => {
  const { pathname, search } = new URL(String(headers['location']), world.url);
  return world.http('GET', `${pathname}${search}`);
};
/** A payment whose form the bank has taken, and whose buyer has logged in. */
async function entered(): Promise<Payment> {
  const payment = await started();
  expect((await post(payment)).status).toBe(303);
  expect((await press(payment, 'login', buyer)).status).toBe(303);
  return payment;
}
const sessionIdOf = async (payment: Payment): Promise<string> =>
  (await world.simulated(payment.id)).sessionId;

describe('the form', () => {
  test('is built by our own adapter, and leads to the log-in', async () => {
    const payment = await started();
    const answer = await post(payment);
    expect(answer).toMatchObject({
      status: 303,
      headers: { location: `/sim/bank_a/?TXNID=${reference(payment)}` },
    });
    const page = await show(payment);
    expect(page.text).toContain('Simulated Bank A');
    expect(page.text).toContain('NPR 1,250.50');
    expect(page.text).toContain('No real money');
    expect(page.text).not.toContain('<script');
  });
  test.each<[string, Texts, RegExp]>([
    ['a changed amount', { TXNAMT: '125051' }, /token/],
    ['a wrong token', { TOKEN: 'AAAA' }, /token/],
    ['a missing field', { REMARKS: '' }, /REMARKS/],
  ])('with %s is refused by a page, and nothing is stored', async (_what, more, says) => {
    const payment = await started();
    const answer = await post(payment, more);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.text).toMatch(says);
    expect((await show(payment)).status).toBe(404);
  });
});

describe('a buyer without script', () => {
  test('logs in, pays, and comes back by the registered address with his reference', async () => {
    const payment = await entered();
    const back = await press(payment, 'pay');
    expect(back.headers['location']).toBe(`${world.url}/return/bank_a/success?TXNID=${reference(payment)}`);
    const shop = await come(back);
    const id = await sessionIdOf(payment);
    expect(shop.headers['location']).toBe(`http://127.0.0.1:9/return?session_id=${id}&status=success`);
    expect(await world.payment(payment.id)).toMatchObject({
      status: 'success',
      providerRef: `BA${payment.id.slice('pay_'.length).toUpperCase()}`,
      fee: 1000,
    });
  });
  test.each(['decline', 'cancel'])('who presses %s comes back unpaid, and may choose again', async (act) => {
    const payment = await entered();
    const back = await press(payment, act);
    expect(back.headers['location']).toContain('/return/bank_a/failure?TXNID=pay-');
    const page = await come(back);
    expect(page.headers['location']).toBe(`/pay/${await sessionIdOf(payment)}`);
    expect(await world.payment(payment.id)).toMatchObject({
      status: 'failed',
      failure: { code: 'declined' },
    });
  });
  test.each([
    [{ user: 'nobody' }, 'user name'],
    [{ password: 'x' }, 'password is wrong'],
  ])('with a wrong log-in is refused', async (wrong, says) => {
    const payment = await started();
    await post(payment);
    const answer = await press(payment, 'login', { ...buyer, ...wrong });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(says)]);
  });
});

describe('row 20: a return to a registered address', () => {
  test('changes nothing where nobody has paid, whatever it claims', async () => {
    const payment = await entered();
    for (const outcome of ['success', 'failure']) {
      const answer = await world.http('GET', `/return/bank_a/${outcome}?TXNID=${reference(payment)}`);
      expect(answer.status).toBe(200);
    }
    expect(await world.payment(payment.id)).toMatchObject({ status: 'processing', providerRef: null });
  });
  test('of no payment, of another provider, or with another end is a page that says so', async () => {
    const other = await world.start(await world.open(), 'wallet_a');
    const mine = await started();
    for (const path of [
      '/return/bank_a/success',
      '/return/bank_a/success?TXNID=pay-0000000000000000',
      '/return/bank_a/success?TXNID=__proto__',
      `/return/bank_a/success?TXNID=${reference(other)}`,
      `/return/wallet_a/success?TXNID=${reference(other)}`,
      `/return/bank_a/other?TXNID=${reference(mine)}`,
      `/return/__proto__/success?TXNID=${reference(mine)}`,
    ]) {
      const answer = await world.http('GET', path);
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect(await world.payment(mine.id)).toMatchObject({ status: 'pending', returned: false });
  });
});

describe('the details', () => {
  test('are asked for after a look-up that found the money, with the same signature', async () => {
    const payment = await entered();
    await come(await press(payment, 'pay'));
    const { log } = await world.simulated(payment.id);
    const [lookup, details] = log.filter(({ call }) => call === 'lookup').slice(-2);
    expect(lookup?.response).not.toContain('"txnId"');
    expect(details?.response).toContain('"txnId"');
    expect(details?.request).toBe(lookup?.request);
  });
  test('are not asked for before there is money', async () => {
    const payment = await entered();
    await world.advance(seconds(12));
    await world.until(
      await sessionIdOf(payment),
      ({ payments }) => (payments[0]?.legs[0].look.count ?? 0) > 0,
    );
    const { log } = await world.simulated(payment.id);
    expect(log.filter(({ response }) => response.includes('"txnId"'))).toEqual([]);
  });
});
