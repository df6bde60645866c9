/** What public documents and integrations say of the providers, word for word, at our adapters. The simulator takes no part:
 *  it was written by the same people. */
import { describe, expect, test } from 'vitest';
import type { Order } from '../../../actors/checkout-session/order.ts';
import type { LookupReading, Reading, StartAnswer, StartInput } from '../../../src/providers/provider.ts';
import { checksumOf, qrTextProblem } from '../../../src/providers/qr-a/emv.ts';
import { qrA } from '../../../src/providers/qr-a/qr-a.ts';
import { plainOrder } from '../../support/order.ts';
import { bankA } from '../../../src/providers/bank-a/bank-a.ts';
import { simulatorCredentials as bankCredentials } from '../../../src/providers/bank-a/simulator.ts';
import { bankATraits } from '../../../src/providers/bank-a/traits.ts';
import { walletA } from '../../../src/providers/wallet-a/wallet-a.ts';
import { walletC } from '../../../src/providers/wallet-c/wallet-c.ts';
import { codes } from './qr-a/vectors.ts';

const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const reference = 'pay-4t8z1m6q3x9k2v7b';
const order: Order = plainOrder;
const starting: StartInput = {
  paymentId,
  amount: 125_050,
  order,
  returnUrl: 'https://pay.example/done',
  now: 0,
};

describe('qr_a', () => {
  const created = (qrMessage: string): Reading<StartAnswer> | null =>
    qrA.start.read(
      {
        status: 201,
        headers: {},
        text: JSON.stringify({ qrMessage, status: 'CREATED', statusCode: 201, success: true }),
      },
      starting,
    );
  const looked = (fields: string, status = 200): Reading<LookupReading> | null =>
    qrA.lookup.read(
      { status, headers: {}, text: `{"prn":"${reference}",${fields}}` },
      { paymentId, amount: 125_050, lookupReference: reference },
    );

  test.each(['516c', '516C'])('a text that ends in the CRC %s is passed on byte for byte', (crc) => {
    const text = codes.rs1250.replace(/516C$/, crc);
    expect(qrTextProblem(text, 125_050)).toBeNull();
    expect(created(text)?.answer).toMatchObject({ outcome: 'started', instructions: { qrMessage: text } });
  });

  test('the CRC is that of the text as it came, and only its own case does not count', () => {
    const lower = codes.rs1250.replace('EXAMPLE STORE', 'example store');
    const head = lower.slice(0, -4);
    expect(qrTextProblem(lower, 125_050)).toBe('has a wrong CRC');
    expect(qrTextProblem(`${head}${checksumOf(head).toLowerCase()}`, 125_050)).toBeNull();
  });

  test.each([
    ['"qraTraceId":128391', '128391'],
    ['"networkTraceId":"00128391"', '00128391'],
    ['"someTraceID":12345678901234567890', '12345678901234567890'],
    ['"traceId":128391', '128391'],
    ['"aTraceId":128391,"bTraceId":"128391"', '128391'],
    ['"aTraceId":null,"bTraceId":128391', '128391'],
    ['"traceIdOfOthers":5', null],
  ])('the trace number in %s is %s', (field, traceId) => {
    const answer = looked(`"paymentStatus":"success","amount":1250.5,${field}`)?.answer;
    expect(answer).toMatchObject({ outcome: 'paid', traceId, providerRef: traceId });
    expect(answer?.note).toBeUndefined();
  });

  test('of two trace numbers that differ none is kept, and a note says so', () => {
    expect(looked('"paymentStatus":"success","aTraceId":1,"bTraceId":2')?.answer).toMatchObject({
      outcome: 'paid',
      traceId: null,
      providerRef: null,
      note: expect.stringContaining('differ') as string,
    });
  });

  test.each([
    ['"amount":1250.5', 125_050],
    ['"requestedAmount":1250.50', 125_050],
    ['"amount":1250.5,"requestedAmount":1250.5,"totalTransactionAmount":1250.5', 125_050],
    ['"amount":1250.5,"totalTransactionAmount":1260.5', 125_050],
    ['"requestedAmount":"1,250.50","totalTransactionAmount":"1,260.50"', 125_050],
    ['"totalTransactionAmount":1250.5', null],
    ['"totalTransactionAmount":1300', null],
    ['"remarks1":"order_1"', null],
    // each of these is paid, but not what we asked for
    ['"amount":1250.5,"requestedAmount":1250.0', 125_000],
    ['"amount":1250.0,"requestedAmount":1250.5', 125_000],
    ['"requestedAmount":1251', 125_100],
    ['"amount":1250.5,"totalTransactionAmount":1250.49', 125_049],
    ['"totalTransactionAmount":1', 100],
  ])('success with %s is read as %s paisa', (fields, amountPaisa) => {
    expect(looked(`"paymentStatus":"success",${fields}`)?.answer).toMatchObject({
      outcome: 'paid',
      amountPaisa,
    });
  });

  test.each(['"amount":1250.5,"requestedAmount":"?"', '"totalTransactionAmount":1e3'])(
    'success with %s goes to review',
    (fields) => {
      expect(looked(`"paymentStatus":"success",${fields}`)?.answer.outcome).toBe('ambiguous');
    },
  );

  const refusal = '{"documentation":"..","errorCode":406,"message":"Invalid Merchant Code"}';
  test.each([400, 406, 422])('a %i with an errorCode refuses us: at a start', (status) => {
    expect(qrA.start.read({ status, headers: {}, text: refusal }, starting)).toEqual({
      answer: { outcome: 'failed', message: 'Invalid Merchant Code', refused: true },
      alarm: 'start: Invalid Merchant Code',
    });
  });
  test.each([400, 406, 422])('a %i with an errorCode refuses us: at a look-up', (status) => {
    const input = { paymentId, amount: 125_050, lookupReference: reference };
    expect(qrA.lookup.read({ status, headers: {}, text: refusal }, input)).toMatchObject({
      answer: { outcome: 'pending', answered: false },
      alarm: 'look-up: Invalid Merchant Code',
    });
  });
  test('a 4xx without an errorCode says nothing about our credentials', () => {
    const text = '{"message":"Duplicate prn"}';
    expect(qrA.start.read({ status: 409, headers: {}, text }, starting)).toEqual({
      answer: { outcome: 'failed', message: 'Duplicate prn' },
      alarm: null,
    });
  });
});

describe('bank_a', () => {
  const lookup = { paymentId, amount: 500, lookupReference: 'txn-123', providerExpiresAt: null, now: 0 };
  const reader = { credentials: bankCredentials, pageRoot: 'https://pages.example' };
  const body = (fields: object): string =>
    JSON.stringify({
      merchantId: 550,
      appId: 'MER-550-APP-1',
      referenceId: 'txn-123',
      txnAmt: '500',
      ...fields,
    });
  const looked = (fields: object, status = 200): LookupReading | undefined =>
    bankA.lookup.read({ status, headers: {}, text: body(fields) }, lookup, reader)?.answer;
  const paid = { status: 'SUCCESS', statusDesc: 'TRANSACTION SUCESSFULL' };
  const detailed = (fields: object): LookupReading | null =>
    bankA.lookup.details.read(
      { status: 200, headers: {}, text: body({ ...paid, txnId: 77, chargeAmt: '1000', ...fields }) },
      looked(paid) ?? expect.unreachable(),
      lookup,
    );

  test.each([
    'TRANSACTION FAILED',
    'TRANSACTION INCOMPLETE',
    'Insufficient Balance',
    'TRANSACTION SUCESSFULL',
    '',
  ])('FAILED with the text "%s" is failed', (statusDesc) => {
    expect(looked({ status: 'FAILED', statusDesc })).toMatchObject({
      outcome: 'failed',
      failureCode: 'declined',
      answered: true,
    });
  });
  test('FAILED as the body of an HTTP error is not about the payment', () => {
    expect(looked({ status: 'FAILED', statusDesc: 'Bad request' }, 400)?.outcome).toBe('ambiguous');
  });

  test.each(['000', '999', 'DEFER', 'defer', null, undefined])(
    'creditStatus %s is credited',
    (creditStatus) => {
      expect(detailed({ creditStatus })).toMatchObject({ outcome: 'paid', providerRef: '77', fee: 1000 });
    },
  );
  test.each(['001', '1000', 'REJECT'])('creditStatus %s goes to review', (creditStatus) => {
    expect(detailed({ creditStatus })).toMatchObject({
      outcome: 'ambiguous',
      word: `paid, but creditStatus is ${creditStatus}`,
    });
  });

  test.each([
    ['MN', 1000],
    ['CG', null],
    ['XX', null],
    [undefined, 1000],
  ])('with chargeLiability %s the fee is %s paisa', (chargeLiability, fee) => {
    expect(detailed({ creditStatus: '000', chargeLiability })).toMatchObject({ outcome: 'paid', fee });
  });

  test.each([
    ['https://bank.example/gateway', 'https://bank.example/ws'],
    ['https://login.bank.example:7443/connect/gw', 'https://api.bank.example:8443/a/b/ws'],
    ['https://pages.example', 'https://calls.example'],
  ])('pages are below %s, calls below %s, and nothing else is added', async (pages, calls) => {
    const started = await bankA.start.open(starting, bankCredentials, pages);
    expect(started).toMatchObject({ instructions: { url: `${pages}/loginpage` } });
    const request = (await bankA.lookup.build(lookup, bankCredentials, calls)) ?? expect.unreachable();
    expect(request.url).toBe(`${calls}/api/creditor/validatetxn`);
    expect(bankA.lookup.details.build(looked(paid) ?? expect.unreachable(), request, lookup)?.url).toBe(
      `${calls}/api/creditor/gettxndetail`,
    );
  });

  test('its app id has at most 15 characters, its app name 30', () => {
    const most = bankATraits.credentials.map((field) =>
      'charactersMax' in field ? field.charactersMax : null,
    );
    expect(most).toEqual([null, 15, 30, null, null]);
  });
});

describe('wallet_c', () => {
  const credentials = {
    merchantId: 'M',
    clientId: 'c',
    clientApiKey: 'k',
    clientSecret: 's',
    webhookSecret: 'w',
  };
  const lookup = { paymentId, amount: 125_050, lookupReference: reference };

  test.each([
    'https://pages.example/',
    'https://uat.example/checkout/pay',
    'https://uat.example/checkout/pay/',
  ])('its form is posted to %s, to which nothing is added', (page) => {
    const reply = { status: 200, headers: {}, text: '{"sessionId":"SESS-77","merchantId":"M"}' };
    expect(walletC.start.read(reply, starting, { credentials, pageRoot: page })?.answer).toMatchObject({
      instructions: { url: page },
    });
  });
  test('each call asks for a connection of its own', () => {
    const calls = [
      walletC.start.build(starting, credentials, 'x'),
      walletC.lookup.build(lookup, credentials, 'x'),
    ];
    expect(calls.map(({ headers }) => headers['connection'])).toEqual(['close', 'close']);
  });
});

test('wallet_a: the path of the status is the same on both hosts', () => {
  const lookup = { paymentId, amount: 125_050, lookupReference: reference };
  for (const host of ['https://test.example', 'https://live.example'])
    expect(walletA.lookup.build(lookup, { merchantCode: 'M' }, host).url).toContain(
      `${host}/api/epay/transaction/status/?`,
    );
});
