import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  detailsReply,
  isFoundBy,
  loginProblem,
  lookupReply,
  notFoundReply,
  parseForm,
  parseLookup,
  paymentOf,
  returnAddress,
  simulatorCredentials,
  txnIdOf,
  unknownStatus,
  type Shown,
} from '../../../../src/providers/bank-a/simulator.ts';
import { isUnpaid, type Neutral, type SimulatedReply } from '../../../../src/providers/simulated-wire.ts';
import { samplesOf } from '../samples.ts';

const samples = samplesOf('bank-a');
const shown = (status: Neutral, more: Partial<Shown> = {}): Shown => ({
  reference: 'txn-123',
  txnId: 'BA4T8Z',
  amount: 500,
  status,
  ...more,
});
const text = ({ status, body }: SimulatedReply): string => `${status} ${body}`;
const { appId, appPassword, privateKey } = simulatorCredentials;
const basic = `Basic ${Buffer.from(`${appId}:${appPassword}`).toString('base64')}`;
const token = (of: string): string =>
  sign('RSA-SHA256', Buffer.from(of), createPrivateKey(privateKey)).toString('base64');

describe('every documented sample is produced byte for byte', () => {
  test.each<[Neutral, string]>([
    ['created', 'lookup-not-found'],
    ['opened', 'lookup-incomplete'],
    ['paid', 'lookup-success'],
    ['declined', 'lookup-unsuccessful'],
    ['cancelled', 'lookup-unsuccessful'],
    ['ended', 'lookup-incomplete'],
    ['partly_refunded', 'lookup-success'],
    ['refunded', 'lookup-success'],
  ])('%s', (status, sample) => {
    expect(text(lookupReply(shown(status)))).toBe(samples.text(sample));
  });
  test('an unknown text, an unknown payment, details, the other spelling, a refused token', () => {
    expect(text(lookupReply(shown('paid', { statusText: unknownStatus })))).toBe(
      samples.text('lookup-unclear'),
    );
    expect(text(notFoundReply({ reference: 'txn-123', amount: '500' }))).toBe(
      samples.text('lookup-not-found'),
    );
    expect(text(detailsReply(shown('paid')))).toBe(samples.text('details'));
    const other = shown('paid', { statusText: 'TRANSACTION SUCCESSFUL' });
    expect(text(lookupReply(other))).toBe(samples.text('lookup-successful'));
    const spoiled = samples.text('lookup-request').replace(/"token":"./, '"token":"!');
    const refused = parseLookup(basic, spoiled);
    expect(refused.is === 'reply' ? text(refused.reply) : refused.is).toBe(samples.text('token-refused'));
  });
});

test('the documented look-up is understood, and anything else refused', () => {
  const sent = samples.text('lookup-request');
  expect(parseLookup(basic, sent)).toEqual({
    is: 'command',
    command: { reference: 'txn-123', amount: '500' },
  });
  expect(isFoundBy({ reference: 'txn-123', amount: '500' }, 500)).toBe(true);
  expect(isFoundBy({ reference: 'txn-123', amount: '0500' }, 500)).toBe(false);
  const status = (authorization: string, body: string): number | null => {
    const parsed = parseLookup(authorization, body);
    return parsed.is === 'reply' ? parsed.reply.status : null;
  };
  expect(status('', sent)).toBe(401);
  expect(status(`${basic}x`, sent)).toBe(401);
  for (const body of ['', '{', '[]', 'null', '{"referenceId":7}']) expect(status(basic, body)).toBe(400);
  for (const [from, to] of [
    ['"txnAmt":"500"', '"txnAmt":"501"'],
    ['txn-123', 'txn-124'],
    ['"merchantId":550', '"merchantId":551'],
    ['MER-550-APP-1', 'MER-550-APP-2'],
  ] as const)
    expect(status(basic, sent.replace(from, to)), to).toBe(401);
});

describe('a form', () => {
  const fields = {
    MERCHANTID: '550',
    APPID: 'MER-550-APP-1',
    APPNAME: 'EXAMPLE STORE',
    TXNID: 'pay-4t8z1m6q3x9k2v7b',
    TXNDATE: '20-11-2026',
    TXNCRNCY: 'NPR',
    TXNAMT: '125050',
    REFERENCEID: 'pay-4t8z1m6q3x9k2v7b',
    REMARKS: 'order_1',
    PARTICULARS: 'N/A',
  };
  /** Signed as it stands. */
  const heard = (more: Partial<typeof fields> = {}, TOKEN?: string) => {
    const all = { ...fields, ...more };
    const signed = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    return parseForm(
      new URLSearchParams({ ...all, TOKEN: TOKEN ?? token(`${signed.join(',')},TOKEN=TOKEN`) }),
    );
  };

  test('complete and signed is accepted', () => {
    expect(heard()).toEqual({
      is: 'form',
      form: { reference: 'pay-4t8z1m6q3x9k2v7b', amount: 125_050, title: 'order_1' },
    });
  });
  test.each([...Object.keys(fields), 'TOKEN'])('without %s is refused', (name) => {
    const rest = new URLSearchParams({ ...fields, TOKEN: 'x' });
    rest.delete(name);
    expect(parseForm(rest)).toEqual({ is: 'refused', says: `The field ${name} is missing.` });
  });
  test('with a token of another text, another merchant, or a field that is not allowed is refused', () => {
    const right = token('MERCHANTID=550');
    expect(heard({}, right)).toMatchObject({ says: 'The token is not valid.' });
    expect(heard({ MERCHANTID: '551' })).toMatchObject({ says: 'No such merchant.' });
    expect(heard({ TXNDATE: '2026-11-20' })).toMatchObject({ says: 'The date is not valid.' });
    expect(heard({ TXNCRNCY: 'USD' })).toMatchObject({ says: 'The currency is not valid.' });
    expect(heard({ TXNAMT: '12.50' })).toMatchObject({ says: 'The amount is not valid.' });
    expect(heard({ REMARKS: 'x'.repeat(51) })).toMatchObject({ says: 'The field REMARKS is too long.' });
  });
});

test('ids, log-in and returns', () => {
  expect(paymentOf('pay-4t8z1m6q3x9k2v7b')).toBe('pay_4t8z1m6q3x9k2v7b');
  for (const foreign of ['', 'pay-', 'pay_4t8z1m6q3x9k2v7b', '__proto__'])
    expect(paymentOf(foreign)).toBeNull();
  expect(txnIdOf('pay_4t8z1m6q3x9k2v7b')).toBe('BA4T8Z1M6Q3X9K2V7B');
  expect(loginProblem('testbuyer2', 'Bank@123')).toBeNull();
  expect(loginProblem('nobody', 'Bank@123')).toMatch(/user name/);
  expect(loginProblem('testbuyer1', 'x')).toMatch(/password/);
  expect(returnAddress('https://pay.example/return/bank_a/success', 'pay-1')).toBe(
    'https://pay.example/return/bank_a/success?TXNID=pay-1',
  );
  const unpaid = (['created', 'opened', 'paid', 'declined', 'cancelled', 'ended'] as const).filter(isUnpaid);
  expect(unpaid).toEqual(['declined', 'cancelled', 'ended']);
});
