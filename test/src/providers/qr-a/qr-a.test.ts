import { describe, expect, test } from 'vitest';
import type { Order } from '../../../../actors/checkout-session/order.ts';
import { qrA } from '../../../../src/providers/qr-a/qr-a.ts';
import type {
  Call,
  LookupReading,
  Reading,
  StartAnswer,
  StartInput,
} from '../../../../src/providers/provider.ts';
import { codes, secretKey, signatures } from './vectors.ts';

const root = 'http://127.0.0.1:9/sim/qr_a';
const credentials = { merchantCode: 'NBQM', secretKey, username: 'user', password: 'pass' };
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const prn = 'pay-4t8z1m6q3x9k2v7b';
const start = qrA.start as Call<StartInput, StartAnswer>;

const starting = (amount: number, metadata: Order['metadata'] = { order_id: 'order_1' }): StartInput => ({
  paymentId,
  amount,
  returnUrl: 'http://127.0.0.1:9/return',
  now: 0,
  order: {
    amount,
    currency: 'NPR',
    description: null,
    returnUrl: null,
    cancelUrl: null,
    collectAddress: false,
    customer: null,
    metadata,
    flow: 'redirect',
    preselected: 'qr_a',
    referenceId: null,
    source: 'direct_qr',
    checkoutUrl: null,
  },
});
const sent = (input: StartInput): { readonly [key: string]: unknown } =>
  JSON.parse(start.build(input, credentials, root).body ?? '') as { [key: string]: unknown };
const created = (change: object = {}, status = 200): Reading<StartAnswer> | null =>
  start.read(
    {
      status,
      headers: {},
      text: JSON.stringify({
        message: 'successfull',
        qrMessage: codes.rs1250,
        status: 'CREATED',
        statusCode: 201,
        success: true,
        thirdpartyQrWebSocketUrl: `wss://qr-a.example/ws/${prn}`,
        ...change,
      }),
    },
    starting(125_050),
  );
const looked = (text: string, status = 200): Reading<LookupReading> | null =>
  qrA.lookup.read({ status, headers: {}, text }, { paymentId, amount: 10_000, lookupReference: prn });
const said = (fields: object) =>
  looked(JSON.stringify({ prn, merchantCode: 'NBQM', ...fields }))?.answer ?? expect.unreachable();

describe('create', () => {
  test('sends what the published vector signs', () => {
    expect(sent(starting(10_000))).toEqual({
      amount: '100.00',
      remarks1: 'order_1',
      remarks2: 'N/A',
      prn,
      merchantCode: 'NBQM',
      dataValidation: signatures[2]?.[1],
      username: 'user',
      password: 'pass',
    });
    expect(start.build(starting(10_000), credentials, root).url).toBe(
      `${root}/api/merchant/merchantDetailsForThirdParty/thirdPartyDynamicQrDownload`,
    );
  });

  test.each([
    [1000, '10.00'],
    [1001, '10.01'],
    [125_050, '1250.50'],
    [100_000_000, '1000000.00'],
  ])('%i paisa are %s rupees', (paisa, rupees) => {
    expect(sent(starting(paisa))['amount']).toBe(rupees);
  });

  test.each([
    [{ order_id: 'Order #7 – größe/2.1_x-y' }, 'Order 7  gre/2.1_x-y'],
    [{ order_id: 1001 }, '1001'],
    [{ order_id: 'x'.repeat(40) }, 'x'.repeat(25)],
    [{ order_id: '###' }, paymentId],
    [{ order_id: { deep: 1 } }, paymentId],
    [{}, paymentId],
  ])('the remark of %o is %s', (metadata, remark) => {
    expect(sent(starting(1000, metadata))['remarks1']).toBe(remark);
  });

  test.each([200, 201])('answered with %i passes the text on unchanged', (status) => {
    expect(created({}, status)?.answer).toEqual({
      outcome: 'started',
      instructions: { kind: 'qr', method: 'GET', url: '', fields: {}, qrMessage: codes.rs1250 },
      lookupReference: prn,
      providerExpiresAt: null,
      socketUrl: `wss://qr-a.example/ws/${prn}`,
    });
  });

  test.each([
    ['a wrong CRC', { qrMessage: `${codes.rs1250.slice(0, -4)}0000` }],
    ['another amount', { qrMessage: codes.rs100 }],
    ['another currency', { qrMessage: codes.emvco }],
    ['no text', { qrMessage: null }],
    ['success false', { success: false }],
    ['success as text', { success: 'true' }],
  ])('answered with %s is a failed start', (_what, change) => {
    expect(created(change)?.answer.outcome).toBe('failed');
  });

  test.each([
    ['no socket', undefined],
    ['an http address', 'http://qr-a.example/ws'],
    ['credentials in it', 'wss://a:b@qr-a.example/ws'],
    ['no address at all', 'nonsense'],
    ['one without end', `wss://qr-a.example/${'x'.repeat(2048)}`],
  ])('with %s is only polled', (_what, thirdpartyQrWebSocketUrl) => {
    expect(created({ thirdpartyQrWebSocketUrl })?.answer).toMatchObject({
      outcome: 'started',
      socketUrl: null,
    });
  });

  test('with refused keys logs an error', () => {
    const reading = created({ success: false, message: 'Unknown user.' }, 401);
    expect(reading).toMatchObject({ answer: { outcome: 'failed' }, alarm: 'start: Unknown user.' });
  });

  test.each([
    [401, { refused: true }],
    [429, {}],
    [409, {}],
  ])('a refusal with %i is one of our credentials, or not: %j', (status, refused) => {
    const reading = created({ success: false, message: 'No.' }, status);
    expect(reading?.answer).toEqual({ outcome: 'failed', message: 'No.', ...refused });
  });

  test.each([
    [500, '{"success":true}'],
    [200, 'Service is running'],
    [200, '{}'],
    [200, '[]'],
    [502, ''],
  ])('answered %i %s counts as unanswered', (status, text) => {
    expect(start.read({ status, headers: {}, text }, starting(1000))).toBeNull();
  });
});

describe('look-up', () => {
  test('sends what the published vector signs', () => {
    const input = { paymentId, amount: 10_000, lookupReference: 'CS01J9X2K3M4' };
    const { body, url } = qrA.lookup.build(input, credentials, root);
    expect(url).toBe(`${root}/api/merchant/merchantDetailsForThirdParty/thirdPartyDynamicQrGetStatus`);
    expect(JSON.parse(body ?? '')).toEqual({
      prn: 'CS01J9X2K3M4',
      merchantCode: 'NBQM',
      dataValidation: signatures[3]?.[1],
      username: 'user',
      password: 'pass',
    });
  });

  test('success is paid, with the trace id as text, whatever its size', () => {
    const answer = looked(
      `{"prn":"${prn}","merchantCode":"NBQM","amount":100.0,"paymentStatus":"success","qraTraceId":12345678901234567890}`,
    )?.answer;
    expect(answer).toMatchObject({
      outcome: 'paid',
      answered: true,
      amountPaisa: 10_000,
      reference: prn,
      providerRef: '12345678901234567890',
      traceId: '12345678901234567890',
    });
  });

  test.each([
    ['{"paymentStatus":"success","amount":1250.50}', 'paid', 125_050],
    ['{"paymentStatus":"SUCCESS","amount":"1,250.50"}', 'paid', 125_050],
    ['{"paymentStatus":"success"}', 'paid', null],
    ['{"paymentStatus":"success","amount":null}', 'paid', null],
    ['{"paymentStatus":"success","amount":100.005}', 'ambiguous', null],
    ['{"paymentStatus":"success","amount":1e3}', 'ambiguous', null],
    ['{"paymentStatus":"success","amount":-100}', 'ambiguous', null],
    ['{"paymentStatus":"success","amount":true}', 'ambiguous', null],
    ['{"paymentStatus":"success","amount":""}', 'ambiguous', null],
    ['{"paymentStatus":"pending","amount":100.0}', 'pending', 10_000],
    ['{"paymentStatus":"failed","amount":100.0}', 'failed', 10_000],
    ['{"paymentStatus":"on_hold","amount":100.0}', 'ambiguous', 10_000],
    ['{"paymentStatus":"SUCCESSFUL","amount":100.0}', 'ambiguous', 10_000],
  ])('%s means %s, %s paisa', (text, outcome, amountPaisa) => {
    expect(looked(text)?.answer).toMatchObject({ outcome, amountPaisa, answered: true });
  });

  test("a failure has the provider's reason", () => {
    expect(said({ paymentStatus: 'failed', message: 'INSUFFICIENT balance' }).failureCode).toBe(
      'insufficient_funds',
    );
    expect(said({ paymentStatus: 'failed', message: 'no' }).failureCode).toBe('declined');
    expect(said({ paymentStatus: 'pending', message: 'insufficient' }).failureCode).toBeNull();
  });

  test.each([
    [404, '{"message":"No such prn."}'],
    [400, '{"message":"x","paymentStatus":"success"}'],
  ])('%i %s is pending and unanswered, never failed', (status, text) => {
    expect(looked(text, status)?.answer).toMatchObject({ outcome: 'pending', answered: false });
  });

  test.each([
    [500, '{"paymentStatus":"success"}'],
    [200, '{}'],
    [200, '<html></html>'],
    [200, '{"paymentStatus":1}{'],
    [200, ''],
  ])('%i %s is unreadable', (status, text) => {
    expect(looked(text, status)).toBeNull();
  });
});

describe('the socket', () => {
  const outer = (inner: unknown): string =>
    JSON.stringify({ merchantId: 1, deviceId: 'd', transactionStatus: JSON.stringify(inner) });
  const hears = (message: string) => qrA.readMessage?.(message, prn);

  test('reports a scan and money', () => {
    expect(hears(outer({ success: true, message: 'VERIFIED', QRVerified: true }))).toBe('scanned');
    const money = { traceId: 128391, amount: 100.0, message: 'OK', paymentSuccess: true, productNumber: prn };
    expect(hears(outer(money))).toBe('paid');
    expect(hears(outer({ ...money, paymentSuccess: false }))).toBe('failed');
  });

  test.each([
    ['another code', outer({ paymentSuccess: true, productNumber: 'pay-other' })],
    ['a scan that failed', outer({ success: false, QRVerified: true })],
    ['nothing known', outer({ hello: 1 })],
    ['no inner text', '{"transactionStatus":{"paymentSuccess":true}}'],
    ['broken inner text', '{"transactionStatus":"{"}'],
    ['no JSON', 'ping'],
    ['a list', '[]'],
  ])('ignores messages about %s', (_what, message) => {
    expect(hears(message)).toBeNull();
  });
});

test('it has no return', () => {
  expect(qrA.parseReturn).toBeNull();
  expect(qrA.refund).toBeNull();
});
