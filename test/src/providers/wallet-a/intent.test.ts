/** The app of wallet_a on the wire: the published vectors on both sides, and what each answer means. */
import { describe, expect, test } from 'vitest';
import type { BookingLookupInput, BookInput } from '../../../../src/providers/provider.ts';
import {
  bookedReply,
  bookingIdOf,
  callbackBody,
  cancelledReply,
  correlationIdOf,
  intentUrlOf,
  isPhone,
  legOfSlug,
  outageReply,
  parseBook,
  parseCancel,
  parseStatus,
  processedReply,
  refusedReply,
  slugOf,
  statusReply,
  unknownReply,
  unknownStatus,
} from '../../../../src/providers/wallet-a/app/simulator.ts';
import { appIntent, parseCallback } from '../../../../src/providers/wallet-a/intent.ts';
import { signatureOf } from '../../../../src/providers/wallet-a/signing.ts';
import type { Neutral } from '../../../../src/providers/simulated-wire.ts';
import { plainOrder } from '../../../support/order.ts';

const credentials = {
  merchantCode: 'EPAYTEST',
  secretKey: 'another key',
  intentProductCode: 'INTENT',
  intentSecretKey: 'LB0REg8HUSw3MTYrI1s6JTE8Kyc6JyAqJiA3MQ==',
};
const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const legId = `${paymentId}_i`;
const root = 'https://app.example';
const now = Date.parse('2026-11-20T09:15:00.000Z');
const reader = { credentials, pageRoot: root };

const bookInput = (amount = 125_050): BookInput => ({
  paymentId,
  sessionId: 'cs_n5y5kc7txbgmy7rz22b0c1r5',
  amount,
  order: { ...plainOrder, description: 'Order 1001' },
  returnUrl: `https://pay.example/return/wallet_a/${paymentId}/intent/done`,
  callbackUrl: `https://pay.example/callback/wallet_a/${paymentId}`,
  now,
});
const reference = `${bookingIdOf(legId)} ${correlationIdOf(legId)}`;
const lookupInput = (more: Partial<BookingLookupInput> = {}): BookingLookupInput => ({
  paymentId,
  amount: 125_050,
  lookupReference: reference,
  providerExpiresAt: now + 1_800_000,
  now,
  ...more,
});

const wire = ({ status, body }: { status: number; body: string }) => ({ status, headers: {}, text: body });
const built = async (request: unknown): Promise<{ url: string; body: string }> => {
  const { url, body } = (await request) as { url: string; body: string };
  return { url, body };
};

const vectors = [
  [
    'book',
    'product_code=INTENT,amount=100,transaction_uuid=txn-20251220-001',
    'oVRo2ZkjNpbt5vKs7RSNx1OCcewDaVssoguWsG31HMA=',
  ],
  [
    'status',
    'booking_id=BK-1001,product_code=INTENT,correlation_id=CR-2002',
    'Lth+Iw4YypRMVNjOtLRq2SYncSEBlAtxJvi6H/pGU90=',
  ],
  ['cancel', 'booking_id=BK-1001,product_code=INTENT', 'rYkGcacBQOgcVC8v1sPNkfKWJYcdaLemE2oRw291Ork='],
  [
    'callback, names without itself',
    'product_code=INTENT,amount=100,reference_code=0007XYZ,correlation_id=CR-2002,status=SUCCESS',
    'BbPnAKCvtqKpOKsAu126cserNnJHsdGBCUgEa2aOAUc=',
  ],
  [
    'callback, names with itself',
    'product_code=INTENT,amount=100,reference_code=0007XYZ,correlation_id=CR-2002,status=SUCCESS,signed_field_names=product_code,amount,reference_code,correlation_id,status,signed_field_names',
    'xgKWugmEjaYA7aWpZMMRP2kHeMJQh+2U0ojRyKeB72E=',
  ],
] as const;

const fieldsOf = (text: string): { [name: string]: string } => {
  const at = text.indexOf(',signed_field_names=');
  const [plain, own] = at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 20)];
  const pairs = plain.split(',').map((pair) => pair.split('=') as [string, string]);
  return { ...Object.fromEntries(pairs), ...(own === null ? {} : { signed_field_names: own }) };
};

describe('the published vectors', () => {
  test.each(vectors)('%s: we sign so, with the key as literal text', (_what, text, signature) => {
    const fields = fieldsOf(text);
    expect(signatureOf(Object.keys(fields), fields, credentials.intentSecretKey)).toBe(signature);
  });

  test('book: what we send for the published payment is the published body', async () => {
    const request = await built(appIntent.book.build(bookInput(10_000), credentials, root));
    expect(request.url).toBe('https://app.example/api/client/intent/payment/book');
    const {
      signature: _own,
      transaction_uuid: uuid,
      ...rest
    } = JSON.parse(request.body) as { [name: string]: unknown };
    expect(uuid).toBe('pay-4t8z1m6q3x9k2v7b-i');
    expect(rest).toEqual({
      product_code: 'INTENT',
      amount: 100,
      signed_field_names: 'product_code,amount,transaction_uuid',
      callback_url: `https://pay.example/callback/wallet_a/${paymentId}`,
      redirect_url: `https://pay.example/return/wallet_a/${paymentId}/intent/done`,
      properties: { customer_id: 'cs_n5y5kc7txbgmy7rz22b0c1r5', remarks: 'Order 1001' },
    });
  });

  test.each(vectors.slice(0, 3))(
    '%s: the simulator takes the published signature, and no other',
    (what, text, signature) => {
      const fields = fieldsOf(text);
      const signed_field_names = Object.keys(fields).join(',');
      const sent = (its: string): string =>
        JSON.stringify({ ...fields, signed_field_names, signature: its }).replace(
          '"amount":"100"',
          '"amount":100',
        );
      const parse = { book: parseBook, status: parseStatus, cancel: parseCancel }[what as 'book'];
      const wordOf = (its: string): string => {
        const parsed = parse(sent(its));
        return parsed.is === 'reply' ? parsed.reply.body : 'asked';
      };
      // the ids of the vectors are none of ours, so a signature that holds is followed by another refusal
      expect(wordOf(signature)).not.toContain('signature');
      expect(wordOf(`A${signature.slice(1)}`)).toContain('Invalid payload signature');
    },
  );

  test.each(vectors.slice(3))('%s: we take it, and no other signature', (_what, text, signature) => {
    const fields = fieldsOf(text);
    const signed_field_names = fields['signed_field_names'] ?? Object.keys(fields).join(',');
    const sent = (its: string, amount = '100'): string =>
      JSON.stringify({ ...fields, signed_field_names, signature: its }).replace(
        '"amount":"100"',
        `"amount":${amount}`,
      );
    const call = (body: string) => parseCallback({ paymentId, body, header: () => '' }, credentials);
    expect(call(sent(signature))).toEqual({
      hint: 'paid',
      verified: true,
      summary: 'Callback of the app: SUCCESS',
      leg: 'intent',
      told: { reference: 'CR-2002', amountPaisa: 10_000 },
    });
    expect(call(sent(`A${signature.slice(1)}`))).toBeNull();
    // the raw text of the number is what is signed
    expect(call(sent(signature, '100.0'))).toBeNull();
    expect(call(sent(signature, '99'))).toBeNull();
    expect(
      parseCallback(
        { paymentId, body: sent(signature), header: () => '' },
        { ...credentials, intentProductCode: 'X' },
      ),
    ).toBeNull();
  });
});

describe('both sides of one wire', () => {
  test('the simulator books exactly what we ask for, and we read its answer', async () => {
    const { body } = await built(appIntent.book.build(bookInput(), credentials, root));
    expect(body).toContain('"amount":1250.50,');
    const parsed = parseBook(body);
    if (parsed.is !== 'asked') throw new Error(parsed.reply.body);
    expect(parsed.request).toMatchObject({ legId, amount: 125_050, remarks: 'Order 1001' });
    const deeplink = `https://links.example/pay/${slugOf(legId)}`;
    expect(appIntent.book.read(wire(bookedReply(legId, deeplink)), bookInput(), reader)?.answer).toEqual({
      outcome: 'started',
      instructions: { kind: 'intent', method: 'GET', url: deeplink, fields: {} },
      lookupReference: reference,
      providerExpiresAt: now + 1_800_000,
      booking: { bookingId: bookingIdOf(legId), correlationId: correlationIdOf(legId) },
    });
  });

  test.each([
    ['IP-200', 'started'],
    ['IP-201', 'started'],
  ])('%s on book is booked', (code, outcome) => {
    const body = bookedReply(legId, 'https://links.example/pay/Zx81').body.replace('IP-201', code);
    expect(appIntent.book.read(wire({ status: 200, body }), bookInput(), reader)?.answer.outcome).toBe(
      outcome,
    );
  });

  test('a refusal of book fails the start; an outage, a 5xx and a link that is no address are no answer', () => {
    const read = (reply: { status: number; body: string }) =>
      appIntent.book.read(wire(reply), bookInput(), reader);
    expect(read(refusedReply('Invalid payload signature.'))?.answer).toEqual({
      outcome: 'failed',
      message: 'IP-400 Invalid payload signature.',
    });
    expect(read(outageReply())).toBeNull();
    expect(read({ ...bookedReply(legId, 'https://x.example'), status: 502 })).toBeNull();
    expect(read(bookedReply(legId, 'javascript:alert(1)'))).toBeNull();
    expect(read({ status: 200, body: '{"code":"IP-500","message":"Failure"}' })).toBeNull();
  });

  const states: readonly (readonly [Neutral, string])[] = [
    ['created', 'pending'],
    ['opened', 'pending'],
    ['paid', 'paid'],
    ['declined', 'failed'],
    ['cancelled', 'cancelled'],
    ['ended', 'not_found'],
    ['partly_refunded', 'paid'],
    ['refunded', 'failed'],
  ];
  test.each(states)('the simulated state %s is read as %s', async (status, outcome) => {
    const { body } = await built(appIntent.lookup.build(lookupInput(), credentials, root));
    expect(parseStatus(body)).toEqual({ is: 'asked', request: legId });
    const reply = statusReply({ legId, amount: 125_050, status });
    const answer = appIntent.lookup.read(wire(reply), lookupInput(), reader)?.answer;
    expect(answer).toMatchObject({ outcome, answered: true, amountPaisa: null });
    expect(answer?.reference).toBe(status === 'ended' ? null : reference);
    if (outcome === 'paid') expect(answer?.providerRef).toBe('0004T8Z1M6Q3X9K2V7BI');
  });

  const look = (status: Neutral, more: Partial<BookingLookupInput> = {}, statusText?: string) => {
    const shown = { legId, amount: 125_050, status, ...(statusText === undefined ? {} : { statusText }) };
    return appIntent.lookup.read(wire(statusReply(shown)), lookupInput(more), reader)?.answer;
  };
  const seen = { returnedUnpaid: false, wasPending: false };

  test('REVERTED is failed before our payment is paid, and refunded after', () => {
    expect(look('refunded')?.outcome).toBe('failed');
    expect(look('refunded', { seen: { ...seen, paid: true } })?.outcome).toBe('refunded');
  });

  test('an unknown booking is over once a /status has known it', () => {
    expect(look('ended')?.outcome).toBe('not_found');
    expect(look('ended', { seen: { ...seen, wasPending: true } })?.outcome).toBe('expired');
  });

  test('any status but SUCCESS on a booking past its life is expired', () => {
    const over = { now: now + 1_800_000 };
    for (const status of ['created', 'opened', 'declined', 'cancelled'] as const)
      expect(look(status, over)?.outcome).toBe('expired');
    expect(look('opened', over, 'SOMETHING')?.outcome).toBe('expired');
    expect(look('paid', over)?.outcome).toBe('paid');
  });

  test('an unknown text is ambiguous and kept; unreadable answers are none', () => {
    expect(look('paid', {}, unknownStatus)).toMatchObject({ outcome: 'ambiguous', word: unknownStatus });
    expect(look('paid', {}, 'success')?.outcome).toBe('paid');
    const read = (text: string, status = 200) =>
      appIntent.lookup.read({ status, headers: {}, text }, lookupInput(), reader);
    for (const text of [
      '<html>',
      '{}',
      '{"code":"IP-200"}',
      '{"code":"IP-500","data":{"status":"SUCCESS"}}',
      outageReply().body,
    ])
      expect(read(text)).toBeNull();
    expect(read(statusReply({ legId, amount: 1, status: 'paid' }).body, 500)).toBeNull();
  });

  test('the amount of a signed callback counts in the look-ups after it', () => {
    expect(look('paid', { seen: { ...seen, toldAmount: 124_950 } })?.amountPaisa).toBe(124_950);
    expect(look('paid', { seen: { ...seen, toldAmount: null } })?.outcome).toBe('ambiguous');
  });

  test('cancel works while booked; afterwards the wallet says so', async () => {
    const booking = { bookingId: bookingIdOf(legId), correlationId: correlationIdOf(legId) };
    const { url, body } = await built(appIntent.cancel.build({ booking }, credentials, root));
    expect(url).toMatch(/\/cancel$/);
    expect(parseCancel(body)).toEqual({ is: 'asked', request: legId });
    const read = (reply: { status: number; body: string }) =>
      appIntent.cancel.read(wire(reply), { booking }, reader)?.answer.done;
    expect([
      read(cancelledReply()),
      read(processedReply()),
      read(unknownReply()),
      read(outageReply()),
    ]).toEqual([true, false, false, undefined]);
  });

  test.each(['1000.0', '1000', '1,000.0', '1000.00'])(
    'a callback with amounts like %s verifies and names the amount',
    (amountText) => {
      const shown = { legId, amount: 125_000, status: 'paid', amountText } as const;
      const call = (spoiled: { badSignature: boolean; statusUnsigned: boolean }) =>
        parseCallback({ paymentId, body: callbackBody(shown, spoiled), header: () => '' }, credentials);
      expect(call({ badSignature: false, statusUnsigned: false })?.told).toEqual({
        reference: correlationIdOf(legId),
        amountPaisa: 125_000,
      });
      expect(call({ badSignature: true, statusUnsigned: false })).toBeNull();
      expect(call({ badSignature: false, statusUnsigned: true })).toBeNull();
    },
  );

  test('the deeplink opens the app on a phone', () => {
    expect(intentUrlOf(slugOf(legId))).toBe(
      'intent://d/d4t8z1m6q3x9k2v7b#Intent;scheme=walleta;package=example.wallet.a;end',
    );
    expect(legOfSlug(slugOf(legId))).toBe(legId);
    expect([
      isPhone('Mozilla/5.0 (Linux; Android 15) Mobile Safari'),
      isPhone('Mozilla/5.0 (X11; Linux x86_64)'),
    ]).toEqual([true, false]);
  });
});
