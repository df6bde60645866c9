/** One payment with two legs: in the provider's app, and on the web (docs/decisions/0030-one-payment-two-legs.md). */
import { describe, expect, test } from 'vitest';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { hintsMax } from '../../../actors/checkout-session/hint.ts';
import { attemptsMax } from '../../../actors/checkout-session/steps.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import {
  legIn,
  allEvents,
  comesBack,
  created,
  hours,
  lookupsInFlight,
  minutes,
  pay,
  paymentIn,
  pendingOf,
  picks,
  refusesStart,
  seconds,
  type SessionStory,
} from './buyer.ts';
import {
  booked,
  booking,
  books,
  callback,
  goesToTheWeb,
  inApp,
  learns,
  onWeb,
  twoLegs,
  webOpens,
} from './in-app.ts';

describe('a payment in the app', () => {
  test('row 84: the session lives 30 minutes from the booking, whatever it had before', () => {
    const story = booked();
    expect(story.state.expiresAt).toBe(story.now + minutes(30));
    expect(story.timer('expiry')).toBe(story.now + minutes(30));
    const long = created();
    long.now += minutes(20);
    expect(long.state.expiresAt - long.now).toBe(minutes(10));
  });

  test('row 83: it is looked up after 3, 5, 8, 13, 21, 30, 30 ... seconds, a tenth more or less, within 3 to 30 s', () => {
    const story = booked();
    for (const wait of [3, 5, 8, 13, 21, 30, 30, 30].map(seconds)) {
      const at = story.timer(`poll/${pay(1)}-i`) ?? 0;
      expect(at - story.now).toBeGreaterThanOrEqual(Math.max(seconds(3), wait * 0.9));
      expect(at - story.now).toBeLessThanOrEqual(Math.min(seconds(30), wait * 1.1));
      learns(story, 'intent', 'pending');
    }
    expect(paymentIn(story)).toMatchObject({ status: 'processing', legs: [{ seen: { wasPending: true } }] });
  });

  test('SUCCESS without an amount is paid: the booking has fixed it; another reference is not', () => {
    expect(learns(booked(), 'intent', 'paid').state.status).toBe('success');
    const other = learns(booked(), 'intent', 'paid', { reference: 'BK-1 CR-2' });
    expect([other.state.status, paymentIn(other).needsReview]).toEqual(['initiated', true]);
  });

  test('an amount in the callback that differs goes to review, also when the look-up then says SUCCESS', () => {
    const story = callback(booked(), 1);
    learns(story, 'intent', 'paid', { amountPaisa: lookupsInFlight(story)[0]?.seen?.toldAmount ?? null });
    expect(story.state.status).toBe('initiated');
    expect(paymentIn(story)).toMatchObject({ needsReview: true, failure: { code: 'amount_mismatch' } });
  });

  test('the amount in a callback that overtakes the answer to the booking counts, if it is about this booking', () => {
    const early = books(callback(picks(created(), 1, 'wallet_a'), 1));
    expect(lookupsInFlight(early)[0]?.seen?.toldAmount).toBe(1);
    learns(early, 'intent', 'paid', { amountPaisa: 1 });
    expect([early.state.status, paymentIn(early).failure?.code]).toEqual(['initiated', 'amount_mismatch']);
    const ofAnother = picks(created(), 1, 'wallet_a').when('hint', {
      paymentId: pay(1),
      from: 'callback',
      says: 'paid',
      verified: true,
      summary: 'Callback',
      leg: 'intent',
      told: { reference: 'CR-9', amountPaisa: 1 },
    });
    expect(lookupsInFlight(books(ofAnother))[0]?.seen?.toldAmount).toBeUndefined();
  });

  test("the amount in another payment's callback says nothing about this one", () => {
    const story = booked().when('hint', {
      paymentId: pay(1),
      from: 'callback',
      says: 'paid',
      verified: true,
      summary: 'Callback',
      leg: 'intent',
      told: { reference: 'CR-9', amountPaisa: 1 },
    });
    expect(lookupsInFlight(story)[0]?.seen?.toldAmount).toBeUndefined();
  });

  test.each([
    ['failed', 'pending', 'declined'],
    ['cancelled', 'pending', 'user_cancelled'],
    ['expired', 'expired', 'attempt_expired'],
  ] as const)('row 84: %s at the provider: the hosted session is %s', (outcome, status, code) => {
    const story = learns(booked(), 'intent', outcome, { failureCode: null });
    expect([story.state.status, paymentIn(story).failure?.code]).toEqual([status, code]);
  });

  test('after a hundred returns an amount in the callback still counts, once', () => {
    const story = booked();
    for (let n = 0; n < hintsMax; n++) comesBack(story);
    callback(story, 100);
    expect(legIn(story).seen?.toldAmount).toBe(100);
    const before = story.doc;
    callback(story, 100);
    expect(story.doc).toEqual(before);
  });

  test('an unknown word is doubtful, and an unreadable answer says nothing', () => {
    expect(paymentIn(learns(booked(), 'intent', 'ambiguous')).needsReview).toBe(true);
    expect(learns(booked(), 'intent', 'pending', { answered: false }).state).toMatchObject({
      status: 'initiated',
    });
  });

  test('a paid payment tells its look-ups so: only then REVERTED is a refund', () => {
    const story = callback(learns(callback(booked()), 'intent', 'paid').wait(seconds(2)));
    expect(lookupsInFlight(story)[0]).toMatchObject({ leg: 'intent', seen: { paid: true } });
  });
});

describe('the web instead', () => {
  test('is the same payment and no other attempt; the form comes at once, and the booking is cancelled', () => {
    const story = goesToTheWeb(booked());
    expect(story.last.outcome).toMatchObject({ is: 'ok', detail: { paymentId: pay(1) } });
    expect(story.state.payments).toHaveLength(1);
    expect(pendingOf(story, 'provider.start')).toMatchObject({ paymentId: pay(1), webOnly: true });
    expect(pendingOf(story, 'provider.cancel')).toEqual({ paymentId: pay(1), provider: 'wallet_a', booking });
    webOpens(story);
    expect(paymentIn(story)).toMatchObject({
      legs: [
        { name: 'web', instructions: { kind: 'form' }, lookupReference: onWeb },
        { name: 'intent', lookupReference: inApp },
      ],
    });
    // asked once more, the same form again
    const before = story.state;
    expect(goesToTheWeb(story).state).toEqual(before);
  });

  test('asked for at first, nothing is booked', () => {
    const story = created().when('start', { paymentId: pay(1), provider: 'wallet_a', variant: 'web' });
    expect(pendingOf(story, 'provider.start')).toMatchObject({ webOnly: true });
  });

  test('that does not start leaves the buyer in the app', () => {
    const story = goesToTheWeb(booked()).settle('provider.start', {
      paymentId: pay(1),
      durationMs: 0,
      answer: { outcome: 'failed', message: 'The provider is not answering.' },
    });
    expect(story.state.status).toBe('initiated');
    expect(paymentIn(story)).toMatchObject({
      start: 'answered',
      legs: [{ name: 'intent', instructions: { kind: 'intent' } }],
    });
    expect(learns(story, 'intent', 'paid').state.status).toBe('success');
  });

  /** The money of the app arrives while the web is being started. */
  const paidWhileStarting = (): SessionStory => learns(goesToTheWeb(booked()), 'intent', 'paid');

  test('that opens after the app was paid is the other leg: looked up, and money there is a duplicate', () => {
    const story = webOpens(paidWhileStarting());
    expect(paymentIn(story)).toMatchObject({
      status: 'success',
      start: 'answered',
      legs: [
        { name: 'intent', lookupReference: inApp, instructions: null },
        { name: 'web', lookupReference: onWeb, instructions: null },
      ],
    });
    expect(paymentIn(story).legs[1]?.settled).toBeUndefined();
    learns(story, 'web', 'paid', { providerRef: 'SECOND' });
    expect(story.state.payments).toMatchObject([{ duplicate: false }, { duplicate: true }]);
  });

  test('that does not open after the app was paid changes nothing about the money', () => {
    const story = paidWhileStarting().settle('provider.start', {
      paymentId: pay(1),
      durationMs: 0,
      answer: { outcome: 'failed', message: 'The provider is not answering.' },
    });
    expect(paymentIn(story)).toMatchObject({
      status: 'success',
      start: 'answered',
      legs: [
        { name: 'intent', lookupReference: inApp },
        { name: 'web', settled: true },
      ],
    });
    expect(allEvents(story).filter((type) => type.startsWith('payment.'))).toEqual(['payment.succeeded']);
  });

  test('a review is about both legs: accepted, each is looked up, and the person ends it with the money of either', () => {
    const story = learns(twoLegs(), 'intent', 'ambiguous');
    for (let asked = lookupsInFlight(story); asked.length > 0; asked = lookupsInFlight(story))
      learns(story, asked[0]?.leg ?? 'web', 'pending');
    story.when('endReview', { paymentId: pay(1), how: 'accept', reason: 'The buyer shows it.', who: 'asha' });
    learns(learns(story, 'web', 'not_found'), 'intent', 'paid');
    const asked = story.notes.filter(({ kind, cause }) => kind === 'poll' && cause === 'operator');
    expect(asked.map(({ detail }) => detail)).toMatchObject([{ outcome: 'not_found' }, { leg: 'intent' }]);
    expect(paymentIn(story)).toMatchObject({
      status: 'success',
      needsReview: false,
      reviewed: { ended: { how: 'accepted', by: 'asha' } },
    });
  });

  test('asked for while a switch waits counts, as does the app asked for after it: the latest choice', () => {
    for (const [first, second] of [
      [null, 'web'],
      ['web', null],
    ] as const) {
      const story = created().when('start', { paymentId: pay(1), provider: 'wallet_b', variant: null });
      story.settle('provider.start', {
        paymentId: pay(1),
        durationMs: 0,
        answer: {
          outcome: 'started',
          instructions: { kind: 'redirect', method: 'GET', url: 'https://wallet-b.example/', fields: {} },
          lookupReference: 'pidx-1',
          providerExpiresAt: null,
        },
      });
      for (const [nth, variant] of [first, second].entries())
        story.when('start', { paymentId: pay(2 + nth), provider: 'wallet_a', variant });
      const { provider, webOnly } = (story.state as { waiting: { provider: string; webOnly?: true } })
        .waiting;
      expect([provider, webOnly ?? false]).toEqual(['wallet_a', second === 'web']);
    }
  });

  test('that never starts is asked for as often as a session has attempts', () => {
    const story = booked();
    for (let n = 0; n < attemptsMax; n++) refusesStart(goesToTheWeb(story));
    goesToTheWeb(story);
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'attempts_exhausted' });
    expect(story.pending.filter(({ kind }) => kind === 'provider.start')).toEqual([]);
    expect(paymentIn(story)).toMatchObject({ id: pay(1), start: 'answered', legs: [{ name: 'intent' }] });
  });

  test('both legs are looked up; that the booking is cancelled changes nothing, and settles it', () => {
    const story = twoLegs();
    expect([story.timer(`poll/${pay(1)}`), story.timer(`poll/${pay(1)}-i`)]).not.toContain(null);
    learns(story, 'intent', 'cancelled');
    expect(story.state.status).toBe('initiated');
    expect(paymentIn(story).legs[1]?.settled).toBe(true);
    expect(story.timer(`poll/${pay(1)}-i`)).toBeNull();
    expect(learns(story, 'web', 'paid').state.status).toBe('success');
  });

  test('a refusal on the web ends the attempt, and money in the app still counts', () => {
    const story = learns(twoLegs(), 'web', 'failed');
    expect(story.state.status).toBe('pending');
    expect(paymentIn(story).status).toBe('failed');
    learns(story, 'intent', 'paid');
    expect(story.state).toMatchObject({ status: 'success', paidBy: pay(1) });
    expect(paymentIn(story)).toMatchObject({ status: 'success', late: true });
  });

  test.each([
    ['intent', 'web'],
    ['web', 'intent'],
  ] as const)(
    'row 83: %s first: it wins, and the other leg is deduplicated while it is not paid',
    (first, other) => {
      const story = learns(twoLegs(), first, 'paid');
      expect(paymentIn(story)).toMatchObject({ status: 'success', legs: [{ name: first }, { name: other }] });
      learns(story, other, 'pending');
      learns(story, other, first === 'web' ? 'cancelled' : 'failed');
      expect(story.state.payments).toHaveLength(1);
      expect(allEvents(story).filter((type) => type.startsWith('payment.'))).toEqual(['payment.succeeded']);
      expect(paymentIn(story)).toMatchObject({
        needsReview: false,
        legs: [{ name: first }, { settled: true }],
      });
    },
  );

  test.each([
    ['intent', 'web'],
    ['web', 'intent'],
  ] as const)(
    '%s and then %s paid too: a new payment, a duplicate, with its refund; once',
    (first, second) => {
      const story = learns(twoLegs(), first, 'paid');
      learns(story, second, 'paid', { providerRef: 'SECOND' });
      expect(story.state.payments).toMatchObject([
        { id: pay(1), status: 'success', duplicate: false },
        { status: 'success', duplicate: true, providerRef: 'SECOND' },
      ]);
      const duplicate = story.state.payments[1]?.id ?? '';
      expect(duplicate).toMatch(/^pay_n5[0-9a-hjkmnp-tv-z]{14}$/);
      expect(story.state.refunds).toMatchObject([{ paymentId: duplicate, reason: 'duplicate' }]);
      expect(allEvents(story).filter((type) => type.startsWith('payment.'))).toEqual([
        'payment.succeeded',
        'payment.duplicate',
      ]);
      const before = story.state;
      callback(story);
      expect(story.state.payments).toHaveLength(before.payments.length);
    },
  );

  test('at expires_at both legs are looked up once more, and money of either counts', () => {
    for (const paid of ['intent', 'web'] as const) {
      const story = twoLegs();
      story.pending = [];
      story.now = story.state.expiresAt;
      story.when('expiryReached', { key: '' });
      expect(lookupsInFlight(story).map(({ leg = 'web', cause }) => [leg, cause])).toEqual([
        ['web', 'lastLook'],
        ['intent', 'lastLook'],
      ]);
      learns(story, paid === 'web' ? 'intent' : 'web', 'pending');
      expect(story.state.status).toBe('initiated');
      expect(learns(story, paid, 'paid').state.status).toBe('success');
    }
    const neither = twoLegs();
    neither.pending = [];
    neither.now = neither.state.expiresAt;
    neither.when('expiryReached', { key: '' });
    learns(learns(neither, 'web', 'not_found'), 'intent', 'pending');
    expect(neither.state.status).toBe('expired');
    neither.wait(hours(24) + hours(3));
  });
});

test(
  'row 83: callback and poll race 1,000 times, in every order: one success, one event',
  { timeout: 30_000 },
  () => {
    let wins = 0;
    for (let race = 0; race < 1000; race++) {
      const story = race % 2 === 0 ? booked() : twoLegs();
      const steps: (() => void)[] = [
        () => callback(story),
        () => callback(story),
        () => story.wait(seconds(race % 7)),
        () => {
          // whatever is in flight is answered, newest or oldest first
          for (let n = 0; n < 6 && lookupsInFlight(story).length > 0; n++) {
            const { leg = 'web' } = lookupsInFlight(story).at(race % 3 === 0 ? -1 : 0) ?? {};
            learns(story, leg, leg === 'intent' ? 'paid' : 'not_found');
          }
        },
      ];
      for (let left = steps.length, pick = race; left > 0; left--, pick = Math.floor(pick / 3) + race) {
        steps.splice(pick % left, 1)[0]?.();
      }
      learnsAll(story);
      if (story.state.status === 'success') wins += 1;
      expect(story.state.payments.map(({ status }) => status)).toEqual(['success']);
      expect(allEvents(story).filter((type) => type.startsWith('payment.'))).toEqual(['payment.succeeded']);
    }
    expect(wins).toBe(1000);
  },
);

/** Until nothing is in flight and the session is paid. */
function learnsAll(story: SessionStory): void {
  for (let n = 0; n < 10; n++) {
    const { leg } = lookupsInFlight(story)[0] ?? {};
    if (lookupsInFlight(story).length > 0)
      learns(story, leg ?? 'web', leg === 'intent' ? 'paid' : 'not_found');
    else if (story.state.status !== 'success') learns(story, 'intent', 'paid');
  }
}

describe('written in schema 5, which had no legs', () => {
  const actor: AnyActor = checkoutSession;
  test('an old document is read, and an attempt on the web is written so', () => {
    const story = created().when('start', { paymentId: pay(1), provider: 'wallet_a', variant: null });
    webOpens(story);
    const low = lowered(actor, story.state as never, 5);
    expect(low).not.toBeNull();
    expect(actor.upcast?.(low, 5)).toEqual(story.state);
  });

  test('a booking cannot be written: it waits for the newer nodes', () => {
    expect(lowered(actor, booked().state as never, 5)).toBeNull();
    expect(lowered(actor, twoLegs().state as never, 5)).toBeNull();
  });
});
