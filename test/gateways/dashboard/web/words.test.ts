import { numberText } from '../../../../gateways/dashboard/web/words/billing.ts';
import { describe, expect, test } from 'vitest';
import { adviceOn, failureFrom } from '../../../../gateways/dashboard/web/wire/failure.ts';
import {
  connectionAnnouncement,
  paidAnnouncement,
} from '../../../../gateways/dashboard/web/live/announcements.ts';
import {
  isFinal,
  reconnectDelayMs,
  spreadMs,
  spreadMsMax,
} from '../../../../gateways/dashboard/web/live/reconnect.ts';
import { amountParts, counted, countText } from '../../../../gateways/dashboard/web/words/money.ts';
import { agoText, dayText, durationText, fullText } from '../../../../gateways/dashboard/web/words/time.ts';
import { notesOn } from '../../../../gateways/dashboard/web/screens/payment/notes.ts';
import { knownFeeOf, paymentStates, wordsOf } from '../../../../gateways/dashboard/web/words/words.ts';
import { noon, paid, paymentAt, paymentOf } from './samples.ts';

test('amounts are grouped as people in Nepal group them', () => {
  expect(amountParts(12_500_050)).toEqual({
    whole: 'NPR 1,25,000.50',
    unit: 'NPR',
    rupees: '1,25,000',
    paisa: '.50',
  });
  expect([countText(0), countText(125_000)]).toEqual(['0', '1,25,000']);
  expect([counted(1, 'payment'), counted(2, 'try', 'tries')]).toEqual(['1 payment', '2 tries']);
});

test.each([
  ['wallet_c', null, null],
  ['bank_a', 0, 0],
  ['wallet_a', 0, 0],
  ['bank_a', 1000, 1000],
  // its look-up says 0 until it has settled the payment
  ['wallet_b', 0, null],
  ['wallet_b', 1250, 1250],
] as const)('a fee of %s that its payment has as %s is known as %s', (provider, fee, known) => {
  expect(knownFeeOf(paymentOf({ provider, fee }))).toBe(known);
});

describe('times', () => {
  test("are in Nepal's zone", () => {
    expect(fullText(noon)).toBe('20 Nov 2026, 12:00:00 pm, Nepal time');
  });

  test.each([
    [0, 'just now'],
    [12_000, '12 s ago'],
    [59_000, '59 s ago'],
    [60_000, '1 min ago'],
    [3 * 3_600_000, '3 h ago'],
    [26 * 3_600_000, '1 day ago'],
    [-240_000, 'in 4 min'],
    [-23 * 3_600_000, 'in 23 h'],
    [-(86_400_000 + 60_000), 'in 1 day'],
    // a trial of seven days that began a minute ago
    [-(7 * 86_400_000 - 60_000), 'in 7 days'],
  ])('%d ms back is %s', (back, text) => {
    expect(agoText(noon - back, noon)).toBe(text);
  });

  test('days change at midnight in Nepal', () => {
    const beforeMidnight = Date.parse('2026-11-19T18:14:59.000Z');
    expect(dayText(beforeMidnight + 1000, noon)).toBe('Today');
    expect(dayText(beforeMidnight, noon)).toBe('Yesterday');
    expect(dayText(noon - 5 * 86_400_000, noon)).toBe('15 Nov');
    expect(dayText(noon - 400 * 86_400_000, noon)).toBe('16 Oct 2025');
  });

  test('durations are short', () => {
    expect([7, 1234, 42_000, 200_000].map(durationText)).toEqual(['7 ms', '1.2 s', '42 s', '3 min']);
  });
});

describe('announcements for screen readers', () => {
  test('name one payment by amount and buyer, many by their sum', () => {
    expect(paidAnnouncement([])).toBeNull();
    expect(paidAnnouncement([paid(paymentAt(1))])).toBe('Payment received: NPR 1,250.50 from Asha Rai.');
    expect(paidAnnouncement([paid(paymentAt(1, { customer: null }))])).toBe(
      'Payment received: NPR 1,250.50.',
    );
    expect(paidAnnouncement([paid(paymentAt(1)), paid(paymentAt(2))])).toBe(
      '2 payments received, NPR 2,501.00 together.',
    );
  });

  test('report a lost and a restored connection, and not the first connection', () => {
    const [connecting, connected] = [{ is: 'connecting' }, { is: 'connected' }] as const;
    const lost = { is: 'lost', since: noon } as const;
    expect(connectionAnnouncement(connecting, connected)).toBeNull();
    expect(connectionAnnouncement(connected, lost)).toMatch(/may be old/);
    expect(connectionAnnouncement(lost, lost)).toBeNull();
    expect(connectionAnnouncement(lost, connected)).toMatch(/up to date/);
    const suspended = { is: 'suspended' } as const;
    expect(connectionAnnouncement(connecting, suspended)).toBeNull();
    expect(connectionAnnouncement(connected, suspended)).toBe('Your account is suspended.');
    expect(connectionAnnouncement(suspended, connected)).toMatch(/up to date/);
  });
});

describe('a lost connection', () => {
  test('is retried within three seconds at first, and with growing delays while nothing answers', () => {
    expect(reconnectDelayMs(0, 0)).toBe(0);
    expect(reconnectDelayMs(0, 0.999999)).toBeLessThan(spreadMs);
    expect(reconnectDelayMs(2, 0.5)).toBe(6_000);
    expect(reconnectDelayMs(400, 0.999999)).toBeLessThan(spreadMsMax);
  });

  test('is not retried where it would not help, but a suspension may be lifted', () => {
    expect(
      ['account_suspended', 'resource_not_found', 'rate_limit_exceeded', 'ticket_invalid'].map(isFinal),
    ).toEqual([false, true, false, false]);
  });
});

describe('a failure', () => {
  const body = (code: string): object => ({ error: { message: 'No.', code, request_id: 'req_1' } });

  test('says what to do next, and names the request where somebody must look', () => {
    expect(adviceOn(failureFrom(429, body('rate_limit_exceeded'), '30'))).toBe(
      'Wait 30 seconds, then try again.',
    );
    expect(adviceOn(failureFrom(500, body('internal_error'), null))).toMatch(/with the id req_1\.$/);
    expect(adviceOn(failureFrom(503, body('service_unavailable'), null))).toMatch(/in a moment/);
    expect(adviceOn(failureFrom(404, body('resource_not_found'), null))).toMatch(/the other mode/);
  });

  test('with a foreign body is still reported', () => {
    for (const strange of [null, 'no', {}, { error: 'no' }, { error: { code: 1 } }]) {
      expect(failureFrom(502, strange, null)).toMatchObject({ status: 502, code: 'unreadable' });
    }
  });
});

describe('unusual properties of a payment', () => {
  test('are shown, and no others', () => {
    expect(notesOn(paymentOf())).toEqual([]);
    const all = notesOn(paymentOf({ needsReview: true, duplicate: true, late: true }));
    expect(all.map(({ title }) => title)).toEqual([
      'A person should look at this',
      'Paid twice',
      'Paid late',
    ]);
  });

  test('of a duplicate say that its refund was opened', () => {
    const [note] = notesOn(paymentOf({ duplicate: true, status: 'success' }));
    expect(note?.text).toBe(
      'The buyer had paid this order already. ' +
        'A refund of this payment was opened by itself; see Refunds below.',
    );
  });
});

test('an unknown state is shown unchanged', () => {
  expect(wordsOf(paymentStates, 'success').word).toBe('Paid');
  expect(wordsOf(paymentStates, 'reversed').word).toBe('reversed');
  expect(wordsOf(paymentStates, 'toString').word).toBe('toString');
});

test('only a draft is called one: an invoice voided before it opened has no number', () => {
  const words = (['draft', 'voided'] as const).map((status) => numberText({ invoiceNumber: null, status }));
  expect(words).toEqual(['Draft', 'No number']);
  expect(numberText({ invoiceNumber: 'INV-000012', status: 'voided' })).toBe('INV-000012');
});
