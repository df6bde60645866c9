/** A start that the browser makes: ready at once, refused where a call would not be made; and returns with their keys. */
import { describe, expect, test } from 'vitest';
import type { SessionEffects } from '../../../actors/checkout-session/commands.ts';
import { Breakers } from '../../../src/providers/breaker.ts';
import { providerReturn } from '../../../src/providers/claims.ts';
import { providerLookup, providerStart, type ProviderDeps } from '../../../src/providers/call.ts';
import { providers } from '../../../src/providers/registry.ts';
import type { Sent } from '../../../src/providers/sender.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import { plainOrder } from '../../support/order.ts';
import { samplesOf } from './samples.ts';

const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const start: SessionEffects['provider.start'] = {
  paymentId,
  provider: 'wallet_a',
  amount: 125_050,
  order: plainOrder,
};
const lookup: SessionEffects['provider.lookup'] = {
  paymentId,
  provider: 'wallet_a',
  amount: 125_050,
  lookupReference: 'pay-4t8z1m6q3x9k2v7b',
  providerExpiresAt: null,
  cause: 'poll',
};
const credentials = { merchantCode: 'EPAYTEST', secretKey: '8gBm/:&EnhH.1/q' };
const at = (now: number) => ({ scope: 'prj_a:sandbox' as Scope, actorId: 'cs_1', now: () => now });
const reply = (name: string): Sent => ({
  is: 'replied',
  reply: samplesOf('wallet-a').reply(name),
  durationMs: 5,
});

function deps(more: Partial<ProviderDeps> = {}): ProviderDeps & { readonly sent: string[] } {
  const sent: string[] = [];
  return {
    sent,
    adapter: (provider) => providers.get(provider)?.adapter ?? null,
    settings: () => Promise.resolve({ credentials, enabled: true }),
    root: () => 'http://127.0.0.1:1/sim/wallet_a',
    pageRoot: () => 'https://pay.example/sim/wallet_a',
    returnBase: 'https://pay.example',
    breakers: new Breakers(),
    onAnswer: () => undefined,
    send: ({ url }) => {
      sent.push(url);
      return Promise.resolve(reply('outage'));
    },
    log: { warn: () => {}, error: () => {} },
    ...more,
  };
}

describe('a start in the browser', () => {
  test("is a form for the browser's address, and no request is sent", async () => {
    const parts = deps();
    const answered = await providerStart(parts)(start, at(0));
    expect(answered).toMatchObject({
      paymentId,
      durationMs: 0,
      answer: {
        outcome: 'started',
        lookupReference: 'pay-4t8z1m6q3x9k2v7b',
        instructions: { kind: 'form', url: 'https://pay.example/sim/wallet_a/api/epay/main/v2/form' },
      },
    });
    expect(parts.sent).toEqual([]);
  });
  test.each<[string, Partial<ProviderDeps>, RegExp]>([
    ['without settings', { settings: () => Promise.resolve(null) }, /not configured/],
    ['disabled', { settings: () => Promise.resolve({ credentials, enabled: false }) }, /not configured/],
    ['without a live address', { pageRoot: () => null }, /provider_unavailable/],
  ])('%s has failed', async (_how, more, message) => {
    const { answer } = await providerStart(deps(more))(start, at(0));
    expect(answer).toEqual({ outcome: 'failed', message: expect.stringMatching(message) as string });
  });
  test('is refused while look-ups get no answer, and accepted again half a minute later', async () => {
    const parts = deps();
    for (let i = 0; i < 5; i++) await providerLookup(parts)(lookup, at(i));
    expect((await providerStart(parts)(start, at(10))).answer).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('provider_unavailable') as string,
    });
    expect((await providerStart(parts)(start, at(40_000))).answer.outcome).toBe('started');
  });
});

test("a look-up goes to the status host and keeps the merchant's code readable", async () => {
  const parts = deps({ send: () => Promise.resolve(reply('lookup-complete')) });
  const { answer } = await providerLookup(parts)(lookup, at(0));
  expect(answer).toMatchObject({
    outcome: 'paid',
    amountPaisa: 125_050,
    raw: expect.stringContaining('EPAYTEST') as string,
  });
});

test('the history of an attempt decides what NOT_FOUND means', async () => {
  const parts = deps({ send: () => Promise.resolve(reply('lookup-not-found')) });
  const outcome = async (seen?: { returnedUnpaid: boolean; wasPending: boolean }) =>
    (await providerLookup(parts)(seen === undefined ? lookup : { ...lookup, seen }, at(0))).answer.outcome;
  expect(await outcome()).toBe('not_found');
  expect(await outcome({ returnedUnpaid: true, wasPending: false })).toBe('cancelled');
  expect(await outcome({ returnedUnpaid: false, wasPending: true })).toBe('expired');
});

describe('a return', () => {
  const brought = { paymentId, outcome: 'failure', query: new URLSearchParams() };
  test("is read by its own provider's adapter", async () => {
    expect(await providerReturn(deps())('prj_a:sandbox', 'wallet_a', brought)).toMatchObject({
      hint: 'failed',
    });
    expect(await providerReturn(deps())('prj_a:sandbox', 'qr_a', brought)).toBeNull();
  });
  test('to a project without credentials is still a return, unverified', async () => {
    const parts = deps({ settings: () => Promise.resolve(null) });
    const query = new URLSearchParams(samplesOf('wallet-a').text('return'));
    const hint = await providerReturn(parts)('prj_a:sandbox', 'wallet_a', {
      ...brought,
      outcome: 'success',
      query,
    });
    expect(hint).toMatchObject({ hint: 'unknown', verified: false });
  });
});
