import { hintsMax } from '../../../actors/checkout-session/hint.ts';
import { describe, expect, test } from 'vitest';
import {
  allEvents,
  comesBack,
  created,
  declines,
  inStatus,
  lastEvents,
  learns,
  lookupsInFlight,
  minutes,
  pay,
  paymentIn,
  pendingOf,
  picks,
  pidx,
  pollsNow,
  redirect,
  running,
  says,
  saying,
  seconds,
  staysSilent,
} from './buyer.ts';

describe('a hint', () => {
  test('triggers a look-up of the running attempt at once and makes it processing, nothing more', () => {
    const story = comesBack(running(created()), 1, 'paid');
    expect(lookupsInFlight(story)).toEqual([
      {
        paymentId: pay(1),
        provider: 'wallet_b',
        amount: 125050,
        lookupReference: pidx(pay(1)),
        providerExpiresAt: story.now + minutes(30),
        cause: 'buyer_return',
      },
    ]);
    expect(paymentIn(story)).toMatchObject({ status: 'processing', sequence: 2 });
    expect(story.state.status).toBe('initiated');
    expect(lastEvents(story)).toEqual([]);
  });

  test('with false content changes nothing: the look-up decides', () => {
    const story = says(comesBack(running(created()), 1, 'paid'), 'pending');
    expect(story.view).toMatchObject({ status: 'initiated', paymentId: pay(1) });
    expect(paymentIn(story).status).toBe('processing');
  });

  test('that arrives while a look-up is in flight triggers another one, a second after the first', () => {
    const story = pollsNow(running(created()));
    const asked = story.now;
    comesBack(story.wait(100));
    expect(lookupsInFlight(story)).toHaveLength(1);
    says(story.wait(100), 'pending');
    expect(lookupsInFlight(story)).toEqual([]);
    expect(story.timer(`poll/${pay(1)}`)).toBe(asked + seconds(1));
    story.wait(seconds(1));
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'buyer_return' }]);
  });

  test('needs no further look-up if the one in flight finds the money', () => {
    const story = says(comesBack(pollsNow(running(created()))), 'paid');
    expect(story.view['status']).toBe('success');
    expect(story.doc?.timers).toEqual([]);
    expect(story.pending).toEqual([]);
  });

  test('received twice within a second triggers a look-up now and one a second later, then the schedule continues', () => {
    const story = running(created());
    const asked = story.now;
    says(comesBack(story), 'pending');
    story.when('hint', {
      paymentId: pay(1),
      from: 'callback',
      says: 'paid',
      verified: true,
      summary: 'Callback',
    });
    expect(lookupsInFlight(story)).toEqual([]);
    expect(story.timer(`poll/${pay(1)}`)).toBe(asked + seconds(1));
    says(story.wait(seconds(1)), 'pending');
    const wait = (story.timer(`poll/${pay(1)}`) ?? 0) - story.now;
    expect(wait).toBeGreaterThanOrEqual(seconds(3));
    expect(wait).toBeLessThanOrEqual(seconds(3.3));
  });

  test('is accepted a hundred times per payment: further ones write nothing, and polling finds the money', () => {
    const story = running(created());
    for (let n = 0; n < hintsMax; n++) comesBack(story);
    says(story, 'pending');
    const [before, notes] = [story.doc, story.notes.length];
    comesBack(story, 1, 'paid');
    expect(story.last.outcome.is).toBe('ok');
    expect([story.doc, story.notes.length]).toEqual([before, notes]);
    says(pollsNow(story), 'pending');
    says(pollsNow(story), 'paid');
    expect(story.view).toMatchObject({ status: 'success', late: false });
  });

  test('that arrives before the answer of our start call triggers a look-up as soon as that answer is there', () => {
    const story = picks(created(), 1);
    story.when('hint', {
      paymentId: pay(1),
      from: 'callback',
      says: 'paid',
      verified: true,
      summary: 'Callback',
    });
    expect(lookupsInFlight(story)).toEqual([]);
    story.settle('provider.start', {
      paymentId: pay(1),
      durationMs: 10,
      answer: {
        outcome: 'started',
        lookupReference: pidx(pay(1)),
        providerExpiresAt: null,
        instructions: { kind: 'redirect', method: 'GET', url: 'https://wallet-b.example/', fields: {} },
      },
    });
    expect(lookupsInFlight(story)).toMatchObject([{ cause: 'provider_callback' }]);
  });

  test.each(['pending', 'success', 'failed', 'cancelled', 'expired'] as const)(
    'on a session that is %s triggers a look-up and leaves it unchanged',
    (status) => {
      const story = inStatus[status]().wait(seconds(2));
      const before = story.view;
      comesBack(story);
      expect(story.last.outcome.is).toBe('ok');
      expect(lookupsInFlight(story)).toMatchObject([{ paymentId: pay(1), cause: 'buyer_return' }]);
      expect(story.view).toEqual(before);
    },
  );

  test('about a payment of another session is answered "not found"', () => {
    const story = running(created());
    comesBack(story, 9);
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
  });

  test('after the last late look-up still triggers a look-up', () => {
    const story = inStatus.expired();
    for (let looks = 0; looks < 5; looks++) learns(story, 1, 'expired');
    expect(story.doc?.timers).toEqual([]);
    says(comesBack(story.wait(minutes(600))), 'paid');
    expect(story.view).toMatchObject({ status: 'success', late: true });
    expect(story.doc?.timers).toEqual([]);
  });
});

describe('a look-up of the running attempt', () => {
  test('that says paid, equal, makes payment and session success in one commit, once', () => {
    const story = learns(running(created()), 1, 'paid');
    expect(story.view).toMatchObject({
      status: 'success',
      paymentId: pay(1),
      late: false,
      needsReview: false,
    });
    expect(paymentIn(story)).toMatchObject({
      status: 'success',
      providerRef: 'TXN7Q2M9',
      fee: 0,
      paidAt: story.now,
      late: false,
      duplicate: false,
      failure: null,
    });
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
    expect(story.doc?.timers).toEqual([]);
  });

  test('that says pending makes it processing and continues with the schedule', () => {
    const story = learns(running(created()), 1, 'pending');
    expect(paymentIn(story).status).toBe('processing');
    const wait = (story.timer(`poll/${pay(1)}`) ?? 0) - story.now;
    expect(wait).toBeGreaterThanOrEqual(seconds(4.5));
    expect(wait).toBeLessThanOrEqual(seconds(5.5));
  });

  test('that answers "not found" leaves it pending and continues', () => {
    const story = learns(running(created()), 1, 'not_found');
    expect(paymentIn(story)).toMatchObject({ status: 'pending', sequence: 1 });
    expect(story.timer(`poll/${pay(1)}`)).not.toBeNull();
  });

  test('without a readable answer never fails it, however many there are', () => {
    const story = running(created());
    for (let silence = 0; silence < 20; silence++) staysSilent(pollsNow(story));
    expect(paymentIn(story)).toMatchObject({ status: 'pending', sequence: 1 });
    expect(story.state.status).toBe('initiated');
  });

  test('whose outcome cannot be known counts as unanswered', () => {
    const story = pollsNow(running(created()));
    story.settle(
      'provider.lookup',
      story.actor.effects['provider.lookup'].unknown(pendingOf(story, 'provider.lookup')),
    );
    expect(paymentIn(story).status).toBe('pending');
    expect(story.timer(`poll/${pay(1)}`)).not.toBeNull();
  });

  test('that says declined fails it; a hosted buyer returns to the provider choice', () => {
    const story = declines(running(created()));
    expect(story.view).toMatchObject({ status: 'pending', provider: null, paymentId: null, attempts: 1 });
    expect(paymentIn(story)).toMatchObject({
      status: 'failed',
      failure: { code: 'declined' },
      legs: [{ instructions: null }],
    });
    expect(lastEvents(story)).toEqual(['payment.failed']);
    expect(story.timer('expiry')).toBe(story.state.expiresAt);
  });

  test('that says "not enough money" sets that failure code', () => {
    const story = learns(running(created()), 1, 'failed', { failureCode: 'insufficient_funds' });
    expect(paymentIn(story).failure?.code).toBe('insufficient_funds');
  });

  test('that says declined ends a redirect session as failed', () => {
    const story = declines(running(created(redirect)));
    expect(story.view).toMatchObject({ status: 'failed', provider: 'wallet_b', paymentId: null });
    expect(lastEvents(story)).toEqual(['payment.failed']);
  });

  test('that says cancelled cancels it; a hosted buyer may try again', () => {
    const story = learns(running(created()), 1, 'cancelled');
    expect(story.view).toMatchObject({ status: 'pending', provider: null });
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'user_cancelled' } });
    expect(lastEvents(story)).toEqual(['payment.failed', 'payment.cancelled']);
    const [failed, cancelled] = story.last.events;
    expect(failed?.data).toEqual(cancelled?.data);
  });

  test('that says cancelled cancels a redirect session, and a hosted one at its fifth attempt', () => {
    const direct = learns(running(created(redirect)), 1, 'cancelled');
    expect(direct.state.status).toBe('cancelled');
    expect(lastEvents(direct)).toEqual(['payment.failed', 'payment.cancelled', 'checkout.cancelled']);
    const hosted = created();
    for (let n = 1; n <= 4; n++) declines(running(hosted, n), n);
    expect(learns(running(hosted, 5), 5, 'cancelled').state.status).toBe('cancelled');
  });

  test('that says expired cancels it; a hosted buyer may try again', () => {
    const story = learns(running(created()), 1, 'expired');
    expect(story.view).toMatchObject({ status: 'pending', provider: null });
    expect(paymentIn(story)).toMatchObject({ status: 'cancelled', failure: { code: 'attempt_expired' } });
    expect(lastEvents(story)).toEqual(['payment.failed', 'payment.cancelled']);
  });

  test('that says expired ends a redirect session as expired, and a hosted one at its fifth attempt', () => {
    const direct = learns(running(created(redirect)), 1, 'expired');
    expect(direct.state.status).toBe('expired');
    expect(lastEvents(direct)).toEqual(['payment.failed', 'payment.cancelled', 'checkout.expired']);
    const hosted = created();
    for (let n = 1; n <= 4; n++) declines(running(hosted, n), n);
    expect(learns(running(hosted, 5), 5, 'expired').state.status).toBe('expired');
  });
});

test.each(['cancelled', 'failed'] as const)(
  'a look-up that says %s without naming the payment settles nothing',
  (outcome) => {
    const story = says(pollsNow(running(created())), outcome, { reference: null });
    expect(story.view).toMatchObject({ status: 'initiated', paymentId: pay(1) });
    expect(paymentIn(story)).toMatchObject({ status: 'pending', failure: null, needsReview: false });
  },
);

describe('a look-up of a closed attempt', () => {
  test.each(['failed', 'cancelled', 'expired', 'pending', 'not_found'] as const)(
    'that says %s changes nothing while another attempt runs',
    (outcome) => {
      const story = running(declines(running(created())), 2).wait(seconds(2));
      const before = story.view;
      says(comesBack(story, 1), outcome, {}, 1);
      expect(story.view).toEqual(before);
      expect(paymentIn(story, 1)).toMatchObject({ status: 'failed', failure: { code: 'declined' } });
      expect(lastEvents(story)).toEqual([]);
    },
  );

  test('is requested 30 s and 2 min after its closing while the session is open, then no more', () => {
    const story = declines(running(created()));
    const closed = story.now;
    expect(story.timer(`poll/${pay(1)}`)).toBe(closed + seconds(30));
    learns(story, 1, 'pending');
    expect(story.timer(`poll/${pay(1)}`)).toBe(closed + minutes(2));
    learns(story, 1, 'pending');
    expect(story.timer(`poll/${pay(1)}`)).toBeNull();
  });

  test('that finds money pays a session that is back at the provider choice: the payment is late, the session is not', () => {
    const story = learns(declines(running(created())), 1, 'paid');
    expect(story.view).toMatchObject({
      status: 'success',
      provider: 'wallet_b',
      paymentId: pay(1),
      late: false,
    });
    expect(paymentIn(story)).toMatchObject({ status: 'success', late: true, failure: null });
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
  });

  test('that finds money while another attempt runs supersedes the running one', () => {
    const story = learns(running(declines(running(created())), 2), 1, 'paid');
    expect(story.view).toMatchObject({ status: 'success', paymentId: pay(1), attempts: 2 });
    expect(paymentIn(story, 2)).toMatchObject({ status: 'cancelled', failure: { code: 'superseded' } });
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
  });
});

describe('one look-up at a time', () => {
  test('a poll that is due while one is in flight requests nothing', () => {
    const story = pollsNow(running(created()));
    story.when('pollDue', { key: pay(1) });
    expect(lookupsInFlight(story)).toHaveLength(1);
    expect(story.timer(`poll/${pay(1)}`)).toBeNull();
  });

  test('a poll of a payment that does not exist or was not opened yet requests nothing', () => {
    const story = picks(created(), 1)
      .when('pollDue', { key: pay(1) })
      .when('pollDue', { key: pay(9) });
    expect(lookupsInFlight(story)).toEqual([]);
  });

  test('an answer about a payment that does not exist changes nothing', () => {
    const story = running(created());
    const before = story.state;
    story.when('lookupAnswered', { paymentId: pay(9), cause: 'poll', answer: saying('paid', pidx(pay(9))) });
    expect(story.state).toEqual(before);
  });

  test('when callback and poll race, the second result finds a settled session and changes nothing', () => {
    const story = learns(running(created()), 1, 'paid');
    const before = story.view;
    story.when('lookupAnswered', { paymentId: pay(1), cause: 'poll', answer: saying('paid', pidx(pay(1))) });
    expect(story.view).toEqual(before);
    expect(allEvents(story)).toEqual(['checkout.created', 'payment.succeeded']);
  });
});

describe('the timeline', () => {
  test('records a paid payment from its start to its success, in order, with causes', () => {
    const story = says(comesBack(running(created())), 'paid');
    const told = story.notes
      .filter(({ kind }) => kind !== undefined)
      .map((note) => [note.about, note.kind, note.cause]);
    expect(told).toEqual([
      [pay(1), 'transition', 'start'],
      [story.given.id, 'transition', 'start'],
      [pay(1), 'provider_call', 'start'],
      [pay(1), 'buyer_return', 'return'],
      [pay(1), 'transition', 'buyer_return'],
      [pay(1), 'poll', 'buyer_return'],
      [pay(1), 'transition', 'buyer_return'],
      [story.given.id, 'transition', 'buyer_return'],
    ]);
    const poll = story.notes.find(({ kind }) => kind === 'poll');
    expect(poll).toMatchObject({
      summary: 'Lookup: paid, amount and reference equal',
      durationMs: 214,
      detail: { outcome: 'paid', amountPaisa: 125050, httpStatus: 200 },
    });
    expect(story.notes.at(-2)).toMatchObject({ from: 'processing', to: 'success' });
  });

  test('records what was odd about an answer beside what it says', () => {
    const note = 'two trace numbers that differ: 128391 and 128392';
    const story = learns(running(created()), 1, 'paid', { note });
    expect(story.notes.filter(({ kind }) => kind === 'poll')).toMatchObject([
      { summary: `Lookup: paid, amount and reference equal; ${note}` },
    ]);
  });

  test('records what was not accepted as paid', () => {
    const story = learns(running(created()), 1, 'paid', { amountPaisa: 124950 });
    expect(story.notes.slice(-2)).toMatchObject([
      { kind: 'poll', summary: 'Lookup: paid, but NPR 1,249.50 instead of NPR 1,250.50' },
      { kind: 'refused', summary: 'Not taken as paid: paid, but NPR 1,249.50 instead of NPR 1,250.50' },
    ]);
  });
});
