import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { LookupInput } from '../../../../src/providers/provider.ts';
import { walletA } from '../../../../src/providers/wallet-a/wallet-a.ts';
import { plainOrder } from '../../../support/order.ts';
import { samplesOf } from '../samples.ts';

const samples = samplesOf('wallet-a');
const credentials = { merchantCode: 'EPAYTEST', secretKey: '8gBm/:&EnhH.1/q' };
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const reference = 'pay-4t8z1m6q3x9k2v7b';

describe('a start is a form the browser posts', () => {
  const started = (amount: number) => {
    const returnUrl = `https://pay.example/return/wallet_a/${paymentId}/web/done`;
    const input = { paymentId, amount, order: { ...plainOrder, amount }, returnUrl, now: 0 };
    const answer = walletA.start.open(input, credentials, 'https://wallet-a.example');
    if (answer.outcome !== 'started') throw new Error('not started');
    return answer;
  };
  test('with all eleven fields, addresses without a query, and the reference to look it up by', () => {
    expect(started(125_050)).toEqual({
      outcome: 'started',
      lookupReference: reference,
      providerExpiresAt: null,
      instructions: {
        kind: 'form',
        method: 'POST',
        url: 'https://wallet-a.example/api/epay/main/v2/form',
        fields: {
          amount: '1250.50',
          tax_amount: '0',
          total_amount: '1250.50',
          transaction_uuid: reference,
          product_code: 'EPAYTEST',
          product_service_charge: '0',
          product_delivery_charge: '0',
          success_url: `https://pay.example/return/wallet_a/${paymentId}/web/success`,
          failure_url: `https://pay.example/return/wallet_a/${paymentId}/web/failure`,
          signed_field_names: 'total_amount,transaction_uuid,product_code',
          signature: 'KxSuPR1veVHnwy7Eu1oyWC88F62oZFwNMP/+nTHF8RE=',
        },
      },
    });
  });
  test.each([
    [125_000, '1250', 'aRJUntMglwYeFitsG3phMuICkjBUtOx96cu9F0JRS/s='],
    [125_050, '1250.50', 'KxSuPR1veVHnwy7Eu1oyWC88F62oZFwNMP/+nTHF8RE='],
  ])('%i paisa is written %s and signed so', (amount, text, signature) => {
    expect(started(amount).instructions.fields).toMatchObject({ total_amount: text, signature });
  });
  test.each([
    [1000, '10'],
    [1005, '10.05'],
    [100_000_000, '1000000'],
    [99_999_990, '999999.90'],
  ])('%i paisa is written %s', (amount, text) => {
    expect(started(amount).instructions.fields['amount']).toBe(text);
  });
});

describe('a look-up', () => {
  const input: LookupInput = { paymentId, amount: 125_050, lookupReference: reference };
  const said = (text: string, status = 200, seen?: LookupInput['seen']) =>
    walletA.lookup.read({ status, headers: {}, text }, seen === undefined ? input : { ...input, seen });
  const body = (more: string): string => `{"transaction_uuid":"${reference}","status":"COMPLETE",${more}}`;
  const sample = (name: string, seen?: LookupInput['seen']) => {
    const { text, status } = samples.reply(name);
    return said(text, status, seen)?.answer;
  };

  test('asks with the amount exactly as signed, and no key', () => {
    const { url, headers, method } = walletA.lookup.build(input, credentials, 'https://status.example');
    expect(`${method} ${url}`).toBe(
      'GET https://status.example/api/epay/transaction/status/' +
        `?product_code=EPAYTEST&total_amount=1250.50&transaction_uuid=${reference}`,
    );
    expect(JSON.stringify(headers)).not.toContain('8gBm');
  });
  test.each([
    ['lookup-complete', 'paid', '000AWEO', null],
    ['lookup-complete-older', 'paid', '000AWEO', null],
    ['lookup-pending', 'pending', null, null],
    ['lookup-canceled', 'failed', null, 'declined'],
    ['lookup-not-found', 'not_found', null, null],
    ['lookup-full-refund', 'refunded', '000AWEO', null],
    ['lookup-partial-refund', 'partially_refunded', '000AWEO', null],
    ['lookup-ambiguous', 'ambiguous', '000AWEO', null],
  ])('%s is %s', (name, outcome, providerRef, failureCode) => {
    expect(sample(name)).toEqual({
      ...(outcome === 'ambiguous' ? { word: 'AMBIGUOUS' } : {}),
      outcome,
      answered: true,
      amountPaisa: 125_050,
      reference,
      providerRef,
      traceId: null,
      failureCode,
      fee: null,
    });
  });
  test.each([
    [{ returnedUnpaid: true, wasPending: false }, 'cancelled'],
    [{ returnedUnpaid: true, wasPending: true }, 'cancelled'],
    [{ returnedUnpaid: false, wasPending: true }, 'expired'],
    [{ returnedUnpaid: false, wasPending: false }, 'not_found'],
  ])('NOT_FOUND of an attempt with %o is %s', (seen, outcome) => {
    expect(sample('lookup-not-found', seen)?.outcome).toBe(outcome);
  });
  test.each([
    [
      'the error page of a web server',
      '{"timestamp":1763712000,"status":404,"error":"Not Found","path":"/x"}',
      404,
    ],
    [
      'a number in the place of a status, under 200',
      body('"total_amount":1250.5').replace('"COMPLETE"', '1'),
      200,
    ],
    ['a refusal, whatever it says', body('"total_amount":1250.5'), 403],
    ['too many calls, whatever it says', body('"total_amount":1250.5').replace('COMPLETE', 'CANCELED'), 429],
  ])('%s is unreadable', (_what, text, status) => {
    expect(said(text, status)).toBeNull();
  });
  test('the history of the attempt changes no other status', () => {
    const seen = { returnedUnpaid: true, wasPending: true };
    expect(sample('lookup-complete', seen)?.outcome).toBe('paid');
    expect(sample('lookup-pending', seen)?.outcome).toBe('pending');
  });
  test.each(['1000', '1000.0', '"1,000.0"', '1000.00', '"1000"'])('%s rupees are 100000 paisa', (amount) => {
    expect(said(body(`"total_amount":${amount}`))?.answer).toMatchObject({
      outcome: 'paid',
      amountPaisa: 100_000,
    });
  });
  test.each(['1000.005', '-1', '1e3', '""', 'null', '"abc"', '[]', '9007199254740993'])(
    '%s rupees are no clear amount',
    (amount) => {
      const answer = said(body(`"total_amount":${amount}`))?.answer;
      expect(answer).toMatchObject({ outcome: 'ambiguous', amountPaisa: null });
    },
  );
  test('paid without an amount, or with another HTTP status, is ambiguous', () => {
    expect(said(body('"ref_id":"1"'))?.answer.outcome).toBe('ambiguous');
    expect(said(body('"total_amount":1250.5'), 400)?.answer.outcome).toBe('ambiguous');
  });
  test('a status in any case is recognised, an unknown one is ambiguous', () => {
    const word = (text: string) =>
      said(`{"transaction_uuid":"x","total_amount":1,"status":"${text}"}`)?.answer.outcome;
    expect([word('complete'), word('Pending')]).toEqual(['paid', 'pending']);
    expect([word('COMPLETED'), word('Success'), word('__proto__')]).toEqual(Array(3).fill('ambiguous'));
  });
  test('the transaction code replaces a missing ref_id', () => {
    const answer = said(body('"total_amount":1,"ref_id":null,"transaction_code":"000X"'))?.answer;
    expect(answer?.providerRef).toBe('000X');
  });
  test('an outage, an error page, half an answer: no answer', () => {
    for (const text of [samples.reply('outage').text, '<html>', '', '{}', '[]', 'null', '{"status":""}']) {
      expect(said(text), text).toBeNull();
    }
    expect(said(samples.reply('lookup-complete').text, 500)).toBeNull();
    expect(said('{"status":"COMPLETE","total_amount":12', 200)).toBeNull();
  });
});

describe('the buyer returns', () => {
  const published = samples.text('return').replace('data=', '');
  const of = 'pay_250610-162413';
  const back = (data: string, more: { outcome?: string; paymentId?: string; key?: string } = {}) =>
    walletA.parseReturn(
      {
        paymentId: more.paymentId ?? of,
        outcome: more.outcome ?? 'success',
        query: new URLSearchParams(data === '' ? '' : `data=${data}`),
      },
      more.key === undefined ? credentials : { ...credentials, secretKey: more.key },
    );
  const names = 'transaction_code,status,total_amount,transaction_uuid,product_code,signed_field_names';
  /** A return as the wallet would send it; `signature` as published for this amount. */
  const returned = (amount: string, signature: string, status = 'COMPLETE'): string =>
    Buffer.from(
      `{"transaction_code":"000AWEO","status":"${status}","total_amount":${amount},` +
        `"transaction_uuid":"250610-162413","product_code":"EPAYTEST","signed_field_names":"${names}",` +
        `"signature":"${signature}"}`,
    ).toString('base64url');
  // the published return names no payment of ours
  const foreign = 'Buyer came back with another payment';
  const doesNotHold = 'Buyer came back with a signature that does not hold';

  test.each([
    ['1000.0', '62GcfZTmVkzhtUeh+QJ1AqiJrjoWWGof3U+eTPTZ7fA=', foreign],
    ['"1,000.0"', 'papjo8JJpF2skOaVl21DUR7k7hdectT5lWk+z5xvYIU=', foreign],
    ['1000', 'L/qUIEhgWonoiBE5fPGBfSndglUjaapYTsNVWVS7PDA=', foreign],
    ['1000', '62GcfZTmVkzhtUeh+QJ1AqiJrjoWWGof3U+eTPTZ7fA=', doesNotHold],
    ['1000.0', 'L/qUIEhgWonoiBE5fPGBfSndglUjaapYTsNVWVS7PDA=', doesNotHold],
    ['1000.00', '62GcfZTmVkzhtUeh+QJ1AqiJrjoWWGof3U+eTPTZ7fA=', doesNotHold],
    ['"1000.0"', '62GcfZTmVkzhtUeh+QJ1AqiJrjoWWGof3U+eTPTZ7fA=', foreign],
  ])('the amount is signed as it is written: %s with %s', (amount, signature, says) => {
    expect(back(returned(amount, signature)).summary).toContain(says);
  });
  test('the published return holds in every way its base64 may travel', () => {
    const base64 = published.replace(/=+$/, '');
    for (const data of [
      published,
      base64,
      encodeURIComponent(published),
      published.replaceAll('+', '-').replaceAll('/', '_'),
      published.replaceAll('+', ' '),
    ]) {
      expect(back(data).summary).toContain(foreign);
    }
    expect(back(published.replace('eyJ', 'ayJ')).summary).toContain('nothing readable');
  });

  /** A return for our own payment, signed here over any names. */
  const own = (fields: Record<string, string>, over = names, key = credentials.secretKey): string => {
    const all: Record<string, string> = {
      transaction_code: '000AWEO',
      status: 'COMPLETE',
      total_amount: '1250.50',
      transaction_uuid: reference,
      product_code: 'EPAYTEST',
      signed_field_names: over,
      ...fields,
    };
    const text = over.split(',').map((name) => `${name}=${all[name]}`);
    const signature = createHmac('sha256', key).update(text.join(',')).digest('base64');
    return Buffer.from(JSON.stringify({ ...all, signature })).toString('base64url');
  };
  const ours = (data: string, key?: string) =>
    back(data, { paymentId, ...(key === undefined ? {} : { key }) });

  test('signed and about this payment is a verified hint', () => {
    expect(ours(own({}))).toEqual({ hint: 'paid', verified: true, summary: 'Buyer came back: COMPLETE' });
    expect(ours(own({ status: 'PENDING' }))).toMatchObject({ hint: 'unknown', verified: true });
  });
  test.each(['status', 'total_amount', 'transaction_uuid', 'product_code'])(
    'without %s among the signed names has no content',
    (name) => {
      const over = names
        .split(',')
        .filter((each) => each !== name)
        .join(',');
      expect(ours(own({}, over))).toMatchObject({ hint: 'unknown', verified: false });
    },
  );
  test('of another payment, merchant or key has no content', () => {
    const nothing = { hint: 'unknown', verified: false };
    expect(ours(own({ transaction_uuid: 'pay-0000000000000000' }))).toMatchObject(nothing);
    expect(ours(own({ product_code: 'OTHER' }))).toMatchObject(nothing);
    expect(ours(own({}, names, 'guessed'))).toMatchObject(nothing);
    expect(ours(own({}, names, ''), '')).toMatchObject(nothing);
  });
  test.each(['', '%', 'e30', 'bnVsbA', 'W10', 'x'.repeat(9000), '%00', '{"status":"COMPLETE"}'])(
    'with invalid data has no content: %s',
    (data) => {
      expect(ours(data)).toMatchObject({ hint: 'unknown', verified: false });
    },
  );
  test('to the failure address means unpaid, without parameters', () => {
    expect(back('', { outcome: 'failure' })).toMatchObject({ hint: 'failed', verified: false });
    expect(back(own({}), { outcome: 'failure', paymentId })).toMatchObject({
      hint: 'failed',
      verified: false,
    });
  });
  test('invented values are shown short and harmless', () => {
    const { summary } = ours(own({ status: `\u202e${'x'.repeat(100)}` }));
    expect(summary).toBe(`Buyer came back: ?${'x'.repeat(39)}`);
  });
});
