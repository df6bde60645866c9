/** Each outcome of docs/guides/sandbox.md, asked for by call, by metadata and by a button of the provider's page: each
 *  ends as the guide's table says. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt } from '../../../actors/checkout-session/commands.ts';
import type { Refund } from '../../../actors/checkout-session/refund.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { qrLifeMs } from '../../../actors/checkout-session/poll-schedule.ts';
import type { SandboxOutcome } from '../../../actors/simulated-payment/messages.ts';
import { isShownBy, outcomesShown } from '../../../actors/simulated-payment/outcome-table.ts';
import { walletOf } from '../../../gateways/simulator/simulated.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { minutes, seconds } from '../../../src/kernel/time.ts';
import { catalog, providerNames, type Provider } from '../../../src/providers/catalog.ts';
import { formOf, openWorld, type HttpAnswer, type World } from './world.ts';

const ways = ['call', 'metadata', 'button'] as const;
type Way = (typeof ways)[number];

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.stop());

const lifeMs = minutes(4);
const raise = (says: string): never => {
  throw new Error(says);
};
const uuidOf = ({ id }: Payment): string => id.replace('_', '-');

/** A buyer's browser on the provider's page. */
function browserAt(provider: Provider, payment: Payment) {
  const wallet = walletOf(provider);
  const handles: { readonly [P in Provider]?: string } = {
    wallet_b: payment.legs[0].lookupReference ?? '',
    wallet_c: payment.legs[0].instructions?.fields['session_id'] ?? '',
  };
  const handle = handles[provider] ?? uuidOf(payment);
  const fields = { [wallet?.handleName ?? 'prn']: handle };
  const path = `/sim/${provider}/`;
  const press = (act: string, more: { readonly [name: string]: string } = {}): Promise<HttpAnswer> =>
    world.http('POST', path, formOf({ ...fields, do: act, ...more }));
  return {
    show: async () => (await world.http('GET', `${path}?${new URLSearchParams(fields).toString()}`)).text,
    press,
    /** As a browser follows it: the wallet's own page again, or back to us. */
    async follow({ headers }: HttpAnswer): Promise<void> {
      const location = headers['location'];
      if (location === undefined) return;
      const url = new URL(String(location), world.url);
      await world.http('GET', `${url.pathname}${url.search}`);
    },
    async logIn(): Promise<void> {
      if (wallet === null) return;
      const entries = wallet.loginFields.map(({ name, values }) => [name, values[0] ?? ''] as const);
      await press('login', Object.fromEntries(entries));
    },
  };
}

/** Starts an attempt as a buyer's browser does: wallet_a learns of it from the form. */
async function started(sessionId: string, provider: Provider): Promise<Payment> {
  const payment = await world.start(sessionId, provider);
  const [{ instructions }] = payment.legs;
  if (instructions?.kind === 'form')
    await world.http('POST', new URL(instructions.url).pathname, formOf({ ...instructions.fields }));
  return payment;
}

/** The buttons that a page has of its own, beside one for each other outcome. */
const ownButtons: { readonly [O in SandboxOutcome]?: string } = {
  success: 'pay',
  declined: 'decline',
  cancelled: 'cancel',
  scanned: 'scan',
};

async function byButton(sessionId: string, provider: Provider, outcome: SandboxOutcome) {
  if (outcome === 'double_payment') {
    const left = browserAt(provider, await started(sessionId, provider));
    await left.logIn();
    await left.follow(await left.press('wait'));
  }
  const payment = await started(sessionId, provider);
  const browser = browserAt(provider, payment);
  await browser.logIn();
  const button = ownButtons[outcome] ?? outcome;
  expect(await browser.show(), `${provider} ${outcome}`).toContain(`value="${button}"`);
  const answer = await browser.press(button);
  expect(answer.status, `${provider} ${outcome}: ${answer.text}`).toBeLessThan(400);
  await browser.follow(answer);
  // who is declined stays at this wallet until he leaves
  if (provider === 'wallet_b' && outcome === 'declined') await browser.follow(await browser.press('leave'));
}

/** The id of a session in which the outcome was asked for. */
async function asked(provider: Provider, outcome: SandboxOutcome, way: Way): Promise<string> {
  const metadata = way === 'metadata' ? { sandbox_outcome: outcome } : {};
  const source = catalog[provider].inCheckout ? 'checkout' : 'invoice';
  const id = await world.open({ metadata, source }, lifeMs);
  if (way === 'call') expect(await world.simulate(id, outcome, { provider })).toEqual({ is: 'done' });
  else if (way === 'metadata') await started(id, provider);
  else await byButton(id, provider, outcome);
  return id;
}

/** `success late: success`, `initiated: processing review`: how a session and its payments stand. */
function standing({ status, payments, ...rest }: SessionState): string {
  const each = payments.map(({ status: is, failure, duplicate, needsReview }) =>
    [is, failure?.code, duplicate && 'duplicate', needsReview && 'review'].filter(Boolean).join(' '),
  );
  return `${status}${'late' in rest && rest.late ? ' late' : ''}: ${each.toSorted().join(', ')}`;
}

const declined = {
  wallet_a: 'failed declined',
  wallet_b: 'cancelled user_cancelled',
  bank_a: 'failed declined',
  wallet_c: 'failed declined',
};

/** How a session stands once the outcome was played: the guide's table. */
const ends: {
  readonly [O in SandboxOutcome]?: string | { readonly [P in Provider]?: string };
} = {
  success: 'success: success',
  declined: {
    wallet_a: `pending: ${declined.wallet_a}`,
    wallet_b: `pending: ${declined.wallet_b}`,
    // until its three minutes are over the buyer may scan it again
    qr_a: 'initiated: pending',
    bank_a: `pending: ${declined.bank_a}`,
    wallet_c: `pending: ${declined.wallet_c}`,
  },
  insufficient_funds: {
    wallet_a: `pending: ${declined.wallet_a}`,
    wallet_b: `pending: ${declined.wallet_b}`,
    qr_a: 'initiated: pending',
    bank_a: `pending: ${declined.bank_a}`,
    wallet_c: 'pending: failed insufficient_funds',
  },
  cancelled: {
    wallet_a: 'pending: cancelled user_cancelled',
    wallet_b: 'pending: cancelled user_cancelled',
    // their words do not tell who ended the payment
    bank_a: `pending: ${declined.bank_a}`,
    wallet_c: `pending: ${declined.wallet_c}`,
  },
  scanned: 'initiated: processing',
  lost_redirect: 'success: success',
  duplicate_callback: 'success: success',
  wrong_amount: {
    wallet_a: 'initiated: processing amount_mismatch review',
    wallet_b: 'initiated: processing amount_mismatch review',
    qr_a: 'initiated: pending amount_mismatch review',
    bank_a: 'initiated: processing amount_mismatch review',
    wallet_c: 'initiated: processing amount_mismatch review',
  },
  bad_signature: 'success: success',
  ambiguous: {
    wallet_a: 'initiated: processing review',
    wallet_b: 'initiated: processing review',
    qr_a: 'initiated: pending review',
    bank_a: 'initiated: processing review',
    wallet_c: 'initiated: processing review',
  },
};
const endOf = (outcome: SandboxOutcome, provider: Provider): string => {
  const row = ends[outcome];
  return (typeof row === 'string' ? row : row?.[provider]) ?? 'no row';
};

/** Every way there is; most wallets' pages have no button for a buyer without money, whom they decline like any other. */
function waysOf(outcome: SandboxOutcome, provider: Provider): readonly Way[] {
  const wallet = walletOf(provider);
  const isMute = wallet !== null && wallet.tellsPoor !== true;
  return outcome === 'insufficient_funds' && isMute ? ['call', 'metadata'] : ways;
}

interface Case {
  readonly provider: Provider;
  readonly outcome: SandboxOutcome;
  readonly way: Way;
}
const cases = (provider: Provider, outcomes: readonly SandboxOutcome[]): readonly Case[] =>
  outcomes
    .filter((outcome) => isShownBy(provider, outcome))
    .flatMap((outcome) => waysOf(outcome, provider).map((way) => ({ provider, outcome, way })));

const nameOf = ({ provider, outcome, way }: Case): string => `${provider} ${outcome} by ${way}`;

/** Each case in a session of its own, all at once. */
async function playAll(all: readonly Case[]) {
  const ids = await Promise.all(all.map(({ provider, outcome, way }) => asked(provider, outcome, way)));
  const standings = async (): Promise<{ [name: string]: string }> => {
    const sessions = await Promise.all(ids.map((id) => world.session(id)));
    return Object.fromEntries(
      all.map((one, at) => [nameOf(one), standing(sessions[at] ?? raise('no session'))]),
    );
  };
  return {
    /** Once every session stands as expected. */
    become: (expected: (one: Case) => string) =>
      expect
        .poll(standings, { timeout: 15_000, interval: 100 })
        .toEqual(Object.fromEntries(all.map((one) => [nameOf(one), expected(one)]))),
  };
}

const outOfOrder = ['timeout', 'server_error', 'outage'] as const;
/** What a later look-up finds. A second attempt paid by the button is one nobody came back from. */
const slow: readonly SandboxOutcome[] = ['late_success', 'never', 'double_payment'];
const ofRefunds: readonly SandboxOutcome[] = ['refund_rejected', 'refund_timeout'];

test('row 102: every outcome there is has its row here', () => {
  const rows = [...Object.keys(ends), ...outOfOrder, ...slow, ...ofRefunds];
  expect(rows.toSorted()).toEqual([...outcomesShown].toSorted());
});

const matching = (pattern: RegExp): string => expect.stringMatching(pattern) as unknown as string;
/** wallet_b's second payment is sent back as soon as it is found; wallet_a's waits for its merchant. */
const paidTwice = {
  wallet_a: 'success: success, success duplicate',
  wallet_b: 'success: refunded duplicate, success',
  qr_a: 'no row',
  bank_a: 'success: success, success duplicate',
  wallet_c: 'success: success, success duplicate',
};
const expired = matching(/^expired: (cancelled|expired|failed)/);
const open = matching(/^initiated: (pending|processing)$/);
const afterwards: { readonly [O in SandboxOutcome]?: string } = {
  never: expired,
  late_success: 'success late: success',
};

describe.each(providerNames)('row 102: %s, by call, by metadata and by button', (provider) => {
  test('an outcome that is decided at once ends as written', async () => {
    const played = await playAll(cases(provider, Object.keys(ends) as SandboxOutcome[]));
    await world.advance(seconds(12));
    await played.become(({ outcome }) => endOf(outcome, provider));
  }, 40_000);

  test('never is expired; late_success is expired, then paid late; double_payment has its duplicate', async () => {
    const played = await playAll(cases(provider, slow));
    await world.advance(lifeMs);
    await played.become(({ outcome }) => (outcome === 'double_payment' ? paidTwice[provider] : expired));
    await world.advance(minutes(3));
    await played.become(({ outcome }) => afterwards[outcome] ?? paidTwice[provider]);
  }, 40_000);
});

test('row 102: a declined code fails when its three minutes are over, with the reason that was told', async () => {
  const played = await playAll(cases('qr_a', ['declined', 'insufficient_funds']));
  await world.advance(qrLifeMs + seconds(12));
  await played.become(({ outcome }) => `pending: failed ${outcome}`);
}, 40_000);

/** A paid session of wallet_b in which the outcome was asked for; its buyer pays by himself. */
async function paidWith(outcome: SandboxOutcome, way: Way): Promise<string> {
  const id = await world.open({ metadata: way === 'metadata' ? { sandbox_outcome: outcome } : {} });
  const payment = await started(id, 'wallet_b');
  if (way === 'call') expect(await world.simulate(id, outcome)).toEqual({ is: 'done' });
  const browser = browserAt('wallet_b', payment);
  await browser.logIn();
  await browser.follow(await browser.press('pay'));
  if (way === 'button') {
    expect(await browser.show()).toContain(`value="${outcome}"`);
    expect((await browser.press(outcome)).status).toBe(200);
  }
  await world.until(id, ({ status }) => status === 'success');
  return id;
}

/** The session once its one refund is as `holds` says. */
const untilRefund = (id: string, holds: (refund: Refund) => boolean): Promise<SessionState> =>
  world.until(id, ({ refunds: [refund] }) => refund !== undefined && holds(refund));

const refundAll = async (id: string): Promise<string> => {
  const session = await world.session(id);
  const paymentId = session.payments[0]?.id ?? raise('no payment');
  const request = { id: mintId('ref'), paymentId, amount: session.order.amount } as const;
  const asks = { ...request, reason: 'customer_request', notes: null, mobileNumber: null } as const;
  const result = await world.node.client.ask(checkoutSessionAt(id), 'refund', asks, {
    by: 'merchant',
    scope: world.scope,
  });
  expect(result.is).toBe('ok');
  return paymentId;
};

test('row 102: refund_rejected, by call, by metadata and by button: the refund failed', async () => {
  const ids = await Promise.all(ways.map((way) => paidWith('refund_rejected', way)));
  for (const id of ids) {
    const paymentId = await refundAll(id);
    const session = await untilRefund(id, ({ status }) => status !== 'processing');
    expect(session.refunds).toMatchObject([
      { status: 'failed', failureReason: 'Transaction can not be refunded.' },
    ]);
    expect(await world.simulated(paymentId)).toMatchObject({ status: 'paid', refundCalls: 1 });
  }
});

test('row 102: refund_timeout, by call, by metadata and by button: processing, then settled by a look-up', async () => {
  await world.stop();
  world = await openWorld({ providerTotalMs: 1000 });
  const ids = await Promise.all(ways.map((way) => paidWith('refund_timeout', way)));
  const payments = await Promise.all(ids.map(refundAll));
  for (const id of ids) {
    const { refunds } = await untilRefund(id, ({ call }) => call === 'answered');
    expect(refunds).toMatchObject([{ status: 'processing' }]);
  }
  await world.advance(seconds(10));
  for (const [at, id] of ids.entries()) {
    const session = await untilRefund(id, ({ status }) => status === 'succeeded');
    expect(session.payments).toMatchObject([{ status: 'refunded' }]);
    expect(await world.simulated(payments[at] ?? '')).toMatchObject({ status: 'refunded', refundCalls: 1 });
  }
});

test.each(outOfOrder)(
  'row 102: %s, by call, by metadata and by button: nothing for a minute, success after it',
  async (outcome) => {
    await world.stop();
    world = await openWorld(outcome === 'timeout' ? { providerTotalMs: 1000 } : {});
    const played = await playAll(providerNames.flatMap((provider) => cases(provider, [outcome])));
    // nothing is answered now, so there is nothing to be patient for
    if (outcome === 'timeout') world.waitForProvider(100);
    await world.advance(seconds(59));
    await played.become(() => open);
    world.waitForProvider(5000);
    // an open circuit may take its half minute more
    await world.advance(seconds(65));
    await played.become(() => 'success: success');
  },
  60_000,
);
