import { describe, expect, test } from 'vitest';
import {
  crc16,
  createdReply,
  parseCreate,
  parseStatus,
  paidMessage,
  paymentOf,
  qrText,
  scannedMessage,
  statusReply,
  withBadCrc,
} from '../../../../src/providers/qr-a/simulator.ts';
import type { Neutral } from '../../../../src/providers/simulated-wire.ts';
import { codes, signatures } from './vectors.ts';

const prn = 'pay-4t8z1m6q3x9k2v7b';
const [[, created] = [], [, taxed] = []] = signatures;
const create = {
  amount: '100.00',
  remarks1: 'order_1',
  remarks2: 'N/A',
  prn: 'CS01J9X2K3M4',
  merchantCode: 'NBQM',
  dataValidation: created,
  username: 'user',
  password: 'pass',
};
const heard = (change: object = {}) => parseCreate(JSON.stringify({ ...create, ...change }));

describe('create', () => {
  test('takes the published request, with and without tax', () => {
    const command = { prn: 'CS01J9X2K3M4', amount: 10_000, remarks: 'order_1 N/A' };
    expect(heard()).toEqual({ is: 'command', command });
    const tax = { taxAmount: '0.00', taxRefund: '0.00', dataValidation: taxed };
    expect(heard(tax)).toEqual({ is: 'command', command });
  });

  test.each([
    ['another amount', { amount: '100.01' }, 400],
    ['another prn', { prn: 'CS01J9X2K3M5' }, 400],
    ['other remarks', { remarks1: 'order_2' }, 400],
    ['a signature with one character changed', { dataValidation: `${created?.slice(0, -1)}0` }, 400],
    ['no signature', { dataValidation: '' }, 400],
    ['another merchant', { merchantCode: 'XXXX' }, 400],
    ['no user', { username: '' }, 401],
  ])('with %s is refused', (_what, change, status) => {
    expect(heard(change)).toMatchObject({ is: 'reply', reply: { status } });
  });

  test('broken JSON is refused', () => {
    expect(parseCreate('{')).toMatchObject({ is: 'reply' });
    expect(parseStatus('[]')).toMatchObject({ is: 'reply' });
  });

  test('builds the published codes', () => {
    expect(qrText(prn, 125_050)).toBe(codes.rs1250);
    expect(qrText(prn, 100_000_000)).toBe(codes.largest);
    expect(qrText('01J9X2K3M4N5', 10_000, 'INV-1001')).toBe(codes.rs100);
    expect(crc16(Buffer.from('123456789'))).toBe('29B1');
    expect(withBadCrc(codes.rs1250)).not.toBe(codes.rs1250);
  });

  test('answers as published', () => {
    const { status, body } = createdReply({
      qrMessage: 'x',
      httpStatus: 201,
      socketBase: 'ws://h/sim/qr_a',
      prn,
    });
    expect(status).toBe(201);
    expect(JSON.parse(body)).toEqual({
      message: 'successfull',
      qrMessage: 'x',
      status: 'CREATED',
      statusCode: 201,
      success: true,
      thirdpartyQrWebSocketUrl: `ws://h/sim/qr_a/ws/${prn}`,
      merchantWebSocketUrl: `ws://h/sim/qr_a/ws/m/NBQM?of=${prn}`,
    });
  });
});

describe('status', () => {
  const told = (status: Neutral, change: object = {}) =>
    statusReply({ prn, amount: 10_000, status, traceId: 128391, ...change }).body;

  test('takes the published request', () => {
    const dataValidation = signatures[3]?.[1];
    const text = { prn: 'CS01J9X2K3M4', merchantCode: 'NBQM', dataValidation, username: 'u', password: 'p' };
    expect(parseStatus(JSON.stringify(text))).toEqual({ is: 'command', command: { prn: 'CS01J9X2K3M4' } });
    expect(parseStatus(JSON.stringify({ ...text, prn: 'other' }))).toMatchObject({ is: 'reply' });
  });

  test('answers money as published, byte for byte', () => {
    expect(told('paid')).toBe(
      `{"prn":"${prn}","merchantCode":"NBQM","amount":100.0,"paymentStatus":"success","qraTraceId":128391}`,
    );
  });

  test.each([
    ['created', 'pending'],
    ['opened', 'pending'],
    ['paid', 'success'],
    ['declined', 'failed'],
    ['cancelled', 'pending'],
    ['ended', 'pending'],
    ['partly_refunded', 'success'],
    ['refunded', 'success'],
  ] as const)('shows %s as %s', (status, word) => {
    expect(JSON.parse(told(status))).toMatchObject({ paymentStatus: word });
  });

  test('may leave the amount out, and may use another status', () => {
    expect(told('paid', { noAmount: true })).not.toContain('amount');
    expect(told('paid', { statusText: 'on_hold' })).toContain('"paymentStatus":"on_hold"');
    expect(told('paid', { amount: 125_055 })).toContain('"amount":1250.55,');
  });
});

test('the socket sends the published messages', () => {
  const inner = (message: string): string =>
    (JSON.parse(message) as { transactionStatus: string }).transactionStatus;
  expect(inner(scannedMessage())).toBe('{"success":true,"message":"VERIFIED","QRVerified":true}');
  expect(JSON.parse(inner(paidMessage({ prn, amount: 10_000, traceId: 128391 })))).toEqual({
    traceId: 128391,
    amount: 100,
    message: 'OK',
    paymentSuccess: true,
    productNumber: prn,
  });
});

test('a prn contains its payment id, any other text does not', () => {
  expect(paymentOf(prn)).toBe('pay_4t8z1m6q3x9k2v7b');
  for (const other of ['', 'CS01J9X2K3M4', `${prn}-i`, 'pay-4t8z1m6q3x9k2v7', 'pay-4t8z1m6q3x9k2v7u']) {
    expect(paymentOf(other)).toBeNull();
  }
});
