/** Whose payment a reference names: of this service's sandbox, or of another service where the simulator stands alone. */
import { expect, test } from 'vitest';
import { sandboxPayment, type PlayDeps } from '../../../gateways/simulator/payments.ts';
import { isLive } from '../../../src/runtime/model/address.ts';

const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const row = (scope: string) => ({
  scope,
  owner: { id: 'cs_1' },
  body: { provider: 'wallet_b', metadata: { a: 1 } },
});

const found = (playsForOthers: boolean, known: object | null) => {
  const client = { readRow: () => Promise.resolve(known) };
  return sandboxPayment({ client, playsForOthers } as unknown as PlayDeps, paymentId, 'wallet_b');
};

test.each([false, true])(
  'a payment of the own sandbox belongs to its project (stand-alone: %s)',
  async (alone) => {
    const mine = { scope: 'prj_1:sandbox', sessionId: 'cs_1', metadata: { a: 1 } };
    expect(await found(alone, row('prj_1:sandbox'))).toEqual(mine);
  },
);

test.each([false, true])(
  'a live payment of the service itself is never simulated (stand-alone: %s)',
  async (alone) => {
    expect(await found(alone, row('prj_1:live'))).toBeNull();
  },
);

test('a payment of nobody is refused, unless the simulator stands alone: then no project has it, and no plan', async () => {
  expect(await found(false, null)).toBeNull();
  const guest = await found(true, null);
  expect(guest).toMatchObject({ sessionId: paymentId, metadata: {} });
  expect(guest?.scope).toBe('prj_000000000000000000000000:sandbox');
  expect(isLive(guest?.scope ?? expect.unreachable())).toBe(false);
});
