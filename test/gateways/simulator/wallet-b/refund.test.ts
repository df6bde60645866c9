/** The simulated wallet's refunds: what it gives back, what it refuses, what its ledger counts, and every fault of the
 *  call as our own side takes it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Payment } from '../../../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt } from '../../../../actors/checkout-session/commands.ts';
import { callsOf, faultKindsOf, isFaultKind } from '../../../../actors/simulated-payment/fault-kinds.ts';
import type { FaultKind } from '../../../../actors/simulated-payment/messages.ts';
import { mintId } from '../../../../src/kernel/id.ts';
import { openMs } from '../../../../src/providers/breaker.ts';
import type { RefundAnswer } from '../../../../src/providers/answers.ts';
import { simulatorCredentials, transactionOf } from '../../../../src/providers/wallet-b/simulator.ts';
import { openWorld, type HttpAnswer, type World } from '../world.ts';

let world: World;
/** Where our side waits no longer than this for an answer that never comes. */
let hasty: World;
beforeAll(async () => {
  [world, hasty] = [await openWorld(), await openWorld({ providerTotalMs: 800 })];
});
afterAll(async () => {
  await world.stop();
  await hasty.stop();
});
beforeEach(async () => {
  await world.faults();
  world.waits.length = 0;
});

const whole = 125_050;
const control = (of: World, id: string, command: string, body = ''): Promise<HttpAnswer> =>
  of.http('POST', `/sim/control/payments/${id.replace('_', '-')}/${command}`, {
    body,
    headers: { authorization: 'Bearer own', 'content-type': 'application/json' },
  });
const paid = async (of = world): Promise<Payment> => {
  const payment = await of.start(await of.open());
  expect((await control(of, payment.id, 'pay')).status).toBe(200);
  return payment;
};
const ledger = async (id: string, of = world): Promise<unknown> => {
  const { text } = await of.http('GET', `/sim/control/payments?reference=${id.replace('_', '-')}`, {
    headers: { authorization: 'Bearer own' },
  });
  const { data } = JSON.parse(text) as { data: [{ state: string; ledger: object }] };
  return { state: data[0].state, ...data[0].ledger };
};
const post = (id: string, body: string, key: string = simulatorCredentials.secretKey): Promise<HttpAnswer> =>
  world.http('POST', `/sim/wallet_b/api/merchant-transaction/${transactionOf(id)}/refund/`, {
    body,
    headers: { authorization: `Key ${key}` },
  });
const status = async ({ legs: [{ lookupReference }] }: Payment): Promise<unknown> => {
  const { text } = await world.http('POST', '/sim/wallet_b/api/v2/epayment/lookup/', {
    body: JSON.stringify({ pidx: lookupReference }),
    headers: { authorization: `Key ${simulatorCredentials.secretKey}` },
  });
  return (JSON.parse(text) as { status: unknown }).status;
};

describe('money back', () => {
  test('a part, the rest, and no paisa more; the status and the ledger follow', async () => {
    const payment = await paid();
    expect(await status(payment)).toBe('Completed');
    expect(await post(payment.id, '{"amount":25050}')).toMatchObject({
      status: 200,
      text: '{"detail":"Transaction refund successful."}',
    });
    expect(await status(payment)).toBe('Partially Refunded');
    expect((await post(payment.id, '{"amount":100001}')).status).toBe(400);
    expect(await ledger(payment.id)).toEqual({
      state: 'partly_refunded',
      amount: whole,
      refunded: 25_050,
      refundCalls: 2,
    });
    expect((await post(payment.id, '{"amount":100000}')).status).toBe(200);
    expect(await status(payment)).toBe('Refunded');
    expect((await post(payment.id, '{}')).text).toBe('{"detail":"Transaction can not be refunded."}');
    expect(await ledger(payment.id)).toMatchObject({ state: 'refunded', refunded: whole, refundCalls: 4 });
    const { log } = await world.simulated(payment.id);
    expect(log.filter(({ call }) => call === 'refund').map(({ response }) => response.slice(0, 3))).toEqual([
      '200',
      '400',
      '200',
      '400',
    ]);
  });

  test('of ten calls at once for a third each, three give money back', async () => {
    const payment = await paid();
    const part = JSON.stringify({ amount: Math.floor(whole / 3) });
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(payment.id, part)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
    expect(await ledger(payment.id)).toMatchObject({ refunded: 3 * Math.floor(whole / 3), refundCalls: 10 });
  });

  test('never of what was not paid; the call is counted', async () => {
    const { id } = await world.start(await world.open());
    expect((await post(id, '{}')).status).toBe(404);
    await control(world, id, 'cancel');
    expect((await post(id, '{}')).status).toBe(404);
    expect(await ledger(id)).toMatchObject({ state: 'cancelled', refunded: 0, refundCalls: 2 });
  });

  test('never for a stranger, an unknown transaction or nonsense: no call of this payment', async () => {
    const { id } = await paid();
    expect((await post(id, '{}', 'wrong')).status).toBe(401);
    expect((await post('pay_0000000000000000', '{}')).status).toBe(404);
    for (const body of ['', '[]', '{"amount":"25050"}', '{"amount":0}', '{"amount":1.5}']) {
      expect((await post(id, body)).status).toBe(400);
    }
    expect(await ledger(id)).toMatchObject({ state: 'paid', refunded: 0, refundCalls: 0 });
  });

  test('in the portal is no call, and a call finds what is left', async () => {
    const { id } = await paid();
    await control(world, id, 'refund', '{"amount":25050}');
    expect(await ledger(id)).toMatchObject({ state: 'partly_refunded', refunded: 25_050, refundCalls: 0 });
    expect((await post(id, `{"amount":${whole}}`)).status).toBe(400);
    expect((await post(id, '{}')).status).toBe(200);
    expect(await ledger(id)).toMatchObject({ state: 'refunded', refunded: whole, refundCalls: 2 });
  });
});

describe('our own side', () => {
  test('refunds a part, then the rest, each with one call', async () => {
    const { id } = await paid();
    expect(await world.refund(id, { full: false, amount: 25_050 })).toMatchObject({
      outcome: 'done',
      providerRefundId: null,
      httpStatus: 200,
    });
    expect(await world.refund(id, { full: false, amount: 100_000 })).toMatchObject({ outcome: 'done' });
    expect(await ledger(id)).toMatchObject({ state: 'refunded', refunded: whole, refundCalls: 2 });
  });

  test('reads why one paisa more is refused', async () => {
    const { id } = await paid();
    expect(await world.refund(id, { full: false, amount: whole + 1 })).toMatchObject({
      outcome: 'refused',
      message: 'Amount should be at most the amount that is left.',
      httpStatus: 400,
    });
  });
});

describe('an outcome of the sandbox for the next refund', () => {
  test.each([
    ['refund_rejected', { outcome: 'refused' }, { state: 'paid', refunded: 0 }],
    ['refund_timeout', { outcome: 'unknown' }, { state: 'refunded', refunded: whole }],
  ])(
    '%s holds as soon as it is accepted, whatever the buyer did before or does after',
    async (outcome, answer, after) => {
      const session = await hasty.open();
      expect(await hasty.simulate(session, outcome)).toEqual({ is: 'done' });
      expect(await hasty.simulate(session, 'success')).toEqual({ is: 'done' });
      const { payments } = await hasty.until(session, ({ status: is }) => is === 'success');
      const id = payments[0]?.id ?? '';
      expect(await hasty.refund(id)).toMatchObject(answer);
      expect(await ledger(id, hasty)).toMatchObject({ ...after, refundCalls: 1 });

      const later = await hasty.open();
      await hasty.simulate(later, 'success');
      const paidLater = (await hasty.until(later, ({ status: is }) => is === 'success')).payments[0];
      expect(await hasty.simulate(later, outcome)).toEqual({ is: 'done' });
      expect(await hasty.refund(paidLater?.id ?? '')).toMatchObject(answer);
    },
  );

  test('with a delay it holds from then on', async () => {
    const session = await hasty.open();
    await hasty.simulate(session, 'success');
    const { payments } = await hasty.until(session, ({ status: is }) => is === 'success');
    const id = payments[0]?.id ?? '';
    await hasty.simulate(session, 'refund_rejected', { delayMs: 5000 });
    expect(await hasty.refund(id, { full: false, amount: 100 })).toMatchObject({ outcome: 'done' });
    await hasty.advance(6000);
    await expect.poll(async () => (await hasty.simulated(id)).plays).toEqual([]);
    expect(await hasty.refund(id, { full: false, amount: 100 })).toMatchObject({ outcome: 'refused' });
  });
});

test('while the circuit is open no refund is called: it has failed at once, and the next one succeeds', async () => {
  const aside = await openWorld();
  try {
    const sessionId = await aside.open();
    await aside.simulate(sessionId, 'success');
    const session = await aside.until(sessionId, ({ status: is }) => is === 'success');
    const paymentId = session.payments[0]?.id ?? '';
    const refunded = async (at: number) => {
      const request = { id: mintId('ref'), paymentId, amount: whole, reason: 'other' } as const;
      const asked = { ...request, notes: null, mobileNumber: null };
      const by = { by: 'merchant', scope: aside.scope } as const;
      expect((await aside.node.client.ask(checkoutSessionAt(sessionId), 'refund', asked, by)).is).toBe('ok');
      const { refunds } = await aside.until(
        sessionId,
        (now) => (now.refunds[at]?.status ?? 'processing') !== 'processing',
      );
      return refunds[at];
    };
    await aside.faults({ kind: 'http_502', call: 'start' });
    const other = await aside.open();
    for (let starts = 0; starts < 5; starts++) await aside.start(other);
    await aside.faults();
    expect(await refunded(0)).toMatchObject({
      status: 'failed',
      failureReason: expect.stringMatching(/^The provider was not called, so nothing was refunded/) as string,
    });
    expect(await ledger(paymentId, aside)).toMatchObject({ refunded: 0, refundCalls: 0 });
    await aside.advance(openMs);
    expect(await refunded(1)).toMatchObject({ status: 'succeeded' });
    expect(await ledger(paymentId, aside)).toMatchObject({ refunded: whole, refundCalls: 1 });
  } finally {
    await aside.stop();
  }
});

const nothing = { state: 'paid', refunded: 0 };
const everything = { state: 'refunded', refunded: whole };
const unknown = { outcome: 'unknown', message: null } as const;
const unanswered = { ...unknown, httpStatus: null, raw: null } as const;

/** Fault -> what our side makes of the call, and what the wallet has done. */
const faults: { readonly [kind in FaultKind]?: readonly [Partial<RefundAnswer>, object] } = {
  delay: [{ outcome: 'done' }, everything],
  timeout: [unanswered, everything],
  reset: [unanswered, everything],
  http_500_html: [{ ...unknown, httpStatus: 500 }, nothing],
  http_502: [{ ...unknown, httpStatus: 502 }, nothing],
  http_429: [{ ...unknown, httpStatus: 429 }, nothing],
  not_json: [{ ...unknown, httpStatus: 200 }, nothing],
  outage_200: [{ ...unknown, httpStatus: 200, raw: '{}' }, nothing],
  huge_body: [unanswered, nothing],
  refund_reject: [{ outcome: 'refused', message: 'Transaction can not be refunded.' }, nothing],
  refund_timeout_done: [unanswered, everything],
  refund_timeout_lost: [unanswered, nothing],
  refund_needs_mobile: [{ outcome: 'refused', message: 'Mobile number is required.' }, nothing],
};

describe('row 100: a fault of the refund call', () => {
  test('has its row here, whichever this wire can show', () => {
    const shown = faultKindsOf('wallet_b').filter(
      (kind) => isFaultKind(kind) && callsOf(kind, 'wallet_b').includes('refund'),
    );
    expect(Object.keys(faults).toSorted()).toEqual(shown.toSorted());
  });

  test.each(Object.entries(faults))(
    '%s: one call is counted, the next one finds the wallet well',
    async (kind, row) => {
      const [answer, after] = row;
      const at = kind.includes('timeout') ? hasty : world;
      const { id } = await paid(at);
      const reference = id.replace('_', '-');
      await at.faults({ kind: kind as FaultKind, call: 'refund', reference, times: 1, delayMs: 321 });
      expect(await at.refund(id)).toMatchObject({ ...answer, providerRefundId: null });
      expect(await ledger(id, at)).toEqual({ amount: whole, refundCalls: 1, ...after });
      expect(at.waits).toEqual(kind === 'delay' ? [321] : []);
      // what was not done can still be asked for, what was done cannot
      await world.faults();
      if (at === world) expect((await at.refund(id)).outcome).toBe(after === everything ? 'refused' : 'done');
    },
  );

  test('a bank that wants a mobile number is content with one', async () => {
    const { id } = await paid();
    await world.faults({ kind: 'refund_needs_mobile' });
    expect(await world.refund(id, { mobileNumber: '9800000001' })).toMatchObject({ outcome: 'done' });
  });
});
