/** Every fault in the calls of wallet_a's app: booking, look-up, cancelling, return and callback, over real HTTP, read by our
 *  own adapter. The cells are computed from the table of faults, as in fault-matrix.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt } from '../../../actors/checkout-session/commands.ts';
import type { Fault, FaultKind } from '../../../actors/simulated-payment/messages.ts';
import { walletAApp } from '../../../gateways/simulator/wallet-a/app.ts';
import type { LookupReading, ProviderCall } from '../../../src/providers/provider.ts';
import { providers } from '../../../src/providers/registry.ts';
import { sendLimits } from '../../../src/providers/sender.ts';
import { eventually } from '../../support/eventually.ts';
import { kindsIn, momentary, patienceFor, sent, valuesOf } from './fault-cells.ts';
import { formOf, openWorld, type HttpAnswer, type World } from './world.ts';

const provider = 'wallet_a';
const { adapter, sandboxCredentials } = providers.get(provider) ?? expect.unreachable(provider);
const app = adapter.appIntent ?? expect.unreachable('its app');

let world: World;
beforeAll(async () => {
  world = await openWorld({ appIntent: true });
});
afterAll(() => world.stop());

const bookedIn = async (sessionId: string): Promise<Payment> => {
  const payment = await world.start(sessionId, provider);
  expect(payment).toMatchObject({ legs: [{ name: 'intent', instructions: { kind: 'intent' } }] });
  return payment;
};
const booked = async (): Promise<Payment> => bookedIn(await world.open());
/** The leg in the app is a simulated payment of its own. */
const legOf = ({ id }: Payment): string => `${id}_i`;
const reference = (payment: Payment): string => legOf(payment).replaceAll('_', '-');
const stateOf = async (payment: Payment): Promise<string> => (await world.simulated(legOf(payment))).status;
const control = (payment: Payment, command: string): Promise<HttpAnswer> =>
  world.http('POST', `/sim/control/payments/${reference(payment)}/${command}`, {
    headers: { authorization: 'Bearer own' },
  });
const withFault = (payment: Payment, fault: Pick<Fault, 'kind' | 'call'> & Partial<Fault>): Promise<void> =>
  world.faults({ provider, reference: reference(payment), ...fault });

/** What our side reads of one call; null: no answer. */
async function read<Input, Answer>(
  wire: ProviderCall<Input, Answer>,
  input: Input,
  kind: FaultKind | null,
): Promise<Answer | null> {
  const root = `${world.url}/sim/${provider}`;
  const request = await wire.build(input, sandboxCredentials, root);
  const answer = request === null ? null : await sent(world, request, patienceFor(kind));
  if (answer === null || answer.text.length > sendLimits.bodyBytesMax) return null;
  const reply = { status: answer.status, headers: {}, text: answer.text };
  return wire.read(reply, input, { credentials: sandboxCredentials, pageRoot: root })?.answer ?? null;
}

async function lookedUp(payment: Payment, kind: FaultKind | null = null): Promise<LookupReading | null> {
  const input = {
    paymentId: payment.id,
    amount: 125_050,
    lookupReference: payment.legs[0].lookupReference ?? '',
    providerExpiresAt: null,
    now: 0,
  };
  return read(app.lookup, input, kind);
}

/** The booking made once more: the wallet knows it already. Whether an attempt has started. */
async function bookedAgain(payment: Payment, kind: FaultKind | null): Promise<boolean> {
  const { sessionId } = await world.simulated(legOf(payment));
  const { order } = await world.session(sessionId);
  const callbackUrl = `${world.url}/callback/${provider}/${payment.id}`;
  const input = {
    paymentId: payment.id,
    sessionId,
    amount: 125_050,
    order,
    callbackUrl,
    returnUrl: `${world.url}/x`,
    now: 0,
  };
  return (await read(app.book, input, kind))?.outcome === 'started';
}

const cancelled = async ({ booking }: Payment, kind: FaultKind | null): Promise<boolean | null> =>
  (await read(app.cancel, { booking: booking ?? expect.unreachable('a booking') }, kind))?.done ?? null;

/** Faults that leave our side without an answer, in every call of ours. */
const silent: readonly FaultKind[] = [
  'timeout',
  'reset',
  'http_500_html',
  'http_502',
  'http_429',
  'not_json',
  'outage_200',
  'huge_body',
];
/** Of these, those after which the call was executed all the same. */
const executed: readonly FaultKind[] = ['timeout', 'reset'];

describe('row 100: a booking in the app of wallet_a', () => {
  const kinds = kindsIn(provider, 'start');
  test('has an expectation for every fault that can appear in it', () => {
    expect(kinds.filter((kind) => kind !== 'delay' && !silent.includes(kind))).toEqual([]);
  });
  test.each(kinds)('%s', async (kind) => {
    const payment = await booked();
    await withFault(payment, { kind, call: 'start', delayMs: 5000 });
    world.waits.length = 0;
    expect(await bookedAgain(payment, kind)).toBe(kind === 'delay');
    if (kind === 'delay') expect(world.waits).toContain(5000);
    await world.faults();
    expect(await bookedAgain(payment, null)).toBe(true);
  });
});

/** A status names no amount: what changes one changes nothing. */
const paid = (found: LookupReading | null): void =>
  expect(found).toMatchObject({ outcome: 'paid', amountPaisa: null });
const unclear = (found: LookupReading | null): void => expect(found?.outcome).toBe('ambiguous');
const lookups: { readonly [K in FaultKind]?: (found: LookupReading | null, payment: Payment) => void } = {
  ...Object.fromEntries(
    silent.map((kind) => [kind, (found: LookupReading | null) => expect(found).toBeNull()]),
  ),
  delay: paid,
  wrong_amount: paid,
  amount_text: paid,
  field_style: paid,
  status_text: unclear,
  ambiguous: unclear,
  wrong_reference: (found, { legs: [{ lookupReference }] }) => {
    expect(found?.outcome).toBe('paid');
    expect(found?.reference).not.toBe(lookupReference);
  },
};

describe('row 100: a look-up in the app of wallet_a', () => {
  const kinds = kindsIn(provider, 'lookup');
  test('has an expectation for every fault that can appear in it', () => {
    expect(kinds.filter((kind) => lookups[kind] === undefined && !momentary.includes(kind))).toEqual([]);
  });
  test.each(kinds.filter((kind) => !momentary.includes(kind)))('%s', async (kind) => {
    const payment = await booked();
    await world.faults({ provider, kind: 'callback_never' });
    expect((await control(payment, 'pay')).status).toBe(200);
    for (const value of valuesOf(kind, provider)) {
      await withFault(payment, { kind, call: 'lookup', value, delayMs: 5000 });
      lookups[kind]?.(await lookedUp(payment, kind), payment);
    }
    await world.faults();
    paid(await lookedUp(payment));
  });
  test('late_success: nothing before the end of the session, money after it', async () => {
    const payment = await booked();
    await withFault(payment, { kind: 'late_success', call: 'lookup', delayMs: 0 });
    expect((await lookedUp(payment))?.outcome).toBe('pending');
    const { sessionId } = await world.simulated(legOf(payment));
    await world.node.client.ask(
      checkoutSessionAt(sessionId),
      'expire',
      {},
      { by: 'merchant', scope: world.scope },
    );
    await eventually(
      async () => ((await lookedUp(payment))?.outcome === 'paid' ? true : null),
      () => 'the money after the end',
    );
  });
  test('success_then_failed: paid once, then never again', async () => {
    const payment = await booked();
    await world.faults(
      { provider, kind: 'callback_never' },
      { provider, reference: reference(payment), kind: 'success_then_failed', call: 'lookup' },
    );
    await control(payment, 'pay');
    paid(await lookedUp(payment));
    expect((await lookedUp(payment))?.outcome).toBe('failed');
  });
});

describe('row 100: the cancelling of a booking in the app of wallet_a', () => {
  const kinds = kindsIn(provider, 'cancel');
  test('has an expectation for every fault that can appear in it', () => {
    expect(kinds.filter((kind) => kind !== 'delay' && !silent.includes(kind))).toEqual([]);
  });
  test.each(kinds)('%s', async (kind) => {
    const payment = await booked();
    await withFault(payment, { kind, call: 'cancel', delayMs: 5000 });
    expect(await cancelled(payment, kind)).toBe(kind === 'delay' ? true : null);
    const isDone = kind === 'delay' || executed.includes(kind);
    expect(await stateOf(payment)).toBe(isDone ? 'cancelled' : 'created');
    await world.faults();
    // only what is booked can be cancelled
    expect(await cancelled(payment, null)).toBe(!isDone);
  });
});

describe('row 100: a return from the app of wallet_a', () => {
  const kinds = kindsIn(provider, 'return');
  /** Its return carries nothing but the address that we gave it. */
  const seen: { readonly [K in FaultKind]?: 'nothing' | 'no redirect' | 'twice' } = {
    timeout: 'nothing',
    reset: 'nothing',
    lost_redirect: 'no redirect',
    double_return: 'twice',
  };
  const leaves = async (payment: Payment, kind: FaultKind | null = null): Promise<string | null> => {
    const { handle } = await world.simulated(legOf(payment));
    const { body, headers } = formOf({ [walletAApp.handleName]: handle, do: 'leave' });
    const url = `${world.url}${walletAApp.root}/`;
    const answer = await sent(world, { method: 'POST', url, headers, body }, patienceFor(kind));
    return answer === null ? null : String(answer.headers['location'] ?? 'no redirect');
  };
  const countOf = async (payment: Payment): Promise<number> =>
    (await world.simulated(legOf(payment))).log.filter(({ call }) => call === 'return').length;

  test.each(kinds)('%s', async (kind) => {
    const payment = await booked();
    await world.faults({ provider, kind: 'callback_never' });
    await control(payment, 'pay');
    const usual = await leaves(payment);
    expect(usual).toContain(`/return/${provider}/${payment.id}/intent/`);
    const before = await countOf(payment);
    await withFault(payment, {
      kind,
      call: 'return',
      value: valuesOf(kind, provider)[0] ?? null,
      delayMs: 5000,
    });
    const to = await leaves(payment, kind);
    const expected = seen[kind];
    if (expected === 'nothing') expect(to).toBeNull();
    else expect(to).toBe(expected === 'no redirect' ? expected : usual);
    expect((await countOf(payment)) - before).toBe(expected === 'twice' ? 2 : 1);
  });
});

/** What our door answers to the call of its server; [] where it does not come. */
const callbacks: { readonly [K in FaultKind]?: readonly string[] } = {
  bad_signature: ['400'],
  // what does not sign its status proves nothing
  missing_signed_field: ['400'],
  // signed correctly: a hint like any other, and the look-up decides
  wrong_amount: ['200'],
  wrong_reference: ['200'],
  status_text: ['200'],
  ambiguous: ['200'],
  amount_text: ['200'],
  double_callback: ['200', '200'],
  callback_never: [],
  callback_delay: [],
};

describe('row 100: a callback of the app of wallet_a', () => {
  const kinds = kindsIn(provider, 'callback');
  const answers = async (payment: Payment): Promise<readonly string[]> =>
    (await world.simulated(legOf(payment))).log
      .filter(({ call }) => call === 'callback')
      .map(({ response }) => response);
  const untilAnswered = (payment: Payment, expected: readonly string[]): Promise<void> =>
    expect.poll(() => answers(payment), { timeout: 5000, interval: 10 }).toEqual(expected);

  test('has an expectation for every fault that can appear in it', () => {
    expect(kinds.filter((kind) => callbacks[kind] === undefined)).toEqual([]);
  });
  test.each(kinds)('%s', async (kind) => {
    const expected = callbacks[kind] ?? expect.unreachable(kind);
    for (const value of valuesOf(kind, provider)) {
      const payment = await booked();
      await withFault(payment, { kind, call: 'callback', value, delayMs: 600_000 });
      await control(payment, 'pay');
      await untilAnswered(payment, expected);
    }
  });
  test('callback_delay: it comes when its time is up on the clock of the project', async () => {
    const payment = await booked();
    await withFault(payment, { kind: 'callback_delay', call: 'callback', delayMs: 60_000, times: 1 });
    await control(payment, 'pay');
    await world.advance(59_000);
    expect(await answers(payment)).toEqual([]);
    await world.advance(2000);
    await untilAnswered(payment, ['200']);
  });
});

describe('row 100: what only the app of wallet_a shows', () => {
  test('booking_short: the booking ends after `value` seconds, and the session with it', async () => {
    await world.faults({ provider, call: 'start', kind: 'booking_short', value: 10, times: 1 });
    const [short, long] = [await world.open(), await world.open()];
    const { id } = await bookedIn(short);
    await bookedIn(long);
    await world.advance(60_000);
    await world.until(short, ({ status }) => status === 'expired');
    expect(await world.payment(id)).toMatchObject({
      status: 'cancelled',
      failure: { code: 'attempt_expired' },
    });
    expect((await world.session(long)).status).toBe('initiated');
  });

  test('deeplink_dead: the link of the app answers 404, as often as it says', async () => {
    const { legs } = await bookedIn(await world.open());
    const [{ instructions }] = legs;
    const { pathname } = new URL(instructions?.url ?? '');
    const phone = { headers: { 'user-agent': 'Mozilla/5.0 (Linux; Android 14)' } };
    const tapped = async (): Promise<number> => (await world.http('GET', pathname, phone)).status;
    expect(await tapped()).toBe(302);
    await world.faults({ provider, call: 'start', kind: 'deeplink_dead', times: 1 });
    expect([await tapped(), await tapped()]).toEqual([404, 302]);
  });
});

test('row 83: a callback that overtakes the answer to the booking is not lost: one success', async () => {
  let answerNow = (): void => undefined;
  const held = new Promise<void>((resolve) => (answerNow = resolve));
  const aside = await openWorld({
    appIntent: true,
    around: (deps, who) => (who === 'doors' ? { ...deps, wait: () => held } : deps),
  });
  try {
    const sessionId = await aside.open();
    await aside.faults({ provider, call: 'start', kind: 'delay', delayMs: 5000, times: 1 });
    const starting = aside.start(sessionId, provider);
    const { payments } = await aside.until(sessionId, (session) => session.payments.length === 1);
    const { id } = payments[0] ?? expect.unreachable('an attempt');
    // the wallet knows the booking, and our side does not know that yet
    const leg = await eventually(
      () => aside.simulated(`${id}_i`).catch(() => null),
      () => 'the booking at the wallet',
    );
    expect([leg.status, (await aside.payment(id)).start]).toEqual(['created', 'asked']);
    const path = `/sim/control/payments/${`${id}_i`.replaceAll('_', '-')}/pay`;
    await aside.http('POST', path, { headers: { authorization: 'Bearer own' } });
    await eventually(
      async () => (await aside.simulated(`${id}_i`)).log.some(({ call }) => call === 'callback') || null,
      () => 'the callback',
    );
    expect((await aside.session(sessionId)).status).toBe('initiated');
    const answeredAt = aside.node.client.now(aside.scope);
    answerNow();
    await starting;
    const paid = await aside.until(sessionId, ({ status }) => status === 'success');
    expect(paid.payments).toMatchObject([
      { id, status: 'success', legs: [{ name: 'intent', look: { hints: 1 } }] },
    ]);
    // polling alone would have found it after three seconds at the earliest
    expect((paid.payments[0]?.paidAt ?? Infinity) - answeredAt).toBeLessThan(3000);
  } finally {
    await aside.stop();
  }
});
