/** wallet_c's adapter: the session call, the form, look-ups, unsigned returns, and the signed call of its server. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireReply } from '../../../../src/providers/provider.ts';
import { simulatorCredentials } from '../../../../src/providers/wallet-c/simulator.ts';
import { walletC } from '../../../../src/providers/wallet-c/wallet-c.ts';
import { plainOrder } from '../../../support/order.ts';
import { samplesOf } from '../samples.ts';
import { vectors } from './vectors.ts';

const samples = samplesOf('wallet-c');
const credentials = simulatorCredentials;
const root = 'https://wallet-c.example';
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const reference = 'pay-4t8z1m6q3x9k2v7b';
const start = {
  paymentId,
  amount: 10_000,
  order: { ...plainOrder, description: 'Pro monthly', referenceId: 'INV-000001' },
  returnUrl: `https://pay.example/return/wallet_c/${paymentId}/web/done`,
  now: 1000,
};
const lookup = { paymentId, amount: 10_000, lookupReference: reference, providerExpiresAt: null, now: 0 };
const reader = { credentials, pageRoot: 'https://pages.example/gateway' };

describe('a start', () => {
  test('row 100: the published session call of wallet_c, byte for byte', () => {
    const request = walletC.start.build(start, credentials, root);
    expect(request).toEqual({
      method: 'POST',
      url: `${root}/v1/checkout/sessionId`,
      headers: {
        'client-id': 'client_1',
        'client-api-key': 'apikey_1',
        signature: vectors.session,
        'content-type': 'application/json',
        accept: 'application/json',
        connection: 'close',
      },
      body: samples.text('session-request'),
    });
  });
  test('writes a price with paisa from its digits', () => {
    const { body } = walletC.start.build({ ...start, amount: 125_050 }, credentials, root);
    expect(body).toContain('"transactionAmount":"125050"');
    expect(body).toContain('"price":1250.50,');
  });
  test('keeps the remarks within their length, whatever the order says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const order = { ...start.order, description: text, referenceId: text };
        const { body } = walletC.start.build({ ...start, order }, credentials, root);
        const { remarks, productList } = JSON.parse(body ?? '') as {
          remarks: string;
          productList: { name: string }[];
        };
        expect(remarks.length > 0 && Array.from(remarks).length <= 250).toBe(true);
        expect(productList[0]?.name.length).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  });
  test('row 100: the published form of wallet_c, for browsers, with the life of its session', () => {
    expect(walletC.start.read(samples.reply('session'), start, reader)?.answer).toEqual({
      outcome: 'started',
      instructions: {
        kind: 'form',
        method: 'POST',
        url: 'https://pages.example/gateway',
        fields: {
          merchant_id: 'MRC100',
          session_id: 'SESS-77',
          merchant_transaction_id: reference,
          remarks: 'INV-000001',
          token: vectors.form,
        },
      },
      lookupReference: reference,
      providerExpiresAt: 601_000,
    });
  });
  test('refused has failed with its text, and an alarm only where we are refused', () => {
    const read = (status: number, text: string) =>
      walletC.start.read({ status, headers: {}, text }, start, reader);
    expect(walletC.start.read(samples.reply('signature-refused'), start, reader)).toEqual({
      answer: { outcome: 'failed', message: 'Invalid signature.' },
      alarm: 'start: Invalid signature.',
    });
    expect(read(400, '{"message":"The amount is out of range."}')).toMatchObject({
      answer: { outcome: 'failed' },
      alarm: null,
    });
    for (const [status, text] of [
      [200, '{}'],
      [200, '<html>'],
      [200, '{"sessionId":7}'],
      [500, samples.reply('session').text],
      [404, '{}'],
    ] as const)
      expect(read(status, text)).toBeNull();
  });
});

describe('a look-up', () => {
  test('row 100: the published look-up of wallet_c, byte for byte', () => {
    const { url, headers, body } = walletC.lookup.build(lookup, credentials, root);
    expect([url, headers['signature'], body]).toEqual([
      `${root}/v1/checkout/transaction`,
      vectors.transaction,
      samples.text('lookup-request'),
    ]);
  });
  test.each([
    ['completed', 'paid', null],
    ['completed-live', 'paid', null],
    ['not-initiated', 'not_found', null],
    ['pending', 'pending', null],
    ['failed', 'failed', 'declined'],
    ['insufficient', 'failed', 'insufficient_funds'],
    ['unclear', 'ambiguous', null],
  ])('%s is %s', (name, outcome, failureCode) => {
    expect(walletC.lookup.read(samples.reply(`lookup-${name}`), lookup)?.answer).toMatchObject({
      outcome,
      answered: true,
      reference,
      failureCode,
      ...(outcome === 'paid' ? { amountPaisa: 10_000, providerRef: 'TRK9' } : {}),
    });
  });
  const paid = samples.reply('lookup-completed');
  test('PROCESSING is pending, and case does not count', () => {
    const as = (word: string) =>
      walletC.lookup.read({ ...paid, text: paid.text.replace('COMPLETED', word) }, lookup)?.answer.outcome;
    expect([as('processing'), as('completed'), as('NOT_COMPLETED')]).toEqual([
      'pending',
      'paid',
      'ambiguous',
    ]);
  });
  test.each([
    ['100', 10_000],
    ['"100.00"', 10_000],
    ['"1,000.5"', 100_050],
    ['0', 0],
  ])('the amount %s is %i paisa', (spelling, amountPaisa) => {
    const text = paid.text.replace('100.0', spelling);
    expect(walletC.lookup.read({ ...paid, text }, lookup)?.answer.amountPaisa).toBe(amountPaisa);
  });
  test.each<[string, Partial<WireReply>]>([
    ['an amount as a power', { text: paid.text.replace('100.0', '1e2') }],
    ['a third of a paisa', { text: paid.text.replace('100.0', '100.005') }],
    ['no amount', { text: paid.text.replace('100.0', 'null') }],
    ['status 201', { status: 201 }],
  ])('COMPLETED with %s is ambiguous', (_how, more) => {
    expect(walletC.lookup.read({ ...paid, ...more }, lookup)?.answer.outcome).toBe('ambiguous');
  });
  test('what cannot be read is no answer; a refusal is pending with an alarm', () => {
    for (const more of [{ text: '<html>' }, { text: '{}' }, { text: '{"status":404}' }, { status: 502 }])
      expect(walletC.lookup.read({ ...paid, ...more }, lookup)).toBeNull();
    expect(walletC.lookup.read(samples.reply('signature-refused'), lookup)).toMatchObject({
      answer: { outcome: 'pending', answered: false },
      alarm: 'look-up: Invalid signature.',
    });
  });
  test('whatever arrives is read without an exception, and never as paid', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.json(), (status, text) => {
        expect(walletC.lookup.read({ status, headers: {}, text }, lookup)?.answer.outcome).not.toBe('paid');
      }),
      { numRuns: 200 },
    );
  });
});

describe('the call of its server', () => {
  const webhook = samples.text('webhook');
  const read = (body: string, signature: string = vectors.webhook, more: object = {}) =>
    walletC.parseCallback(
      { paymentId, body, header: (name) => (name === 'signature' ? signature : '') },
      { ...credentials, ...more },
    );

  test('row 100: the published webhooks of wallet_c hold, in any spelling of their amount', () => {
    expect(read(webhook)).toEqual({
      hint: 'paid',
      verified: true,
      summary: 'The provider called: COMPLETED',
    });
    for (const [amount, signature] of [
      ['100.00', vectors.webhookDecimals],
      ['100', vectors.webhookDecimals],
      ['100.0', vectors.webhook],
      ['"100.00"', vectors.webhook],
    ] as const)
      expect(read(webhook.replace('"amount":100', `"amount":${amount}`), signature), amount).toMatchObject({
        verified: true,
      });
  });
  test('names its payment, and nothing else does', () => {
    expect(walletC.paymentOfCallback(webhook)).toBe(paymentId);
    for (const other of ['', '{}', '[]', '{"merchantTxnId":7}', '{"merchantTxnId":"pay_4t8z1m6q3x9k2v7b"}'])
      expect(walletC.paymentOfCallback(other)).toBeNull();
  });
  test.each<[string, () => unknown]>([
    ['another amount', () => read(webhook.replace('100', '101'))],
    ['another status', () => read(webhook.replace('COMPLETED', 'FAILED'))],
    ['another payment', () => read(webhook.replace('2v7b', '2v7c'))],
    ['another merchant', () => read(webhook.replace('MRC100', 'MRC101'))],
    ['one character of its signature changed', () => read(webhook, `A${vectors.webhook.slice(1)}`)],
    ['no signature', () => read(webhook, '')],
    [
      'the secret of the calls instead of its own',
      () => read(webhook, undefined, { webhookSecret: 'test_client_secret' }),
    ],
    ['no secret here', () => read(webhook, undefined, { webhookSecret: '' })],
    ['no JSON', () => read('<html>')],
    ['a list', () => read(`[${webhook}]`)],
  ])('with %s is refused', (_how, got) => {
    expect(got()).toBeNull();
  });
});

test('a return is never believed', () => {
  const hint = (outcome: string) =>
    walletC.parseReturn({ paymentId, outcome, query: new URLSearchParams() }, credentials);
  expect([hint('success'), hint('failure')]).toMatchObject([
    { hint: 'paid', verified: false },
    { hint: 'failed', verified: false },
  ]);
});
