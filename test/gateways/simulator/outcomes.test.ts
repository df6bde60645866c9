/** How wallet_b plays its outcomes over the real wire: when, on which attempt, and what is refused. How each outcome ends
 *  is in outcomes-each-way.test.ts. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { minutes, seconds } from '../../../src/kernel/time.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.stop());

/** Opens a session, simulates, and gives it back once it is as `holds` says. */
async function simulated(outcome: string, holds: (session: SessionState) => boolean): Promise<SessionState> {
  const id = await world.open();
  expect(await world.simulate(id, outcome)).toEqual({ is: 'done' });
  return world.until(id, holds);
}
const is =
  (status: SessionState['status']) =>
  (session: SessionState): boolean =>
    session.status === status;
const first = (session: SessionState) => session.payments[0];
const returns = async (session: SessionState): Promise<number> =>
  (await world.simulated(first(session)?.id ?? '')).log.filter(({ call }) => call === 'return').length;

test('success: paid, the buyer sent back', async () => {
  const session = await simulated('success', is('success'));
  const payment = first(session);
  expect(payment).toMatchObject({ status: 'success', duplicate: false, late: false });
  expect(payment?.providerRef).toBe(`TX${payment?.id.slice(4).toUpperCase()}`);
  expect(await returns(session)).toBe(1);
});

test.each(['declined', 'insufficient_funds'])(
  '%s: pending at the first look-up, then the attempt is cancelled',
  async (outcome) => {
    const session = await simulated(
      outcome,
      (now) => first(now)?.legs[0].look.count === 1 && first(now)?.legs[0].look.asked === null,
    );
    expect(first(session)?.status).toBe('processing');
    await world.advance(seconds(10));
    const [id] = (
      await world.node.client.list({ kind: 'checkout_session', scope: world.scope, page: 1, limit: 1 })
    ).items.map(({ meta }) => meta.id);
    const after = await world.until(id ?? '', is('pending'));
    expect(first(after)).toMatchObject({ status: 'cancelled', failure: { code: 'user_cancelled' } });
  },
);

test('lost_redirect: success by polling, the buyer never came back', async () => {
  const id = await world.open();
  await world.simulate(id, 'lost_redirect');
  const [payment] = (await world.session(id)).payments;
  await world.until(id, is('initiated'));
  await expect.poll(async () => (await world.simulated(payment?.id ?? '')).status).toBe('paid');
  expect((await world.session(id)).payments[0]?.returned).toBe(false);
  await world.advance(seconds(5));
  expect((await world.until(id, is('success'))).payments[0]?.returned).toBe(false);
});

test('duplicate_callback: two returns, one success', async () => {
  const session = await simulated('duplicate_callback', is('success'));
  expect(await returns(session)).toBe(2);
  expect(session.payments).toHaveLength(1);
  await expect.poll(() => world.waits).toEqual([50]);
});

describe('when it is played', () => {
  test("a delay passes on the project's clock", async () => {
    const id = await world.open();
    await world.simulate(id, 'success', { delayMs: 20_000 });
    await world.advance(seconds(19));
    expect((await world.session(id)).status).toBe('initiated');
    await world.advance(seconds(2));
    await world.until(id, is('success'));
  });

  test('metadata with an unknown outcome is plain metadata', async () => {
    const id = await world.open({ metadata: { sandbox_outcome: 'constructor' } });
    const payment = await world.start(id);
    await world.advance(seconds(10));
    expect(await world.simulated(payment.id)).toMatchObject({ status: 'created', planned: null });
  });
});

describe('which attempt it drives', () => {
  test('the running one, if there is one', async () => {
    const id = await world.open();
    const payment = await world.start(id);
    expect(await world.simulate(id, 'success', { provider: null })).toEqual({ is: 'done' });
    expect(await world.until(id, is('success'))).toMatchObject({ paidBy: payment.id });
  });

  test('a redirect session names its provider itself', async () => {
    const id = await world.open({ flow: 'redirect', preselected: 'wallet_b' });
    expect(await world.simulate(id, 'success', { provider: null })).toEqual({ is: 'done' });
    await world.until(id, is('success'));
  });

  test('the last one of a session that has ended: late money', async () => {
    const id = await world.open();
    await world.simulate(id, 'never');
    await world.advance(minutes(31));
    await world.until(id, is('expired'));
    expect(await world.simulate(id, 'success')).toEqual({ is: 'done' });
    expect(await world.until(id, is('success'))).toMatchObject({ late: true });
  });

  test('a paid one again, for review', async () => {
    const id = await world.open();
    await world.simulate(id, 'success');
    await world.until(id, is('success'));
    expect(await world.simulate(id, 'wrong_amount')).toEqual({ is: 'done' });
    const session = await world.until(id, (now) => now.payments[0]?.needsReview === true);
    expect(session.status).toBe('success');
    expect(await world.simulate(id, 'cancelled')).toEqual({ is: 'refused', code: 'invalid_state' });
  });
});

describe('what is refused', () => {
  test('a pending session without a provider', async () => {
    expect(await world.simulate(await world.open(), 'success', { provider: null })).toEqual({
      is: 'refused',
      code: 'required',
      param: 'provider',
    });
  });
  test('a provider without a simulator', async () => {
    expect(await world.simulate(await world.open(), 'success', { provider: 'bank_a' })).toEqual({
      is: 'refused',
      code: 'provider_not_configured',
      param: 'provider',
    });
  });
  test.each(['scanned', 'bad_signature', 'nonsense', 'toString'])(
    '%s, which wallet_b does not support',
    async (outcome) => {
      expect(await world.simulate(await world.open(), outcome)).toMatchObject({
        is: 'refused',
        code: 'not_in_enum',
        param: 'outcome',
      });
    },
  );
  test('an ended session without any payment', async () => {
    const id = await world.open();
    await world.advance(minutes(31));
    expect(await world.simulate(id, 'success')).toEqual({ is: 'refused', code: 'invalid_state' });
  });
  test('an unknown session', async () => {
    expect(await world.simulate('cs_000000000000000000000000', 'success')).toEqual({
      is: 'refused',
      code: 'resource_not_found',
      param: 'id',
    });
  });
  test('a provider whose circuit is open: nothing is started', async () => {
    await world.faults({ kind: 'http_502', call: 'start', times: null });
    const full = await world.open();
    for (let attempt = 0; attempt < 5; attempt++)
      expect(await world.simulate(full, 'success')).toEqual({ is: 'done' });
    expect(await world.session(full)).toMatchObject({ status: 'failed' });
    const id = await world.open();
    expect(await world.simulate(id, 'success')).toEqual({ is: 'refused', code: 'provider_unavailable' });
    expect(await world.session(id)).toMatchObject({ status: 'pending', payments: [] });
    await world.faults();
    await world.advance(seconds(31));
    expect(await world.simulate(id, 'success')).toEqual({ is: 'done' });
    await world.until(id, is('success'));
  });
});

describe('a start the provider fails', () => {
  test('because its code names another amount: no buyer sees the code', async () => {
    await world.faults({ provider: 'qr_a', kind: 'wrong_amount', call: 'start', times: 1 });
    const id = await world.open();
    expect(await world.start(id, 'qr_a')).toMatchObject({
      status: 'failed',
      failure: { code: 'provider_error', reason: expect.stringContaining('amount') as string },
      legs: [{ instructions: null }],
    });
    expect(await world.session(id)).toMatchObject({ status: 'pending' });
    expect(await world.start(id, 'qr_a')).toMatchObject({ status: 'pending', start: 'answered' });
  });

  test('answers its result: the payment failed, the session pending for another attempt', async () => {
    await world.faults({ kind: 'http_502', call: 'start', times: 1 });
    const id = await world.open();
    expect(await world.simulate(id, 'success')).toEqual({ is: 'done' });
    expect(await world.session(id)).toMatchObject({ status: 'pending', payments: [{ status: 'failed' }] });
    expect(await world.simulate(id, 'success')).toEqual({ is: 'done' });
    expect((await world.until(id, is('success'))).payments).toHaveLength(2);
  });
});
