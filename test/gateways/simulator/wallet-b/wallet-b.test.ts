/** The simulated wallet's API over real HTTP: who may call it, what it keeps, and every fault a wire can show. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Payment } from '../../../../actors/checkout-session/attempt.ts';
import type { Fault } from '../../../../actors/simulated-payment/messages.ts';
import { minutes, seconds } from '../../../../src/kernel/time.ts';
import { simulatorCredentials } from '../../../../src/providers/wallet-b/simulator.ts';
import { scopeOf } from '../../../../src/runtime/model/address.ts';
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

const authorization = `Key ${simulatorCredentials.secretKey}`;
const api = (path: string, body: object, key = authorization): Promise<HttpAnswer> =>
  world.http('POST', `/sim/wallet_b/api/${path}`, {
    body: JSON.stringify(body),
    headers: { authorization: key },
  });
const lookup = (pidx: string): Promise<HttpAnswer> => api('v2/epayment/lookup/', { pidx });
const control = (payment: Payment, command: string, body = ''): Promise<HttpAnswer> =>
  world.http('POST', `/sim/control/payments/${payment.id.replace('_', '-')}/${command}`, {
    body,
    headers: { authorization: 'Bearer own', 'content-type': 'application/json' },
  });
const pidxOf = (payment: Payment): string => payment.legs[0].lookupReference ?? '';
const started = async (): Promise<Payment> => world.start(await world.open());
const brief = ({ status, text }: HttpAnswer): string =>
  `${status} ${text === '' ? '' : ((JSON.parse(text) as { status?: string }).status ?? text)}`;

describe('a start', () => {
  const body = (payment: Payment, more: object = {}): object => ({
    return_url: 'https://pay.example/return',
    website_url: 'https://shop.example',
    amount: 125050,
    purchase_order_id: payment.id.replace('_', '-'),
    purchase_order_name: 'x',
    ...more,
  });

  test('returns a page of ours and a pidx that contains the payment, valid for half an hour', async () => {
    const payment = await started();
    expect(pidxOf(payment)).toBe(`px${payment.id.slice(4)}`);
    expect(payment.legs[0].instructions).toMatchObject({
      kind: 'redirect',
      url: `${world.url}/sim/wallet_b/?pidx=${pidxOf(payment)}`,
    });
    expect(
      Math.abs((payment.legs[0].providerExpiresAt ?? 0) - world.node.client.now(world.scope) - minutes(30)),
    ).toBeLessThan(seconds(20));
  });

  test('repeated for the same reference returns the same', async () => {
    const payment = await started();
    const again = JSON.parse(
      (await api('v2/epayment/initiate/', body(payment, { amount: 999_999 }))).text,
    ) as {
      pidx: string;
    };
    expect(again.pidx).toBe(pidxOf(payment));
    expect(await world.simulated(payment.id)).toMatchObject({ amount: 125050, title: 'Order 1001' });
  });

  test('for an unknown payment, or with a wrong key, is refused', async () => {
    const payment = await started();
    for (const reference of ['pay-0000000000000000', 'order-7', '__proto__']) {
      expect(
        (await api('v2/epayment/initiate/', { ...body(payment), purchase_order_id: reference })).status,
      ).toBe(400);
    }
    expect(await api('v2/epayment/initiate/', body(payment), 'Key wrong')).toMatchObject({
      status: 401,
      text: '{"detail":"Invalid token.","status_code":401}',
    });
  });

  test('of a live payment is refused: nothing live is ever simulated', async () => {
    const payment = await started();
    const row = await world.node.client.readRow('payment', payment.id, world.scope);
    const live =
      `pay_${payment.id.slice(4, 19)}0` === payment.id
        ? `pay_${payment.id.slice(4, 19)}1`
        : `pay_${payment.id.slice(4, 19)}0`;
    if (row === null) throw new Error('no row');
    await world.node.store.putRows([{ ...row, id: live, scope: scopeOf(world.projectId, 'live') }]);
    expect((await api('v2/epayment/initiate/', body({ ...payment, id: live }))).status).toBe(400);
  });
});

describe('a look-up', () => {
  test("reflects the payment's states", async () => {
    const payment = await started();
    const seen = [brief(await lookup(pidxOf(payment)))];
    for (const command of ['open', 'pay', 'refund']) {
      await control(payment, command, command === 'refund' ? '{"amount":50}' : '');
      seen.push(brief(await lookup(pidxOf(payment))));
    }
    await control(payment, 'refund');
    seen.push(brief(await lookup(pidxOf(payment))));
    expect(seen).toEqual([
      '200 Initiated',
      '200 Pending',
      '200 Completed',
      '200 Partially Refunded',
      '200 Refunded',
    ]);
  });

  test('of a declined one is pending once, then cancelled', async () => {
    const payment = await started();
    await control(payment, 'decline');
    expect([brief(await lookup(pidxOf(payment))), brief(await lookup(pidxOf(payment)))]).toEqual([
      '200 Pending',
      '400 User canceled',
    ]);
  });

  test('of an unknown one is 404', async () => {
    expect(await lookup('px0000000000000000')).toMatchObject({
      status: 404,
      text: '{"detail":"Not found.","error_key":"validation_error"}',
    });
    expect((await lookup('constructor')).status).toBe(404);
    expect((await api('v2/epayment/lookup/', { pidx: 'px' }, '')).status).toBe(401);
  });

  test('after its lifetime has ended is 400 Expired', async () => {
    const aside = await openWorld();
    try {
      const payment = await aside.start(await aside.open());
      await aside.advance(minutes(31));
      const answer = await aside.http('POST', '/sim/wallet_b/api/v2/epayment/lookup/', {
        body: JSON.stringify({ pidx: payment.legs[0].lookupReference }),
        headers: { authorization },
      });
      expect(brief(answer)).toBe('400 Expired');
    } finally {
      await aside.stop();
    }
  });
});

describe('what a fault does to a look-up', () => {
  /** A paid payment's look-up under one fault. */
  async function under(fault: Partial<Fault>): Promise<HttpAnswer> {
    const payment = await started();
    await control(payment, 'pay');
    await world.faults({ call: 'lookup', times: 1, reference: payment.id.replace('_', '-'), ...fault });
    return lookup(pidxOf(payment));
  }
  const body = (answer: HttpAnswer): { status: string; pidx: string; total_amount: number } =>
    JSON.parse(answer.text) as never;

  test('delay: the answer comes later, in real time', async () => {
    expect(brief(await under({ kind: 'delay', delayMs: 1234 }))).toBe('200 Completed');
    expect(world.waits).toEqual([1234]);
  });
  test('reset: cut in the middle of the body', async () => {
    await expect(under({ kind: 'reset' })).rejects.toThrow();
  });
  test.each([
    ['http_500_html', 500, /^<html>/],
    ['http_502', 502, /^<html>/],
    ['http_429', 429, /^$/],
    ['not_json', 200, /^Service/],
    ['outage_200', 200, /^\{\}$/],
  ] as const)('%s: HTTP %i', async (kind, status, text) => {
    const answer = await under({ kind });
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
  });
  test('wrong_amount: one rupee less', async () => {
    expect(body(await under({ kind: 'wrong_amount' }))).toMatchObject({
      status: 'Completed',
      total_amount: 124950,
    });
  });
  test('wrong_reference: another pidx', async () => {
    const { pidx } = body(await under({ kind: 'wrong_reference' }));
    expect(pidx).toMatch(/^px[0-9a-z]{16}$/);
    expect((await lookup(pidx)).status).toBe(404);
  });
  test('status_text and ambiguous: another word', async () => {
    expect(body(await under({ kind: 'status_text', value: 'COMPLETED' })).status).toBe('COMPLETED');
    expect(body(await under({ kind: 'ambiguous' })).status).toBe('On Hold');
  });
  test('success_then_failed: paid once, then not', async () => {
    const payment = await started();
    await control(payment, 'pay');
    await world.faults({ kind: 'success_then_failed' });
    expect(
      [await lookup(pidxOf(payment)), await lookup(pidxOf(payment)), await lookup(pidxOf(payment))].map(
        brief,
      ),
    ).toEqual(['200 Completed', '400 User canceled', '400 User canceled']);
  });
  test('a fault of another reference or another call does nothing', async () => {
    expect(brief(await under({ kind: 'http_502', reference: 'pay-0000000000000000' }))).toBe('200 Completed');
    expect(brief(await under({ kind: 'http_502', call: 'start' }))).toBe('200 Completed');
  });
});

describe('how our own side handles it', () => {
  test.each(['reset', 'http_500_html', 'http_502', 'http_429', 'not_json', 'outage_200'] as const)(
    '%s on the start: the attempt has failed, the next one succeeds',
    async (kind) => {
      await world.faults({ kind, call: 'start', times: 1 });
      const id = await world.open();
      expect(await world.start(id)).toMatchObject({ status: 'failed', failure: { code: 'provider_error' } });
      expect(await world.start(id)).toMatchObject({ status: 'pending', start: 'answered' });
    },
  );

  test('timeout on the start: the attempt has failed, even if an answer comes later', async () => {
    const aside = await openWorld({ providerTotalMs: 200 });
    try {
      await aside.faults({ kind: 'timeout', call: 'start' });
      const id = await aside.open();
      expect(await aside.start(id)).toMatchObject({
        status: 'failed',
        failure: { code: 'provider_error' },
        legs: [{ lookupReference: null }],
      });
      expect((await aside.session(id)).status).toBe('pending');
    } finally {
      await aside.stop();
    }
  });

  test.each(['reset', 'http_429', 'not_json'] as const)(
    '%s on the look-up changes nothing; the next poll finds the money',
    async (kind) => {
      const aside = await openWorld();
      try {
        const id = await aside.open();
        const payment = await aside.start(id);
        await aside.faults({ kind, call: 'lookup', times: 1 });
        await aside.http('POST', '/sim/wallet_b/', formOf({ pidx: pidxOf(payment), do: 'lost_redirect' }));
        await aside.advance(seconds(4));
        expect(await aside.payment(payment.id)).toMatchObject({
          status: 'pending',
          legs: [{ look: { count: 1 } }],
        });
        await aside.advance(seconds(8));
        await aside.until(id, ({ status }) => status === 'success');
      } finally {
        await aside.stop();
      }
    },
  );
});

test('the log holds each exchange with its time, and no key', async () => {
  const payment = await started();
  await lookup(pidxOf(payment));
  const { log } = await world.simulated(payment.id);
  expect(log.map(({ call }) => call)).toEqual(['start', 'lookup']);
  expect(log[1]).toMatchObject({
    request: `{"pidx":"${pidxOf(payment)}"}`,
    response: expect.stringMatching(/^200 \{.*"Initiated"/) as string,
  });
  expect(JSON.stringify(log)).not.toContain(simulatorCredentials.secretKey);
});
