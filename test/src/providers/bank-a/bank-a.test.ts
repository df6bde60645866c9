/** bank_a's adapter: the signed form, look-ups and their details, unsigned returns. */
import { generateKeyPairSync, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../../src/kernel/hash.ts';
import { bankA } from '../../../../src/providers/bank-a/bank-a.ts';
import { simulatorCredentials } from '../../../../src/providers/bank-a/simulator.ts';
import type { LookupReading, WireReply } from '../../../../src/providers/provider.ts';
import { plainOrder } from '../../../support/order.ts';
import { samplesOf } from '../samples.ts';

const samples = samplesOf('bank-a');
const root = 'https://bank-a.example';
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const credentials = { ...simulatorCredentials, privateKey };
const start = {
  paymentId,
  amount: 125_050,
  order: { ...plainOrder, description: null, metadata: { order_id: 'order_1' } },
  returnUrl: `https://pay.example/return/bank_a/${paymentId}/web/done`,
  // 21:15 in Kathmandu
  now: Date.parse('2026-11-20T15:30:00.000Z'),
};
const lookup = { paymentId, amount: 500, lookupReference: 'txn-123' };
const reader = { credentials, pageRoot: root };
const holds = (text: string, token: string): boolean =>
  verify('RSA-SHA256', Buffer.from(text), publicKey, Buffer.from(token, 'base64'));

async function opened(order: object = {}, more: object = {}) {
  const input = { ...start, ...more, order: { ...start.order, ...order } };
  const answer = await bankA.start.open(input, credentials, root);
  if (answer?.outcome !== 'started') throw new Error('not started');
  return answer;
}

describe('the form', () => {
  /** Its SHA-256 is published with the text. */
  const signed =
    'MERCHANTID=550,APPID=MER-550-APP-1,APPNAME=EXAMPLE STORE,TXNID=pay-4t8z1m6q3x9k2v7b,TXNDATE=20-11-2026,' +
    'TXNCRNCY=NPR,TXNAMT=125050,REFERENCEID=pay-4t8z1m6q3x9k2v7b,REMARKS=order_1,PARTICULARS=N/A,TOKEN=TOKEN';

  test('row 100: the published text of bank_a is what the token signs', async () => {
    expect(sha256Hex(signed)).toBe('693fe844d4b1cecab9be10a0ae5fd54084c84c8f01dc540f89762d4209531a39');
    const { instructions, lookupReference, providerExpiresAt } = await opened();
    const { TOKEN: token = '', ...fields } = instructions.fields;
    expect(instructions).toMatchObject({ kind: 'form', method: 'POST', url: `${root}/loginpage` });
    expect(signed).toBe(
      `${Object.entries(fields)
        .map(([name, value]) => `${name}=${value}`)
        .join(',')},TOKEN=TOKEN`,
    );
    expect(holds(signed, token)).toBe(true);
    expect(token).toHaveLength(344);
    expect([lookupReference, providerExpiresAt]).toEqual(['pay-4t8z1m6q3x9k2v7b', null]);
  });
  test('names the day in Kathmandu', async () => {
    const late = await opened({}, { now: Date.parse('2026-11-20T18:20:00.000Z') });
    expect(late.instructions.fields['TXNDATE']).toBe('21-11-2026');
  });
  test('keeps commas and control characters out of its values, and each within its length', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
        const { fields } = (await opened({ description: text, metadata: { order_id: text } })).instructions;
        const { REMARKS: remarks = '', PARTICULARS: particulars = '' } = fields;
        expect(`${remarks}${particulars}`).not.toMatch(/[,\p{C}]/u);
        expect(remarks.length > 0 && particulars.length > 0).toBe(true);
        expect(Array.from(remarks).length).toBeLessThanOrEqual(50);
        expect(Array.from(particulars).length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 50 },
    );
  });
  test.each(['', 'x', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', ecKey()])(
    'is not made with a key that is none of RSA',
    async (pem) => {
      expect(await bankA.start.open(start, { ...credentials, privateKey: pem }, root)).toBeNull();
      expect(await bankA.lookup.build(lookup, { ...credentials, privateKey: pem }, root)).toBeNull();
    },
  );
});

function ecKey(): string {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return pair.privateKey;
}

describe('a look-up', () => {
  test('row 100: the published look-up of bank_a, byte for byte, and the text its token signs', async () => {
    const request = await bankA.lookup.build(lookup, simulatorCredentials, root);
    expect(request).toEqual({
      method: 'POST',
      url: `${root}/api/creditor/validatetxn`,
      headers: {
        authorization: `Basic ${Buffer.from('MER-550-APP-1:simulated').toString('base64')}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: samples.text('lookup-request'),
    });
    const text = 'MERCHANTID=550,APPID=MER-550-APP-1,REFERENCEID=txn-123,TXNAMT=500';
    expect(sha256Hex(text)).toBe('e9a59d2d8049b6eb802e4563253ef8194f37b3b06b8c1468da04fa9a96b332cb');
    const own = await bankA.lookup.build(lookup, credentials, root);
    const { token } = JSON.parse(own?.body ?? '') as { token: string };
    expect(holds(text, token)).toBe(true);
    expect(token).toHaveLength(344);
  });

  const read = (name: string): LookupReading | undefined =>
    bankA.lookup.read(samples.reply(name), lookup, reader)?.answer;
  test.each([
    ['success', 'paid'],
    ['successful', 'paid'],
    ['unsuccessful', 'failed'],
    ['incomplete', 'pending'],
    ['not-found', 'not_found'],
    ['unclear', 'ambiguous'],
  ])('%s is %s', (name, outcome) => {
    expect(read(`lookup-${name}`)).toMatchObject({
      outcome,
      answered: true,
      amountPaisa: 500,
      reference: 'txn-123',
      providerRef: null,
      fee: null,
      failureCode: outcome === 'failed' ? 'declined' : null,
    });
  });
  test('takes the text in any case, and the amount as a number', () => {
    const said = samples.reply('lookup-success');
    const loud = said.text
      .replace('TRANSACTION SUCESSFULL', 'Transaction Successful')
      .replace('"500"', '500');
    const answer = bankA.lookup.read({ ...said, text: loud }, lookup, reader)?.answer;
    expect(answer).toMatchObject({ outcome: 'paid', amountPaisa: 500 });
  });

  const paid = samples.reply('lookup-success');
  test.each<[string, Partial<WireReply>]>([
    ['with another status word', { text: paid.text.replace('"SUCCESS"', '"PENDING"') }],
    ['without a status word', { text: paid.text.replace('"SUCCESS"', 'null') }],
    ['with status 201', { status: 201 }],
    ['without an amount', { text: paid.text.replace('"500"', 'null') }],
    ['with an amount that is not clear', { text: paid.text.replace('"500"', '"5e2"') }],
    ['with a longer text', { text: paid.text.replace('SUCESSFULL', 'SUCESSFULLY REVERSED') }],
  ])('a success %s is ambiguous', (_how, more) => {
    expect(bankA.lookup.read({ ...paid, ...more }, lookup, reader)?.answer.outcome).toBe('ambiguous');
  });
  test.each<[string, Partial<WireReply>]>([
    ['HTML', { text: '<html>' }],
    ['an empty object', { text: '{}' }],
    ['an error of a web server', { status: 404, text: '{"status":404,"error":"Not Found"}' }],
    ['a 500 with a whole body', { status: 500 }],
  ])('%s is no answer', (_how, more) => {
    expect(bankA.lookup.read({ ...paid, ...more }, lookup, reader)).toBeNull();
  });
  test('refused is pending, with an alarm for the operator', () => {
    expect(bankA.lookup.read(samples.reply('token-refused'), lookup, reader)).toMatchObject({
      answer: { outcome: 'pending', answered: false },
      alarm: 'look-up: INVALID TOKEN',
    });
  });
  test('whatever arrives is read without an exception, and never as paid', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.json(), (status, text) => {
        const answer = bankA.lookup.read({ status, headers: {}, text }, lookup, reader)?.answer;
        expect(answer?.outcome).not.toBe('paid');
      }),
      { numRuns: 200 },
    );
  });
});

describe('the details of a paid payment', () => {
  const { details } = bankA.lookup;
  const first = (name: string): LookupReading => {
    const answer = bankA.lookup.read(samples.reply(name), lookup, reader)?.answer;
    if (answer === undefined) throw new Error('unread');
    return answer;
  };
  const sent = {
    method: 'POST',
    url: `${root}/api/creditor/validatetxn`,
    headers: {},
    body: '{}',
  } as const;

  test('are the same question at another address, and only for what counts as paid', () => {
    expect(details.build(first('lookup-success'), sent, lookup)).toEqual({
      ...sent,
      url: `${root}/api/creditor/gettxndetail`,
    });
    expect(details.build(first('lookup-success'), sent, { ...lookup, amount: 600 })).toBeNull();
    expect(details.build(first('lookup-success'), sent, { ...lookup, lookupReference: 'x' })).toBeNull();
    for (const name of ['unsuccessful', 'incomplete', 'not-found', 'unclear'])
      expect(details.build(first(`lookup-${name}`), sent, lookup)).toBeNull();
  });
  test('bring the reference of the bank and its fee', () => {
    expect(details.read(samples.reply('details'), first('lookup-success'), lookup)).toMatchObject({
      outcome: 'paid',
      providerRef: 'BA4T8Z',
      fee: 1000,
    });
  });
  test('that cannot be read change nothing, and those that disagree make it ambiguous', () => {
    const answer = first('lookup-success');
    for (const text of ['<html>', '{}', ''])
      expect(details.read({ status: 200, headers: {}, text }, answer, lookup)).toBeNull();
    expect(details.read(samples.reply('token-refused'), answer, lookup)).toBeNull();
    const other = samples.reply('details');
    const less = { ...other, text: other.text.replace('"500"', '"400"') };
    for (const reply of [less, samples.reply('lookup-unsuccessful')])
      expect(details.read(reply, answer, lookup)).toMatchObject({ outcome: 'ambiguous' });
  });
});

test('a return names its payment and is never believed', () => {
  const query = new URLSearchParams('TXNID=pay-4t8z1m6q3x9k2v7b');
  expect(bankA.paymentOfReturn(query)).toBe(paymentId);
  for (const other of [
    '',
    'TXNID=',
    'TXNID=pay_4t8z1m6q3x9k2v7b',
    'TXNID=__proto__',
    'txnid=pay-4t8z1m6q3x9k2v7b',
  ])
    expect(bankA.paymentOfReturn(new URLSearchParams(other))).toBeNull();
  const hint = (outcome: string) => bankA.parseReturn({ paymentId, outcome, query }, credentials);
  expect(hint('success')).toMatchObject({ hint: 'paid', verified: false });
  expect(hint('failure')).toMatchObject({ hint: 'failed', verified: false });
});
