/** Calls that are signed with RSA: their details, which may fail on their own, and keys that cannot sign. */
import { describe, expect, test } from 'vitest';
import type { SessionEffects } from '../../../actors/checkout-session/commands.ts';
import { Breakers } from '../../../src/providers/breaker.ts';
import { providerLookup, providerStart, type ProviderDeps } from '../../../src/providers/call.ts';
import { providers } from '../../../src/providers/registry.ts';
import type { Sent } from '../../../src/providers/sender.ts';
import { plainOrder } from '../../support/order.ts';
import { samplesOf } from './samples.ts';

const samples = samplesOf('bank-a');
const credentials = providers.get('bank_a')?.sandboxCredentials ?? {};
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const lookup: SessionEffects['provider.lookup'] = {
  paymentId,
  provider: 'bank_a',
  amount: 500,
  lookupReference: 'txn-123',
  providerExpiresAt: null,
  cause: 'poll',
};
const context = { scope: 'prj_a:sandbox', actorId: 'cs_1', now: () => 0 } as const;
const replied = (name: string): Sent => ({ is: 'replied', reply: samples.reply(name), durationMs: 5 });
const timeout: Sent = { is: 'unanswered', why: 'timeout', durationMs: 3000 };

function world(replies: readonly Sent[], more: Partial<ProviderDeps> = {}) {
  const sent: [string, number | undefined][] = [];
  const errors: string[] = [];
  const deps: ProviderDeps = {
    adapter: (provider) => providers.get(provider)?.adapter ?? null,
    settings: () => Promise.resolve({ credentials, enabled: true }),
    root: () => 'https://bank-a.example',
    pageRoot: () => 'https://bank-a.example',
    returnBase: 'https://pay.example',
    breakers: new Breakers(),
    onAnswer: () => undefined,
    send: ({ url }, withinMs) => {
      sent.push([url.split('/').at(-1) ?? '', withinMs]);
      return Promise.resolve(replies[sent.length - 1] ?? timeout);
    },
    log: {
      warn: () => {},
      error: (fields, message) => void errors.push(`${message} ${JSON.stringify(fields)}`),
    },
    ...more,
  };
  return { deps, sent, errors, look: async () => (await providerLookup(deps)(lookup, context)).answer };
}

describe('the details of an answer', () => {
  test('complete it, and both texts are kept', async () => {
    const { look, sent } = world([replied('lookup-success'), replied('details')]);
    expect(await look()).toMatchObject({
      outcome: 'paid',
      providerRef: 'BA4T8Z',
      fee: 1000,
      durationMs: 10,
      raw: expect.stringMatching(/SUCESSFULL[^]*\n[^]*BA4T8Z/) as string,
    });
    expect(sent).toEqual([
      ['validatetxn', undefined],
      ['gettxndetail', 3000],
    ]);
  });
  test.each([
    ['do not come', timeout],
    [
      'cannot be read',
      { is: 'replied', reply: { status: 200, headers: {}, text: '<html>' }, durationMs: 1 } as const,
    ],
    ['are refused', replied('token-refused')],
  ])('that %s leave it as it is: the money is not held up', async (_how, second) => {
    const { look } = world([replied('lookup-success'), second]);
    expect(await look()).toMatchObject({ outcome: 'paid', providerRef: null, fee: null, httpStatus: 200 });
  });
  test('are not asked for without a paid answer', async () => {
    for (const name of ['lookup-incomplete', 'lookup-unsuccessful', 'lookup-unclear']) {
      const { look, sent } = world([replied(name)]);
      await look();
      expect(sent).toHaveLength(1);
    }
  });
});

test('a key that cannot sign fails the start and leaves a look-up pending, and the operator reads why', async () => {
  const settings = () =>
    Promise.resolve({ credentials: { ...credentials, privateKey: 'no_key_at_all' }, enabled: true });
  const { deps, sent, errors, look } = world([], { settings });
  const start: SessionEffects['provider.start'] = {
    paymentId,
    provider: 'bank_a',
    amount: 500,
    order: plainOrder,
  };
  expect((await providerStart(deps)(start, context)).answer).toEqual({
    outcome: 'failed',
    message: 'Its credentials cannot be used. Enter them again.',
  });
  expect(await look()).toMatchObject({ outcome: 'pending', answered: false });
  expect(sent).toEqual([]);
  expect(errors).toHaveLength(2);
  expect(errors.join('')).toMatch(/cannot be used/);
  expect(errors.join('')).not.toContain('no_key_at_all');
});
