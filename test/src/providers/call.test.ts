import { describe, expect, test } from 'vitest';
import type { SessionEffects } from '../../../actors/checkout-session/commands.ts';
import type { LookupAnswer } from '../../../src/providers/answers.ts';
import { Breakers, openMs } from '../../../src/providers/breaker.ts';
import { providerLookup, providerStart, type ProviderDeps } from '../../../src/providers/call.ts';
import { providers } from '../../../src/providers/registry.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Sent } from '../../../src/providers/sender.ts';
import { plainOrder } from '../../support/order.ts';
import { samplesOf } from './samples.ts';

const samples = samplesOf('wallet-b');
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const start: SessionEffects['provider.start'] = {
  paymentId,
  provider: 'wallet_b',
  amount: 125050,
  order: plainOrder,
};
const lookup: SessionEffects['provider.lookup'] = {
  paymentId,
  provider: 'wallet_b',
  amount: 125050,
  lookupReference: 'px7Rk2Wm9QzT4vLc8HbN3d',
  providerExpiresAt: null,
  cause: 'poll',
};
const sample = (name: string): Sent => ({ is: 'replied', reply: samples.reply(name), durationMs: 7 });
const timeout: Sent = { is: 'unanswered', why: 'timeout', durationMs: 10_000 };

/** A world with one provider whose next replies are given; `now` is the project's clock. */
function world(replies: readonly Sent[], more: Partial<ProviderDeps> = {}) {
  const seen = { requests: [] as string[], alarms: [] as string[] };
  let next = 0;
  const deps: ProviderDeps = {
    adapter: (provider) => providers.get(provider)?.adapter ?? null,
    settings: () => Promise.resolve({ credentials: { secretKey: 'live_secret_1' }, enabled: true }),
    pageRoot: () => 'https://page.example/wallet',
    root: () => 'https://wallet-b.example',
    returnBase: 'https://pay.example',
    breakers: new Breakers(),
    onAnswer: () => undefined,
    send: (request) => {
      seen.requests.push(`${request.method} ${request.url} ${request.body ?? ''}`);
      const reply = replies[next++] ?? replies.at(-1);
      return reply === undefined ? Promise.reject(new Error('no reply was given')) : Promise.resolve(reply);
    },
    log: {
      warn: (fields, message) => void seen.alarms.push(`warn ${message} ${JSON.stringify(fields)}`),
      error: (fields, message) => void seen.alarms.push(`error ${message} ${JSON.stringify(fields)}`),
    },
    ...more,
  };
  const context = (now: number, scope: Scope = 'prj_a:sandbox') => ({
    scope,
    actorId: 'cs_1',
    now: () => now,
  });
  return { deps, seen, context };
}

const pending: Partial<LookupAnswer> = {
  outcome: 'pending',
  answered: false,
  amountPaisa: null,
  reference: null,
};

describe('a start', () => {
  test('uses our own return address', async () => {
    const { deps, seen, context } = world([sample('start')]);
    const answered = await providerStart(deps)(start, context(0));
    expect(answered).toMatchObject({
      paymentId,
      durationMs: 7,
      answer: { outcome: 'started', lookupReference: lookup.lookupReference },
    });
    expect(seen.requests[0]).toContain(
      '"return_url":"https://pay.example/return/wallet_b/pay_4t8z1m6q3x9k2v7b/web/done"',
    );
  });

  test.each([
    ['refused', sample('amount-too-small'), /greater than Rs. 10/],
    ['unanswered', timeout, /in time/],
    [
      'unreadable',
      { is: 'replied', reply: { status: 200, headers: {}, text: '<html>' }, durationMs: 3 } satisfies Sent,
      /readable/,
    ],
  ])('%s has failed, with the reason', async (_how, sent, message) => {
    const { deps, context } = world([sent]);
    const { answer } = await providerStart(deps)(start, context(0));
    expect(answer).toEqual({ outcome: 'failed', message: expect.stringMatching(message) as string });
  });

  test.each<[string, Partial<ProviderDeps>, RegExp]>([
    ['a provider nobody configured', { settings: () => Promise.resolve(null) }, /not configured/],
    [
      'a disabled provider',
      { settings: () => Promise.resolve({ credentials: {}, enabled: false }) },
      /not configured/,
    ],
    ['a provider without a live address', { root: () => null }, /provider_unavailable/],
    ['a provider without an adapter', { adapter: () => null }, /not configured/],
  ])('%s is not called', async (_which, more, message) => {
    const { deps, seen, context } = world([], more);
    const { answer } = await providerStart(deps)(start, context(0, 'prj_a:live'));
    expect(answer).toEqual({ outcome: 'failed', message: expect.stringMatching(message) as string });
    expect(seen.requests).toEqual([]);
  });

  test('refused with our own key in the answer never shows the key', async () => {
    const text = '{"detail":"Unknown key live_secret_1","status_code":401}';
    const { deps, seen, context } = world([
      { is: 'replied', durationMs: 1, reply: { status: 401, headers: {}, text } },
    ]);
    const answered = await providerStart(deps)(start, context(0));
    expect(answered.answer).toEqual({ outcome: 'failed', message: 'Unknown key ***' });
    expect(JSON.stringify(seen.alarms)).not.toContain('live_secret_1');
  });

  test('with unreadable settings is retried later', async () => {
    const { deps, context } = world([], { settings: () => Promise.reject(new Error('store away')) });
    await expect(providerStart(deps)(start, context(0))).rejects.toThrow('store away');
  });
});

describe('a look-up', () => {
  test('returns the answer and the details of the call', async () => {
    const { deps, context } = world([sample('lookup-completed')]);
    const { answer, cause } = await providerLookup(deps)(lookup, context(0));
    expect(cause).toBe('poll');
    expect(answer).toEqual({
      outcome: 'paid',
      answered: true,
      amountPaisa: 125050,
      reference: lookup.lookupReference,
      providerRef: 'TXN7Q2M9',
      traceId: null,
      failureCode: null,
      fee: 0,
      httpStatus: 200,
      durationMs: 7,
      raw: samples.reply('lookup-completed').text,
    });
  });

  test('is pending without a readable answer, whatever the cause', async () => {
    for (const sent of [
      timeout,
      { ...timeout, why: 'too_large' } as const,
      { ...timeout, why: 'connection' } as const,
    ]) {
      const { deps, context } = world([sent]);
      expect((await providerLookup(deps)(lookup, context(0))).answer).toMatchObject({
        ...pending,
        httpStatus: null,
        raw: null,
      });
    }
    const { deps, context } = world([
      { is: 'replied', reply: { status: 500, headers: {}, text: '<h1>500</h1>' }, durationMs: 1 },
    ]);
    expect((await providerLookup(deps)(lookup, context(0))).answer).toMatchObject({
      ...pending,
      httpStatus: 500,
      raw: '<h1>500</h1>',
    });
  });

  test('continues for a disabled provider, because money may be on its way', async () => {
    const { deps, context } = world([sample('lookup-completed')], {
      settings: () => Promise.resolve({ credentials: { secretKey: 'x' }, enabled: false }),
    });
    expect((await providerLookup(deps)(lookup, context(0))).answer.outcome).toBe('paid');
  });

  test('of an unknown attempt counts as expired 60 s after its announced end, and not before', async () => {
    const data = { ...lookup, providerExpiresAt: 1_000_000 };
    const { deps, context } = world([sample('lookup-not-found')]);
    expect((await providerLookup(deps)(data, context(1_059_999))).answer.outcome).toBe('not_found');
    expect((await providerLookup(deps)(data, context(1_060_000))).answer.outcome).toBe('expired');
    expect((await providerLookup(deps)(lookup, context(9e12))).answer.outcome).toBe('not_found');
  });

  test('that is still pending long after its end stays pending', async () => {
    const { deps, context } = world([sample('lookup-pending')]);
    const { answer } = await providerLookup(deps)({ ...lookup, providerExpiresAt: 0 }, context(9e12));
    expect(answer).toMatchObject({ outcome: 'pending', answered: true });
  });

  test('with a refused key logs an error and never shows the key', async () => {
    const echo: Sent = {
      is: 'replied',
      durationMs: 1,
      reply: { status: 401, headers: {}, text: '{"detail":"Unknown key live_secret_1","status_code":401}' },
    };
    const { deps, seen, context } = world([echo]);
    const { answer } = await providerLookup(deps)(lookup, context(0));
    expect(answer).toMatchObject({ ...pending, httpStatus: 401 });
    expect(seen.alarms).toEqual([expect.stringMatching(/^error a provider rejects our requests/) as string]);
    expect(JSON.stringify([answer, seen.alarms])).not.toContain('live_secret_1');
  });
});

describe('the circuit', () => {
  test('opens after five calls without an answer: look-ups are pending, starts are refused, nothing is sent', async () => {
    const { deps, seen, context } = world([timeout]);
    for (let i = 0; i < 5; i++) await providerLookup(deps)(lookup, context(i));
    expect((await providerLookup(deps)(lookup, context(10))).answer).toMatchObject({
      ...pending,
      durationMs: 0,
    });
    expect((await providerStart(deps)(start, context(10))).answer).toMatchObject({ outcome: 'failed' });
    expect(seen.requests).toHaveLength(5);
  });

  test("one probe after thirty seconds of the project's clock closes it again", async () => {
    const { deps, seen, context } = world([
      timeout,
      timeout,
      timeout,
      timeout,
      timeout,
      sample('lookup-pending'),
    ]);
    for (let i = 0; i < 5; i++) await providerLookup(deps)(lookup, context(0));
    const both = await Promise.all([1, 2].map(() => providerLookup(deps)(lookup, context(openMs))));
    expect(both.map(({ answer }) => answer.answered)).toEqual([true, false]);
    expect(seen.requests).toHaveLength(6);
    expect((await providerLookup(deps)(lookup, context(openMs))).answer.answered).toBe(true);
  });

  test('a decline, an unknown pidx and a refused key are answers', async () => {
    const { deps, seen, context } = world(
      [
        'lookup-user-canceled',
        'lookup-not-found',
        'key-refused',
        'lookup-expired',
        'key-refused',
        'key-refused',
      ].map(sample),
    );
    for (let i = 0; i < 10; i++) await providerLookup(deps)(lookup, context(i));
    expect(seen.requests).toHaveLength(10);
  });

  test('failures of one project affect no other, in either mode', async () => {
    const { deps, seen, context } = world([timeout]);
    for (let i = 0; i < 6; i++) await providerLookup(deps)(lookup, context(i, 'prj_a:sandbox'));
    await providerLookup(deps)(lookup, context(6, 'prj_b:sandbox'));
    expect(seen.requests).toHaveLength(6);
    for (let i = 0; i < 6; i++) await providerLookup(deps)(lookup, context(i, 'prj_a:live'));
    await providerLookup(deps)(lookup, context(6, 'prj_b:live'));
    expect(seen.requests).toHaveLength(12);
  });
});

describe('an unknown status', () => {
  test.each([
    ['wallet_a', 'status', 'transaction_uuid'],
    ['wallet_b', 'status', 'pidx'],
    ['qr_a', 'paymentStatus', 'prn'],
  ] as const)('%s: it is returned with the answer, without our key', async (provider, field, reference) => {
    const text = JSON.stringify({ [field]: 'CHARGEBACK live_secret_1', [reference]: lookup.lookupReference });
    const { deps, context } = world([
      { is: 'replied', reply: { status: 200, headers: {}, text }, durationMs: 7 },
    ]);
    const { answer } = await providerLookup(deps)({ ...lookup, provider }, context(0));
    expect(answer).toMatchObject({ outcome: 'ambiguous', word: 'CHARGEBACK ***' });
  });

  test('a known one is not', async () => {
    const { deps, context } = world([sample('lookup-completed')]);
    expect((await providerLookup(deps)(lookup, context(0))).answer).not.toHaveProperty('word');
  });
});
