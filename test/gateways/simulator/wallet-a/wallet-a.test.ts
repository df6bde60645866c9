/** The simulated wallet_a over real HTTP: its form, its page, its look-up, and every fault its wire can show. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Payment } from '../../../../actors/checkout-session/attempt.ts';
import type { Fault } from '../../../../actors/simulated-payment/messages.ts';
import { minutes, seconds } from '../../../../src/kernel/time.ts';
import { formOf, openWorld, type HttpAnswer, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.faults();
  world.waits.length = 0;
});

type Texts = { readonly [name: string]: string };
const buyer = { id: '9806800003', password: 'Nepal@123', mpin: '1122', token: '123456' };
const started = async (): Promise<Payment> => world.start(await world.open(), 'wallet_a');
const reference = (payment: Payment): string => payment.id.replace('_', '-');
const fieldsOf = (payment: Payment): Texts => payment.legs[0].instructions?.fields ?? {};

/** The browser posts the form it was handed. */
const post = (payment: Payment, more: Texts = {}): Promise<HttpAnswer> =>
  world.http('POST', '/sim/wallet_a/api/epay/main/v2/form', formOf({ ...fieldsOf(payment), ...more }));
const show = (payment: Payment): Promise<HttpAnswer> =>
  world.http('GET', `/sim/wallet_a/?transaction_uuid=${reference(payment)}`);
const press = (payment: Payment, act: string, more: Texts = {}): Promise<HttpAnswer> =>
  world.http('POST', '/sim/wallet_a/', formOf({ transaction_uuid: reference(payment), do: act, ...more }));
const lookup = (payment: Payment, more: Texts = {}, waitMs = 5000): Promise<HttpAnswer> => {
  const query = { product_code: 'EPAYTEST', total_amount: '1250.50', transaction_uuid: reference(payment) };
  const text = new URLSearchParams({ ...query, ...more }).toString();
  return world.http('GET', `/sim/wallet_a/api/epay/transaction/status/?${text}`, { waitMs });
};
const said = ({ text }: HttpAnswer): { status?: string; [field: string]: unknown } =>
  JSON.parse(text) as never;
const word = async (payment: Payment): Promise<unknown> => said(await lookup(payment)).status;
const control = (payment: Payment, command: string): Promise<HttpAnswer> =>
  world.http('POST', `/sim/control/payments/${reference(payment)}/${command}`, {
    headers: { authorization: 'Bearer own' },
  });
/** A payment whose form the wallet has taken. */
async function handed(): Promise<Payment> {
  const payment = await started();
  expect((await post(payment)).status).toBe(303);
  return payment;
}
/** The status in the data of a way back, with its path. */
function backWith({ headers }: HttpAnswer): string {
  const url = new URL(String(headers['location']));
  const data = url.searchParams.get('data');
  const body = data === null ? '' : Buffer.from(data, 'base64').toString();
  return `${url.pathname.split('/').slice(4).join('/')} ${/"status":"(\w+)"/.exec(body)?.[1] ?? '-'}`;
}

describe('the form', () => {
  test('is built by our own adapter, and leads to the log-in', async () => {
    const payment = await started();
    expect(await word(payment)).toBe('NOT_FOUND');
    const answer = await post(payment);
    expect(answer).toMatchObject({
      status: 303,
      headers: { location: `/sim/wallet_a/?transaction_uuid=${reference(payment)}` },
    });
    const page = await show(payment);
    expect(page.text).toContain('Simulated Wallet A');
    expect(page.text).toContain('NPR 1,250.50');
    expect(page.text).toContain('No real money');
    expect(page.text).not.toContain('<script');
    expect(await world.simulated(payment.id)).toMatchObject({ status: 'created', amount: 125_050 });
  });
  test.each<[string, Texts, RegExp]>([
    ['a changed amount', { total_amount: '1250.51' }, /signature/],
    ['a wrong signature', { signature: 'AAAA' }, /signature/],
    ['a missing field', { failure_url: '' }, /failure_url/],
  ])('with %s is refused by a page, and nothing is stored', async (_what, more, says) => {
    const payment = await started();
    const answer = await post(payment, more);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.text).toMatch(says);
    expect((await show(payment)).status).toBe(404);
  });
  test('posted again changes nothing', async () => {
    const payment = await handed();
    await press(payment, 'login', buyer);
    expect((await post(payment)).status).toBe(303);
    expect((await world.simulated(payment.id)).status).toBe('opened');
  });
});

describe('a buyer without script', () => {
  test('logs in, pays, and is sent back with a signed result', async () => {
    const payment = await handed();
    expect((await press(payment, 'login', buyer)).status).toBe(303);
    expect(await word(payment)).toBe('PENDING');
    const back = await press(payment, 'pay');
    expect(backWith(back)).toBe('web/success COMPLETE');
    expect(await word(payment)).toBe('COMPLETE');
    expect(new URL(String(back.headers['location'])).search).toMatch(/^\?data=/);
  });
  test.each([
    [{ id: '9806800009' }, 'No test buyer'],
    [{ password: 'x' }, 'password is wrong'],
    [{ mpin: '1' }, 'MPIN is wrong'],
    [{ token: '1' }, 'token is wrong'],
  ])('with a wrong log-in is refused', async (wrong, says) => {
    const payment = await handed();
    const answer = await press(payment, 'login', { ...buyer, ...wrong });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(says);
    expect(await word(payment)).toBe('NOT_FOUND');
  });
  test.each([
    ['decline', 'CANCELED'],
    ['cancel', 'NOT_FOUND'],
  ])('by %s returns unpaid, and the look-up says %s', async (act, says) => {
    const payment = await handed();
    await press(payment, 'login', buyer);
    expect(backWith(await press(payment, act))).toBe('web/failure -');
    expect(await word(payment)).toBe(says);
  });
  test('who waits returns undecided', async () => {
    const payment = await handed();
    await press(payment, 'login', buyer);
    expect(backWith(await press(payment, 'wait'))).toBe('web/success PENDING');
  });
  test('pays once', async () => {
    const payment = await handed();
    await press(payment, 'pay');
    expect((await press(payment, 'pay')).status).toBe(409);
    expect((await press(payment, 'toString')).status).toBe(400);
    expect((await world.http('GET', '/sim/wallet_a/?transaction_uuid=__proto__')).status).toBe(404);
  });
  test('finds no payment of another wallet here', async () => {
    const payment = await world.start(await world.open());
    expect((await show(payment)).status).toBe(404);
    expect(await word(payment)).toBe('NOT_FOUND');
  });
});

test('the wallet ends a payment five minutes after the log-in, not before', async () => {
  const aside = await openWorld();
  try {
    const id = await aside.open();
    const payment = await aside.start(id, 'wallet_a');
    const form = formOf(fieldsOf(payment));
    await aside.http('POST', '/sim/wallet_a/api/epay/main/v2/form', form);
    await aside.advance(minutes(6));
    expect((await aside.simulated(payment.id)).status).toBe('created');
    const login = formOf({ transaction_uuid: reference(payment), do: 'login', ...buyer });
    await aside.http('POST', '/sim/wallet_a/', login);
    await aside.advance(minutes(5) - seconds(1));
    expect((await aside.simulated(payment.id)).status).toBe('opened');
    await aside.advance(seconds(40));
    expect((await aside.simulated(payment.id)).status).toBe('ended');
    // pending before and unknown now: its time is over
    expect(await aside.until(id, ({ status }) => status === 'pending')).toMatchObject({
      payments: [{ status: 'cancelled', failure: { code: 'attempt_expired' } }],
    });
  } finally {
    await aside.stop();
  }
});

describe('the look-up', () => {
  test('finds by merchant, amount and reference only', async () => {
    const payment = await handed();
    await control(payment, 'pay');
    expect(said(await lookup(payment))).toEqual({
      product_code: 'EPAYTEST',
      transaction_uuid: reference(payment),
      total_amount: 1250.5,
      status: 'COMPLETE',
      ref_id: `000${payment.id.slice(4).toUpperCase()}`,
    });
    for (const wrong of [{ product_code: 'OTHER' }, { total_amount: '1250' }, { transaction_uuid: 'x' }]) {
      expect(said(await lookup(payment, wrong)).status).toBe('NOT_FOUND');
    }
  });
  test('shows refunds made by control', async () => {
    const payment = await handed();
    await control(payment, 'pay');
    const body = {
      body: '{"amount":50}',
      headers: { authorization: 'Bearer own', 'content-type': 'application/json' },
    };
    await world.http('POST', `/sim/control/payments/${reference(payment)}/refund`, body);
    expect(await word(payment)).toBe('PARTIAL_REFUND');
    await control(payment, 'refund');
    expect(await word(payment)).toBe('FULL_REFUND');
  });
});

describe('what a fault does to a look-up', () => {
  async function under(fault: Partial<Fault>, waitMs = 5000): Promise<HttpAnswer> {
    const payment = await handed();
    await control(payment, 'pay');
    await world.faults({ provider: 'wallet_a', call: 'lookup', reference: reference(payment), ...fault });
    return lookup(payment, {}, waitMs);
  }
  test('delay', async () => {
    expect(said(await under({ kind: 'delay', delayMs: 1234 })).status).toBe('COMPLETE');
    expect(world.waits).toEqual([1234]);
  });
  test('reset and timeout give no complete answer', async () => {
    await expect(under({ kind: 'reset' })).rejects.toThrow();
    await expect(under({ kind: 'timeout' }, 150)).rejects.toThrow();
  });
  test.each([
    ['http_500_html', 500, /^<html>/],
    ['http_502', 502, /^<html>/],
    ['http_429', 429, /^$/],
    ['not_json', 200, /^Service/],
    ['outage_200', 200, /^\{"code":0,"error_message":"Service is currently unavailable"\}$/],
  ] as const)('%s: HTTP %i', async (kind, status, text) => {
    const answer = await under({ kind });
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
  });
  test('wrong_amount, wrong_reference, status_text, ambiguous', async () => {
    expect(said(await under({ kind: 'wrong_amount' }))['total_amount']).toBe(1249.5);
    expect(said(await under({ kind: 'wrong_reference' }))['transaction_uuid']).toMatch(/^pay-[0-9a-z]{16}$/);
    expect(said(await under({ kind: 'status_text', value: 'WHAT' })).status).toBe('WHAT');
    expect(said(await under({ kind: 'ambiguous' })).status).toBe('AMBIGUOUS');
  });
  test('amount_text and field_style', async () => {
    expect((await under({ kind: 'amount_text', value: '1,000.0' })).text).toContain(
      '"total_amount":"1,250.5"',
    );
    expect((await under({ kind: 'amount_text', value: '1000.00' })).text).toContain('"total_amount":1250.50');
    const camel = said(await under({ kind: 'field_style', value: 'camel' }));
    expect(camel).toMatchObject({ totalAmount: 1250.5, refId: expect.stringMatching(/^000/) as string });
    expect(camel['total_amount']).toBeUndefined();
  });
  test('success_then_failed: paid once, then not', async () => {
    const payment = await handed();
    await control(payment, 'pay');
    await world.faults({ provider: 'wallet_a', kind: 'success_then_failed' });
    expect([await word(payment), await word(payment)]).toEqual(['COMPLETE', 'CANCELED']);
  });
  test('a fault of the other wallet does nothing here', async () => {
    expect(said(await under({ provider: 'wallet_b', kind: 'http_502' })).status).toBe('COMPLETE');
  });
});

describe('what a fault does to the start and the return', () => {
  test.each(['http_500_html', 'http_502'] as const)('%s on the start: nothing was executed', async (kind) => {
    const payment = await started();
    await world.faults({ provider: 'wallet_a', call: 'start', kind, times: 1 });
    expect((await post(payment)).status).toBeGreaterThanOrEqual(500);
    expect((await show(payment)).status).toBe(404);
    expect((await post(payment)).status).toBe(303);
  });
  /** The way back of a payment made under one fault. */
  async function back(fault: Partial<Fault>): Promise<readonly [Payment, HttpAnswer]> {
    const payment = await handed();
    await world.faults({ provider: 'wallet_a', call: 'return', reference: reference(payment), ...fault });
    return [payment, await press(payment, 'pay')];
  }
  test('bad_signature and missing_signed_field still return to the success address', async () => {
    for (const kind of ['bad_signature', 'missing_signed_field'] as const) {
      expect(backWith((await back({ kind }))[1])).toBe('web/success COMPLETE');
    }
  });
  test('lost_redirect and double_return', async () => {
    const [, lost] = await back({ kind: 'lost_redirect' });
    expect(lost.status).toBe(200);
    world.waits.length = 0;
    const [twice] = await back({ kind: 'double_return' });
    expect(world.waits).toEqual([50]);
    expect((await world.simulated(twice.id)).log.filter(({ call }) => call === 'return')).toHaveLength(2);
  });
});

describe('the route for faults', () => {
  const put = (fault: object): Promise<HttpAnswer> =>
    world.http('PUT', '/sim/control/faults', {
      body: JSON.stringify({ faults: [fault] }),
      headers: { authorization: 'Bearer own', 'content-type': 'application/json' },
    });
  test('accepts what this wallet supports and reports the rest', async () => {
    expect((await put({ provider: 'wallet_a', kind: 'bad_signature' })).status).toBe(200);
    const refused = await put({ provider: 'wallet_a', kind: 'refund_reject' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('amount_text');
    expect((await put({ provider: 'wallet_b', kind: 'bad_signature' })).status).toBe(400);
    expect((await put({ provider: 'wallet_a', kind: 'field_style', call: 'return' })).status).toBe(400);
  });
});

test('the log has the form, the look-up and the return', async () => {
  const payment = await handed();
  await press(payment, 'pay');
  await lookup(payment);
  const { log } = await world.simulated(payment.id);
  expect(log.map(({ call }) => call)).toEqual(['start', 'return', 'lookup']);
  expect(log[2]).toMatchObject({
    request: expect.stringContaining('transaction_uuid=') as string,
    response: expect.stringMatching(/^200 \{.*"COMPLETE"/) as string,
  });
});
