/** The simulated wallet's page as a browser without script sees it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import { simulatorAt, type SimulatorState } from '../../../actors/simulated-payment/messages.ts';
import { formOf, openWorld, type HttpAnswer, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.faults());

const started = async (): Promise<Payment> =>
  world.start(await world.open({ description: '<b>Tea</b> & "cups"' }));
const show = (payment: Payment): Promise<HttpAnswer> =>
  world.http('GET', `/sim/wallet_b/?pidx=${payment.legs[0].lookupReference}`);
const press = (
  payment: Payment,
  act: string,
  more: { readonly [name: string]: string } = {},
): Promise<HttpAnswer> =>
  world.http(
    'POST',
    '/sim/wallet_b/',
    formOf({ pidx: payment.legs[0].lookupReference ?? '', do: act, ...more }),
  );
const buyer = { mobile: '9800000002', mpin: '1111', otp: '987654' };
/** The status a Location brings back to us. */
const backWith = ({ headers }: HttpAnswer): string => {
  const url = new URL(String(headers['location']));
  return `${url.pathname.split('/').slice(0, 3).join('/')} ${url.searchParams.get('status')}`;
};

test('shows payee and purpose, and that it is a simulation', async () => {
  const { status, text, headers } = await show(await started());
  expect(status).toBe(200);
  expect(text).toContain('Simulated Wallet B');
  expect(text).toContain('No real money');
  expect(text).toContain('NPR 1,250.50');
  expect(text).toContain('&lt;b&gt;Tea&lt;/b&gt; &amp; &quot;cups&quot;');
  expect(text).not.toContain('<b>Tea');
  expect(text).not.toContain('<script');
  expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
});

test('its stylesheet is served', async () => {
  const { text } = await show(await started());
  const path = /href="(\/sim\/ui\/[^"]+)"/.exec(text)?.[1] ?? '';
  expect(await world.http('GET', path)).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/css; charset=utf-8' },
  });
});

test('log in, pay, back to the shop', async () => {
  const payment = await started();
  expect((await show(payment)).text).toContain('Log in');
  expect((await press(payment, 'login', buyer)).status).toBe(303);
  expect((await show(payment)).text).toContain('value="lost_redirect"');
  const back = await press(payment, 'pay');
  expect(back.status).toBe(303);
  expect(backWith(back)).toBe('/return/wallet_b Completed');
  expect((await world.simulated(payment.id)).status).toBe('paid');
  expect((await show(payment)).text).toContain('Back to the shop');
});

test.each([
  [{ ...buyer, mobile: '9811111111' }, 'No test buyer'],
  [{ ...buyer, mpin: '0000' }, 'MPIN is wrong'],
  [{ ...buyer, otp: '' }, 'OTP is wrong'],
])('a wrong log-in is refused', async (wrong, says) => {
  const payment = await started();
  const answer = await press(payment, 'login', wrong);
  expect(answer.status).toBe(422);
  expect(answer.text).toContain(says);
  expect((await world.simulated(payment.id)).status).toBe('created');
});

describe('each button', () => {
  test('Decline keeps the buyer on the page until leaving', async () => {
    const payment = await started();
    expect((await press(payment, 'decline')).headers['location']).toBe(
      `/sim/wallet_b/?pidx=${payment.legs[0].lookupReference}`,
    );
    expect((await show(payment)).text).toContain('Declined');
    expect(backWith(await press(payment, 'leave'))).toBe('/return/wallet_b User canceled');
  });
  test('Cancel sends the buyer back without a transaction', async () => {
    const payment = await started();
    const back = await press(payment, 'cancel');
    expect(backWith(back)).toBe('/return/wallet_b User canceled');
    expect(new URL(String(back.headers['location'])).searchParams.get('transaction_id')).toBe('');
  });
  test('Wait sends the buyer back without a decision', async () => {
    const payment = await started();
    await press(payment, 'login', buyer);
    expect(backWith(await press(payment, 'wait'))).toBe('/return/wallet_b Pending');
    expect((await world.simulated(payment.id)).status).toBe('opened');
  });
  test('Pay but lose the redirect pays and does not redirect', async () => {
    const payment = await started();
    const answer = await press(payment, 'lost_redirect');
    expect(answer).toMatchObject({
      status: 200,
      headers: expect.not.objectContaining({ location: expect.anything() as string }) as object,
    });
    expect(await world.simulated(payment.id)).toMatchObject({ status: 'paid' });
    expect((await world.simulated(payment.id)).log.at(-1)).toMatchObject({
      call: 'return',
      response: 'lost',
    });
  });
  test('Pay twice also pays the attempt left before', async () => {
    const sessionId = await world.open();
    const first = await world.start(sessionId);
    const back = await press(first, 'wait');
    await world.http('GET', new URL(String(back.headers['location'])).pathname);
    const second = await world.start(sessionId);
    expect(second.id).not.toBe(first.id);
    await press(second, 'double_payment');
    expect(
      [await world.simulated(first.id), await world.simulated(second.id)].map(({ status }) => status),
    ).toEqual(['paid', 'paid']);
  });
});

describe('refunds on the page of a paid payment', () => {
  const portal = (payment: Payment, rupees: string): Promise<HttpAnswer> =>
    press(payment, 'portal_refund', { rupees });
  const paid = async (): Promise<Payment> => {
    const payment = await started();
    await press(payment, 'pay');
    return payment;
  };

  test('the portal sends back a part, then what is left, and shows the ledger', async () => {
    const payment = await paid();
    const part = await portal(payment, '250.50');
    expect(part.status).toBe(200);
    for (const shown of ['Refunded in the portal.', 'Refunded in part', 'NPR 250.50 of NPR 1,250.50'])
      expect(part.text).toContain(shown);
    expect(await world.simulated(payment.id)).toMatchObject({ status: 'partly_refunded', refunded: 25_050 });
    expect((await portal(payment, '')).text).toContain('NPR 1,250.50 of NPR 1,250.50');
    expect(await world.simulated(payment.id)).toMatchObject({ status: 'refunded', refunded: 125_050 });
  });

  test.each([
    ['1250.51', 409, 'Only NPR 1,250.50 is left.'],
    ['0', 409, 'Only NPR 1,250.50 is left.'],
    ['-1', 422, 'no amount'],
    ['1.005', 422, 'no amount'],
    ['all', 422, 'no amount'],
  ])('of %s rupees is refused: %i', async (rupees, status, says) => {
    const payment = await paid();
    const answer = await portal(payment, rupees);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(says);
    expect(await world.simulated(payment.id)).toMatchObject({ status: 'paid', refunded: 0 });
  });

  test('nothing is sent back before it is paid', async () => {
    const payment = await started();
    expect((await portal(payment, '')).status).toBe(409);
    expect((await show(payment)).text).not.toContain('portal_refund');
  });

  test.each([
    ['refund_rejected', 'refund_reject', 'rejected'],
    ['refund_timeout', 'refund_timeout_done', 'never answered'],
  ])('%s sets how the next refund goes, and says so', async (outcome, kind, says) => {
    const payment = await paid();
    expect((await show(payment)).text).toContain(`value="${outcome}"`);
    const answer = await press(payment, outcome);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(says);
    const faults = await world.node.client.read<SimulatorState>(simulatorAt(world.scope), world.scope);
    expect(faults?.state.faults).toMatchObject([
      { kind, call: 'refund', times: 1, reference: payment.id.replace('_', '-') },
    ]);
  });

  test('a wallet without a refund call has the portal, and no buttons for the call', async () => {
    const payment = await world.start(await world.open(), 'wallet_a');
    const form = payment.legs[0].instructions;
    const uuid = payment.id.replace('_', '-');
    await world.http('POST', new URL(form?.url ?? '').pathname, formOf({ ...form?.fields }));
    const act = (name: string) =>
      world.http('POST', '/sim/wallet_a/', formOf({ transaction_uuid: uuid, do: name, rupees: '' }));
    await act('pay');
    const { text } = await world.http('GET', `/sim/wallet_a/?transaction_uuid=${uuid}`);
    expect(text).toContain('portal_refund');
    expect(text).not.toContain('refund_rejected');
    expect((await act('refund_rejected')).status).toBe(400);
    expect((await act('portal_refund')).text).toContain('This payment was sent back');
    const query = new URLSearchParams({
      product_code: 'EPAYTEST',
      total_amount: form?.fields['total_amount'] ?? '',
      transaction_uuid: uuid,
    });
    const status = await world.http('GET', `/sim/wallet_a/api/epay/transaction/status/?${query.toString()}`);
    expect(status.text).toContain('"status":"FULL_REFUND"');
  });
});

describe('a page never', () => {
  test('pays a decided payment', async () => {
    for (const end of ['pay', 'cancel', 'decline']) {
      const payment = await started();
      await press(payment, end);
      const before = (await world.simulated(payment.id)).status;
      expect((await press(payment, 'pay')).status).toBe(409);
      expect((await press(payment, 'wrong_amount')).status).toBe(409);
      expect((await world.simulated(payment.id)).status).toBe(before);
    }
  });
  test('accepts a wrong address, or a button it does not have', async () => {
    for (const query of ['', '?pidx=', '?pidx=px0000000000000000', '?pidx=__proto__']) {
      expect((await world.http('GET', `/sim/wallet_b/${query}`)).status).toBe(404);
    }
    expect(
      (await press({ legs: [{ lookupReference: 'px0000000000000000' }] } as unknown as Payment, 'pay'))
        .status,
    ).toBe(404);
    const payment = await started();
    for (const act of ['', 'refund', 'toString']) expect((await press(payment, act)).status).toBe(400);
  });
});

describe('faults on the return', () => {
  test('double_return: sent twice, 50 ms apart', async () => {
    const payment = await started();
    world.waits.length = 0;
    await world.faults({ kind: 'double_return', times: 1 });
    expect((await press(payment, 'pay')).status).toBe(303);
    expect(world.waits).toEqual([50]);
    expect((await world.simulated(payment.id)).log.filter(({ call }) => call === 'return')).toHaveLength(2);
    expect(await world.payment(payment.id)).toMatchObject({ returned: true });
  });
  test('lost_redirect set by control, for this reference alone', async () => {
    const [one, other] = [await started(), await started()];
    await world.faults({ kind: 'lost_redirect', reference: one.id.replace('_', '-') });
    expect((await press(one, 'pay')).status).toBe(200);
    expect((await press(other, 'pay')).status).toBe(303);
  });
  test('wrong_amount and wrong_reference show in the return too', async () => {
    const payment = await started();
    await world.faults({ kind: 'wrong_amount' }, { kind: 'wrong_reference' });
    const query = new URL(String((await press(payment, 'pay')).headers['location'])).searchParams;
    expect(query.get('total_amount')).toBe('124950');
    expect(query.get('pidx')).not.toBe(payment.legs[0].lookupReference);
  });
  test('delay waits before the return', async () => {
    const payment = await started();
    world.waits.length = 0;
    await world.faults({ kind: 'delay', call: 'return', delayMs: 777 });
    await press(payment, 'pay');
    expect(world.waits).toEqual([777]);
  });
  test('double_payment pays the other attempt', async () => {
    const sessionId = await world.open();
    const first = await world.start(sessionId);
    const back = await press(first, 'wait');
    await world.http('GET', new URL(String(back.headers['location'])).pathname);
    const second = await world.start(sessionId);
    await world.faults({ kind: 'double_payment', times: 1 });
    await press(second, 'pay');
    expect((await world.simulated(first.id)).status).toBe('paid');
  });
});

test('a forged return for an unpaid payment only triggers a look-up', async () => {
  const sessionId = await world.open();
  const payment = await world.start(sessionId);
  await world.http(
    'GET',
    `/return/wallet_b/${payment.id}/web/done?status=Completed&pidx=${payment.legs[0].lookupReference}&total_amount=125050`,
  );
  const session = await world.until(
    sessionId,
    ({ payments }) => (payments[0]?.legs[0].look.count ?? 0) > 0 && payments[0]?.legs[0].look.asked === null,
  );
  expect(session.status).toBe('initiated');
  expect(session.payments[0]?.paidAt).toBeNull();
});
