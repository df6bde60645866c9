/** The simulator's control doors, as a merchant's test suite drives them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import { openWorld, type HttpAnswer, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

const call = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
  key = 'own',
): Promise<HttpAnswer> =>
  world.http(method, `/sim/control/${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const json = ({
  text,
}: HttpAnswer): { data: { reference: string; state: string; log: object[] }[] } & {
  [key: string]: unknown;
} => JSON.parse(text) as never;
const started = async (): Promise<Payment> => world.start(await world.open());
const referenceOf = ({ id }: Payment): string => id.replace('_', '-');
const error = (answer: HttpAnswer): unknown => json(answer)['error'];

describe('payments', () => {
  test('returns one by its reference, with its state and log', async () => {
    const payment = await started();
    const answer = await call('GET', `payments?provider=wallet_b&reference=${referenceOf(payment)}`);
    expect(answer.status).toBe(200);
    expect(json(answer)).toEqual({
      data: [
        {
          provider: 'wallet_b',
          reference: referenceOf(payment),
          state: 'created',
          ledger: { amount: 125050, refunded: 0, refundCalls: 0 },
          log: [
            {
              at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
              call: 'start',
              request: expect.stringContaining('"purchase_order_id"') as string,
              response: expect.stringMatching(/^200 /) as string,
            },
          ],
        },
      ],
    });
  });
  test('returns all of the project, and none of another provider', async () => {
    const payment = await started();
    expect(json(await call('GET', 'payments')).data.map(({ reference }) => reference)).toContain(
      referenceOf(payment),
    );
    expect(json(await call('GET', 'payments?provider=wallet_b')).data.length).toBeGreaterThan(0);
    expect(json(await call('GET', `payments?provider=qr_a&reference=${referenceOf(payment)}`)).data).toEqual(
      [],
    );
    expect(json(await call('GET', 'payments?provider=qr_a')).data).toEqual([]);
  });
  test('another project neither sees nor changes anything', async () => {
    const payment = await started();
    expect(
      json(await call('GET', `payments?reference=${referenceOf(payment)}`, undefined, 'other')).data,
    ).toEqual([]);
    expect(json(await call('GET', 'payments', undefined, 'other')).data).toEqual([]);
    expect((await call('POST', `payments/${referenceOf(payment)}/pay`, undefined, 'other')).status).toBe(404);
    expect((await world.simulated(payment.id)).status).toBe('created');
  });
  test('without a key every request is refused', async () => {
    for (const [method, path] of [
      ['GET', 'payments'],
      ['POST', 'payments/pay-1/pay'],
      ['PUT', 'faults'],
      ['POST', 'reset'],
    ] as const) {
      expect((await call(method, path, {}, 'nobody')).status).toBe(401);
    }
  });
});

describe('commands', () => {
  test("answer the payment's new state", async () => {
    const payment = await started();
    const states = [];
    for (const [command, body] of [['open'], ['pay'], ['refund', { amount: 50 }], ['refund', {}]] as const) {
      const answer = await call('POST', `payments/${referenceOf(payment)}/${command}`, body);
      expect(answer.status).toBe(200);
      states.push(json(answer)['state']);
    }
    expect(states).toEqual(['opened', 'paid', 'partly_refunded', 'refunded']);
  });
  test('refused by the actor are 409, with the state', async () => {
    const payment = await started();
    await call('POST', `payments/${referenceOf(payment)}/cancel`);
    const answer = await call('POST', `payments/${referenceOf(payment)}/decline`);
    expect(answer.status).toBe(409);
    expect(error(answer)).toMatchObject({ code: 'invalid_state', currentStatus: 'cancelled' });
    expect((await call('POST', `payments/${referenceOf(payment)}/pay`)).status).toBe(200);
  });
  test('about an unknown reference, or unknown themselves, are 404', async () => {
    const answer = await call('POST', 'payments/pay-0000000000000000/pay');
    expect(answer.status).toBe(404);
    expect(error(answer)).toMatchObject({ code: 'resource_not_found', param: 'reference' });
    const payment = await started();
    for (const command of ['register', 'record', 'forget', 'plan']) {
      expect((await call('POST', `payments/${referenceOf(payment)}/${command}`, {})).status).toBe(404);
    }
  });
  test('a refund of no amount is 400', async () => {
    const payment = await started();
    await call('POST', `payments/${referenceOf(payment)}/pay`);
    for (const amount of ['50', 0, -1, 1.5]) {
      expect((await call('POST', `payments/${referenceOf(payment)}/refund`, { amount })).status).toBe(400);
    }
  });
});

describe('faults', () => {
  const whole = {
    provider: 'wallet_b',
    call: 'lookup',
    kind: 'http_500_html',
    reference: null,
    times: 3,
    delayMs: 0,
    value: null,
  };
  test('are set as sent; absent members are null', async () => {
    const answer = await call('PUT', 'faults', { faults: [whole, { provider: 'wallet_b', kind: 'delay' }] });
    expect(answer.status).toBe(200);
    expect(json(answer)['faults']).toEqual([
      whole,
      {
        provider: 'wallet_b',
        call: 'any',
        kind: 'delay',
        reference: null,
        times: null,
        delayMs: 0,
        value: null,
      },
    ]);
    expect(json(await call('PUT', 'faults', { faults: [] }))['faults']).toEqual([]);
  });
  test.each<[unknown, string, string]>([
    [{}, 'faults', 'required'],
    [{ faults: {} }, 'faults', 'wrong_type'],
    [{ faults: [7] }, 'faults[0]', 'wrong_type'],
    [{ faults: Array.from({ length: 101 }, () => whole) }, 'faults', 'too_long'],
    [{ faults: [whole, { ...whole, kind: 'bad_signature' }] }, 'faults[1].kind', 'not_in_enum'],
    [{ faults: [{ ...whole, kind: 'toString' }] }, 'faults[0].kind', 'not_in_enum'],
    // the call is one that others have: only the kind is wrong
    [{ faults: [{ ...whole, kind: 'toString', call: 'callback' }] }, 'faults[0].kind', 'not_in_enum'],
    [{ faults: [{ ...whole, provider: 'wallet_z' }] }, 'faults[0].provider', 'not_in_enum'],
    [{ faults: [{ ...whole, call: 'socket' }] }, 'faults[0].call', 'not_in_enum'],
    [{ faults: [{ ...whole, kind: 'lost_redirect', call: 'lookup' }] }, 'faults[0].call', 'not_in_enum'],
    [{ faults: [{ ...whole, reference: 7 }] }, 'faults[0].reference', 'wrong_type'],
    [{ faults: [{ ...whole, times: 0 }] }, 'faults[0].times', 'too_small'],
    [{ faults: [{ ...whole, times: 1.5 }] }, 'faults[0].times', 'wrong_type'],
    [{ faults: [{ ...whole, delayMs: 600_001 }] }, 'faults[0].delayMs', 'too_large'],
    [{ faults: [{ ...whole, value: 'x'.repeat(201) }] }, 'faults[0].value', 'too_long'],
  ])('%j is refused', async (body, param, code) => {
    const answer = await call('PUT', 'faults', body);
    expect(answer.status).toBe(400);
    expect(error(answer)).toMatchObject({ code: 'validation_failed', param, errors: [{ param, code }] });
  });
  test('all mistakes are named at once, and nothing is set', async () => {
    await call('PUT', 'faults', { faults: [] });
    const answer = await call('PUT', 'faults', {
      faults: [
        { ...whole, times: 0, delayMs: -1 },
        { ...whole, kind: 'x' },
      ],
    });
    expect((error(answer) as { errors: { param: string }[] }).errors.map(({ param }) => param)).toEqual([
      'faults[0].times',
      'faults[0].delayMs',
      'faults[1].kind',
    ]);
    expect((await started()).start).toBe('answered');
  });
  test('of one project do not affect another', async () => {
    await call('PUT', 'faults', { faults: [{ ...whole, call: 'start', times: null }] }, 'other');
    expect(await started()).toMatchObject({ start: 'answered' });
  });
});

describe('unknown names are ignored and listed', () => {
  test.each([
    ['GET', 'payments?provider=wallet_b&state=paid', undefined, 'state'],
    ['POST', 'payments/pay-0000000000000000/pay?fast=1', { amount: 5, a: 1 }, 'amount,a,fast'],
    ['POST', 'payments/pay-0000000000000000/refund', { amount: 5, notes: 'x' }, 'notes'],
    [
      'PUT',
      'faults',
      { faults: [{ provider: 'wallet_b', kind: 'delay', delay: 5 }, 7], fault: [] },
      'fault,faults[0].delay',
    ],
    ['POST', 'reset', { all: true }, 'all'],
  ] as const)('%s %s', async (method, path, body, named) => {
    expect((await call(method, path, body)).headers['x-ignored-params']).toBe(named);
  });

  test('known names are not listed', async () => {
    const answer = await call('PUT', 'faults', {
      faults: [{ provider: 'wallet_b', kind: 'delay', times: 1 }],
    });
    expect(answer.headers['x-ignored-params']).toBeUndefined();
    await call('PUT', 'faults', { faults: [] });
  });
});

describe('a body that cannot be read', () => {
  const doors = [
    ['PUT', 'faults'],
    ['POST', 'reset'],
    ['POST', 'payments/pay-0000000000000000/refund'],
  ] as const;
  const send = (
    method: 'PUT' | 'POST',
    path: string,
    body: string | Buffer,
    type: string,
  ): Promise<HttpAnswer> =>
    world.http(method, `/sim/control/${path}`, {
      headers: { authorization: 'Bearer own', 'content-type': type },
      body,
    });

  test.each(doors)(
    '%s %s refuses what is not one JSON object in UTF-8, not too deep',
    async (method, path) => {
      const latin = Buffer.from('{"faults":[],"a":"\u00e9"}', 'latin1');
      for (const body of ['{', '[]', 'null', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, latin]) {
        const answer = await send(method, path, body, 'application/json');
        expect([answer.status, error(answer)]).toEqual([
          400,
          expect.objectContaining({ code: 'invalid_json' }),
        ]);
      }
    },
  );
  test.each(doors)('%s %s refuses another media type', async (method, path) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await send(method, path, '{"faults":[]}', type);
      expect([answer.status, error(answer)]).toEqual([
        415,
        expect.objectContaining({ code: 'unsupported_media_type' }),
      ]);
    }
  });
});

test("reset forgets this project's payments and faults", async () => {
  const payment = await started();
  await call('PUT', 'faults', { faults: [{ provider: 'wallet_b', call: 'start', kind: 'http_502' }] });
  expect((await call('POST', 'reset', {}, 'other')).status).toBe(200);
  expect(json(await call('GET', 'payments')).data.length).toBeGreaterThan(0);
  const answer = await call('POST', 'reset');
  expect(answer.status).toBe(200);
  expect(json(await call('GET', 'payments')).data).toEqual([]);
  expect((await call('POST', `payments/${referenceOf(payment)}/pay`)).status).toBe(404);
  expect((await started()).start).toBe('answered');
});
