/** How wallet_a plays its outcomes over the real wire. How each outcome ends is in outcomes-each-way.test.ts. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { minutes, seconds } from '../../../src/kernel/time.ts';
import { simulatorCredentials } from '../../../src/providers/wallet-a/simulator.ts';
import { walletA } from '../../../src/providers/wallet-a/wallet-a.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.stop());

const provider = 'wallet_a';
const first = ({ payments }: SessionState) => payments[0];
const is =
  (status: SessionState['status']) =>
  (session: SessionState): boolean =>
    session.status === status;
/** Simulates on a session of its own, and gives it back once it is as `holds` says. */
async function simulated(outcome: string, holds: (session: SessionState) => boolean): Promise<SessionState> {
  const id = await world.open();
  expect(await world.simulate(id, outcome, { provider })).toEqual({ is: 'done' });
  return world.until(id, holds);
}

test('success: paid by a form, a log-in and a signed return', async () => {
  const payment = first(await simulated('success', is('success')));
  expect(payment).toMatchObject({
    provider: 'wallet_a',
    status: 'success',
    duplicate: false,
    providerRef: `000${payment?.id.slice(4).toUpperCase()}`,
  });
  const { log } = await world.simulated(payment?.id ?? '');
  expect(log.map(({ call }) => call)).toEqual(expect.arrayContaining(['start', 'return', 'lookup']));
});

test('lost_redirect: success by polling, the buyer never came back', async () => {
  const id = await world.open();
  await world.simulate(id, 'lost_redirect', { provider });
  const payment = first(await world.session(id));
  await expect.poll(async () => (await world.simulated(payment?.id ?? '')).status).toBe('paid');
  await world.advance(seconds(5));
  expect(first(await world.until(id, is('success')))?.returned).toBe(false);
});

test('duplicate_callback: two returns, one success', async () => {
  const session = await simulated('duplicate_callback', is('success'));
  const { log } = await world.simulated(first(session)?.id ?? '');
  expect(log.filter(({ call }) => call === 'return')).toHaveLength(2);
  expect(session.payments).toHaveLength(1);
});

test('bad_signature: our side refuses the return, and our look-up decides', async () => {
  const session = await simulated('bad_signature', is('success'));
  const paymentId = first(session)?.id ?? '';
  const { log } = await world.simulated(paymentId);
  const sent = log.find(({ call }) => call === 'return')?.request.replace('GET ', '') ?? '';
  const { searchParams: query } = new URL(sent);
  expect(walletA.parseReturn({ paymentId, outcome: 'success', query }, simulatorCredentials)).toEqual({
    hint: 'unknown',
    verified: false,
    summary: 'Buyer came back with a signature that does not hold',
  });
});

describe('without the simulate route', () => {
  test('an outcome in the metadata is played, although no browser posts the form', async () => {
    const id = await world.open({ metadata: { sandbox_outcome: 'success' } });
    await world.start(id, provider);
    await world.advance(seconds(4));
    await world.until(id, is('success'));
  });
  test('one that this wallet does not support is plain metadata', async () => {
    const id = await world.open({ metadata: { sandbox_outcome: 'refund_timeout' } });
    const payment = await world.start(id, provider);
    await world.advance(seconds(4));
    expect(await world.session(id)).toMatchObject({ status: 'initiated', payments: [{ status: 'pending' }] });
    await expect(world.simulated(payment.id)).rejects.toThrow('nothing simulated');
  });
});

describe('an ended session', () => {
  test('whose form was never posted can still be paid late', async () => {
    const id = await world.open();
    await world.start(id, provider);
    await world.advance(minutes(31));
    await world.until(id, is('expired'));
    expect(await world.simulate(id, 'success', { provider })).toEqual({ is: 'done' });
    expect(await world.until(id, is('success'))).toMatchObject({ late: true });
  });
});

describe('what is refused', () => {
  test.each(['scanned', 'refund_rejected', 'refund_timeout'])(
    '%s, before anything starts',
    async (outcome) => {
      const id = await world.open();
      expect(await world.simulate(id, outcome, { provider })).toMatchObject({
        is: 'refused',
        code: 'not_in_enum',
        param: 'outcome',
      });
      expect((await world.session(id)).payments).toEqual([]);
    },
  );
  test('a form that the wallet rejects', async () => {
    await world.faults({ provider, call: 'start', kind: 'http_500_html' });
    expect(await world.simulate(await world.open(), 'success', { provider })).toMatchObject({
      is: 'refused',
      code: 'provider_unavailable',
    });
  });
});

test('five look-ups without an answer open the circuit: the next start is refused', async () => {
  const id = await world.open();
  await world.start(id, provider);
  await world.faults({ provider, call: 'lookup', kind: 'outage_200' });
  await world.advance(seconds(57));
  const other = await world.open();
  expect(await world.start(other, provider)).toMatchObject({
    status: 'failed',
    failure: { code: 'provider_error' },
  });
  // the other provider is another circuit
  expect(await world.start(other, 'wallet_b')).toMatchObject({ status: 'pending', start: 'answered' });
});
