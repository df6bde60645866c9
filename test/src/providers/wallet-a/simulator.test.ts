import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  parseForm,
  parseLookup,
  isFoundBy,
  loginProblem,
  lookupReply,
  notFoundReply,
  outageReply,
  paymentOf,
  refIdOf,
  successAddress,
  type Shown,
} from '../../../../src/providers/wallet-a/simulator.ts';
import { walletA } from '../../../../src/providers/wallet-a/wallet-a.ts';
import { isUnpaid, type Neutral, type SimulatedReply } from '../../../../src/providers/simulated-wire.ts';
import { samplesOf } from '../samples.ts';

const samples = samplesOf('wallet-a');
const reference = 'pay-4t8z1m6q3x9k2v7b';
const shown = (status: Neutral, more: Partial<Shown> = {}): Shown => ({
  reference,
  refId: '000AWEO',
  amount: 125_050,
  status,
  ...more,
});
const text = ({ status, body }: SimulatedReply): string => `${status} ${body}`;
const whole = { badSignature: false, statusUnsigned: false };
const key = '8gBm/:&EnhH.1/q';
const hmac = (of: string): string => createHmac('sha256', key).update(of).digest('base64');

describe('every documented sample is produced byte for byte', () => {
  test.each<[Neutral, string]>([
    ['created', 'lookup-not-found'],
    ['opened', 'lookup-pending'],
    ['paid', 'lookup-complete'],
    ['declined', 'lookup-canceled'],
    ['cancelled', 'lookup-not-found'],
    ['ended', 'lookup-not-found'],
    ['partly_refunded', 'lookup-partial-refund'],
    ['refunded', 'lookup-full-refund'],
  ])('%s', (status, sample) => {
    expect(text(lookupReply(shown(status), false))).toBe(samples.text(sample));
  });
  test('the older spelling, an unknown status, an outage', () => {
    expect(text(lookupReply(shown('paid'), true))).toBe(samples.text('lookup-complete-older'));
    const unclear = shown('paid', { statusText: 'AMBIGUOUS' });
    expect(text(lookupReply(unclear, false))).toBe(samples.text('lookup-ambiguous'));
    expect(text(outageReply())).toBe(samples.text('outage'));
  });
  test('the published return', () => {
    const published = shown('paid', { reference: '250610-162413', amount: 100_000 });
    expect(successAddress(published, 'https://x.example/s', whole)).toBe(
      `https://x.example/s?${samples.text('return')}`,
    );
  });
});

describe('a form', () => {
  const signature = 'KxSuPR1veVHnwy7Eu1oyWC88F62oZFwNMP/+nTHF8RE=';
  const fields = {
    amount: '1250.50',
    tax_amount: '0',
    total_amount: '1250.50',
    transaction_uuid: reference,
    product_code: 'EPAYTEST',
    product_service_charge: '0',
    product_delivery_charge: '0',
    success_url: 'https://pay.example/s',
    failure_url: 'https://pay.example/f',
    signed_field_names: 'total_amount,transaction_uuid,product_code',
    signature,
  };
  const heard = (more: Record<string, string> = {}) => parseForm(new URLSearchParams({ ...fields, ...more }));
  /** Signed as it stands. */
  const resigned = (more: Record<string, string>) => {
    const all = { ...fields, ...more };
    const { total_amount: total, transaction_uuid: uuid, product_code: code } = all;
    return parseForm(
      new URLSearchParams({
        ...all,
        signature: hmac(`total_amount=${total},transaction_uuid=${uuid},product_code=${code}`),
      }),
    );
  };

  test('complete and signed is accepted', () => {
    expect(heard()).toEqual({
      is: 'form',
      form: {
        reference,
        amount: 125_050,
        successUrl: 'https://pay.example/s',
        failureUrl: 'https://pay.example/f',
      },
    });
  });
  test('row 100: the published vectors of wallet_a hold, and only in their own spelling of the amount', () => {
    const first = { amount: '110', total_amount: '110', transaction_uuid: '241028' };
    expect(heard({ ...first, signature: 'i94zsd3oXF6ZsSr/kGqT4sSzYQzjj1W/waxjWyRwaME=' }).is).toBe('form');
    const whole1250 = { amount: '1250', total_amount: '1250' };
    const vector = 'aRJUntMglwYeFitsG3phMuICkjBUtOx96cu9F0JRS/s=';
    expect(heard({ ...whole1250, signature: vector }).is).toBe('form');
    expect(heard({ amount: '1250.00', total_amount: '1250.00', signature: vector }).is).toBe('refused');
  });
  test.each(Object.keys(fields))('without %s is refused', (name) => {
    const rest = new URLSearchParams(fields);
    rest.delete(name);
    expect(parseForm(rest)).toEqual({ is: 'refused', says: `The field ${name} is missing.` });
  });
  test('a changed field, a changed character, another order of names: refused', () => {
    expect(heard({ total_amount: '1250.51' })).toMatchObject({ says: 'Invalid payload signature.' });
    expect(heard({ signature: signature.replace('K', 'L') }).is).toBe('refused');
    expect(heard({ signed_field_names: 'transaction_uuid,total_amount,product_code' }).is).toBe('refused');
    expect(heard({ signed_field_names: 'total_amount' })).toMatchObject({
      says: 'Too few fields are signed.',
    });
  });
  test('parts that do not add up, no amount at all, another merchant, no address: refused', () => {
    expect(resigned({ tax_amount: '1' })).toMatchObject({ says: 'The amounts do not add up to the total.' });
    expect(resigned({ amount: '1200', tax_amount: '50.50' }).is).toBe('form');
    for (const amount of ['0', '-5', '1e3', '1.005', 'ten']) {
      expect(resigned({ amount, total_amount: amount })).toMatchObject({ says: 'An amount is not valid.' });
    }
    expect(resigned({ product_code: 'OTHER' })).toMatchObject({ says: 'No such merchant.' });
    expect(heard({ success_url: 'javascript:alert(1)' })).toMatchObject({
      says: 'A return address is not valid.',
    });
  });
});

describe('a look-up', () => {
  const heard = parseLookup(
    new URLSearchParams({ product_code: 'EPAYTEST', total_amount: '1250.50', transaction_uuid: reference }),
  );
  test('finds a payment by merchant, amount and reference', () => {
    expect(heard.reference).toBe(reference);
    expect(isFoundBy(heard, 125_050)).toBe(true);
    expect(isFoundBy(heard, 125_000)).toBe(false);
    expect(isFoundBy({ ...heard, productCode: 'OTHER' }, 125_050)).toBe(false);
    expect(isFoundBy({ ...heard, totalAmount: '' }, 0)).toBe(false);
  });
  test('of an unknown payment repeats the query', () => {
    expect(JSON.parse(notFoundReply(heard).body)).toEqual({
      product_code: 'EPAYTEST',
      transaction_uuid: reference,
      total_amount: 0,
      status: 'NOT_FOUND',
      ref_id: null,
    });
  });
});

describe('the return', () => {
  const dataOf = (address: string): string =>
    Buffer.from(new URL(address).searchParams.get('data')?.replaceAll(' ', '+') ?? '', 'base64').toString();
  const back = (more: Partial<Shown>, spoiled = whole): string =>
    successAddress(shown('paid', more), 'https://pay.example/s', spoiled);

  test.each([
    ['1000.0', '1250.5'],
    ['1000', '1250.5'],
    ['1,000.0', '"1,250.5"'],
    ['1000.00', '1250.50'],
    ['1e3', '"1e3"'],
  ])('has amounts spelled like %s', (amountText, written) => {
    expect(dataOf(back({ amountText }))).toContain(`"total_amount":${written},`);
    expect(text(lookupReply(shown('paid', { amountText }), false))).toContain(`"total_amount":${written},`);
  });
  test('is read by our own side in all spellings, and only if complete', () => {
    const hint = (address: string) =>
      walletA.parseReturn(
        {
          paymentId: 'pay_4t8z1m6q3x9k2v7b',
          outcome: 'success',
          query: new URL(address).searchParams,
        },
        { merchantCode: 'EPAYTEST', secretKey: key },
      );
    for (const amountText of ['1000.0', '1000', '1,000.0', '1000.00']) {
      for (const amount of [125_050, 100_000_000, 1000]) {
        expect(hint(back({ amountText, amount }))).toMatchObject({ hint: 'paid', verified: true });
      }
    }
    expect(hint(back({}, { ...whole, badSignature: true }))).toMatchObject({ verified: false });
    expect(hint(back({}, { ...whole, statusUnsigned: true }))).toMatchObject({ verified: false });
    expect(hint(back({ reference: 'pay-0000000000000000' }))).toMatchObject({ verified: false });
  });
  test('missing_signed_field is signed correctly over the rest', () => {
    const json = dataOf(back({}, { ...whole, statusUnsigned: true }));
    const body = JSON.parse(json) as Record<string, string>;
    const names = String(body['signed_field_names']).split(',');
    expect(names).not.toContain('status');
    expect(body['status']).toBe('COMPLETE');
    expect(body['signature']).toBe(hmac(names.map((name) => `${name}=${String(body[name])}`).join(',')));
  });
  test('of an undecided buyer uses the success address with PENDING', () => {
    expect(dataOf(successAddress(shown('opened'), 'https://x.example/s', whole))).toContain('"PENDING"');
    expect((['declined', 'cancelled', 'ended'] as const).every(isUnpaid)).toBe(true);
    expect((['created', 'opened', 'paid', 'refunded'] as const).some(isUnpaid)).toBe(false);
  });
});

test('ids contain the payment, and other texts are refused', () => {
  expect(paymentOf(reference)).toBe('pay_4t8z1m6q3x9k2v7b');
  expect(refIdOf('pay_4t8z1m6q3x9k2v7b')).toBe('0004T8Z1M6Q3X9K2V7B');
  for (const other of ['', 'pay_4t8z1m6q3x9k2v7b', `${reference}0`, 'pay-ilou000000000000']) {
    expect(paymentOf(other)).toBeNull();
  }
});

test('only test buyers log in', () => {
  const right = { id: '9806800005', password: 'Nepal@123', mpin: '1122', token: '123456' };
  const login = (more: object) => loginProblem(new URLSearchParams({ ...right, ...more }));
  expect(login({})).toBeNull();
  expect(login({ id: '9806800006' })).toMatch(/ID/);
  expect(login({ password: 'nepal@123' })).toMatch(/password/);
  expect(login({ mpin: '0000' })).toMatch(/MPIN/);
  expect(login({ token: '' })).toMatch(/token/);
});
