import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { providerReference, type Order, type WireReply } from '../../../../src/providers/provider.ts';
import { walletB } from '../../../../src/providers/wallet-b/wallet-b.ts';
import { plainOrder } from '../../../support/order.ts';
import { samplesOf } from '../samples.ts';

const samples = samplesOf('wallet-b');
const credentials = { secretKey: 'live_secret_1' };
const root = 'https://wallet-b.example';
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const pidx = 'px7Rk2Wm9QzT4vLc8HbN3d';

const order: Order = {
  ...plainOrder,
  returnUrl: 'https://shop.example/return?basket=7',
  customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000', address: null },
};
const start = {
  paymentId,
  amount: 125050,
  order,
  returnUrl: `https://pay.example/return/wallet_b/${paymentId}/web/done`,
  now: Date.parse('2026-11-20T09:15:00.000Z'),
};
const lookup = { paymentId, amount: 125050, lookupReference: pidx };
const reply = (status: number, body: object | string): WireReply => ({
  status,
  headers: {},
  text: typeof body === 'string' ? body : JSON.stringify(body),
});

describe('starting an attempt', () => {
  test('sends the documented body, key and address', () => {
    const request = walletB.start.build(start, credentials, root);
    expect(request.method).toBe('POST');
    expect(request.url).toBe('https://wallet-b.example/api/v2/epayment/initiate/');
    expect(request.headers).toMatchObject({
      authorization: 'Key live_secret_1',
      'content-type': 'application/json',
    });
    expect(request.body).toBe(samples.text('start-request'));
  });

  test('identifies the purchase by its reference and omits unknown fields', () => {
    const bare = { ...start, order: { ...order, description: null, customer: null } };
    expect(JSON.parse(walletB.start.build(bare, credentials, root).body ?? '')).toEqual({
      return_url: start.returnUrl,
      website_url: 'https://shop.example',
      amount: 125050,
      purchase_order_id: 'pay-4t8z1m6q3x9k2v7b',
      purchase_order_name: 'pay-4t8z1m6q3x9k2v7b',
    });
    const named = {
      ...start,
      order: { ...order, customer: { name: null, email: 'a@b.example', phone: null, address: null } },
    };
    expect(JSON.parse(walletB.start.build(named, credentials, root).body ?? '')).toMatchObject({
      customer_info: { email: 'a@b.example' },
    });
  });

  test('reads the payment address, the look-up id and the expiry', () => {
    expect(walletB.start.read(samples.reply('start'), start)).toEqual({
      alarm: null,
      answer: {
        outcome: 'started',
        lookupReference: pidx,
        providerExpiresAt: Date.parse('2026-11-20T09:45:00.000Z'),
        instructions: {
          kind: 'redirect',
          method: 'GET',
          url: `https://wallet-b.example/?pidx=${pidx}`,
          fields: {},
        },
      },
    });
  });

  test('counts its lifetime from now when only its length is given', () => {
    const read = walletB.start.read(
      reply(200, { pidx, payment_url: 'https://w.example/x', expires_in: 60 }),
      start,
    );
    expect(read?.answer).toMatchObject({ providerExpiresAt: start.now + 60_000 });
  });

  test('reads both error formats as a refusal, and logs an error only for a refused key', () => {
    expect(walletB.start.read(samples.reply('amount-too-small'), start)).toEqual({
      alarm: null,
      answer: { outcome: 'failed', message: 'Amount should be greater than Rs. 10, that is 1000 paisa.' },
    });
    expect(walletB.start.read(samples.reply('key-refused'), start)).toEqual({
      alarm: 'start: Invalid token.',
      answer: { outcome: 'failed', message: 'Invalid token.' },
    });
    expect(
      walletB.start.read(reply(400, { customer_info: { phone: ['Enter a valid phone.'] } }), start)?.answer,
    ).toEqual({ outcome: 'failed', message: 'Enter a valid phone.' });
  });

  test.each([
    ['a page', reply(200, '<html>ok</html>')],
    ['an empty object', reply(200, '{}')],
    ['a list', reply(200, '[1]')],
    ['a script as address', reply(200, { pidx, payment_url: 'javascript:alert(1)' })],
    ['no pidx', reply(200, { payment_url: 'https://w.example' })],
    ['an endless pidx', reply(200, { pidx: 'x'.repeat(201), payment_url: 'https://w.example' })],
    ['the right words under 503', { ...samples.reply('start'), status: 503 }],
    ['a page under 404', reply(404, '<h1>Not found</h1>')],
    ['nothing under 429', reply(429, '')],
  ])('%s is no readable answer', (_what, wire) => {
    expect(walletB.start.read(wire, start)).toBeNull();
  });
});

describe('looking up', () => {
  test('sends only the pidx', () => {
    const request = walletB.lookup.build(lookup, credentials, root);
    expect(request.url).toBe('https://wallet-b.example/api/v2/epayment/lookup/');
    expect(request.headers['authorization']).toBe('Key live_secret_1');
    expect(request.body).toBe(samples.text('lookup-request'));
  });

  test.each([
    ['lookup-completed', 'paid', 'TXN7Q2M9'],
    ['lookup-pending', 'pending', null],
    ['lookup-initiated', 'pending', null],
    ['lookup-refunded', 'refunded', 'TXN7Q2M9'],
    ['lookup-partially-refunded', 'partially_refunded', 'TXN7Q2M9'],
    ['lookup-expired', 'expired', null],
    ['lookup-user-canceled', 'cancelled', null],
  ])('%s means %s', (sample, outcome, providerRef) => {
    expect(walletB.lookup.read(samples.reply(sample), lookup)).toEqual({
      alarm: null,
      answer: {
        outcome,
        answered: true,
        amountPaisa: 125050,
        reference: pidx,
        providerRef,
        traceId: null,
        failureCode: null,
        fee: 0,
      },
    });
  });

  test('an unknown pidx is "not found", whatever the text of the 404', () => {
    for (const body of [samples.reply('lookup-not-found').text, '{"error":"nope"}']) {
      expect(walletB.lookup.read(reply(404, body), lookup)?.answer).toMatchObject({
        outcome: 'not_found',
        answered: true,
      });
    }
  });

  test.each(['amount-too-small', 'key-refused'])(
    '%s keeps the attempt pending and logs an error',
    (sample) => {
      const read = walletB.lookup.read(samples.reply(sample), lookup);
      expect(read?.answer).toMatchObject({ outcome: 'pending', answered: false });
      expect(read?.alarm).toMatch(/^look-up: /);
    },
  );

  const completed = {
    pidx,
    total_amount: 125050,
    status: 'Completed',
    transaction_id: 'T1',
    fee: 0,
    refunded: false,
  };
  test.each([
    ['COMPLETED in capitals', reply(200, { ...completed, status: 'COMPLETED' }), 'paid'],
    ['without a refund flag', reply(200, { ...completed, refunded: undefined }), 'paid'],
    ['but refunded', reply(200, { ...completed, refunded: true }), 'ambiguous'],
    ['with a refund flag nobody understands', reply(200, { ...completed, refunded: 'yes' }), 'ambiguous'],
    ['without an amount', reply(200, { ...completed, total_amount: undefined }), 'ambiguous'],
    ['with an amount in text', reply(200, { ...completed, total_amount: '125050' }), 'ambiguous'],
    ['with a broken amount', reply(200, { ...completed, total_amount: 125050.5 }), 'ambiguous'],
    ['with an amount below zero', reply(200, { ...completed, total_amount: -125050 }), 'ambiguous'],
    ['without a pidx', reply(200, { ...completed, pidx: undefined }), 'ambiguous'],
    ['under HTTP 400', reply(400, completed), 'ambiguous'],
    ['with a word too many', reply(200, { ...completed, status: 'Completed!' }), 'ambiguous'],
    ['as a word of the language', reply(200, { ...completed, status: 'constructor' }), 'ambiguous'],
    ['as a word nobody knows', reply(200, { ...completed, status: 'On Hold' }), 'ambiguous'],
  ])('Completed %s', (_how, wire, outcome) => {
    expect(walletB.lookup.read(wire, lookup)?.answer).toMatchObject({ outcome, answered: true });
  });

  test('another amount or reference is returned unchanged: the session compares', () => {
    const read = walletB.lookup.read(
      reply(200, { ...completed, pidx: 'other', total_amount: 124950 }),
      lookup,
    );
    expect(read?.answer).toMatchObject({ outcome: 'paid', reference: 'other', amountPaisa: 124950 });
  });

  test.each([
    ['Expired', 403],
    ['User canceled', 401],
    ['Completed', 403],
    ['Expired', 429],
  ])(
    '%s under %i says nothing about the payment: it stays pending, and an error is logged',
    (status, http) => {
      const read = walletB.lookup.read(
        reply(http, { ...completed, status, detail: 'Invalid token.' }),
        lookup,
      );
      expect(read?.answer).toMatchObject({ outcome: 'pending', answered: false });
      expect(read?.alarm).toContain('Invalid token.');
    },
  );

  test.each([
    ['HTML under 500', reply(500, '<html></html>')],
    ['Completed under 502', { ...samples.reply('lookup-completed'), status: 502 }],
    ['an empty object under 200', reply(200, '{}')],
    ['a status that is no text', reply(200, { status: 1 })],
    ['plain text', reply(200, 'OK')],
    ['nothing', reply(200, '')],
    ['null', reply(200, 'null')],
    ['half an answer', reply(200, samples.reply('lookup-completed').text.slice(0, 60))],
    ['a page under 404', reply(404, '<h1>no</h1>')],
    ['a page under 401', reply(401, '<h1>no</h1>')],
    ['a redirect', reply(302, '')],
  ])('%s is no readable answer', (_what, wire) => {
    expect(walletB.lookup.read(wire, lookup)).toBeNull();
  });
});

describe('whatever a provider sends', () => {
  const value = fc.oneof(
    fc.constantFrom(
      'Completed',
      'completed',
      'Pending',
      'On Hold',
      '__proto__',
      '',
      true,
      false,
      null,
      0,
      -1,
      1e300,
      125050,
      pidx,
    ),
    fc.jsonValue(),
  );
  const names = [
    'pidx',
    'total_amount',
    'status',
    'transaction_id',
    'fee',
    'refunded',
    'detail',
    'error_key',
    'payment_url',
    'expires_at',
    'expires_in',
  ];
  const object = fc.dictionary(fc.constantFrom(...names), value).map((body) => JSON.stringify(body));
  const wires = fc.record({
    status: fc.constantFrom(200, 201, 302, 400, 401, 403, 404, 429, 500, 502),
    headers: fc.constant({}),
    text: fc.oneof(
      object,
      object.map((text) => text.slice(0, -1)),
      fc.string(),
      fc.json(),
    ),
  });

  test('is read without throwing, and paid only on an explicit, whole yes', () => {
    fc.assert(
      fc.property(wires, (wire) => {
        walletB.start.read(wire, start);
        walletB.refund?.read(wire, { providerRef: 'T', amount: 1, full: true, mobileNumber: null });
        const answer = walletB.lookup.read(wire, lookup)?.answer;
        if (answer?.outcome !== 'paid') return;
        const body = JSON.parse(wire.text) as { [name: string]: unknown };
        expect(wire.status).toBe(200);
        expect(String(body['status']).toLowerCase()).toBe('completed');
        expect(Number.isSafeInteger(answer.amountPaisa)).toBe(true);
        expect(answer.reference).toBe(body['pidx']);
        expect(body['refunded'] ?? false).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('refunding', () => {
  const input = { providerRef: 'TXN7Q2M9', amount: 25050, full: false, mobileNumber: null };
  test('goes to the address without a version and names the amount only when it is a part', () => {
    const part = walletB.refund?.build(input, credentials, root);
    expect(part?.url).toBe('https://wallet-b.example/api/merchant-transaction/TXN7Q2M9/refund/');
    expect(part?.body).toBe(samples.text('refund-part-request'));
    expect(walletB.refund?.build({ ...input, full: true }, credentials, root).body).toBe(
      samples.text('refund-full-request'),
    );
    const fromBank = walletB.refund?.build(
      { ...input, full: true, mobileNumber: '9800000001' },
      credentials,
      root,
    );
    expect(fromBank?.body).toBe('{"mobile":"9800000001"}');
  });

  test('returns no id, and the reason of a refusal', () => {
    expect(walletB.refund?.read(samples.reply('refund'), input)?.answer).toEqual({
      outcome: 'done',
      providerRefundId: null,
      message: null,
    });
    expect(walletB.refund?.read(samples.reply('refund-mobile-required'), input)?.answer).toEqual({
      outcome: 'refused',
      providerRefundId: null,
      message: 'Mobile number is required.',
    });
    const invalid = reply(400, '{"amount":["Too much."],"error_key":"validation_error"}');
    expect(walletB.refund?.read(invalid, input)?.answer).toMatchObject({
      outcome: 'refused',
      message: 'Too much.',
    });
  });

  test.each([
    [200, 'refund_id', 'RF-1', 'RF-1'],
    [201, 'id', 'RF-2', 'RF-2'],
    [200, 'id', 7, null],
    [200, 'id', 'not\nprintable', null],
    [200, 'id', 'x'.repeat(201), null],
  ])('HTTP %i with %s %s gives the id %s', (status, name, sent, id) => {
    const wire = reply(status, JSON.stringify({ detail: 'Done.', [name]: sent }));
    expect(walletB.refund?.read(wire, input)?.answer).toEqual({
      outcome: 'done',
      providerRefundId: id,
      message: null,
    });
  });

  test('a refused key logs an error too', () => {
    expect(walletB.refund?.read(samples.reply('key-refused'), input)).toMatchObject({
      answer: { outcome: 'refused', message: 'Invalid token.' },
      alarm: 'refund: Invalid token.',
    });
  });

  test('an error page or an empty answer is neither success nor refusal', () => {
    const whole = samples.reply('refund').text;
    for (const wire of [
      reply(500, '<html>'),
      reply(500, whole),
      reply(302, whole),
      reply(200, '{}'),
      reply(200, ''),
      reply(200, whole.slice(0, -1)),
      reply(429, ''),
    ]) {
      expect(walletB.refund?.read(wire, input)).toBeNull();
    }
  });
});

describe('the buyer returns', () => {
  const brought = (query: string | Record<string, string>) => ({
    paymentId,
    outcome: 'done',
    query: new URLSearchParams(query),
  });
  const hint = (query: string): unknown => walletB.parseReturn(brought(query), {});
  test('the parameters are a hint, never verified', () => {
    expect(hint('pidx=x&status=Completed')).toEqual({
      hint: 'paid',
      verified: false,
      summary: 'Buyer came back: Completed',
    });
    expect(hint('status=User+canceled')).toMatchObject({ hint: 'cancelled', verified: false });
    expect(hint('status=Pending')).toMatchObject({ hint: 'unknown' });
    expect(hint('')).toEqual({ hint: 'unknown', verified: false, summary: 'Buyer came back' });
  });
  test('invented values are shown short and harmless', () => {
    const { summary } = walletB.parseReturn(brought({ status: `\u0000\u202e${'x'.repeat(500)}` }), {});
    expect(summary).toBe(`Buyer came back: ??${'x'.repeat(38)}`);
  });
});

test('the reference of a payment is its id with a hyphen, 20 characters', () => {
  expect(providerReference(paymentId)).toBe('pay-4t8z1m6q3x9k2v7b');
  expect(providerReference(paymentId)).toHaveLength(20);
});
