/** While a payment and its faults cannot be read, the provider does not answer as if there
 *  were none. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { openWebSockets } from '../../../src/outbound/web-socket.ts';
import { formOf, openWorld, type World } from './world.ts';

let world: World;
let isSilent = false;
let asked = 0;
/** The command that gets no answer. */
let unanswered = 'takeFaults';
let silence: AskResult<never, never> = { is: 'unknown' };
/** It is silent so often. */
let silentTimes = Infinity;
beforeEach(async () => {
  [isSilent, asked, unanswered] = [false, 0, 'takeFaults'];
  [silence, silentTimes] = [{ is: 'unknown' }, Infinity];
  world = await openWorld({
    around: (deps) => {
      const ask: Client['ask'] = (to, command, data, asking) => {
        if (!isSilent || asked >= silentTimes || command !== unanswered)
          return deps.client.ask(to, command, data, asking);
        asked++;
        return Promise.resolve(silence);
      };
      return { ...deps, client: Object.assign(Object.create(deps.client) as Client, { ask }) };
    },
  });
});
afterEach(() => world.stop());

test('a look-up is answered 503, and later according to its faults', async () => {
  const payment = await world.start(await world.open(), 'wallet_a');
  const form = payment.legs[0].instructions;
  await world.http('POST', new URL(form?.url ?? '').pathname, formOf({ ...form?.fields }));
  const query = new URLSearchParams({
    product_code: 'EPAYTEST',
    total_amount: form?.fields['total_amount'] ?? '',
    transaction_uuid: payment.id.replace('_', '-'),
  });
  const lookup = () => world.http('GET', `/sim/wallet_a/api/epay/transaction/status/?${query.toString()}`);
  await world.faults({ provider: 'wallet_a', call: 'lookup', kind: 'http_502' });
  isSilent = true;
  expect((await lookup()).status).toBe(503);
  isSilent = false;
  expect((await lookup()).status).toBe(502);
});

test('a start whose payment could not be stored is answered 503, not as unknown', async () => {
  unanswered = 'register';
  isSilent = true;
  const id = await world.open();
  const failed = await world.start(id, 'wallet_b');
  expect(failed.failure?.reason).toBe('The provider sent no readable answer.');
  isSilent = false;
  expect((await world.start(id, 'wallet_b')).start).toBe('answered');
});

test('a start waits for a bus or a database that is away for a moment', async () => {
  unanswered = 'register';
  [isSilent, silence] = [true, { is: 'not_executed', why: 'moved', retryAfterMs: 0 }];
  silentTimes = 5;
  expect((await world.start(await world.open(), 'wallet_b')).start).toBe('answered');
  expect(asked).toBe(5);
});

test('a start fails when they are away for longer', async () => {
  unanswered = 'register';
  [isSilent, silence] = [true, { is: 'not_executed', why: 'moved', retryAfterMs: 0 }];
  expect((await world.start(await world.open(), 'wallet_b')).start).toBe('failed');
  expect(asked).toBe(32);
});

test('a socket sends nothing until it has read its faults', async () => {
  const payment = await world.start(await world.open(), 'qr_a');
  const { handle: prn } = await world.simulated(payment.id);
  const sockets = openWebSockets();
  const told: string[] = [];
  isSilent = true;
  sockets.open(`${world.url.replace('http', 'ws')}/sim/qr_a/ws/${prn}`, {
    message: (text) => void told.push(text),
    closed: () => undefined,
  });
  try {
    await expect.poll(() => asked).toBeGreaterThan(0);
    await world.http('POST', '/sim/qr_a/', formOf({ prn, do: 'pay' }));
    await expect.poll(() => asked, { timeout: 5000 }).toBeGreaterThan(2);
    expect(told).toEqual([]);
    isSilent = false;
    await expect.poll(() => told.length, { timeout: 5000 }).toBe(2);
  } finally {
    await sockets.close();
  }
});
