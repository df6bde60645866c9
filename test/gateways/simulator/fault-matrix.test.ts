/** Every fault of every provider's wire, in every call in which it can appear: over real HTTP, read by our own adapter. The
 *  cells are computed from the table of faults, so a fault without an expectation here does not pass.
 *  Elsewhere: faults of the app's calls (fault-matrix-app.test.ts), of the refund call (wallet-b/refund.test.ts), of the
 *  socket (qr-a/qr-a.test.ts). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt } from '../../../actors/checkout-session/commands.ts';
import type { Fault, FaultKind } from '../../../actors/simulated-payment/messages.ts';
import { walletOf } from '../../../gateways/simulator/simulated.ts';
import { hasTrait, providerNames, type Provider } from '../../../src/providers/catalog.ts';
import type { LookupReading } from '../../../src/providers/provider.ts';
import { providers } from '../../../src/providers/registry.ts';
import { simulatedPath } from '../../../src/providers/provider-calls.ts';
import { sendLimits } from '../../../src/providers/sender.ts';
import { kindsIn, momentary, patienceFor, sent, valuesOf } from './fault-cells.ts';
import { formOf, openWorld, type HttpAnswer, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  // our own side gives up soon, and its circuit has no part in this: the calls below are made here
  world = await openWorld({ providerTotalMs: 300 });
});
afterAll(() => world.stop());

const reference = ({ id }: Pick<Payment, 'id'>): string => id.replace('_', '-');
const adapterOf = (provider: Provider) => {
  const found = providers.get(provider);
  if (found === undefined) throw new Error(provider);
  return found;
};

/** An attempt that its provider knows, in a session of its own. */
async function begun(provider: Provider): Promise<Payment> {
  const source = adapterOf(provider).inCheckout ? 'checkout' : 'invoice';
  const payment = await world.start(await world.open({ source }), provider);
  const [{ instructions }] = payment.legs;
  if (instructions?.kind === 'form')
    await world.http('POST', new URL(instructions.url).pathname, formOf({ ...instructions.fields }));
  return payment;
}
const control = (payment: Payment, command: string): Promise<HttpAnswer> =>
  world.http('POST', `/sim/control/payments/${reference(payment)}/${command}`, {
    headers: { authorization: 'Bearer own' },
  });
const sessionIdOf = async (payment: Payment): Promise<string> =>
  (await world.simulated(payment.id)).sessionId;

/** As our side reads it: what is not whole, or too long, is no answer. */
async function lookedUp(
  provider: Provider,
  payment: Payment,
  kind: FaultKind | null = null,
): Promise<LookupReading | null> {
  const { adapter, sandboxCredentials } = adapterOf(provider);
  const input = {
    paymentId: payment.id,
    amount: 125_050,
    lookupReference: payment.legs[0].lookupReference ?? '',
    providerExpiresAt: null,
    now: 0,
  };
  const root = `${world.url}${simulatedPath(provider, 'calls')}`;
  const request = await adapter.lookup.build(input, sandboxCredentials, root);
  const answer = request === null ? null : await sent(world, request, patienceFor(kind));
  if (answer === null || answer.text.length > sendLimits.bodyBytesMax) return null;
  const reply = { status: answer.status, headers: {}, text: answer.text };
  const reader = { credentials: sandboxCredentials, pageRoot: root };
  const read = adapter.lookup.read(reply, input, reader)?.answer ?? null;
  return read?.answered === true ? read : null;
}

async function withFault(
  provider: Provider,
  payment: Payment,
  fault: Pick<Fault, 'kind' | 'call'> & Partial<Fault>,
): Promise<void> {
  await world.faults({ provider, reference: reference(payment), ...fault });
}

const silent = (read: LookupReading | null): void => expect(read).toBeNull();
const paid = (read: LookupReading | null): void =>
  expect(read).toMatchObject({ outcome: 'paid', amountPaisa: 125_050 });

/** What a look-up of a paid payment says under each fault. */
const lookups: { readonly [K in FaultKind]?: (read: LookupReading | null, payment: Payment) => void } = {
  delay: paid,
  timeout: silent,
  reset: silent,
  http_500_html: silent,
  http_502: silent,
  http_429: silent,
  not_json: silent,
  outage_200: silent,
  huge_body: silent,
  wrong_amount: (read) => expect(read).toMatchObject({ outcome: 'paid', amountPaisa: 124_950 }),
  wrong_reference: (read, { legs: [{ lookupReference }] }) => {
    expect(read?.outcome).toBe('paid');
    expect(read?.reference).not.toBe(lookupReference);
  },
  status_text: (read) => expect(read?.outcome).toBe('ambiguous'),
  ambiguous: (read) => expect(read?.outcome).toBe('ambiguous'),
  amount_text: paid,
  field_style: paid,
  no_amount: (read) => expect(read).toMatchObject({ outcome: 'paid', amountPaisa: null }),
};
describe.each(providerNames)('row 100: a look-up of %s', (provider) => {
  const kinds = kindsIn(provider, 'lookup');
  test('has an expectation for every fault that can appear in it', () => {
    expect(kinds.filter((kind) => lookups[kind] === undefined && !momentary.includes(kind))).toEqual([]);
  });
  test.each(kinds.filter((kind) => !momentary.includes(kind)))('%s', async (kind) => {
    const payment = await begun(provider);
    expect((await control(payment, 'pay')).status).toBe(200);
    for (const value of valuesOf(kind, provider)) {
      await withFault(provider, payment, { kind, call: 'lookup', value, delayMs: 5000 });
      world.waits.length = 0;
      lookups[kind]?.(await lookedUp(provider, payment, kind), payment);
      if (kind === 'delay') expect(world.waits).toContain(5000);
    }
    await world.faults();
    paid(await lookedUp(provider, payment));
  });
  test('late_success: nothing before the end of the session, money after it', async () => {
    const payment = await begun(provider);
    await withFault(provider, payment, { kind: 'late_success', call: 'lookup', delayMs: 0 });
    expect((await lookedUp(provider, payment))?.outcome).not.toBe('paid');
    const merchant = { by: 'merchant', scope: world.scope } as const;
    await world.node.client.ask(checkoutSessionAt(await sessionIdOf(payment)), 'expire', {}, merchant);
    paid(await lookedUp(provider, payment));
  });
  test('success_then_failed: paid once, then never again', async () => {
    const payment = await begun(provider);
    await control(payment, 'pay');
    await withFault(provider, payment, { kind: 'success_then_failed', call: 'lookup' });
    paid(await lookedUp(provider, payment));
    expect(['failed', 'cancelled']).toContain((await lookedUp(provider, payment))?.outcome);
  });
});

/** How a start ends under each fault: for a call of ours whether the attempt has started, for a form of the browser the status
 *  that the buyer sees (0: none). */
const starts: { readonly [K in FaultKind]?: { readonly called: boolean; readonly posted: number } } = {
  delay: { called: true, posted: 303 },
  timeout: { called: false, posted: 0 },
  reset: { called: false, posted: 0 },
  http_500_html: { called: false, posted: 500 },
  http_502: { called: false, posted: 502 },
  http_429: { called: false, posted: 429 },
  not_json: { called: false, posted: 200 },
  outage_200: { called: false, posted: 200 },
  huge_body: { called: false, posted: 200 },
  wrong_amount: { called: false, posted: 303 },
  create_status: { called: true, posted: 303 },
  bad_crc: { called: false, posted: 303 },
};

/** The start call of an attempt that the provider knows already, made once more: null when nothing readable came back. */
async function startedAgain(provider: Provider, payment: Payment, kind: FaultKind): Promise<boolean> {
  const { adapter, sandboxCredentials } = adapterOf(provider);
  if ('open' in adapter.start) throw new Error(`${provider} is started by a form`);
  const { order } = await world.session(await sessionIdOf(payment));
  const input = { paymentId: payment.id, amount: 125_050, order, returnUrl: `${world.url}/x/done`, now: 0 };
  const root = `${world.url}${simulatedPath(provider, 'calls')}`;
  const request = await adapter.start.build(input, sandboxCredentials, root);
  const answer = request === null ? null : await sent(world, request, patienceFor(kind));
  if (answer === null || answer.text.length > sendLimits.bodyBytesMax) return false;
  const reply = { status: answer.status, headers: {}, text: answer.text };
  const read = adapter.start.read(reply, input, { credentials: sandboxCredentials, pageRoot: root });
  return read?.answer.outcome === 'started';
}

async function postedAgain({ legs: [{ instructions }] }: Payment, kind: FaultKind): Promise<number> {
  const url = instructions?.url ?? '';
  const { body, headers } = formOf({ ...instructions?.fields });
  return (await sent(world, { method: 'POST', url, headers, body }, patienceFor(kind)))?.status ?? 0;
}

describe.each(providerNames)('row 100: a start of %s', (provider) => {
  const { adapter } = adapterOf(provider);
  const kinds = kindsIn(provider, 'start');
  test('has an expectation for every fault that can appear in it', () => {
    expect(kinds.filter((kind) => starts[kind] === undefined)).toEqual([]);
  });
  test.each(kinds)('%s', async (kind) => {
    const payment = await begun(provider);
    const { called, posted } = starts[kind] ?? expect.unreachable(kind);
    for (const value of valuesOf(kind, provider)) {
      await withFault(provider, payment, { kind, call: 'start', value, delayMs: 5000 });
      if ('open' in adapter.start) expect(await postedAgain(payment, kind)).toBe(posted);
      else expect(await startedAgain(provider, payment, kind)).toBe(called);
    }
  });
});

/** A return: the buyer's browser leaves the page of a paid payment. null: no answer. */
async function leaves(
  provider: Provider,
  payment: Payment,
  kind: FaultKind | null = null,
): Promise<URL | 'no redirect' | null> {
  const wallet = walletOf(provider);
  const { handle } = await world.simulated(payment.id);
  const { body, headers } = formOf({ [wallet?.handleName ?? '']: handle, do: 'leave' });
  const url = `${world.url}/sim/${provider}/`;
  const answer = await sent(world, { method: 'POST', url, headers, body }, patienceFor(kind));
  if (answer === null) return null;
  const location = answer.headers['location'];
  return location === undefined ? 'no redirect' : new URL(String(location));
}

/** What a return can be seen to say: of the address, and of our adapter's reading of it. */
type Seen = 'nothing' | 'no redirect' | 'as ever' | 'twice' | 'something else' | 'not verified';

/** What faults change in a return. Those of bank_a and wallet_c carry a reference alone, so nothing can be wrong with the rest:
 *  `as ever`. */
const carriesReferenceAlone: readonly Provider[] = ['bank_a', 'wallet_c'];
const returns: { readonly [K in FaultKind]?: Seen } = {
  delay: 'as ever',
  timeout: 'nothing',
  reset: 'nothing',
  lost_redirect: 'no redirect',
  double_return: 'twice',
  // it pays other attempts: test/gateways/simulator/outcomes-each-way.test.ts
  double_payment: 'as ever',
  wrong_amount: 'something else',
  wrong_reference: 'something else',
  status_text: 'something else',
  ambiguous: 'something else',
  amount_text: 'something else',
  bad_signature: 'not verified',
  missing_signed_field: 'not verified',
};
const seenIn = (kind: FaultKind, provider: Provider): Seen | undefined => {
  const seen = returns[kind];
  const about = seen === 'something else' || seen === 'not verified';
  return about && carriesReferenceAlone.includes(provider) ? 'as ever' : seen;
};

describe.each(providerNames.filter((each) => hasTrait(each, 'returns')))(
  'row 100: a return of %s',
  (provider) => {
    const { adapter, sandboxCredentials } = adapterOf(provider);
    const kinds = kindsIn(provider, 'return');
    const isVerified = (payment: Payment, to: URL): boolean | undefined =>
      adapter.parseReturn?.(
        { paymentId: payment.id, outcome: 'success', query: to.searchParams },
        sandboxCredentials,
      ).verified;
    const countOf = async (payment: Payment): Promise<number> =>
      (await world.simulated(payment.id)).log.filter(({ call }) => call === 'return').length;

    test('has an expectation for every fault that can appear in it', () => {
      expect(kinds.filter((kind) => returns[kind] === undefined)).toEqual([]);
    });
    test.each(kinds)('%s', async (kind) => {
      const payment = await begun(provider);
      await control(payment, 'pay');
      const usual = await leaves(provider, payment);
      if (!(usual instanceof URL)) throw new Error('it returns');
      const before = await countOf(payment);
      // 1000.0 is the usual spelling
      const value = kind === 'amount_text' ? '1000.00' : (valuesOf(kind, provider)[0] ?? null);
      await withFault(provider, payment, { kind, call: 'return', value, delayMs: 5000 });
      const to = await leaves(provider, payment, kind);
      const seen = seenIn(kind, provider);
      if (seen === 'nothing') expect(to).toBeNull();
      else if (seen === 'no redirect') expect(to).toBe('no redirect');
      else if (!(to instanceof URL)) throw new Error(`${kind} returns`);
      else if (seen === 'not verified') expect(isVerified(payment, to)).toBe(false);
      else if (seen === 'something else') expect(to.href).not.toBe(usual.href);
      else expect(to.href).toBe(usual.href);
      expect((await countOf(payment)) - before).toBe(seen === 'twice' ? 2 : 1);
    });
  },
);

/** What our door answers to a call of the provider's server under each fault; [] where it does not come. */
const callbacks: { readonly [K in FaultKind]?: readonly string[] } = {
  bad_signature: ['400'],
  // signed correctly: a hint like any other, and the look-up decides
  wrong_amount: ['200'],
  status_text: ['200'],
  ambiguous: ['200'],
  amount_text: ['200'],
  // there is no such payment
  wrong_reference: ['404'],
  double_callback: ['200', '200'],
  callback_never: [],
  // it waits for the project's clock: wallet-c.test.ts
  callback_delay: [],
};

describe.each(providerNames.filter((each) => hasTrait(each, 'callbacks') && !hasTrait(each, 'app_intent')))(
  "row 100: a call of %s's server",
  (provider) => {
    const kinds = kindsIn(provider, 'callback');
    test('has an expectation for every fault that can appear in it', () => {
      expect(kinds.filter((kind) => callbacks[kind] === undefined)).toEqual([]);
    });
    test.each(kinds)('%s', async (kind) => {
      for (const value of valuesOf(kind, provider)) {
        const payment = await begun(provider);
        await withFault(provider, payment, { kind, call: 'callback', value, delayMs: 600_000 });
        await control(payment, 'pay');
        const expected = callbacks[kind] ?? expect.unreachable(kind);
        const answers = async (): Promise<readonly string[]> =>
          (await world.simulated(payment.id)).log
            .filter(({ call }) => call === 'callback')
            .map(({ response }) => response);
        await expect.poll(answers, { timeout: 5000, interval: 10 }).toEqual(expected);
      }
    });
  },
);
